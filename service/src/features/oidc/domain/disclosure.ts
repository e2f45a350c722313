// Decides what a client learns from a sign-in, and where: in the ID token and from userinfo (Core §5.4, §5.5).

import type { DcqlQuery, JsonObject } from '@vidimus/engine'
import type { Answered } from '../../../core/verifications/domain/answered.ts'
import { presentedData, verifiedClaims } from './assurance.ts'
import { smallClaims, standardClaims } from './claims.ts'
import type { OidcClient } from './client.ts'
import type { AuthorizationRequest } from './request.ts'

/** None of the protocol's own claims is among them. */
export interface Disclosure {
  readonly idToken: JsonObject
  readonly userinfo: JsonObject
}

interface Told {
  readonly client: Pick<OidcClient, 'claimsInIdToken' | 'vpData' | 'verifiedClaims'>
  readonly request: AuthorizationRequest
  readonly verification: Pick<Answered, 'claims' | 'credentials' | 'respondedAt'>
  /** What the wallet was asked; null: it cannot be read any more. */
  readonly query: DcqlQuery | null
}

export function disclose(told: Told): Disclosure {
  const { client, request, verification } = told
  const standard = standardClaims(verification.claims)
  const wanted = wantedIn(client, request)
  const asked = only(standard, wanted.idToken)
  const idToken = smallClaims({ ...asked, ...(client.claimsInIdToken ? extras(told, wanted.userinfo) : {}) })
  // What is too large for the ID token comes from userinfo.
  const tooLarge = Object.entries(asked).filter(([name]) => !Object.hasOwn(idToken, name))
  return {
    idToken: { ...idToken, ...smallClaims(asVcAuthn(request, only(standard, wanted.userinfo))) },
    userinfo: {
      ...only(standard, wanted.userinfo),
      ...Object.fromEntries(tooLarge),
      ...extras(told, wanted.userinfo),
      ...asVcAuthn(request, only(standard, wanted.userinfo)),
    },
  }
}

/** The names for each place; null: all. With the client's setting both places have all that was asked for. */
function wantedIn(
  { claimsInIdToken }: Told['client'],
  { claims, idTokenClaims, userinfoClaims }: AuthorizationRequest,
) {
  if (claimsInIdToken) return { idToken: claims, userinfo: claims }
  return { idToken: idTokenClaims ?? [], userinfo: userinfoClaims === undefined ? claims : userinfoClaims }
}

/** Forms of the same claims that the client's settings add. */
function extras({ client, verification, query }: Told, wanted: readonly string[] | null): JsonObject {
  const { credentials, claims } = verification
  return {
    ...(client.vpData && query !== null ? { vp_data: presentedData(credentials, query, wanted) } : {}),
    ...(client.verifiedClaims
      ? { verified_claims: verifiedClaims(only(standardClaims(claims), wanted), verification) }
      : {}),
  }
}

/** VC-AuthN has no userinfo: its clients read the ID token. */
function asVcAuthn({ presReqConfId }: AuthorizationRequest, claims: JsonObject): JsonObject {
  return presReqConfId === null ? {} : { pres_req_conf_id: presReqConfId, vc_presented_attributes: claims }
}

const only = (claims: JsonObject, wanted: readonly string[] | null): JsonObject =>
  wanted === null ? claims : Object.fromEntries(Object.entries(claims).filter(([name]) => wanted.includes(name)))
