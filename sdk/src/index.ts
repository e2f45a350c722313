// The front of the SDK: what a merchant's code may import.

export {
  createDeviceClient,
  type DeviceClient,
  type DeviceClientOptions,
  type DeviceVerificationRequest,
} from './device-client.ts'
export { PairAgainError, type PairAgainReason, RefusedError, UnreachableError } from './device-errors.ts'
export { fileStorage } from './device-file-storage.ts'
export { type DeviceInfo, type DeviceState, type DeviceStorage, memoryStorage } from './device-storage.ts'
export type { CredentialResult, Finding, Verification, VerificationStatus } from './verification.ts'
export {
  type SignatureHeader,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhook.ts'
