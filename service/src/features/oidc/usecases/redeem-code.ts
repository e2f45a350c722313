// Exchanges a code for an ID token and an access token, once, for the token endpoint.

import type { JsonObject } from '@vidimus/engine'
import { requireServed } from '../../../core/tenants/domain/closed.ts'
import { loadClosed } from '../../../core/tenants/store/closed.ts'
import { type Answered, answeredOf } from '../../../core/verifications/domain/answered.ts'
import type { BoundBy } from '../../../core/verifications/domain/browser-binding.ts'
import type { ForgettingNeeds } from '../../../core/verifications/usecases/forgetting/forget-content.ts'
import { decryptVerification, turnFor } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { hashOf, newSecret } from '../../../platform/one-time-secret.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { assuranceOf } from '../domain/assurance.ts'
import { BINDING_CLAIM } from '../domain/claims.ts'
import type { OidcClient } from '../domain/client.ts'
import { disclose } from '../domain/disclosure.ts'
import { type DpopProof, readProof } from '../domain/dpop.ts'
import { OidcFailure } from '../domain/failure.ts'
import { issuerOf } from '../domain/issuer.ts'
import { type SigningKey, signJwt } from '../domain/jwt.ts'
import type { AuthorizationRequest } from '../domain/request.ts'
import {
  boundTokenHash,
  encryptToToken,
  fitsChallenge,
  halfHash,
  ID_TOKEN_SECONDS,
  TOKEN_SECONDS,
} from '../domain/tokens.ts'
import { findByCode, revokeByCode, useCodes } from '../store/authorization-codes.ts'
import { openRequest, type StoredSignIn } from '../store/authorizations.ts'
import { useProof } from './accept-proof.ts'
import { type Admission, authenticateClient, type ClientCall } from './authenticate-client.ts'
import { subjectFor } from './authorization-response.ts'
import { forgetOrReport } from './forget-forwarded.ts'
import { signingKeyFor } from './signing-keys.ts'
import { spendCode } from './together.ts'

type Needs = ForgettingNeeds & Pick<Deps, 'clients' | 'batcher' | 'random' | 'log' | 'derivedKeys' | 'remoteKeys'>

interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer' | 'DPoP'
  readonly expires_in: number
  readonly id_token: string
}

/** Throws OidcFailure: the same one for an unknown, a foreign, a used and an expired code. */
export async function redeemCode(deps: Needs, call: ClientCall, admit: Admission): Promise<TokenResponse> {
  const client = await authenticateClient(deps, call, admit.named)
  await admit.proven(client)
  const grant = call.form.get('grant_type')
  if (grant === undefined) throw new OidcFailure('invalid_request', 'grant_type is missing')
  if (grant !== 'authorization_code') throw new OidcFailure('unsupported_grant_type')
  const code = call.form.get('code')
  if (code === undefined) throw new OidcFailure('invalid_request', 'code is missing')
  const proof = proofOf(deps, client, call.proof)
  const hash = hashOf('code', code)
  if (hash === null) throw new OidcFailure('invalid_grant')
  const token = newSecret(deps.random, 'access_token')
  const tokenHash = proof === null ? token.hash : boundTokenHash(token.text, proof.jkt)
  const by = await signingKeyFor(deps, client, client.idTokenAlg)
  const redemption: Redemption = { client, call, code, hash, token: token.text, tokenHash, proof, by }
  const issued = (await spendThenIssue(deps, redemption)) ?? (await issueThenSpend(deps, redemption))
  // Forwarded content is not kept: the client has it now.
  if (issued.isForwarded) await forgetOrReport(deps, client, issued.verificationId)
  const type = proof === null ? 'Bearer' : 'DPoP'
  return { access_token: token.text, token_type: type, expires_in: TOKEN_SECONDS, id_token: issued.idToken }
}

interface Redemption {
  readonly client: OidcClient
  readonly call: ClientCall
  readonly code: string
  readonly hash: Uint8Array
  /** The access token. */
  readonly token: string
  readonly tokenHash: Uint8Array
  readonly proof: DpopProof | null
  /** Signs the ID token. */
  readonly by: SigningKey
}

