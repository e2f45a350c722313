// The browser that began comes back. How the verification ended becomes the response to its client, once.

import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { isAuthorizationId } from '../../domain/ids.ts'
import { answeredOf } from '../../domain/oidc/answered.ts'
import type { OidcClient } from '../../domain/oidc/client.ts'
import { OidcFailure } from '../../domain/oidc/failure.ts'
import { type AuthorizationRequest, requestSealContext } from '../../domain/oidc/request.ts'
import { hashOf } from '../../domain/oidc/tokens.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { Verification } from '../../domain/verification/verification.ts'
import type { StoredAuthorization } from '../../store/oidc/authorizations.ts'
import { cancelVerification } from '../verifications/answering/cancel-verification.ts'
import { opened } from '../verifications/reading/read-verification.ts'
import {
  type AuthorizationResponse,
  codeResponse,
  failureResponse,
  subjectFor,
  unwantedAnswer,
} from './authorization-response.ts'
import { principalOf } from './begin-authorization.ts'
import { rememberBrowser } from './remember-browser.ts'
import { findOpenSignIn, giveCode } from './together.ts'

type Needs = Pick<Deps, 'db' | 'clients' | 'lanes' | 'sealer' | 'clock' | 'random' | 'config' | 'headMacs'>

export interface FinishInput {
  readonly realm: Realm
  readonly id: string
  /** The cookie; null: the browser has none. */
  readonly browserSecret: string | null
}

export type Finished =
  /** Of another browser, of another tenant, over already, or never there: all the same. */
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'pending'; readonly verificationId: string }
  | {
      readonly outcome: 'responded'
      readonly response: AuthorizationResponse
      readonly remember: ReturnType<typeof rememberBrowser>
    }

interface Found {
  readonly authorization: StoredAuthorization
  readonly request: AuthorizationRequest
  readonly client: OidcClient
  readonly verification: Verification
}

export async function finishAuthorization(deps: Needs, input: FinishInput): Promise<Finished> {
  const found = await find(deps, input)
  if (found === null) return { outcome: 'unknown' }
  const { authorization, request, client, verification } = found
  if (verification.status === 'pending') return { outcome: 'pending', verificationId: verification.id }
  try {
    demandProof(deps, found)
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error
    return { outcome: 'responded', response: failureResponse(deps, client, request, error), remember: null }
  }
  const { response, code } = codeResponse(deps, client, request)
  if (!(await giveCode(deps, client, { id: authorization.id, ...code }))) return { outcome: 'unknown' }
  const remember = rememberBrowser(deps, client, verification.id)
  return { outcome: 'responded', response, remember }
}

/** The person does not want to: the wallet's answer would be too late from now on. */
export async function cancelAuthorization(deps: Needs, input: FinishInput): Promise<Finished> {
  const found = await find(deps, input)
  if (found !== null && found.verification.status === 'pending') {
    try {
      await cancelVerification(deps, { principal: principalOf(found.client), id: found.verification.id })
    } catch (error) {
      // The wallet was faster: that counts.
      if (!(error instanceof Refusal) || error.code !== 'session_already_responded') throw error
    }
  }
  return finishAuthorization(deps, input)
}

async function find(deps: Needs, { realm, id, browserSecret }: FinishInput): Promise<Found | null> {
  const browserHash = browserSecret === null ? null : hashOf('browser', browserSecret)
  if (browserHash === null || !isAuthorizationId(id)) return null
  const found = await findOpenSignIn(deps, realm, { id, browserHash })
  if (found === null) return null
  const { authorization } = found
  const known = await deps.clients.find(realm, authorization.clientId, deps.clock.now())
  if (known === null) return null
  const request = openRequest(deps, authorization)
  return { authorization, request, client: known.client, verification: opened(deps, found.verification) }
}

export function openRequest(deps: Pick<Deps, 'sealer'>, authorization: StoredAuthorization): AuthorizationRequest {
  return JSON.parse(deps.sealer.open(authorization.sealedRequest, requestSealContext(authorization)).toString('utf8'))
}

/** Throws OidcFailure. What was wrong with a credential is the merchant's to read, not the client's to be told. */
function demandProof(deps: Pick<Deps, 'sealer'>, { client, request, verification }: Found): void {
  switch (verification.status) {
    case 'expired':
      throw new OidcFailure('access_denied', verification.cancelled ? 'cancelled' : 'timeout')
    case 'failed':
      throw new OidcFailure(
        'access_denied',
        verification.error.code === 'wallet_declined' ? 'declined' : 'verification_failed',
      )
    case 'completed': {
      const answered = answeredOf(verification)
      if (answered === null) throw new OidcFailure('server_error', 'the result cannot be read here')
      const refused = unwantedAnswer(client, request, answered)
      if (refused !== null) throw refused
      subjectFor(deps, client, answered)
    }
  }
}
