// The types of a verification (interface specification 2.1 and 2.2).

import type { CredentialResult, Verification } from './wire.ts'

export type { CredentialResult, Verification } from './wire.ts'
export type VerificationStatus = Verification['status']
export type Finding = CredentialResult['findings'][number]
