// The public interface of oidc for other features.

export type { ClientTerms } from './domain/client.ts'
export { issuerOf } from './domain/issuer.ts'
export { pushedSealContext } from './domain/pushed-request.ts'
export { requestSealContext } from './domain/request.ts'
export { signingKeySealContext } from './domain/signing-key.ts'
export { STANDARD_TERMS } from './domain/standard-terms.ts'
export { SUBJECT_LABEL } from './domain/subject.ts'
export { createClient, removeClient } from './usecases/manage-clients.ts'
