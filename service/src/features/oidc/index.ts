// The public interface of oidc for other features.

export { pushedSealContext } from './domain/pushed-request.ts'
export { requestSealContext } from './domain/request.ts'
export { signingKeySealContext } from './domain/signing-key.ts'
export { SUBJECT_LABEL } from './domain/subject.ts'
export { removeClient } from './usecases/manage-clients.ts'
