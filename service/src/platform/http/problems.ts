// Maps each refusal to its HTTP response. Any other error is a fault: 500 without details (send-problem.ts).

import type { RefusalCode } from '../errors.ts'

interface Problem {
  readonly status: number
  /** Used if the refusal has no message of its own. */
  readonly message: string
  /**
   * What a merchant can do, for docs/errors.md. Absent: only the dashboard gets this code, and its message is enough.
   */
  readonly advice?: string
}

export const PROBLEMS = {
  invalid_request: {
    status: 400,
    message: 'The request is not valid.',
    advice: 'Fix the request. The message names the field and the rule. Give either `template` or `query`, not both.',
  },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
    advice: 'Send another key, for example a UUID.',
  },
  invalid_pairing_code: {
    status: 400,
    message: 'This pairing code is not valid.',
    advice: 'Register the device again to get a new code. Wrong, used and expired codes get the same answer.',
  },
  invalid_refresh_token: {
    status: 400,
    message: 'This refresh token is not valid.',
    advice: 'Pair the device again. A refresh token works once; sending it a second time revokes the device.',
  },
  invalid_wallet_response: {
    status: 400,
    message: 'The wallet response could not be processed.',
    advice: 'For wallets: the answer could not be decrypted or read. The verification stays pending.',
  },
  link_not_valid: { status: 400, message: 'This link no longer works: it was used already, or it has expired.' },
  not_signed_in: { status: 401, message: 'Sign in first.' },
  sign_in_failed: { status: 401, message: 'That did not match. Check what you entered and try again.' },
  invalid_api_key: {
    status: 401,
    message: 'The API key is missing or not valid.',
    advice:
      'Check the `Authorization: Bearer` header. Missing, malformed, revoked and unknown keys get the same answer.',
  },
  api_key_expired: {
    status: 401,
    message: 'This credential has expired.',
    advice: 'Create a new key. Devices: refresh the token.',
  },
  insufficient_scope: {
    status: 403,
    message: 'This credential lacks the needed scope.',
    advice: 'Use a key that has the scope named in the message.',
  },
  template_not_allowed: {
    status: 403,
    message: 'This device may not use that template.',
    advice: 'Register the device with this template in `allowed_templates`, or use another template.',
  },
  role_insufficient: { status: 403, message: 'Your role does not allow this.' },
  fresh_sign_in_required: { status: 403, message: 'Sign in again to do this.' },
  cross_site_request: { status: 403, message: 'This request did not come from the dashboard.' },
  link_needs_sign_in: {
    status: 403,
    message: 'There is an account with this address: sign in, then open the link again.',
  },
  oidc_round_lost: {
    status: 400,
    message: 'This sign-in was started in another browser, was used already, or took too long. Start again.',
  },
  oidc_declined: { status: 403, message: 'Your provider did not sign you in.' },
  oidc_not_proven: { status: 403, message: "The provider's answer could not be verified, so you were not signed in." },
  oidc_email_not_verified: { status: 403, message: 'Your provider has not verified your e-mail address.' },
  oidc_not_invited: {
    status: 403,
    message:
      'You are not invited here. Ask an owner of your company for an invitation to your address at the provider.',
  },
  oidc_account_bound: {
    status: 403,
    message: 'Your account here is connected to a different account at the provider. Ask your operator for a new link.',
  },
  oidc_other_person: { status: 403, message: 'You signed in at the provider with another account.' },
  oidc_unavailable: {
    status: 502,
    message: 'Your provider cannot be reached, or its answer is not valid. Sign in another way, or try again later.',
  },
  not_found: { status: 404, message: 'There is nothing at this address.', advice: 'Check the address.' },
  session_not_found: {
    status: 404,
    message: 'There is no such verification.',
    advice: "Check the id and the key's environment. An erased verification is gone for good.",
  },
  invalid_response_code: {
    status: 404,
    message: 'This response code is not valid.',
    advice: 'A code works once. Read the verification with your API key instead.',
  },
  device_not_found: {
    status: 404,
    message: 'There is no such device.',
    advice: "Check the id and the key's environment.",
  },
  evidence_not_found: {
    status: 404,
    message: 'This verification has no evidence bundle.',
    advice:
      'A bundle can be collected once, within a day. If it was collected, the audit trail shows when and with which key (`evidence.delivered`).',
  },
  link_not_found: {
    status: 404,
    message: 'There is no such link.',
    advice: "Check the id and the key's environment. A link is deleted seven days after its end.",
  },
  method_not_allowed: {
    status: 405,
    message: 'This address does not support this method.',
    advice: 'The header `Allow` lists the methods.',
  },
  session_mismatch: {
    status: 403,
    message: 'This verification belongs to another browser.',
    advice:
      'Only the browser that started the sign-in, or opened the hosted page first, can answer. Create another verification, or set `browser_binding` to `none`.',
  },
  session_already_responded: {
    status: 409,
    message: 'This verification already has a response.',
    advice: 'For wallets: nothing to do. The first answer counts.',
  },
  idempotency_key_in_flight: {
    status: 409,
    message: 'A request with this Idempotency-Key is still being processed.',
    advice: 'Repeat the request with the same key and body after `Retry-After`.',
  },
  last_owner: { status: 409, message: 'A team needs an owner.' },
  audit_not_whole: {
    status: 409,
    message: 'The audit trail has an error, so it is not signed. Please tell the operator.',
  },
  api_key_limit_reached: {
    status: 409,
    message: 'You have reached the maximum number of API keys. Revoke one that you no longer use.',
  },
  device_limit_reached: {
    status: 409,
    message: 'You have reached the maximum number of devices. Revoke one that you no longer use.',
    advice: 'Revoke devices that you no longer use. If you need more, ask your operator (`VIDIMUS_DEVICES_MAX`).',
  },
  link_limit_reached: {
    status: 409,
    message: 'You have reached the maximum number of links. Links are deleted seven days after they end.',
    advice: 'Create one link with several `uses` instead of one for each person, or choose earlier ends.',
  },
  template_limit_reached: {
    status: 409,
    message: 'Your templates are too many, or too long together. Delete one that you no longer use.',
    advice:
      'Delete templates that you no longer use, or shorten long ones: all templates of an environment have at most 1 MB. If you need more of them, ask your operator (`VIDIMUS_TEMPLATES_MAX`).',
  },
  invitation_limit_reached: {
    status: 409,
    message: 'Too many invitations are open. Withdraw some, or wait until they are used or expire.',
  },
  too_many_webhook_secrets: {
    status: 409,
    message: 'Too many webhook secrets are active. Wait until one ends, or end the old ones now.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    message: 'You have reached the maximum number of webhook endpoints. Delete one that you no longer use.',
  },
  session_expired: {
    status: 410,
    message: 'This verification has expired.',
    advice: 'Create another verification. If holders need longer, set `ttl_seconds` (up to 3600).',
  },
  payload_too_large: { status: 413, message: 'The request body is too large.', advice: 'Send a smaller body.' },
  unsupported_media_type: {
    status: 415,
    message: 'The media type of the request body is not supported here.',
    advice: 'Send `Content-Type: application/json`.',
  },
  unknown_template: {
    status: 422,
    message: 'There is no template with this key.',
    advice: 'Check the key. Each template belongs to test or to live.',
  },
  password_not_taken: {
    status: 422,
    message:
      'A password needs at least 12 characters and must not be a common one. Use four or more unrelated words, or a password manager.',
  },
  invalid_webhook_url: {
    status: 422,
    message: 'The webhook address must be a public http or https address.',
    advice: 'Use a host name that resolves to public addresses only, on port 80, 443 or 8443.',
  },
  origin_not_allowed: {
    status: 422,
    message: 'This origin is not one of your confirmed websites.',
    advice:
      'Add and confirm your website in the dashboard, or with `vidimus origin add`. Write the origin as browsers do: `https://shop.example`. A page can answer only verifications that name its origin.',
  },
  not_registered: {
    status: 422,
    message: 'None of your registrations covers this request.',
    advice:
      'Set `intended_use` to one of your registered intended uses, here or in the template. The message lists them, or says what is wrong with the certificate. See Registration in the dashboard. In test this is only a warning (`Vidimus-Warning`).',
  },
  invalid_transaction: {
    status: 422,
    message: 'The transaction does not match its type.',
    advice:
      'The message names the field and the reason. [Transactions](transaction-data.md) describes the types and how to add your own.',
  },
  transaction_not_supported_for_credential: {
    status: 422,
    message: 'This credential cannot sign a transaction.',
    advice:
      'Wallets do not sign transactions with a PID, and a credential with `multiple` does not sign either. Ask for another credential as well, and name its query in `credential`. Payments and signatures need an SD-JWT VC.',
  },
  over_asking: {
    status: 422,
    message: 'This asks for more than you have registered.',
    advice:
      'Ask for less, set the `intended_use` that covers it, or have your registration extended. The message names the query and the claim. In test this is only a warning (`Vidimus-Warning`).',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with a different body.',
    advice: 'Use a new key for each new request, and the same key only to repeat it.',
  },
  rate_limit_exceeded: {
    status: 429,
    message: 'Too many requests; try again shortly.',
    advice: 'Try again after `Retry-After`.',
  },
  quota_exceeded: {
    status: 429,
    message: 'You have used up the daily quota of verifications. It resets at midnight UTC.',
    advice: 'Wait until midnight UTC (`Retry-After`), or ask the operator for a higher quota.',
  },
  unavailable: {
    status: 503,
    message: 'The service is busy. Try again shortly.',
    advice: 'Try again after `Retry-After`, with the same `Idempotency-Key`.',
  },
} as const satisfies Record<RefusalCode, Problem>

export const INTERNAL_ERROR = {
  status: 500,
  code: 'internal_error',
  message: 'Something went wrong on our side.',
  advice: 'Try again with the same `Idempotency-Key`. If it keeps failing, give the operator the `Request-Id`.',
} as const
