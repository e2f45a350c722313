// The bodies of the API as types. The build writes them out in full (tools/build-sdk.ts), so the package needs no other.

export type {
  Device,
  DeviceTokenPair,
  RegisterDevice,
  RegisteredDevice,
} from '../../../wire/devices.ts'
export type { ErrorCode } from '../../../wire/errors.ts'
export type { CreatedLink, CreateLink, Link, LinkListQuery } from '../../../wire/links.ts'
export type { CertificateQuery, EvidenceDelivery } from '../../../wire/receipts.ts'
export type { TemplateList } from '../../../wire/templates.ts'
export type { Usage } from '../../../wire/usage.ts'
export type {
  CreateVerification,
  CredentialResult,
  ErasureResult,
  Verification,
  VerificationDiagnostics,
  VerificationListQuery,
  VerificationStatus,
  VerificationTransaction,
  VerificationVerdict,
} from '../../../wire/verifications.ts'
export type { VerificationCard } from '../../../wire/wallet.ts'
