// Lists allowed values and limits of bodies about OpenID clients.

export const AUTH_METHODS = ['client_secret', 'private_key_jwt', 'none'] as const

export const CLIENT_PROFILES = ['openid', 'fapi2'] as const

export const SUBJECT_MODES = ['ephemeral', 'claim', 'derived'] as const

export const CLIENT_BOUNDS = {
  redirectUris: 20,
  redirectUriLength: 1024,
  templates: 50,
  subjectClaims: 8,
  claimLength: 64,
  rememberMinutes: 60,
  jwksLength: 8_192,
  requestUris: 10,
} as const

export const CLIENT_PROBLEMS = [
  'redirect_uri_malformed',
  'redirect_uri_not_https',
  'redirect_uri_count',
  'template_unknown',
  'template_count',
  'default_not_allowed',
  'subject_claims',
  'unconfirmed_in_live',
  'jwks',
  'request_uri',
  'fapi2',
  'too_many',
  'no_tenant',
] as const

export const CROSS_DEVICE = ['confirm', 'off', 'unconfirmed'] as const

export const SIGNING_ALGS = ['ES256', 'RS256'] as const

export const UNIVERSAL_STATUSES = [
  'authorization_request_created',
  'authorization_request_retrieved',
  'authorization_response_received',
  'authorization_response_verified',
  'error',
] as const
