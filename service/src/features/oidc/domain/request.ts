// Reads a client's authorization request, once its client and redirect address are known.

import { MalformedJson, parseJsonObject } from '@vidimus/engine/json'
import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { OidcClient } from './client.ts'
import { isThumbprint } from './dpop.ts'
import { OidcFailure } from './failure.ts'
import { readJwt } from './jwt.ts'
import { readVerifiedRequests, type VerifiedRequest } from './verified-claims.ts'

export interface VerifiedRequests {
  readonly idToken: readonly VerifiedRequest[]
  readonly userinfo: readonly VerifiedRequest[]
}

export type ResponseMode = 'query' | 'form_post'

/** The part of the request that is stored until the token is issued. */
export interface AuthorizationRequest {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly state: string | null
  readonly nonce: string | null
  readonly codeChallenge: string | null
  /** The claims for ID token and userinfo together; null: all of the template's. Read by the previous release. */
  readonly claims: readonly string[] | null
  /** The claims for the ID token. Absent if the previous release began the sign-in. */
  readonly idTokenClaims?: readonly string[]
  /** The claims for userinfo; null: all of the template's. If absent, `claims` applies. */
  readonly userinfoClaims?: readonly string[] | null
  /** The thumbprint of the key that the code is bound to (RFC 9449 §10). Absent or null if there is none. */
  readonly dpopJkt?: string | null
  /** The pushed request, which ends when the code is issued. Absent or null if the request was not pushed. */
  readonly pushedId?: string | null
  /** The requested verified claims, for each place. Absent if there are none. */
  readonly verified?: VerifiedRequests
  /** The result must have one of these levels; null: any. */
  readonly acrEssential: readonly string[] | null
  /** Only this subject may sign in (OpenID Connect Core §3.1.2.2). Absent or null: any subject. */
  readonly subject?: string | null
  /** The template's name in VC-AuthN. If set, the client expects the responses of a VC-AuthN service. */
  readonly presReqConfId: string | null
  /** The client's preferred languages, as its request spells them. Absent or null if there are none. */
  readonly uiLocales?: string | null
}

/** The parsed request, with the parts that only the authorization endpoint needs. */
export interface ParsedAuthorization
  extends Omit<
    AuthorizationRequest,
    'claims' | 'idTokenClaims' | 'userinfoClaims' | 'verified' | 'dpopJkt' | 'pushedId'
  > {
  readonly scopes: readonly string[]
  readonly acrValues: readonly string[]
  /** The names in the `claims` parameter, for each place. */
  readonly claimNames: { readonly idToken: readonly string[]; readonly userinfo: readonly string[] }
  readonly verified: VerifiedRequests
  readonly dpopJkt: string | null
  readonly prompts: readonly string[]
  readonly maxAgeSeconds: number | null
}

export type Parameters = ReadonlyMap<string, string>

/** The parameters that we use. Others, such as `login_hint`, are not stored for a pushed request. */
export const KNOWN_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'prompt',
  'claims',
  'acr_values',
  'max_age',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'pres_req_conf_id',
  'registration',
  'ui_locales',
  'id_token_hint',
])

/** Of a hint, only the subject is stored: the token may contain claims of the person. */
export const storedParameters = (parameters: Parameters): [string, string][] =>
  [...parameters]
    .filter(([name]) => KNOWN_PARAMETERS.has(name))
    .map(([name, value]) => [name, name === 'id_token_hint' ? hintOf(hintedSubject(value) ?? '') : value])

const hintOf = (sub: string) =>
  [{ alg: 'none' }, { sub }].map((part) => `${Buffer.from(JSON.stringify(part)).toString('base64url')}.`).join('')

/** Where and how to send an error response, from a request that may be invalid. */
export function responseOptionsOf(parameters: Parameters): Pick<AuthorizationRequest, 'responseMode' | 'state'> {
  const responseMode = parameters.get('response_mode') === 'form_post' ? 'form_post' : 'query'
  const state = parameters.get('state') ?? null
  return { responseMode, state: state !== null && state.length > TEXT_MAX.state ? null : state }
}