interface Issued {
  /** The id of the sign-in. */
  readonly id: string
  readonly verificationId: string
  readonly isForwarded: boolean
  readonly idToken: string
  readonly userinfo: JsonObject
}

/** Checks the call against the authorization request, and signs. Throws OidcFailure. */
async function issue(
  deps: Needs,
  { client, call, code, token, proof, by }: Redemption,
  signIn: StoredSignIn,
): Promise<Issued> {
  const { authorization, verification: stored } = signIn
  const request = openRequest(deps.db, authorization)
  requireSameRequest(call, request)
  if (request.dpopJkt != null && request.dpopJkt !== proof?.jkt) throw new OidcFailure('invalid_grant')
  await turnFor(stored)
  const { verification, boundBy } = answerOf(deps, signIn)
  const sub = subjectFor(deps, client, verification)
  const { idToken: claims, userinfo } = disclose({ client, request, verification, nowMs: deps.clock.now() })
  const disclosed = { sub, claims }
  const idToken = await signJwt(idTokenOf(deps, { client, request, verification, boundBy, code, token, disclosed }), by)
  return {
    id: authorization.id,
    verificationId: verification.id,
    isForwarded: stored.forgetAt !== null,
    idToken,
    userinfo: { sub, ...userinfo },
  }
}

function answerOf(deps: Needs, { verification: stored }: StoredSignIn) {
  const verification = answeredOf(decryptVerification(deps, stored))
  const { boundBy } = stored
  if (verification === null || boundBy === null) throw new OidcFailure('invalid_grant')
  return { verification, boundBy }
}

/**
 * Spends the code in a statement that other calls share. null, and the code is as it was, if something else must be
 * stored with its use or an external key must sign first.
 */
async function spendThenIssue(deps: Needs, redemption: Redemption): Promise<Issued | null> {
  const { client, proof, by } = redemption
  if (proof !== null || by.key.reference !== null) return null
  const used = { ...useOf(deps, redemption), leavesForwarded: true }
  const spent = await spendCode(deps, client, used)
  if (spent !== null && spent.codeExpiresAt <= used.now) throw new OidcFailure('invalid_grant')
  return spent === null ? null : issue(deps, redemption, spent)
}

/**
 * Signs the ID token first, then spends the code and stores all that belongs to its use. If an external key or the store
 * is unavailable, the call gets 503 and the code stays valid. Of two concurrent calls, one spends the code and the other
 * gets nothing; a wrong call spends it, too.
 */
async function issueThenSpend(deps: Needs, redemption: Redemption): Promise<Issued> {
  const { client } = redemption
  const found = await findByCode(deps.db, client, useOf(deps, redemption))
  if (found === null) return refuseCode(deps, redemption)
  const issued = await issue(deps, redemption, found).catch(async (error: unknown) => {
    if (error instanceof OidcFailure) await spend(deps, redemption, null)
    throw error
  })
  // The tenant may have moved while the key signed. Then a code that is spent here would stay valid there.
  requireServed(await loadClosed(deps.db, client.tenantId))
  // The content may have been erased or forgotten while the key signed.
  const spent = await spend(deps, redemption, issued)
  await turnFor(spent.verification)
  answerOf(deps, spent)
  return issued
}

/** Runs before the code is spent. Under FAPI 2.0, every token is bound to a key. */
function proofOf(deps: Needs, client: OidcClient, proof: string | null): DpopProof | null {
  if (proof === null && client.profile === 'fapi2') throw new OidcFailure('invalid_dpop_proof', 'a proof is needed')
  if (proof === null) return null
  const url = `${issuerOf(deps.config.baseUrl, client)}/token`
  return readProof({ proof, method: 'POST', url, token: null, nowMs: deps.clock.now() })
}

/** What the store records. The access token is unusable until it is issued. */
function useOf(deps: Pick<Deps, 'clock'>, { client, hash, tokenHash }: Redemption) {
  const nowMs = deps.clock.now()
  const tokenExpiresAt = instantOf(nowMs + TOKEN_SECONDS * 1000)
  return { clientId: client.id, hash, tokenHash, now: instantOf(nowMs), tokenExpiresAt, userinfo: null }
}

