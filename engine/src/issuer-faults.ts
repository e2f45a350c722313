// Faults of a credential's issuer that are the same in every format.

import type { Fault } from './examination.ts'

export const OTHER_ALGORITHM: Fault = {
  code: 'credential_invalid',
  detail: 'the credential is signed with an algorithm that is not accepted',
}
export const NO_CERTIFICATES: Fault = {
  code: 'issuer_untrusted',
  detail: 'the credential does not carry the certificates of its issuer',
}
export const UNSIGNED: Fault = {
  code: 'credential_invalid',
  detail: 'the credential is not signed with the key of its certificate',
}
