// The userinfo endpoint: what the access token opens, as long as it lives. As JSON, or signed.

import type { JsonObject } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { OidcFailure } from '../../domain/oidc/failure.ts'
import { issuerOf } from '../../domain/oidc/issuer.ts'
import { signJwt } from '../../domain/oidc/jwt.ts'
import { decryptWithToken, hashOf } from '../../domain/oidc/tokens.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import { findUserinfo } from '../../store/oidc/authorizations.ts'
import { signingKeyFor } from './signing-keys.ts'

type Needs = Pick<Deps, 'db' | 'clients' | 'lanes' | 'clock' | 'random' | 'sealer' | 'config'>

export type Userinfo =
  | { readonly form: 'plain'; readonly claims: JsonObject }
  | { readonly form: 'signed'; readonly jwt: string }

/** Throws OidcFailure: a token that is unknown, another tenant's, revoked or over is one refusal. */
export async function readUserinfo(
  deps: Needs,
  input: { readonly realm: Realm; readonly token: string; readonly signed: boolean },
  /** Called once it is known what the token opens: how often it may be read has a bound. */
  admit: (verificationId: string) => Promise<void>,
): Promise<Userinfo> {
  const { realm, token, signed } = input
  const tokenHash = hashOf('access_token', token)
  const found =
    tokenHash === null ? null : await findUserinfo(deps.db, realm, { tokenHash, now: instantOf(deps.clock.now()) })
  if (found === null) throw new OidcFailure('invalid_token')
  await admit(found.verificationId)
  const claims = decryptWithToken(found.userinfo, { token, id: found.id })
  if (!signed) return { form: 'plain', claims }
  const known = await deps.clients.find(realm, found.clientId, deps.clock.now())
  if (known === null) throw new OidcFailure('invalid_token')
  const { client } = known
  const key = await signingKeyFor(deps, realm, client.idTokenAlg)
  const payload = { iss: issuerOf(deps.config.baseUrl, realm), aud: client.id, ...claims }
  return { form: 'signed', jwt: await signJwt(payload, key) }
}