/** In one transaction, so that an unavailable store leaves the code unused. `issued`: null for a wrong call. */
async function spend(deps: Needs, redemption: Redemption, issued: Issued | null): Promise<StoredSignIn> {
  const { client, token, proof } = redemption
  const isForwarded = issued?.isForwarded === true
  // Only the access token can decrypt it.
  const userinfo = isForwarded ? encryptToToken(issued.userinfo, { token, id: issued.id, random: deps.random }) : null
  const used = { ...useOf(deps, redemption), userinfo, leavesForwarded: false }
  const { isFresh, spent } = await deps.db.transaction(async (tx) => {
    // First, because it locks the client's row: a removal of the client locks that row before its sign-ins.
    const isFresh = proof === null || (await useProof(tx, client, proof))
    const [spent] = await useCodes(tx, client, [used])
    return { isFresh, spent }
  })
  if (spent === undefined) return refuseCode(deps, redemption)
  if (spent.codeExpiresAt <= used.now) throw new OidcFailure('invalid_grant')
  if (!isFresh) throw new OidcFailure('invalid_dpop_proof')
  return spent
}

async function refuseCode(deps: Needs, redemption: Redemption): Promise<never> {
  await revokeByCode(deps.db, redemption.client, useOf(deps, redemption))
  throw new OidcFailure('invalid_grant')
}

function requireSameRequest({ form }: ClientCall, { redirectUri, codeChallenge }: AuthorizationRequest): void {
  const verifier = form.get('code_verifier')
  if (form.get('redirect_uri') !== redirectUri) throw new OidcFailure('invalid_grant')
  // A verifier without a challenge means that an attacker removed the challenge (RFC 9700 §4.8.2).
  const fits = codeChallenge === null ? verifier === undefined : fitsChallenge(verifier ?? '', codeChallenge)
  if (!fits) throw new OidcFailure('invalid_grant')
}

interface Proven {
  readonly client: OidcClient
  readonly request: AuthorizationRequest
  readonly verification: Answered
  readonly boundBy: BoundBy
  readonly code: string
  readonly token: string
  readonly disclosed: { readonly sub: string; readonly claims: JsonObject }
}

/**
 * Values of `amr` (RFC 8176). A code from the phone means two channels; the last value is the binding to the browser.
 */
const METHODS: Readonly<Record<BoundBy, readonly string[]>> = {
  browser_api: ['vc', 'browser_api'],
  response_code: ['vc', 'response_code'],
  code: ['vc', 'mca', 'code'],
  unconfirmed: ['vc', 'unconfirmed'],
}

/**
 * Our own claim in addition to `amr`, returned on request. Clients with `claimsInIdToken`, and older sign-ins, always
 * get it; so do requests of VC-AuthN, because their `amr` does not say it, and a browser could make its request one.
 */
const wantsBinding = (
  { claimsInIdToken }: OidcClient,
  { idTokenClaims, presReqConfId }: Pick<AuthorizationRequest, 'idTokenClaims' | 'presReqConfId'>,
) => claimsInIdToken || presReqConfId !== null || idTokenClaims === undefined || idTokenClaims.includes(BINDING_CLAIM)

function idTokenOf(deps: Needs, proven: Proven): JsonObject {
  const { client, request, verification, boundBy, code, token, disclosed } = proven
  const now = Math.floor(deps.clock.now() / 1000)
  const acr = request.presReqConfId === null ? assuranceOf(verification.credentials) : 'vc_authn'
  return {
    iss: issuerOf(deps.config.baseUrl, client),
    sub: disclosed.sub,
    aud: client.id,
    exp: now + ID_TOKEN_SECONDS,
    iat: now,
    auth_time: Math.floor(millisecondsOf(verification.respondedAt) / 1000),
    ...(request.nonce === null ? {} : { nonce: request.nonce }),
    ...(acr === null ? {} : { acr }),
    amr: request.presReqConfId === null ? METHODS[boundBy] : ['vc_authn'],
    ...(wantsBinding(client, request) ? { [BINDING_CLAIM]: boundBy } : {}),
    sid: verification.id,
    at_hash: halfHash(token),
    c_hash: halfHash(code),
    ...disclosed.claims,
  }
}
