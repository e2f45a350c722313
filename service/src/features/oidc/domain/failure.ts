// Defines the error codes for OpenID clients (RFC 6749 §4.1.2.1, §5.2; RFC 6750 §3.1; RFC 9101 §7; Core §3.1.2.6).

export type OidcErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_token'
  | 'invalid_dpop_proof'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'interaction_required'
  | 'login_required'
  | 'request_not_supported'
  | 'invalid_request_object'
  | 'invalid_request_uri'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'temporarily_unavailable'
  | 'server_error'

/** `description` is a fixed text. It never contains a value from a request or a claim. */
export class OidcFailure extends Error {
  override readonly name = 'OidcFailure'
  readonly code: OidcErrorCode
  readonly description: string | undefined

  constructor(code: OidcErrorCode, description?: string) {
    super(code)
    this.code = code
    this.description = description
  }
}
