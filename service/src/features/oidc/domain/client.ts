// Defines an OpenID client of a tenant: its credentials, redirect addresses and response settings.

import {
  type AUTH_METHODS,
  CLIENT_BOUNDS,
  type CLIENT_PROBLEMS,
  type CLIENT_PROFILES,
  type SUBJECT_MODES,
} from '../../../../../wire/values/oidc.ts'
import { isTemplateKey } from '../../../core/templates/domain/template.ts'
import { checksumOf } from '../../../core/tenants/domain/api-key.ts'
import { randomBase62 } from '../../../platform/ids.ts'
import type { Environment, Instant, Random } from '../../../platform/world.ts'
import { readClientKeys } from './client-keys.ts'
import type { CrossDevice } from './confirmation.ts'
import type { SigningAlg } from './jwt.ts'

export type AuthMethod = (typeof AUTH_METHODS)[number]
type ClientProfile = (typeof CLIENT_PROFILES)[number]
type SubjectMode = (typeof SUBJECT_MODES)[number]

/** The settings of a client that can be changed. */
export interface ClientTerms {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly templates: readonly string[]
  readonly defaultTemplate: string | null
  readonly subjectMode: SubjectMode
  readonly subjectClaims: readonly string[]
  readonly requireTrue: boolean
  readonly vpData: boolean
  readonly verifiedClaims: boolean
  /** Puts all claims into the ID token, for programs that do not call userinfo. */
  readonly claimsInIdToken: boolean
  readonly idTokenAlg: SigningAlg
  readonly rememberMinutes: number
  /** The binding that an answer from another device or browser needs. */
  readonly crossDevice: CrossDevice
  /** The JWK set, as JSON, that verifies the client's assertions and request objects; null if the client has none. */
  readonly jwks: string | null
  /** `fapi2`: must meet the FAPI 2.0 Security Profile. */
  readonly profile: ClientProfile
  /** The addresses that the service may fetch its request objects from. */
  readonly requestUris: readonly string[]
}

export type ChangedTerms = ClientTerms & Pick<OidcClient, 'subjectPerType'>

export interface OidcClient extends ClientTerms {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly authMethod: AuthMethod
  readonly createdAt: Instant
  /** Whether subjects depend on the type of the credential. False for clients from before, whose people would get others. */
  readonly subjectPerType: boolean
}

/** A client with its tenant's daily quota. */
export interface QuotaClient {
  readonly client: OidcClient
  readonly dailyQuota: number
}

export const CLIENTS_PER_REALM_MAX = 50

export type ClientProblem = (typeof CLIENT_PROBLEMS)[number]

/** The first invalid setting, or null. The store checks whether the templates exist. */
export function problemOf(terms: ClientTerms, authMethod: AuthMethod, environment: Environment): ClientProblem | null {
  const { redirectUris, templates, defaultTemplate, subjectMode, subjectClaims } = terms
  if (redirectUris.length === 0 || redirectUris.length > CLIENT_BOUNDS.redirectUris) return 'redirect_uri_count'
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri, environment)
    if (problem !== null) return problem
  }
  if (templates.length === 0 || templates.length > CLIENT_BOUNDS.templates) return 'template_count'
  if (!templates.every(isTemplateKey)) return 'template_unknown'
  if (defaultTemplate !== null && !templates.includes(defaultTemplate)) return 'default_not_allowed'
  const claims = subjectClaims.length
  const claimsFit = subjectMode === 'ephemeral' ? claims === 0 : subjectMode === 'claim' ? claims === 1 : claims > 1
  const claimsRead = subjectClaims.every((name) => /^[\w.-]{1,64}$/.test(name))
  if (!claimsFit || !claimsRead || claims > CLIENT_BOUNDS.subjectClaims) return 'subject_claims'
  if (terms.crossDevice === 'unconfirmed' && environment === 'live') return 'unconfirmed_in_live'
  if (terms.jwks === null && authMethod === 'private_key_jwt') return 'jwks'
  if (terms.jwks !== null && readClientKeys(terms.jwks).length === 0) return 'jwks'
  if (terms.profile === 'fapi2' && !fitsFapi2(terms, authMethod)) return 'fapi2'
  const { requestUris } = terms
  if (requestUris.length > CLIENT_BOUNDS.requestUris) return 'request_uri'
  if (requestUris.some((uri) => redirectUriProblem(uri, environment) !== null)) return 'request_uri'
  return null
}

/** FAPI 2.0 Security Profile §5.3.2, §5.4: a key on P-256, no RS256, and https. */
function fitsFapi2({ jwks, idTokenAlg, redirectUris }: ClientTerms, authMethod: AuthMethod): boolean {
  return (
    authMethod === 'private_key_jwt' &&
    idTokenAlg === 'ES256' &&
    readClientKeys(jwks ?? '').some(({ alg }) => alg === 'ES256') &&
    redirectUris.every((uri) => uri.startsWith('https:'))
  )
}

/**
 * Responses contain codes, so only https is allowed; in test also the developer's own machine. The address is not
 * normalized, because it is later compared as a string.
 */
function redirectUriProblem(text: string, environment: Environment): ClientProblem | null {
  const url = URL.parse(text)
  const plain = /^[\x21-\x7e]+$/.test(text) && !text.includes('#') && text.length <= CLIENT_BOUNDS.redirectUriLength
  if (url === null || !plain || url.username !== '' || url.password !== '') return 'redirect_uri_malformed'
  if (!text.startsWith(`${url.protocol}//${url.host}`)) return 'redirect_uri_malformed'
  if (url.protocol === 'https:') return null
  const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'http:' && isOwnMachine && environment === 'test' ? null : 'redirect_uri_not_https'
}

const SECRET_LENGTH = 43

/** The secret is shown once; only its hash is stored. */
export function mintClientSecret(random: Random): string {
  const body = `vcs_${randomBase62(random, SECRET_LENGTH)}`
  return body + checksumOf(body)
}

/** A cheap filter: most guesses never reach the store. */
export function looksLikeClientSecret(text: string): boolean {
  return /^vcs_[0-9A-Za-z]{49}$/.test(text) && checksumOf(text.slice(0, -6)) === text.slice(-6)
}

/** Contains no secrets. */
export function renderClient(client: OidcClient) {
  return {
    id: client.id,
    name: client.name,
    auth_method: client.authMethod,
    redirect_uris: [...client.redirectUris],
    templates: [...client.templates],
    default_template: client.defaultTemplate,
    subject_mode: client.subjectMode,
    subject_claims: [...client.subjectClaims],
    subject_per_type: client.subjectPerType,
    require_true: client.requireTrue,
    vp_data: client.vpData,
    verified_claims: client.verifiedClaims,
    claims_in_id_token: client.claimsInIdToken,
    id_token_alg: client.idTokenAlg,
    remember_minutes: client.rememberMinutes,
    cross_device: client.crossDevice,
    jwks: client.jwks,
    profile: client.profile,
    request_uris: [...client.requestUris],
    created_at: client.createdAt,
  }
}
