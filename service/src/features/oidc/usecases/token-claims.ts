// The claims that a client receives, in the ID token and from userinfo.

import type { JsonObject } from '@vidimus/engine'
import type { Answered } from '../../../core/verifications/domain/answered.ts'
import { readAsked } from '../../../core/verifications/store/asked.ts'
import type { Deps } from '../../../deps.ts'
import { presentedData, verifiedClaims } from '../domain/assurance.ts'
import { standardClaims } from '../domain/claims.ts'
import type { OidcClient } from '../domain/client.ts'
import type { AuthorizationRequest } from '../domain/request.ts'

interface Told {
  readonly client: OidcClient
  readonly request: AuthorizationRequest
  readonly verification: Answered
}

/** Under OpenID names; none of the protocol's own claims is among them. */
export async function claimsFor(
  deps: Pick<Deps, 'db' | 'batcher'>,
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