const TEXT_MAX = { state: 4_096, nonce: 1_024, claims: 8_192, words: 64, uiLocales: 200 } as const

/** Throws OidcFailure. Unknown parameters are ignored (RFC 6749 §3.1). */
export function readAuthorization(
  parameters: Parameters,
  {
    redirectUri,
    client,
  }: { readonly redirectUri: string; readonly client: Pick<OidcClient, 'authMethod' | 'profile'> },
): ParsedAuthorization {
  if (parameters.has('registration')) throw new OidcFailure('registration_not_supported')
  const responseType = parameters.get('response_type')
  if (responseType === undefined) throw new OidcFailure('invalid_request', 'response_type is missing')
  if (responseType !== 'code') throw new OidcFailure('unsupported_response_type')
  const mode = parameters.get('response_mode') ?? 'query'
  if (mode !== 'query' && mode !== 'form_post')
    throw new OidcFailure('invalid_request', 'response_mode is not supported')
  const scopes = words(parameters, 'scope')
  if (!scopes.includes('openid')) throw new OidcFailure('invalid_scope', 'the scope openid is missing')
  const prompts = words(parameters, 'prompt')
  if (prompts.includes('none') && prompts.length > 1)
    throw new OidcFailure('invalid_request', 'prompt none cannot be combined with other values')
  const claims = readClaims(parameters.get('claims'))
  return {
    redirectUri,
    responseMode: mode,
    state: text(parameters, 'state'),
    nonce: text(parameters, 'nonce'),
    codeChallenge: readChallenge(parameters, client),
    dpopJkt: readJkt(parameters.get('dpop_jkt')),
    scopes,
    prompts,
    // A preference must not end the sign-in, so a list that is too long is truncated.
    acrValues: split(parameters, 'acr_values').slice(0, TEXT_MAX.words),
    maxAgeSeconds: readMaxAge(parameters.get('max_age')),
    claimNames: claims.names,
    verified: claims.verified,
    acrEssential: claims.acrEssential,
    subject: onlySubject(claims.subject, hintedSubject(parameters.get('id_token_hint'))),
    uiLocales: parameters.get('ui_locales')?.slice(0, TEXT_MAX.uiLocales) ?? null,
    presReqConfId: scopes.includes('vc_authn') ? (parameters.get('pres_req_conf_id') ?? null) : null,
  }
}

function text(parameters: Parameters, name: 'state' | 'nonce'): string | null {
  const value = parameters.get(name) ?? null
  if (value !== null && value.length > TEXT_MAX[name]) throw new OidcFailure('invalid_request', `${name} is too long`)
  return value
}

function words(parameters: Parameters, name: string): string[] {
  const found = split(parameters, name)
  if (found.length > TEXT_MAX.words) throw new OidcFailure('invalid_request', `${name} is too long`)
  return found
}

const split = (parameters: Parameters, name: string) =>
  (parameters.get(name) ?? '').split(' ').filter((word) => word !== '')

function readJkt(text: string | undefined): string | null {
  if (text !== undefined && !isThumbprint(text)) throw new OidcFailure('invalid_request', 'dpop_jkt is malformed')
  return text ?? null
}

/** RFC 7636: S256 only. Required of clients without another secret, and under FAPI 2.0. */
function readChallenge(
  parameters: Parameters,
  { authMethod, profile }: Pick<OidcClient, 'authMethod' | 'profile'>,
): string | null {
  const challenge = parameters.get('code_challenge') ?? null
  const method = parameters.get('code_challenge_method') ?? null
  if (challenge === null) {
    if (method !== null || authMethod === 'none' || profile === 'fapi2')
      throw new OidcFailure('invalid_request', 'code_challenge is missing')
    return null
  }
  if (method !== 'S256') throw new OidcFailure('invalid_request', 'code_challenge_method must be S256')
  if (!/^[\w-]{43}$/.test(challenge)) throw new OidcFailure('invalid_request', 'code_challenge is malformed')
  return challenge
}

