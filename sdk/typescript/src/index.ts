// The exports of the SDK for a merchant's server. (The web component is '@vidimus/sdk/element'.)

export {
  AuditExportError,
  type AuditExportErrorCode,
  verifyAuditExport,
  type WholeExport,
} from './audit-export.ts'
export { Vidimus, type VidimusOptions } from './client.ts'
export {
  createDeviceClient,
  type DeviceClient,
  type DeviceClientOptions,
  type DeviceVerificationRequest,
} from './device/device-client.ts'
export { PairAgainError, type PairAgainReason, RefusedError, UnreachableError } from './device/device-errors.ts'
export { fileStorage } from './device/device-file-storage.ts'
export { type DeviceInfo, type DeviceState, type DeviceStorage, memoryStorage } from './device/device-storage.ts'
export type { Devices } from './device/devices.ts'
export type { Links, NewLink } from './links.ts'
export type { Cosigned } from './log-note.ts'
export {
  type LogKeys,
  LogProofError,
  type LogProofErrorCode,
  type ProvenLeaf,
  verifyReceiptProof,
} from './log-proof.ts'
export {
  type Receipt,
  type ReceiptCredential,
  type ReceiptErrorCode,
  ReceiptVerificationError,
  readCertificate,
  type VerifyReceiptOptions,
  verifyReceipt,
} from './receipt.ts'
export type { ReceiptResult } from './receipt-result.ts'
export {
  generateResultKey,
  isEncrypted,
  type OpenResultOptions,
  openChallenge,
  openEvidence,
  openResult,
  ResultError,
  type ResultErrorCode,
  type ResultPrivateKey,
} from './result.ts'
export type { Sleep } from './transport.ts'
export type { CredentialResult, Finding, Verification, VerificationStatus } from './verification.ts'
export type { CallOptions, CreateOptions, NewVerification, Verifications } from './verifications.ts'
export { type ConnectionCode, VidimusError, type VidimusErrorCode } from './vidimus-error.ts'
export type { WaitOptions } from './wait.ts'
export {
  type SignatureHeader,
  signWebhook,
  type UnknownEvent,
  type VerificationEvent,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhook.ts'
export type {
  CreatedLink,
  Device,
  DeviceTokenPair,
  ErasureResult,
  ErrorCode,
  EvidenceDelivery,
  Link,
  RegisteredDevice,
  TemplateList,
  Usage,
  VerificationDiagnostics,
  VerificationTransaction,
} from './wire.ts'
