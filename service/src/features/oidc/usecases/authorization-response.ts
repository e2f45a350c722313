// Builds the response to a client's redirect address: a code or an error.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Answered } from '../../../core/verifications/domain/answered.ts'
import { deniesSomething } from '../../../core/verifications/domain/verdict.ts'
import type { Deps } from '../../../deps.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { assuranceOf } from '../domain/assurance.ts'
import { standardClaims } from '../domain/claims.ts'
import type { OidcClient } from '../domain/client.ts'
import { OidcFailure } from '../domain/failure.ts'
import { issuerOf } from '../domain/issuer.ts'
import type { AuthorizationRequest, ResponseMode } from '../domain/request.ts'
import { subjectOf } from '../domain/subject.ts'
import { CODE_SECONDS } from '../domain/tokens.ts'

export interface AuthorizationResponse {
  /** Equal to one of the client's registered addresses. */
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly parameters: ReadonlyMap<string, string>
}

type ReplyTarget = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>

/** RFC 9207: includes the issuer, so that the client cannot mistake it for another provider's response. */
function responseWith(
  deps: Pick<Deps, 'config'>,
  realm: Realm,
  { redirectUri, responseMode, state }: ReplyTarget,
  members: readonly (readonly [string, string])[],
): AuthorizationResponse {
  const named = state === null ? members : [...members, ['state', state] as const]
  const parameters = new Map([...named, ['iss', issuerOf(deps.config.baseUrl, realm)] as const])
  return { redirectUri, responseMode, parameters }
}

export function failureResponse(
  deps: Pick<Deps, 'config'>,
  realm: Realm,
  target: ReplyTarget,
  { code, description }: Pick<OidcFailure, 'code' | 'description'>,
): AuthorizationResponse {
  const more = description === undefined ? [] : [['error_description', description] as const]
  return responseWith(deps, realm, target, [['error', code] as const, ...more])
}

export function codeResponse(
  deps: Pick<Deps, 'config' | 'clock' | 'random'>,
  client: Realm,
  request: AuthorizationRequest,
): { readonly response: AuthorizationResponse; readonly code: { readonly hash: Buffer; readonly expiresAt: Instant } } {
  const { text, hash } = newSecret(deps.random, 'code')
  const expiresAt = instantOf(deps.clock.now() + CODE_SECONDS * 1000)
  return { response: responseWith(deps, client, request, [['code', text]]), code: { hash, expiresAt } }
}

/** Why the client rejects a proven result; null if it accepts it. */
export function unwantedAnswer(
  client: Pick<OidcClient, 'requireTrue'>,
  request: Pick<AuthorizationRequest, 'acrEssential'>,
  { verdict, claims, credentials }: Pick<Answered, 'verdict' | 'claims' | 'credentials'>,
): OidcFailure | null {
  const unmet = new OidcFailure('access_denied', 'unmet_authentication_requirements')
  const isDenied = verdict === 'no' || deniesSomething(standardClaims(claims, credentials))
  if (client.requireTrue && isDenied) return unmet
  const acr = assuranceOf(credentials)
  if (request.acrEssential !== null && (acr === null || !request.acrEssential.includes(acr))) return unmet
  return null
}

/** Throws OidcFailure if the sign-in has no subject. */
export function subjectFor(deps: Pick<Deps, 'derivedKeys'>, client: OidcClient, verification: Answered): string {
  const subject = subjectOf(deps.derivedKeys, client, verification)
  if (subject === null)
    throw new OidcFailure('access_denied', 'the credential has no claim that the subject is derived from')
  return subject
}
