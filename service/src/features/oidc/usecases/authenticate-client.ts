// Authenticates a client at the token endpoint. All failures have the same refusal.

import { createHash } from 'node:crypto'
import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { isClientId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import { looksLikeClientSecret, type OidcClient } from '../domain/client.ts'
import { findClientKey } from '../domain/client-keys.ts'
import { OidcFailure } from '../domain/failure.ts'
import { issuerOf } from '../domain/issuer.ts'
import { readJwt } from '../domain/jwt.ts'
import type { Parameters } from '../domain/request.ts'
import type { KnownClient } from '../store/client-cache.ts'
import { insertAssertion } from '../store/clients.ts'

type Needs = Pick<Deps, 'db' | 'clients' | 'clock' | 'config'>

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** A used assertion is stored until it expires, so it must expire soon. */
const ASSERTION_SECONDS_MAX = 600
const SKEW_SECONDS = 60
/** The issuer itself, and the endpoints at which clients authenticate (RFC 9126 §2). */
const AUDIENCES = ['', '/token', '/par']

export interface ClientCall {
  readonly realm: Realm
  /** The Authorization header; null if there is none. */
  readonly authorization: string | null
  readonly form: Parameters
  /** The DPoP header; null if there is none. */
  readonly proof: string | null
}

/** Limits the calls of each caller. */
export interface Admission {
  /** Called when the caller has named a client, before it is authenticated. */
  readonly named: (client: OidcClient) => Promise<void>
  /** Called when the client is authenticated, as far as its method allows. */
  readonly proven: (client: OidcClient) => Promise<void>
}

/** `admit` runs before the authentication and limits what a stranger may try with a client's id. */
export async function authenticateClient(
  deps: Needs,
  call: ClientCall,
  admit: (client: OidcClient) => Promise<void>,
): Promise<OidcClient> {
  const named = readNamedClient(call)
  const known =
    named === null || !isClientId(named.id) ? null : await deps.clients.find(call.realm, named.id, deps.clock.now())
  if (named === null || known === null || named.method !== known.client.authMethod)
    throw new OidcFailure('invalid_client')
  await admit(known.client)
  if (!(await isProven(deps, known, named))) throw new OidcFailure('invalid_client')
  return known.client
}

type NamedClient =
  | { readonly id: string; readonly method: 'client_secret'; readonly secret: string }
  | { readonly id: string; readonly method: 'private_key_jwt'; readonly assertion: string }
  | { readonly id: string; readonly method: 'none' }

/** RFC 6749 §2.3: exactly one method. null if there is none or more than one. */
function readNamedClient({ authorization, form }: ClientCall): NamedClient | null {
  const [id, secret, assertion] = [form.get('client_id'), form.get('client_secret'), form.get('client_assertion')]
  const methods = [authorization ?? undefined, secret, assertion].filter((method) => method !== undefined)
  if (methods.length > 1) return null
  if (authorization !== null) {
    const basic = readBasic(authorization)
    return basic === null || (id !== undefined && id !== basic.id) ? null : { ...basic, method: 'client_secret' }
  }
  if (assertion !== undefined) {
    const subject = form.get('client_assertion_type') === ASSERTION_TYPE ? readJwt(assertion)?.payload.sub : undefined
    if (typeof subject !== 'string' || (id !== undefined && id !== subject)) return null
    return { id: subject, method: 'private_key_jwt', assertion }
  }
  if (id === undefined) return null
  return secret === undefined ? { id, method: 'none' } : { id, method: 'client_secret', secret }
}

/** RFC 6749 §2.3.1: both parts are form-encoded, then sent as Basic. */
function readBasic(authorization: string): { readonly id: string; readonly secret: string } | null {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return null
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '))
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) }
  } catch {
    return null
  }
}

async function isProven(deps: Needs, { client, secrets }: KnownClient, named: NamedClient): Promise<boolean> {
  switch (named.method) {
    case 'none':
      return true
    case 'client_secret': {
      if (!looksLikeClientSecret(named.secret)) return false
      const [hash, now] = [hashSecret(named.secret), instantOf(deps.clock.now())]
      return secrets.some((one) => one.hash.equals(hash) && (one.expiresAt === null || one.expiresAt > now))
    }
    case 'private_key_jwt':
      return isAssertedBy(deps, client, named.assertion)
  }
}

/** RFC 7523 §3; OpenID Connect Core §9. Accepts each assertion once. */
async function isAssertedBy(deps: Needs, client: OidcClient, assertion: string): Promise<boolean> {
  const jwt = readJwt(assertion)
  if (jwt === null || client.jwks === null) return false
  const key = findClientKey(client.jwks, jwt.header)
  if (key === null || !jwt.isSignedBy(key)) return false
  const { iss, sub, aud, exp, nbf, jti } = jwt.payload
  const issuer = issuerOf(deps.config.baseUrl, client)
  // FAPI 2.0 §5.3.2.1: the audience is only the issuer, as a string; RS256 is not allowed.
  const isStrict = client.profile === 'fapi2'
  const audiences = Array.isArray(aud) ? aud : [aud]
  const now = deps.clock.now() / 1000
  if (iss !== client.id || sub !== client.id) return false
  if (isStrict && (aud !== issuer || key.alg !== 'ES256')) return false
  if (!audiences.some((one) => AUDIENCES.some((path) => one === `${issuer}${path}`))) return false
  if (typeof exp !== 'number' || exp <= now - SKEW_SECONDS || exp > now + ASSERTION_SECONDS_MAX) return false
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + SKEW_SECONDS)) return false
  if (typeof jti !== 'string' || jti === '' || jti.length > 256) return false
  const hash = createHash('sha256').update(jti, 'utf8').digest()
  const expiresAt = instantOf((exp + SKEW_SECONDS) * 1000)
  return insertAssertion(deps.db, client, { clientId: client.id, hash, expiresAt })
}
