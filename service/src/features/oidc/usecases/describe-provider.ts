// Renders the discovery document of a realm's issuer (OpenID Connect Discovery).

import { SIGNING_ALGS } from '../../../../../wire/values/oidc.ts'
import { BUILT_IN_TEMPLATES } from '../../../core/templates/domain/built-in/built-in.ts'
import { requireServed } from '../../../core/tenants/domain/closed.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadClosed } from '../../../core/tenants/store/closed.ts'
import type { Deps } from '../../../deps.ts'
import { ACR_SUPPORTED, ASSURANCE_METADATA } from '../domain/assurance.ts'
import { CLAIMS_SUPPORTED } from '../domain/claims.ts'
import { DPOP_ALGS } from '../domain/dpop.ts'
import { issuerOf } from '../domain/issuer.ts'
import { STANDARD_SCOPES } from '../domain/standard-scopes.ts'
import { hasClients } from '../store/clients.ts'
import { readPublicKeys } from './signing-keys.ts'

type Needs = Pick<Deps, 'db' | 'batcher' | 'clock' | 'random' | 'config' | 'remoteKeys'>

/** null if the realm has no client. The document is public, so it does not list a tenant's own templates. */
export async function describeProvider(
  deps: Pick<Needs, 'db' | 'config'>,
  { realm, languages }: { readonly realm: Realm; readonly languages: readonly string[] },
): Promise<object | null> {
  requireServed(await loadClosed(deps.db, realm.tenantId))
  if (!(await hasClients(deps.db, realm))) return null
  const issuer = issuerOf(deps.config.baseUrl, realm)
  const templates = BUILT_IN_TEMPLATES.map(({ key }) => key)
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: SIGNING_ALGS,
    userinfo_signing_alg_values_supported: SIGNING_ALGS,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGS,
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', ...STANDARD_SCOPES, ...templates.map((key) => `vidimus:${key}`), 'vc_authn'],
    claims_supported: CLAIMS_SUPPORTED,
    acr_values_supported: [...ACR_SUPPORTED, ...templates.map((key) => `urn:vidimus:template:${key}`)],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: languages,
    claims_parameter_supported: true,
    ...ASSURANCE_METADATA,
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    request_object_signing_alg_values_supported: SIGNING_ALGS,
    dpop_signing_alg_values_supported: DPOP_ALGS,
    pushed_authorization_request_endpoint: `${issuer}/par`,
    require_pushed_authorization_requests: false,
    authorization_response_iss_parameter_supported: true,
  }
}

export async function describeKeys(deps: Needs, realm: Realm): Promise<{ readonly keys: readonly object[] } | null> {
  requireServed(await loadClosed(deps.db, realm.tenantId))
  return (await hasClients(deps.db, realm)) ? { keys: await readPublicKeys(deps, realm) } : null
}
