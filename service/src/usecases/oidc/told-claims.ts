// What a client is told of an answer, in the ID token and by userinfo.

import type { JsonObject } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import type { Answered } from '../../domain/oidc/answered.ts'
import { presentedData, verifiedClaims } from '../../domain/oidc/assurance.ts'
import { standardClaims } from '../../domain/oidc/claims.ts'
import type { OidcClient } from '../../domain/oidc/client.ts'
import type { AuthorizationRequest } from '../../domain/oidc/request.ts'
import { readAsked } from '../verifications/reading/read-together.ts'

interface Told {
  readonly client: OidcClient
  readonly request: AuthorizationRequest
  readonly verification: Answered
}

/** In the client's words; nothing of the protocol's own is among them. */
export async function claimsFor(
  deps: Pick<Deps, 'db' | 'lanes' | 'sealer'>,
  { client, request, verification }: Told,
): Promise<JsonObject> {
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
