// Reads the claims for a valid access token, as JSON or signed, for the userinfo endpoint.

import type { JsonObject } from '@vidimus/engine'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { answeredOf } from '../../../core/verifications/domain/answered.ts'
import { readStored } from '../../../core/verifications/store/verifications.ts'
import { decryptVerification } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { inTurnIfLong } from '../../../platform/event-loop/in-turn.ts'
import { hashOf } from '../../../platform/one-time-secret.ts'
import { instantOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import { disclose } from '../domain/disclosure.ts'
import { readProof } from '../domain/dpop.ts'
import { OidcFailure } from '../domain/failure.ts'
import { issuerOf } from '../domain/issuer.ts'
import { signJwt } from '../domain/jwt.ts'
import { boundTokenHash, decryptWithToken } from '../domain/tokens.ts'
import { findByToken, openRequest, type TokenAuthorization } from '../store/authorizations.ts'
import { useProof } from './accept-proof.ts'
import { subjectFor } from './authorization-response.ts'
import { signingKeyFor } from './signing-keys.ts'

type Needs = Pick<Deps, 'db' | 'clients' | 'batcher' | 'clock' | 'random' | 'derivedKeys' | 'config' | 'remoteKeys'>

type Userinfo =
  | { readonly form: 'plain'; readonly claims: JsonObject }
  | { readonly form: 'signed'; readonly jwt: string }

/** The DPoP header of the call, and the call's method. */
export interface TokenProof {
  readonly proof: string
  readonly method: string
}

/** Throws OidcFailure: the same one for an unknown, a foreign, a revoked and an expired token. */
export async function readUserinfo(
  deps: Needs,
  input: { readonly realm: Realm; readonly token: string; readonly signed: boolean; readonly proof: TokenProof | null },
  /** Limits how often the token may be used; called when its verification is known. */
  admit: (verificationId: string) => Promise<void>,
): Promise<Userinfo> {
  const { realm, token, signed } = input
  const url = `${issuerOf(deps.config.baseUrl, realm)}/userinfo`
  const proof = input.proof === null ? null : readProof({ ...input.proof, url, token, nowMs: deps.clock.now() })
  // A token that is bound to a key is found only with a proof of that key.
  const tokenHash = proof === null ? hashOf('access_token', token) : boundTokenHash(token, proof.jkt)
  const found =
    tokenHash === null ? null : await findByToken(deps.db, realm, { tokenHash, now: instantOf(deps.clock.now()) })
  if (found === null) throw new OidcFailure('invalid_token')
  await admit(found.verificationId)
  const known = await deps.clients.find(realm, found.clientId, deps.clock.now())
  if (known === null) throw new OidcFailure('invalid_token')
  const { client } = known
  if (proof !== null && !(await useProof(deps.db, client, proof))) throw new OidcFailure('invalid_dpop_proof')
  await inTurnIfLong(client.tenantId, found.userinfo?.length)
  const claims =
    found.userinfo === null
      ? await claimsOfVerification(deps, client, found)
      : decryptWithToken(found.userinfo, { token, id: found.id })
  if (!signed) return { form: 'plain', claims }
  const key = await signingKeyFor(deps, realm, client.idTokenAlg)
  const payload = { iss: issuerOf(deps.config.baseUrl, realm), aud: client.id, ...claims }
  return { form: 'signed', jwt: await signJwt(payload, key) }
}

/** Throws OidcFailure if the content is gone. */
async function claimsOfVerification(
  deps: Needs,
  client: OidcClient,
  authorization: TokenAuthorization,
): Promise<JsonObject> {
  const stored = await readStored(deps, client, { id: authorization.verificationId, deviceId: null })
  const verification = stored === null ? null : answeredOf(decryptVerification(deps, stored))
  if (verification === null) throw new OidcFailure('invalid_token')
  const request = openRequest(deps.db, authorization)
  const { userinfo } = disclose({ client, request, verification, nowMs: deps.clock.now() })
  return { sub: subjectFor(deps, client, verification), ...userinfo }
}
