// The token endpoint: a code becomes an ID token and an access token, once. With this call the claims leave.

import type { JsonObject } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { type Answered, answeredOf } from '../../domain/oidc/answered.ts'
import { assuranceOf, presentedData, verifiedClaims } from '../../domain/oidc/assurance.ts'
import { smallClaims, standardClaims } from '../../domain/oidc/claims.ts'
import type { OidcClient } from '../../domain/oidc/client.ts'
import { OidcFailure } from '../../domain/oidc/failure.ts'
import { issuerOf } from '../../domain/oidc/issuer.ts'
import { signJwt } from '../../domain/oidc/jwt.ts'
import type { AuthorizationRequest } from '../../domain/oidc/request.ts'
import {
  encryptToToken,
  fitsChallenge,
  halfHash,
  hashOf,
  ID_TOKEN_SECONDS,
  newSecret,
  TOKEN_SECONDS,
} from '../../domain/oidc/tokens.ts'
import { instantOf, millisecondsOf } from '../../domain/world.ts'
import { revokeByCode, type StoredAuthorization } from '../../store/oidc/authorizations.ts'
import { forgetContent } from '../verifications/forget-content.ts'
import { readAsked, readStored } from '../verifications/read-together.ts'
import { opened } from '../verifications/read-verification.ts'
import { subjectFor } from './answer-authorization.ts'
import { authenticateClient, type ClientCall } from './authenticate-client.ts'
import { openRequest } from './finish-authorization.ts'
import { signingKeyFor } from './signing-keys.ts'
import { giveToken, spendCode } from './together.ts'

type Needs = Pick<Deps, 'db' | 'clients' | 'lanes' | 'sealer' | 'clock' | 'random' | 'config' | 'auditSeal' | 'log'>

export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly id_token: string
}

/** What each caller may ask has a bound. */
export interface Admission {
  /** Called once somebody has said a client's name, before anything is proven. */
  readonly named: (client: OidcClient) => Promise<void>
  /** Called once it is that client, as far as it has something to prove it by. */
  readonly proven: (client: OidcClient) => Promise<void>
}

/** Throws OidcFailure. A code that is unknown, another client's, another tenant's, spent or too old is one refusal. */
export async function redeemCode(deps: Needs, call: ClientCall, admit: Admission): Promise<TokenAnswer> {
  const client = await authenticateClient(deps, call, admit.named)
  await admit.proven(client)
  const grant = call.form.get('grant_type')
  if (grant === undefined) throw new OidcFailure('invalid_request', 'grant_type is missing')
  if (grant !== 'authorization_code') throw new OidcFailure('unsupported_grant_type')
  const code = call.form.get('code')
  if (code === undefined) throw new OidcFailure('invalid_request', 'code is missing')
  const authorization = await spend(deps, client, code)
  const request = openRequest(deps, authorization)
  demandSameAsking(call, request)
  const stored = await readStored(deps, client, { id: authorization.verificationId, deviceId: null })
  const verification = stored === null ? null : answeredOf(opened(deps, stored))
  if (verification === null) throw new OidcFailure('invalid_grant')
  const tokens = await giveTokens(deps, { client, authorization, request, verification, code })
  // Where content is forwarded, the client has it now.
  if (stored?.forgetAt != null) await forgetOrReport(deps, client, verification.id)
  return tokens
}

/** The code is spent and the tokens are made: what cannot be forgotten now is forgotten when its time is over. */
async function forgetOrReport(deps: Needs, client: OidcClient, id: string): Promise<void> {
  try {
    await forgetContent(deps, { realm: client, id, actor: { type: 'oidc_client', id: client.id } })
  } catch (error) {
    deps.log.fault('content that a client has is not forgotten yet', error, { tenant: client.tenantId })
  }
}

/** Its client has one try with it: whatever is wrong with that, the code is spent. */
async function spend(deps: Needs, client: OidcClient, code: string): Promise<StoredAuthorization> {
  const now = instantOf(deps.clock.now())
  const hash = hashOf('code', code)
  if (hash === null) throw new OidcFailure('invalid_grant')
  const used = { clientId: client.id, hash, now }
  const authorization = await spendCode(deps, client, used)
  if (authorization === null) {
    await revokeByCode(deps.db, client, used)
    throw new OidcFailure('invalid_grant')
  }
  if (authorization.codeExpiresAt <= now) throw new OidcFailure('invalid_grant')
  return authorization
}

function demandSameAsking({ form }: ClientCall, { redirectUri, codeChallenge }: AuthorizationRequest): void {
  const verifier = form.get('code_verifier')
  if (form.get('redirect_uri') !== redirectUri) throw new OidcFailure('invalid_grant')
  // A verifier where there was no challenge: somebody took the challenge away (RFC 9700 §4.8.2).
  const fits = codeChallenge === null ? verifier === undefined : fitsChallenge(verifier ?? '', codeChallenge)
  if (!fits) throw new OidcFailure('invalid_grant')
}

interface Proven {
  readonly client: OidcClient
  readonly authorization: StoredAuthorization
  readonly request: AuthorizationRequest
  readonly verification: Answered
  readonly code: string
}

async function giveTokens(deps: Needs, proven: Proven): Promise<TokenAnswer> {
  const { client, authorization, request, verification, code } = proven
  const sub = subjectFor(deps, client, verification)
  const claims = await claimsFor(deps, proven)
  const token = newSecret(deps.random, 'access_token')
  const now = Math.floor(deps.clock.now() / 1000)
  const acr = request.presReqConfId === null ? assuranceOf(verification.credentials) : 'vc_authn'
  const payload = {
    iss: issuerOf(deps.config.baseUrl, client),
    sub,
    aud: client.id,
    exp: now + ID_TOKEN_SECONDS,
    iat: now,
    auth_time: Math.floor(millisecondsOf(verification.respondedAt) / 1000),
    ...(request.nonce === null ? {} : { nonce: request.nonce }),
    ...(acr === null ? {} : { acr }),
    amr: [request.presReqConfId === null ? 'vc' : 'vc_authn'],
    sid: verification.id,
    at_hash: halfHash(token.text),
    c_hash: halfHash(code),
    ...smallClaims(claims),
  }
  const idToken = await signJwt(payload, await signingKeyFor(deps, client, client.idTokenAlg))
  const userinfo = encryptToToken({ sub, ...claims }, { token: token.text, id: authorization.id, random: deps.random })
  const expiresAt = instantOf(deps.clock.now() + TOKEN_SECONDS * 1000)
  const kept = { id: authorization.id, hash: token.hash, expiresAt, userinfo }
  if (!(await giveToken(deps, client, kept))) throw new OidcFailure('invalid_grant')
  return { access_token: token.text, token_type: 'Bearer', expires_in: TOKEN_SECONDS, id_token: idToken }
}

/** In the client's words; nothing of the protocol's own is among them. */
async function claimsFor(deps: Needs, { client, request, verification }: Proven): Promise<JsonObject> {
  const standard = standardClaims(verification.claims)
  const wanted =
    request.claims === null
      ? standard
      : Object.fromEntries(Object.entries(standard).filter(([name]) => request.claims?.includes(name)))
  const asked = client.vpData ? await readAsked(deps, verification.id) : null
  return {
    ...wanted,
    ...(asked === null ? {} : { vp_data: presentedData(verification.credentials, asked.query) }),
    ...(client.verifiedClaims ? { verified_claims: verifiedClaims(wanted, verification) } : {}),
    ...(request.presReqConfId === null
      ? {}
      : { pres_req_conf_id: request.presReqConfId, vc_presented_attributes: wanted }),
  }
}
