// Finishes a sign-in when its browser returns: sends the verification's outcome to the client, once, and only if the
// wallet's answer is bound to that browser.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { answeredOf } from '../../../core/verifications/domain/answered.ts'
import { type BoundBy, isSame, isSignInRule } from '../../../core/verifications/domain/browser-binding.ts'
import { hashResponseCode } from '../../../core/verifications/domain/response-code.ts'
import type { Verification } from '../../../core/verifications/domain/verification.ts'
import { cancelVerification } from '../../../core/verifications/usecases/answering/cancel-verification.ts'
import type { ForgettingNeeds } from '../../../core/verifications/usecases/forgetting/forget-content.ts'
import { decryptVerification, turnFor } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isAuthorizationId } from '../../../platform/ids.ts'
import { hashOf } from '../../../platform/one-time-secret.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import {
  CONFIRM_SECONDS,
  CONFIRM_TRIES,
  type Confirmation,
  confirmationCode,
  confirmationOf,
  isConfirmationCode,
  isShapedLikeCode,
} from '../domain/confirmation.ts'
import { OidcFailure } from '../domain/failure.ts'
import type { AuthorizationRequest } from '../domain/request.ts'
import { noteFailed, type OpenSignIn, openRequest, type StoredAuthorization } from '../store/authorizations.ts'
import { endConfirmation, noteReturnedElsewhere, tryConfirmation } from '../store/confirmations.ts'
import { endPushedRequest } from '../store/pushed-requests.ts'
import {
  type AuthorizationResponse,
  codeResponse,
  failureResponse,
  subjectFor,
  unwantedAnswer,
} from './authorization-response.ts'
import { principalOf } from './begin-authorization.ts'
import { forgetOrReport } from './forget-forwarded.ts'
import { rememberBrowser } from './remember-browser.ts'
import { findOpenSignIn, issueCode } from './together.ts'

type Needs = ForgettingNeeds & Pick<Deps, 'clients' | 'batcher' | 'derivedKeys' | 'random' | 'config' | 'audit' | 'log'>

export interface FinishInput {
  readonly realm: Realm
  readonly id: string
  /** The cookie of that verification; null: the browser has none. */
  readonly secretFor: (verificationId: string) => string | null
}

type Finished =
  /** The same outcome for a sign-in that is finished, unknown, or of another browser or tenant. */
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'pending'; readonly verificationId: string }
  /** A wallet has answered, and the answer is not bound to this browser yet. */
  | {
      readonly outcome: 'waiting'
      readonly verificationId: string
      /** Accepts the confirmation code; false: only the wallet's return. */
      readonly takesCode: boolean
      readonly secondsLeft: number
      readonly triesLeft: number
      readonly uiLocales: string | null
    }
  | {
      readonly outcome: 'responded'
      readonly verificationId: string
      readonly response: AuthorizationResponse
      readonly remember: ReturnType<typeof rememberBrowser>
    }

interface Found {
  readonly signIn: OpenSignIn
  readonly authorization: StoredAuthorization
  readonly request: AuthorizationRequest
  readonly client: OidcClient
  readonly verification: Verification
}

export async function finishAuthorization(deps: Needs, input: FinishInput): Promise<Finished> {
  const found = await findOfBrowser(deps, input)
  return found === null ? { outcome: 'unknown' } : finish(deps, found, { returned: false })
}

/** The person cancels: a later answer of the wallet comes too late. */
export async function cancelAuthorization(deps: Needs, input: FinishInput): Promise<Finished> {
  const found = await findOfBrowser(deps, input)
  if (found === null) return { outcome: 'unknown' }
  if (found.verification.status === 'pending') {
    try {
      await cancelVerification(deps, { principal: principalOf(found.client), id: found.verification.id })
    } catch (error) {
      // The wallet answered first, so its answer counts.
      if (!(error instanceof Refusal) || error.code !== 'session_already_responded') throw error
    }
  } else if (confirmationIn(deps, found, false)?.outcome === 'waiting') {
    // If the right code was typed at the same time, that counts: the client gets one response.
    if (await endConfirmation(deps.db, found.client, confirmingOf(found)))
      return failed(deps, found, new OidcFailure('access_denied', 'cancelled'))
  }
  return finishAuthorization(deps, input)
}

