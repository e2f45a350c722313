// The only table from refusal to HTTP response. Anything else is a fault: 500, without details for the caller
// (send-problem.ts).

import type { RefusalCode } from '../errors.ts'

interface Problem {
  readonly status: number
  /** Used if the refusal has no message of its own. */
  readonly message: string
  /**
   * What a merchant can do about it, for docs/errors.md. Absent: only the dashboard uses it, and the message says it
   * all.
   */
  readonly advice?: string
}

export const PROBLEMS = {
  invalid_request: {
    status: 400,
    message: 'The request is not valid.',
    advice: 'Mend the request; the message names the member and the rule. Give exactly one of `template` and `query`.',
  },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
    advice: 'Send another key; a UUID is a good one.',
  },
  invalid_pairing_code: {
    status: 400,
    message: 'This pairing code is not valid.',
    advice: 'Register the device again for a new code. A wrong, used or expired code gets the same answer.',
  },
  invalid_refresh_token: {
    status: 400,
    message: 'This refresh token is not valid.',
    advice: 'Pair the device again. Never send a refresh token twice: a spent one revokes the device.',
  },
  invalid_wallet_response: {
    status: 400,
    message: 'The wallet response could not be processed.',
    advice: 'For wallets: the answer could not be decrypted or read. The verification goes on waiting.',
  },
  link_not_valid: { status: 400, message: 'This link is not valid: it was used already, or its day has passed.' },
  not_signed_in: { status: 401, message: 'Sign in first.' },
  sign_in_failed: { status: 401, message: 'That did not match. Check what you entered and try again.' },
  invalid_api_key: {
    status: 401,
    message: 'The API key is missing or not valid.',
    advice:
      'Check the `Authorization: Bearer` header. Missing, malformed, revoked and unknown keys are not told apart.',
  },
  api_key_expired: {
    status: 401,
    message: 'This credential has expired.',
    advice: 'Make a new key; a device refreshes its token.',
  },
  insufficient_scope: {
    status: 403,
    message: 'This credential lacks the needed scope.',
    advice: 'Use a key with the scope that the message names.',
  },
  template_not_allowed: {
    status: 403,
    message: 'This device may not use that template.',
    advice: 'Register the device with this template in `allowed_templates`, or ask with another one.',
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
    message: 'This sign-in was not begun in this browser, was used already, or took too long. Begin again.',
  },
  oidc_declined: { status: 403, message: 'The provider did not sign you in.' },
  oidc_not_proven: { status: 403, message: "The provider's answer could not be verified, so you were not signed in." },
  oidc_email_not_verified: { status: 403, message: 'The provider has not verified an e-mail address of yours.' },
  oidc_not_invited: {
    status: 403,
    message:
      'You are not invited here. Ask an owner of your company for an invitation to your address at the provider.',
  },
  oidc_account_bound: {
    status: 403,
    message: 'Your account here belongs to another one at the provider. Ask your operator for a new link.',
  },
  oidc_other_person: { status: 403, message: 'You signed in at the provider with another account.' },
  oidc_unavailable: {
    status: 502,
    message: 'The provider cannot be reached or does not answer as it should. Sign in another way, or try again later.',
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
    advice: 'Read the verification with your key instead; a code works once.',
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
      'Nothing more to collect: a bundle is handed out once and kept for a day at most. If it was collected, the audit trail says when and by which key (`evidence.delivered`).',
  },
  link_not_found: {
    status: 404,
    message: 'There is no such link.',
    advice: "Check the id and the key's environment. A link is deleted seven days after its end.",
  },
  method_not_allowed: {
    status: 405,
    message: 'This address does not answer to that method.',
    advice: 'See the header `Allow`.',
  },
  session_mismatch: {
    status: 403,
    message: 'This verification belongs to another browser.',
    advice:
      'Only the browser that began a sign-in, or opened the hosted page first, can ask its wallet there. Create another one, or set `browser_binding` to `none`.',
  },
  session_already_responded: {
    status: 409,
    message: 'This verification already has a response.',
    advice: 'For wallets: nothing more to do. Of two answers the first one counts.',
  },
  idempotency_key_in_flight: {
    status: 409,
    message: 'A request with this Idempotency-Key is still being processed.',
    advice: 'Try again with the same key and body after `Retry-After`.',
  },
  last_owner: { status: 409, message: 'A team needs an owner.' },
  audit_not_whole: { status: 409, message: 'The audit trail does not verify, so it is not signed. Tell the operator.' },
  api_key_limit_reached: {
    status: 409,
    message: 'There are as many API keys as there may be here. Revoke one that is no longer used.',
  },
  device_limit_reached: {
    status: 409,
    message: 'There are as many devices as there may be here. Revoke one that is no longer used.',
    advice: 'Revoke devices that are no longer used; ask your operator (`VIDIMUS_DEVICES_MAX`) if you need more.',
  },
  link_limit_reached: {
    status: 409,
    message: 'There are as many links as there may be here. Ended links are deleted after seven days.',
    advice: 'Create one link with several `uses` instead of one for each person, or let links end earlier.',
  },
  template_limit_reached: {
    status: 409,
    message: 'There are as many templates as there may be here. Remove one that is no longer used.',
    advice: 'Remove templates that are no longer used; ask your operator (`VIDIMUS_TEMPLATES_MAX`) if you need more.',
  },
  invitation_limit_reached: {
    status: 409,
    message: 'As many invitations are open as may be. Withdraw some, or wait until they have been used or have lapsed.',
  },
  too_many_webhook_secrets: {
    status: 409,
    message: 'Too many webhook secrets sign already. Wait until one ends, or end the old ones at once.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    message: 'As many webhook endpoints are saved as there may be. Remove one that is no longer used.',
  },
  session_expired: {
    status: 410,
    message: 'This verification has expired.',
    advice: 'Create another verification; choose `ttl_seconds` up to 3600 if holders need longer.',
  },
  payload_too_large: { status: 413, message: 'The request body is too large.', advice: 'Send less.' },
  unsupported_media_type: {
    status: 415,
    message: 'The media type of the request body is not supported here.',
    advice: 'Send `Content-Type: application/json`.',
  },
  unknown_template: {
    status: 422,
    message: 'There is no template with this key.',
    advice: 'Check the key; templates belong to one environment.',
  },
  password_not_taken: {
    status: 422,
    message:
      'A password needs at least 12 characters and must not be a common one. Put four or more unrelated words together, or let a password manager make one.',
  },
  invalid_webhook_url: {
    status: 422,
    message: 'The webhook address must be a public http or https address.',
    advice: 'Use an address that resolves to public addresses only, on port 80, 443 or 8443.',
  },
  origin_not_allowed: {
    status: 422,
    message: 'This origin may not ask here.',
    advice:
      'List your page and prove it under Trust in the dashboard, or with `vidimus origin add`, and write its origin as browsers do. A page answers only the verifications that name it.',
  },
  not_registered: {
    status: 422,
    message: 'There is no registration that this may be asked under.',
    advice:
      'Name one of your registered intended uses with `intended_use`, or in the template. The message lists them, or says what is wrong with the certificate; see Registration in the dashboard. In test this is a warning (`Vidimus-Warning`).',
  },
  invalid_transaction: {
    status: 422,
    message: 'What the holder is to agree to is not as its type wants it.',
    advice:
      'The message has the path and the reason. See [Transactions](transaction-data.md) for the types and how a type of your own is saved.',
  },
  transaction_not_supported_for_credential: {
    status: 422,
    message: 'The credential that is asked for cannot sign a transaction.',
    advice:
      'Wallets sign nothing with a PID: ask for another credential beside it, and name its query in `credential`. Payments and signatures need an SD-JWT VC.',
  },
  over_asking: {
    status: 422,
    message: 'This asks for more than is registered.',
    advice:
      'Ask for less, name the intended use that covers it, or have your registration extended. The message names the query and the path. In test this is a warning (`Vidimus-Warning`).',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used with a different body.',
    advice: 'Use one key for one request: another body needs another key.',
  },
  rate_limit_exceeded: {
    status: 429,
    message: 'Too many requests; try again shortly.',
    advice: 'Try again after `Retry-After`.',
  },
  quota_exceeded: {
    status: 429,
    message: 'The daily quota of verifications is spent; it resets at midnight UTC.',
    advice:
      'Wait until midnight UTC (`Retry-After`), or ask the operator for a higher quota. Retrying sooner cannot help.',
  },
  unavailable: {
    status: 503,
    message: 'The service cannot take this request now; try again shortly.',
    advice: 'Try again after `Retry-After`, with the same `Idempotency-Key`.',
  },
} as const satisfies Record<RefusalCode, Problem>

export const INTERNAL_ERROR = {
  status: 500,
  code: 'internal_error',
  message: 'Something went wrong on our side.',
  advice: 'Try again with the same `Idempotency-Key`; if it stays, tell the operator the `Request-Id`.',
} as const
