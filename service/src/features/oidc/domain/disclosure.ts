// Decides which claims a client gets from a sign-in, in the ID token and from userinfo (Core §5.4, §5.5).

import type { JsonObject } from '@vidimus/engine'
import type { Answered } from '../../../core/verifications/domain/answered.ts'
import { presentedData, verificationOf } from './assurance.ts'
import { PERSONAL_CLAIMS, smallClaims, standardClaims } from './claims.ts'
import type { OidcClient } from './client.ts'
import type { AuthorizationRequest } from './request.ts'
import { answerVerified, type VerifiedRequest } from './verified-claims.ts'

/** The claims about the person, without the claims of the protocol. */
export interface Disclosure {
  readonly idToken: JsonObject
  readonly userinfo: JsonObject
}

interface SignIn {
  readonly client: Pick<OidcClient, 'claimsInIdToken' | 'vpData' | 'verifiedClaims'>
  readonly request: AuthorizationRequest
  readonly verification: Pick<
    Answered,
    'id' | 'claims' | 'credentials' | 'answeredQueries' | 'respondedAt' | 'trustList'
  >
  readonly nowMs: number
}

type Known = SignIn & { readonly standard: JsonObject }

export function disclose(input: SignIn): Disclosure {
  const { client, request, verification } = input
  // Computed once, because a portrait is encoded each time.
  const standard = standardClaims(verification.claims, verification.credentials)
  const signIn = { ...input, standard }
  const wanted = wantedIn(client, request)
  const [forIdToken, forUserinfo] = [request.verified?.idToken ?? [], request.verified?.userinfo ?? []]
  const disclosed = { ...only(standard, wanted.idToken), ...requested(signIn, forIdToken) }
  const added = client.claimsInIdToken ? extras(signIn, wanted.idToken) : {}
  const idToken = smallClaims({ ...disclosed, ...added })
  // Claims that are too large for the ID token come from userinfo.
  const tooLarge = Object.entries(disclosed).filter(([name]) => !Object.hasOwn(idToken, name))
  const inUserinfo = only(standard, wanted.userinfo)
  return {
    idToken: { ...idToken, ...smallClaims(asVcAuthn(request, inUserinfo)) },
    userinfo: {
      ...inUserinfo,
      ...extras(signIn, wanted.userinfo),
      ...Object.fromEntries(tooLarge),
      ...requested(signIn, forUserinfo),
      ...asVcAuthn(request, inUserinfo),
    },
  }
}

/** The names of the claims for each place; null: all. With `claimsInIdToken`, both places get all requested claims. */
function wantedIn(
  { claimsInIdToken }: SignIn['client'],
  { claims, idTokenClaims, userinfoClaims }: AuthorizationRequest,
) {
  if (claimsInIdToken) return { idToken: claims, userinfo: claims }
  return { idToken: idTokenClaims ?? [], userinfo: userinfoClaims === undefined ? claims : userinfoClaims }
}

/**
 * Other forms of the same claims, which the client's settings add. A request for verified claims overrides the setting.
 */
function extras({ client, request, verification, standard }: Known, wanted: readonly string[] | null): JsonObject {
  const isRequested = [request.verified?.idToken, request.verified?.userinfo].some((list = []) => list.length > 0)
  const disclosed = only(standard, wanted)
  return {
    ...(client.vpData ? { vp_data: presentedData(verification, wanted) } : {}),
    ...(client.verifiedClaims && !isRequested && Object.keys(disclosed).length > 0
      ? { verified_claims: { verification: verificationOf(verification), claims: disclosed } }
      : {}),
  }
}

/** The verified claims that the request names. */
function requested({ verification, standard, nowMs }: Known, requests: readonly VerifiedRequest[]): JsonObject {
  if (requests.length === 0) return {}
  const claims = only(standard, PERSONAL_CLAIMS)
  const answer = answerVerified(requests, { verification: verificationOf(verification), claims }, nowMs)
  return answer === null ? {} : { verified_claims: answer }
}

/** VC-AuthN has no userinfo, so its clients read the ID token. */
function asVcAuthn({ presReqConfId }: AuthorizationRequest, claims: JsonObject): JsonObject {
  return presReqConfId === null ? {} : { pres_req_conf_id: presReqConfId, vc_presented_attributes: claims }
}

function only(claims: JsonObject, wanted: readonly string[] | null): JsonObject {
  const names = new Set(wanted)
  return wanted === null ? claims : Object.fromEntries(Object.entries(claims).filter(([name]) => names.has(name)))
}
