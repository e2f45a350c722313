// The plans of the OpenID Foundation's conformance suite for this service: their names, and what each needs.

/** The suite's release that these names and configurations were written for. */
export const SUITE_VERSION = '5.2.4'

const STATIC_CLIENT = { server_metadata: 'discovery', client_registration: 'static_client' } as const

export interface ProviderPlan {
  readonly suiteName: string
  readonly variant: Readonly<Record<string, string>>
  readonly auth: 'client_secret' | 'private_key_jwt'
  /** Whether the ID token and userinfo have `verified_claims`. */
  readonly isAssured: boolean
}

/** Plans that test the service as an OpenID provider. */
export const PROVIDER_PLANS: Readonly<Record<string, ProviderPlan>> = {
  'op-config': {
    suiteName: 'oidcc-config-certification-test-plan',
    variant: {},
    auth: 'client_secret',
    isAssured: false,
  },
  'op-basic': {
    suiteName: 'oidcc-basic-certification-test-plan',
    variant: STATIC_CLIENT,
    auth: 'client_secret',
    isAssured: false,
  },
  'op-form-post': {
    suiteName: 'oidcc-formpost-basic-certification-test-plan',
    variant: STATIC_CLIENT,
    auth: 'client_secret',
    isAssured: false,
  },
  'op-ekyc': {
    suiteName: 'ekyc-test-plan-oidccore',
    variant: {
      ...STATIC_CLIENT,
      client_auth_type: 'client_secret_basic',
      response_type: 'code',
      response_mode: 'default',
      security_profile: 'none',
      auth_request_method: 'http_query',
      auth_request_non_repudiation_method: 'unsigned',
      sender_constrain: 'none',
      fapi_response_mode: 'plain_response',
      ekyc_verified_claims_response_support: 'id_token_userinfo',
    },
    auth: 'client_secret',
    isAssured: true,
  },
  'op-fapi2': {
    suiteName: 'fapi2-security-profile-final-test-plan',
    variant: {
      client_auth_type: 'private_key_jwt',
      sender_constrain: 'dpop',
      openid: 'openid_connect',
      fapi_profile: 'plain_fapi',
      authorization_request_type: 'simple',
    },
    auth: 'private_key_jwt',
    isAssured: false,
  },
}

/** Plans that test the service as a verifier. */
export const VERIFIER_PLANS = {
  verifier: { suiteName: 'oid4vp-1final-verifier-test-plan', isHaip: false },
  'verifier-haip': { suiteName: 'oid4vp-1final-verifier-haip-test-plan', isHaip: true },
} as const
export type VerifierPlanName = keyof typeof VERIFIER_PLANS

/** The credentials that the suite's wallet can present, and the query for each. */
export const SUITE_CREDENTIALS = {
  sd_jwt_vc: {
    anchorType: 'dc+sd-jwt:urn:eudi:pid:1',
    query: {
      credentials: [
        {
          id: 'pid',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:1'] },
          claims: [{ path: ['given_name'] }, { path: ['family_name'] }],
        },
      ],
    },
  },
  iso_mdl: {
    anchorType: 'mso_mdoc:org.iso.18013.5.1.mDL',
    query: {
      credentials: [
        {
          id: 'mdl',
          format: 'mso_mdoc',
          meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
          claims: [{ path: ['org.iso.18013.5.1', 'given_name'] }, { path: ['org.iso.18013.5.1', 'family_name'] }],
        },
      ],
    },
  },
} as const
export type SuiteFormat = keyof typeof SUITE_CREDENTIALS

export const RESPONSE_MODES = ['direct_post.jwt', 'direct_post'] as const
export const CLIENT_ID_PREFIXES = ['x509_hash', 'x509_san_dns'] as const

export interface VerifierVariant {
  readonly format: SuiteFormat
  readonly responseMode: (typeof RESPONSE_MODES)[number]
  readonly clientIdPrefix: (typeof CLIENT_ID_PREFIXES)[number]
}

/** Returns the variant in the suite's terms. The HAIP plan leaves only two choices. */
export function suiteVariantOf(isHaip: boolean, variant: VerifierVariant): Readonly<Record<string, string>> {
  const free = { credential_format: variant.format, response_mode: variant.responseMode }
  if (isHaip) return free
  const { clientIdPrefix } = variant
  return {
    ...free,
    vp_profile: 'plain_vp',
    client_id_prefix: clientIdPrefix,
    request_method: 'request_uri_signed',
  }
}
