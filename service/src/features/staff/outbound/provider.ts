// Calls the operator's OpenID provider and verifies the returned identity (OpenID Connect Core 1.0 §3.1.3.7).

import * as oauth from 'oauth4webapi'
import type { OidcSettings } from '../../../platform/config/oidc-settings.ts'
import type { Egress, Limits } from '../../../platform/egress/client.ts'
import type { Clock } from '../../../platform/world.ts'
import { challengeOf, type OidcRound } from '../domain/oidc.ts'
import { type Failure, failureOf, NotProven } from './failure.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { withUsableKeys } from './usable-keys.ts'

export interface OidcProvider {
  readonly name: string
  readonly issuer: string
  /** Returns the address of the provider's sign-in page, for the browser. */
  ask(question: OidcQuestion): Promise<{ readonly outcome: 'ready'; readonly url: string } | Failure>
  prove(answer: OidcAnswer): Promise<OidcProof | Failure>
}

interface OidcQuestion {
  readonly round: OidcRound
  readonly redirectUri: string
  /** This person must authenticate again, even with a session at the provider. null: a usual sign-in. */
  readonly again: { readonly email: string } | null
}

interface OidcAnswer {
  readonly round: OidcRound
  readonly redirectUri: string
  readonly parameters: URLSearchParams
  readonly startedMs: number
  readonly again: boolean
}

export interface OidcProof {
  readonly outcome: 'proven'
  readonly subject: string
  /** null unless the provider has verified the address. */
  readonly email: string | null
  /** When the person authenticated at the provider; null: the provider does not say. */
  readonly authenticatedMs: number | null
}

export interface OidcWorld {
  readonly egress: Egress
  readonly clock: Clock
  readonly limits?: Partial<Limits>
}

/** Only algorithms that use a key of the provider: a signature under our secret or with `none` proves nothing. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const METADATA_MS = 10 * 60_000
/** How far the provider's clock may differ from ours. */
const TOLERANCE_MS = 60_000

type Metadata = oauth.AuthorizationServer

export function createOidcProvider(settings: OidcSettings, world: OidcWorld): OidcProvider {
  const http = {
    [oauth.customFetch]: guardedFetch(world.egress, world.limits),
    // config.ts allows plain http only for an issuer on this machine.
    [oauth.allowInsecureRequests]: settings.issuer.startsWith('http:'),
  }
  const metadata = rememberMetadata(world.clock, () => discover(settings, http))
  return {
    name: settings.name,
    issuer: settings.issuer,
    async ask(question) {
      try {
        return { outcome: 'ready', url: authorizationUrl(settings, await metadata(), question) }
      } catch (error) {
        return failureOf(error)
      }
    },
    async prove(answer) {
      try {
        return await prove({ settings, http, as: await metadata(), nowMs: world.clock.now() }, answer)
      } catch (error) {
        return failureOf(error)
      }
    },
  }
}

interface Http {
  readonly [oauth.customFetch]: ReturnType<typeof guardedFetch>
  readonly [oauth.allowInsecureRequests]: boolean
}

/** Concurrent callers share one request, and its result is cached for a while. A failed request is not cached. */
function rememberMetadata(clock: Clock, load: () => Promise<Metadata>): () => Promise<Metadata> {
  let kept: { readonly as: Promise<Metadata>; readonly untilMs: number } | null = null
  return () => {
    const nowMs = clock.now()
    if (kept !== null && nowMs < kept.untilMs) return kept.as
    const as = load()
    const mine = { as, untilMs: nowMs + METADATA_MS }
    kept = mine
    as.catch(() => {
      if (kept === mine) kept = null
    })
    return as
  }
}

async function discover(settings: OidcSettings, http: Http): Promise<Metadata> {
  const issuer = new URL(settings.issuer)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  // OpenID Connect Discovery 1.0 §4.3: both must be identical.
  if (as.issuer !== settings.issuer) throw new NotProven('the issuer differs from VIDIMUS_OIDC_ISSUER')
  // Checked here, so that the cache has only usable metadata.
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    oauth.checkProtocol(new URL(as[endpoint] ?? ''), !http[oauth.allowInsecureRequests])
  }
  const signing = as.id_token_signing_alg_values_supported ?? ['RS256']
  return { ...as, id_token_signing_alg_values_supported: signing.filter((name) => ALGORITHMS.includes(name)) }
}