function readMaxAge(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,9}$/.test(text)) throw new OidcFailure('invalid_request', 'max_age is malformed')
  return Number(text)
}

/** Reads the `claims` parameter (OpenID Connect Core §5.5). Unknown members are ignored. */
function readClaims(text: string | undefined): Pick<ParsedAuthorization, 'acrEssential' | 'verified' | 'subject'> & {
  readonly names: ParsedAuthorization['claimNames']
} {
  if (text === undefined)
    return {
      names: { idToken: [], userinfo: [] },
      verified: { idToken: [], userinfo: [] },
      acrEssential: null,
      subject: null,
    }
  const claims = text.length > TEXT_MAX.claims ? null : parsed(text)
  if (claims === null) throw new OidcFailure('invalid_request', 'claims is malformed')
  const sections = [claims.userinfo ?? {}, claims.id_token ?? {}].map(objectOf)
  const [userinfo, idToken] = sections
  if (userinfo === null || userinfo === undefined || idToken === null || idToken === undefined)
    throw new OidcFailure('invalid_request', 'claims is malformed')
  const names = { idToken: namesIn(idToken), userinfo: namesIn(userinfo) }
  const verified = {
    idToken: readVerifiedRequests(idToken.verified_claims),
    userinfo: readVerifiedRequests(userinfo.verified_claims),
  }
  return { names, verified, acrEssential: essentialAcr(objectOf(idToken.acr)), subject: subjectIn(idToken.sub) }
}

/**
 * The hint's signature is not verified: a forged hint can only end the sign-in, and the keys of old tokens are gone.
 */
function hintedSubject(hint: string | undefined): string | null {
  if (hint === undefined) return null
  const sub = readJwt(hint)?.payload.sub
  if (typeof sub !== 'string') throw new OidcFailure('invalid_request', 'id_token_hint is malformed')
  return sub
}

function onlySubject(claimed: string | null | undefined, hinted: string | null): string | null {
  if (claimed != null && hinted !== null && claimed !== hinted)
    throw new OidcFailure('invalid_request', 'id_token_hint and claims name two subjects')
  return claimed ?? hinted
}

/** A value that is not text matches no subject. */
function subjectIn(sub: unknown): string | null {
  const { value, values } = objectOf(sub) ?? {}
  if (values !== undefined && (!Array.isArray(values) || values.length !== 1 || value !== undefined))
    throw new OidcFailure('invalid_request', 'claims names a subject by `value`, or by `values` with one member')
  const only = values === undefined ? value : values[0]
  return only === undefined ? null : typeof only === 'string' ? only : ''
}

const namesIn = (section: Readonly<Record<string, unknown>>) =>
  Object.keys(section).filter((name) => !PROTOCOL.has(name))

const PROTOCOL = new Set(['verified_claims', 'sub', 'acr', 'amr', 'auth_time', 'nonce', 'iss', 'aud', 'sid'])

function essentialAcr(acr: Readonly<Record<string, unknown>> | null): readonly string[] | null {
  if (acr === null || acr.essential !== true) return null
  const values = [...(Array.isArray(acr.values) ? acr.values : []), ...(acr.value === undefined ? [] : [acr.value])]
  return values.length === 0 ? null : values.filter((value): value is string => typeof value === 'string')
}

/**
 * Strict, because the result is stored: no deep nesting, no texts without a canonical form. null if it is malformed.
 */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return parseJsonObject(text)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return null
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null
}

/** The context that the stored request is sealed with. */
export const requestSealContext = (owner: {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}) => `oidc_authorizations.request|${owner.tenantId}|${owner.environment}|${owner.id}`

export const requestBytes = (request: AuthorizationRequest) =>
  // Through JSON, which drops members that are undefined.
  Buffer.from(canonicalJson(JSON.parse(JSON.stringify(request))), 'utf8')
