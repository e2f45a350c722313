// The front of the SDK: what a merchant's code may import.

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