/** Checks the code that the person typed from the phone. Input that is not a code costs no try. */
export async function confirmAuthorization(
  deps: Needs,
  input: FinishInput & { readonly typed: string },
): Promise<Finished> {
  const found = await findOfBrowser(deps, input)
  if (found === null) return { outcome: 'unknown' }
  const { authorization, signIn } = found
  const state = confirmationIn(deps, found, false)
  if (state?.outcome === 'waiting' && state.takesCode && isShapedLikeCode(input.typed)) {
    const { responseCodeHash } = signIn
    const owner = {
      verificationId: authorization.verificationId,
      responseCodeHash: responseCodeHash ?? new Uint8Array(),
    }
    const isRight = responseCodeHash !== null && isConfirmationCode(deps.derivedKeys, owner, input.typed)
    const answeredAfter = instantOf(deps.clock.now() - CONFIRM_SECONDS * 1000)
    const attempt = { boundBy: isRight ? ('code' as const) : null, costsTry: true, answeredAfter }
    await tryConfirmation(deps.db, found.client, { ...confirmingOf(found), ...attempt })
  }
  return finishAuthorization(deps, input)
}

export type Returned =
  | Finished
  /** In another browser: shows the code to type where the sign-in began. */
  | {
      readonly outcome: 'code'
      readonly code: string
      readonly verificationId: string
      readonly secondsLeft: number
      readonly uiLocales: string | null
    }
  /** In another browser, and the client accepts no answer from there. */
  | { readonly outcome: 'mismatch'; readonly uiLocales: string | null }

/** A wallet sent a browser back with its response code (HAIP 1.0 §5.1). */
export async function returnFromWallet(
  deps: Needs,
  input: FinishInput & { readonly responseCode: string },
): Promise<Returned> {
  const found = await find(deps, input)
  const { responseCodeHash } = found?.signIn ?? { responseCodeHash: null }
  const returned = responseCodeHash !== null && isSame(responseCodeHash, hashResponseCode(input.responseCode))
  if (found === null || !returned) return { outcome: 'unknown' }
  if (isOfBrowser(found, input)) return finish(deps, found, { returned })
  const { uiLocales = null } = found.request
  const state = confirmationIn(deps, found, false)
  if (state?.outcome !== 'waiting')
    return state?.outcome === 'failed' && state.reason === 'session_mismatch'
      ? { outcome: 'mismatch', uiLocales }
      : { outcome: 'unknown' }
  const { id, verificationId } = found.authorization
  if (!state.takesCode) {
    await noteReturnedElsewhere(deps.db, found.client, { id, at: instantOf(deps.clock.now()) })
    return { outcome: 'mismatch', uiLocales }
  }
  const code = confirmationCode(deps.derivedKeys, { verificationId, responseCodeHash })
  return { outcome: 'code', code, verificationId, secondsLeft: secondsUntil(deps, state.untilMs), uiLocales }
}

const confirmingOf = ({ authorization: { id }, signIn }: Found) => {
  return { id, day: signIn.verification.day, triesMax: CONFIRM_TRIES }
}

const secondsUntil = ({ clock }: Pick<Deps, 'clock'>, untilMs: number) => Math.ceil((untilMs - clock.now()) / 1000)

/** null if no wallet has proven anything: there is nothing to bind. */
function confirmationIn(
  { clock }: Pick<Deps, 'clock'>,
  { signIn, verification }: Found,
  returned: boolean,
): Confirmation | null {
  if (verification.status !== 'completed') return null
  const { rule, tries, returnedElsewhere } = signIn
  // An earlier release began this sign-in without binding it to a browser, so the person must start over.
  if (!isSignInRule(rule)) return { outcome: 'failed', reason: 'session_mismatch' }
  const { environment } = verification
  const { boundBy, forgetAt } = signIn.verification
  const forgetAtMs = forgetAt === null ? null : millisecondsOf(forgetAt)
  const respondedAtMs = millisecondsOf(verification.respondedAt)
  const answered = { rule, environment, boundBy, tries, returnedElsewhere, respondedAtMs, forgetAtMs }
  return confirmationOf(answered, { nowMs: clock.now(), returned })
}