function authorizationUrl(settings: OidcSettings, as: Metadata, question: OidcQuestion): string {
  const { round, redirectUri, again } = question
  const url = new URL(as.authorization_endpoint ?? '')
  const parameters = {
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: round.state,
    nonce: round.nonce,
    code_challenge: challengeOf(round.verifier),
    code_challenge_method: 'S256',
    ...(again === null ? {} : { prompt: 'login', max_age: '0', login_hint: again.email }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

interface Proving {
  readonly settings: OidcSettings
  readonly http: Http
  readonly as: Metadata
  readonly nowMs: number
}

async function prove({ settings, http, as, nowMs }: Proving, answer: OidcAnswer): Promise<OidcProof> {
  const client: oauth.Client = {
    client_id: settings.clientId,
    require_auth_time: answer.again,
    // The library uses the clock of this machine; we use the store's.
    [oauth.clockSkew]: Math.round((nowMs - Date.now()) / 1000),
    [oauth.clockTolerance]: TOLERANCE_MS / 1000,
  }
  const { round, redirectUri } = answer
  const parameters = oauth.validateAuthResponse(as, client, answer.parameters, round.state)
  const authentication = clientAuthentication(settings, as)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    parameters,
    redirectUri,
    round.verifier,
    http,
  )
  const expected = { expectedNonce: round.nonce, requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, expected)
  const askForKeys = { ...http, [oauth.customFetch]: withUsableKeys(http[oauth.customFetch]) }
  await oauth.validateApplicationLevelSignature(as, response, askForKeys)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (claims === undefined) throw new NotProven('there is no ID token')
  checkClaims(claims, { clientId: settings.clientId, nowMs, startedMs: answer.startedMs, again: answer.again })
  const about = claims.email === undefined ? await userInfo({ as, client, http }, tokens, claims.sub) : claims
  const verified = about.email_verified === true && typeof about.email === 'string'
  return {
    outcome: 'proven',
    subject: claims.sub,
    email: verified ? String(about.email) : null,
    authenticatedMs: claims.auth_time === undefined ? null : Math.min(claims.auth_time * 1000, nowMs),
  }
}

/** Checks claims that the library leaves to its caller. */
function checkClaims(
  claims: oauth.IDToken,
  expected: { clientId: string; nowMs: number; startedMs: number; again: boolean },
): void {
  const inThisRound = (seconds: number) =>
    seconds * 1000 >= expected.startedMs - TOLERANCE_MS && seconds * 1000 <= expected.nowMs + TOLERANCE_MS
  if (claims.azp !== undefined && claims.azp !== expected.clientId) throw new NotProven('azp is another client')
  if (!inThisRound(claims.iat)) throw new NotProven('iat is not from this sign-in')
  if (claims.sub.length === 0 || claims.sub.length > 255) throw new NotProven('sub is empty or too long')
  const { auth_time: authTime } = claims
  if (authTime !== undefined && authTime * 1000 > expected.nowMs + TOLERANCE_MS) {
    throw new NotProven('auth_time is in the future')
  }
  // §3.1.2.1, max_age: only a new auth_time proves that the person authenticated again.
  if (expected.again && (authTime === undefined || !inThisRound(authTime))) {
    throw new NotProven('auth_time is not from this sign-in')
  }
}

/** Reads the user info, because many providers return the email address only there (§5.4). */
async function userInfo(
  { as, client, http }: { as: Metadata; client: oauth.Client; http: Http },
  tokens: oauth.TokenEndpointResponse,
  subject: string,
): Promise<oauth.UserInfoResponse> {
  if (as.userinfo_endpoint === undefined) return { sub: subject }
  const response = await oauth.userInfoRequest(as, client, tokens.access_token, http)
  if (response.headers.get('content-type')?.startsWith('application/jwt')) throw new NotProven('the user info is a JWT')
  return oauth.processUserInfoResponse(as, client, subject, response)
}

function clientAuthentication(settings: OidcSettings, as: Metadata): oauth.ClientAuth {
  const methods = as.token_endpoint_auth_methods_supported
  // Discovery §3: `client_secret_basic` is the default.
  if (methods === undefined || methods.includes('client_secret_basic')) {
    return oauth.ClientSecretBasic(settings.clientSecret)
  }
  if (methods.includes('client_secret_post')) return oauth.ClientSecretPost(settings.clientSecret)
  throw new NotProven('the provider takes no client secret')
}
