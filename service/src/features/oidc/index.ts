// Defines the public interface of oidc for other features.

export type { ClientTerms } from './domain/client.ts'
export { CORRELATION_LABEL, correlationKeyOf } from './domain/correlation.ts'
export { issuerOf } from './domain/issuer.ts'
export { pushedSealContext } from './domain/pushed-request.ts'
export { requestSealContext } from './domain/request.ts'
export { signingKeySealContext } from './domain/signing-key.ts'
export { STANDARD_TERMS } from './domain/standard-terms.ts'
export { SUBJECT_LABEL, subjectKeyOf } from './domain/subject.ts'
export { createClient, removeClient } from './usecases/manage-clients.ts'