/** Finishes the sign-in for the browser that began it. */
async function finish(deps: Needs, found: Found, { returned }: { readonly returned: boolean }): Promise<Finished> {
  const { authorization, request, client, verification, signIn } = found
  if (verification.status === 'pending') return { outcome: 'pending', verificationId: verification.id }
  const state = confirmationIn(deps, found, returned)
  if (state?.outcome === 'waiting') {
    const { takesCode, untilMs } = state
    const triesLeft = CONFIRM_TRIES - signIn.tries
    const secondsLeft = secondsUntil(deps, untilMs)
    const { uiLocales = null } = request
    return { outcome: 'waiting', verificationId: verification.id, takesCode, secondsLeft, triesLeft, uiLocales }
  }
  let boundBy: BoundBy
  try {
    // Checks the binding before it reveals anything about the proof, which may be another person's.
    if (state?.outcome === 'failed') throw new OidcFailure('access_denied', state.reason)
    requireProof(deps, found)
    if (state === null) throw new Error('bug: a proof without a confirmation')
    boundBy = state.by
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error
    // Records the binding even if the result was refused.
    if (state?.outcome === 'bound') {
      const noted = { boundBy: state.by, costsTry: false, answeredAfter: instantOf(0) }
      await tryConfirmation(deps.db, client, { ...confirmingOf(found), ...noted })
    }
    const finished = await failed(deps, found, error)
    const isForwarded = signIn.verification.forgetAt !== null
    if (state?.outcome === 'bound' && isForwarded && finished.outcome === 'responded')
      await forgetOrReport(deps, client, verification.id)
    return finished
  }
  const { response, code } = codeResponse(deps, client, request)
  // Comes before the code, which is issued only once: if this fails, the browser can try again.
  if (request.pushedId != null) await endPushedRequest(deps.db, client, request.pushedId)
  if (!(await issueCode(deps, client, { id: authorization.id, day: found.signIn.verification.day, boundBy, ...code })))
    return { outcome: 'unknown' }
  const remember = rememberBrowser(deps, client, verification.id)
  return { outcome: 'responded', verificationId: verification.id, response, remember }
}

async function failed(deps: Needs, found: Found, failure: OidcFailure): Promise<Finished> {
  const { authorization, client, request, verification } = found
  // The sign-in gets no code any more and no longer counts as open, so the person may begin another at once.
  // Another tab may have got a code or an error: a client gets one response.
  if (!(await noteFailed(deps.db, client, { id: authorization.id, at: instantOf(deps.clock.now()) })))
    return { outcome: 'unknown' }
  const response = failureResponse(deps, client, request, failure)
  return { outcome: 'responded', verificationId: verification.id, response, remember: null }
}

async function findOfBrowser(deps: Needs, input: FinishInput): Promise<Found | null> {
  const found = await find(deps, input)
  return found !== null && isOfBrowser(found, input) ? found : null
}

function isOfBrowser({ authorization, signIn }: Found, { secretFor }: FinishInput): boolean {
  const secret = secretFor(authorization.verificationId)
  const hash = secret === null ? null : hashOf('browser', secret)
  return hash !== null && isSame(signIn.browserHash, hash)
}

async function find(deps: Needs, { realm, id }: Pick<FinishInput, 'realm' | 'id'>): Promise<Found | null> {
  const signIn = isAuthorizationId(id) ? await findOpenSignIn(deps, realm, id) : null
  if (signIn === null) return null
  const { authorization } = signIn
  const known = await deps.clients.find(realm, authorization.clientId, deps.clock.now())
  if (known === null) return null
  const request = openRequest(deps.db, authorization)
  // The client has removed the address since, maybe because another party owns it now.
  if (!known.client.redirectUris.includes(request.redirectUri)) return null
  await turnFor(signIn.verification)
  const verification = decryptVerification(deps, signIn.verification)
  return { signIn, authorization, request, client: known.client, verification }
}

/** Throws OidcFailure. The merchant may read what was wrong with a credential; the client may not. */
function requireProof(deps: Pick<Deps, 'derivedKeys'>, { client, request, verification }: Found): void {
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
      const subject = subjectFor(deps, client, answered)
      if (request.subject != null && subject !== request.subject) throw new OidcFailure('login_required')
    }
  }
}
