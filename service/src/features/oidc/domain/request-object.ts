// Reads request objects: authorization requests that a client signed (RFC 9101; OpenID Connect Core §6).

import type { OidcClient } from './client.ts'
import { findClientKey } from './client-keys.ts'
import { OidcFailure } from './failure.ts'
import { readJwt } from './jwt.ts'
import type { Parameters } from './request.ts'

/** A longer lifetime would keep the object valid long after the browser has followed the link. */
const LIFETIME_SECONDS_MAX = 3_600
const SKEW_SECONDS = 60
const TYPES: readonly unknown[] = [undefined, 'JWT', 'oauth-authz-req+jwt']
/** Members of the JWT itself. */
const JWT_MEMBERS = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** The parameters without any check. Use them only to send an error to a registered address. */
export function peekRequestObject(text: string): Parameters {
  const payload: Readonly<Record<string, unknown>> = readJwt(text)?.payload ?? {}
  const named = ['redirect_uri', 'response_mode', 'state'].map((name) => [name, payload[name]] as const)
  return new Map(named.filter((pair): pair is readonly [string, string] => typeof pair[1] === 'string'))
}

/** The result has only the parameters of the object (RFC 9101 §6.3). Throws OidcFailure. */
export function readRequestObject(
  text: string,
  {
    client,
    issuer,
    nowMs,
  }: {
    readonly client: Pick<OidcClient, 'id' | 'jwks' | 'profile'>
    readonly issuer: string
    readonly nowMs: number
  },
): Parameters {
  const jwt = readJwt(text)
  if (jwt === null) throw invalid('the object is not a JWT')
  if (jwt.header.alg === 'none') throw new OidcFailure('request_not_supported', 'request objects must be signed')
  if (!TYPES.includes(jwt.header.typ)) throw invalid('typ is not that of a request object')
  const key = client.jwks === null ? null : findClientKey(client.jwks, jwt.header)
  if (key === null || !jwt.isSignedBy(key)) throw invalid('the object is not signed by a key of the client')
  if (client.profile === 'fapi2' && key.alg !== 'ES256') throw invalid('FAPI 2.0 does not allow RS256')
  const { iss, aud, exp, nbf, sub, client_id: clientId } = jwt.payload
  const now = nowMs / 1000
  if (iss !== client.id || clientId !== client.id) throw invalid('iss and client_id must be the client')
  // An assertion for client authentication has the same key, issuer and audience, but this `sub` (RFC 9101 §10.8).
  if (sub === client.id) throw invalid('sub must not be the client')
  if (!(Array.isArray(aud) ? aud : [aud]).includes(issuer)) throw invalid('aud must be the issuer')
  if (typeof exp !== 'number' || exp <= now - SKEW_SECONDS) throw invalid('the object has expired, or does not expire')
  if (exp > now + LIFETIME_SECONDS_MAX) throw invalid('the object expires too late')
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + SKEW_SECONDS))
    throw invalid('the object is not valid yet')
  return parametersOf(jwt.payload)
}

/** Each parameter as its text in a query string. */
function parametersOf(payload: Readonly<Record<string, unknown>>): Parameters {
  const parameters = new Map<string, string>()
  for (const [name, value] of Object.entries(payload)) {
    if (JWT_MEMBERS.has(name)) continue
    if (name === 'request' || name === 'request_uri') throw invalid('the object names another request object')
    const text = textOf(value)
    if (text === null || !text.isWellFormed()) throw invalid('a parameter has no text')
    if (text !== '') parameters.set(name, text)
  }
  return parameters
}

/** In the object, `claims` is an object and `max_age` may be a number. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : null
}

const invalid = (why: string) => new OidcFailure('invalid_request_object', why)
