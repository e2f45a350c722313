// What other features may use of oidc.

export { requestSealContext } from './domain/request.ts'
export { signingKeySealContext } from './domain/signing-key.ts'
export { SUBJECT_LABEL } from './domain/subject.ts'
export { removeClient } from './usecases/manage-clients.ts'
