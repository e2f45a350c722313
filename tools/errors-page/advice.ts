// What a merchant can do about each refusal, and what each failure of a verification means. A code of the public routes
// without a line here does not compile; what has none belongs to the dashboard, whose message says it all.

import type { RejectionCode } from '@vidimus/engine'
import type { ErrorCode } from '../../sdk/src/types.gen.ts'
import type { RefusalCode } from '../../service/src/domain/errors.ts'

export type Advised = RefusalCode | 'internal_error'

export const ADVICE = {
  invalid_request:
    'Mend the request; the message names the member and the rule. Give exactly one of `template` and `query`.',
  invalid_idempotency_key: 'Send another key; a UUID is a good one.',
  invalid_pairing_code: 'Register the device again for a new code. Wrong, spent and lapsed codes are not told apart.',
  invalid_refresh_token: 'Pair the device again. Never send a refresh token twice: a spent one revokes the device.',
  invalid_wallet_response: 'For wallets: the answer could not be decrypted or read. The verification goes on waiting.',
  invalid_api_key:
    'Check the `Authorization: Bearer` header. Missing, malformed, revoked and unknown keys are not told apart.',
  api_key_expired: 'Make a new key; a device refreshes its token.',
  insufficient_scope: 'Use a key with the scope that the message names.',
  template_not_allowed: 'Register the device with this template in `allowed_templates`, or ask with another one.',
  not_found: 'Check the address.',
  session_not_found: "Check the id and the key's environment. An erased verification is gone for good.",
  invalid_response_code: 'Read the verification with your key instead; a code works once.',
  device_limit_reached:
    'Revoke devices that are no longer used; ask your operator (`VIDIMUS_DEVICES_MAX`) where all are.',
  template_limit_reached:
    'Remove templates that are no longer used; ask your operator (`VIDIMUS_TEMPLATES_MAX`) where all are.',
  device_not_found: "Check the id and the key's environment.",
  method_not_allowed: 'See the header `Allow`.',
  session_already_responded: 'For wallets: nothing more to do. Of two answers the first one counts.',
  idempotency_key_in_flight: 'Try again with the same key and body after `Retry-After`.',
  session_expired: 'Create another verification; choose `ttl_seconds` up to 3600 if holders need longer.',
  payload_too_large: 'Send less.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
  unknown_template: 'Check the key; templates belong to one environment.',
  invalid_webhook_url: 'Use an address that resolves to public addresses only, on port 80, 443 or 8443.',
  idempotency_key_reused: 'Use one key for one request: another body needs another key.',
  rate_limit_exceeded: 'Try again after `Retry-After`.',
  quota_exceeded:
    'Wait until midnight UTC (`Retry-After`), or ask the operator for a higher quota. Retrying sooner cannot help.',
  unavailable: 'Try again after `Retry-After`, with the same `Idempotency-Key`.',
  internal_error: 'Try again with the same `Idempotency-Key`; if it stays, tell the operator the `Request-Id`.',
} as const satisfies Record<ErrorCode, string> & Partial<Record<Advised, string>>

export const FAILURES = {
  wallet_declined: 'The holder said no.',
  wallet_error: 'The wallet answered with an error of its own.',
  query_not_satisfied: 'What was presented does not answer the question: a credential or a claim is missing.',
  credential_invalid: 'A credential is malformed, or its signature or digests do not hold.',
  issuer_untrusted: 'The issuer is nobody you or the operator trust for this type of credential.',
  holder_binding_invalid: 'Whoever answered did not prove to be the holder, for this very request.',
  credential_expired: 'A credential is not valid yet or no longer.',
  credential_revoked: 'The issuer has revoked a credential.',
  credential_suspended: 'The issuer has suspended a credential.',
  status_unavailable:
    'Whether a credential is revoked could not be established, and your policy demands it (`--status-policy-live require`).',
} as const satisfies Record<RejectionCode | 'wallet_declined' | 'wallet_error', string>
