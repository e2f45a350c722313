// An answer that could be read is judged with no transaction open; then the verification ends, once: of two answers at once, by
// whichever way, exactly one counts.

import {
  type Budget,
  type Channel,
  type Confirmation,
  listLifetime,
  readTransaction,
  verifyPresentation,
} from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { utcDayOf } from '../../domain/tenant/quota.ts'
import { openTransaction } from '../../domain/transaction/frozen.ts'
import { recordsOf } from '../../domain/transaction/record.ts'
import { newResponseCode, type ResponseCode, redirectUriOf } from '../../domain/verification/response-code.ts'
import { failedResult, resultOf } from '../../domain/verification/result.ts'
import { hostedPageOf, type VerificationResult } from '../../domain/verification/verification.ts'
import { millisecondsOf } from '../../domain/world.ts'
import { encryptResult } from '../result-keys/encrypt-result.ts'
import { takeAuthenticationCodes } from '../transactions/take-authentication-codes.ts'
import { type AskedVerification, findOpen, type OpenedEncryption } from './asked-verification.ts'
import { endVerification } from './end-verifications.ts'

export type ResponseNeeds = Pick<
  Deps,
  | 'db'
  | 'clock'
  | 'random'
  | 'sealer'
  | 'config'
  | 'anchors'
  | 'statusLists'
  | 'log'
  | 'metrics'
  | 'lanes'
  | 'chainCache'
  | 'responseQueue'
  | 'progress'
  | 'auditSeal'
  | 'receiptSigners'
>

export interface WalletReply {
  readonly redirectUri: string | null
}

/** Clocks of wallets and issuers differ from ours. */
const SKEW_SECONDS = 60

/** Answers to one verification are taken one after the other, while it is open. */
export async function inTurn(
  deps: ResponseNeeds,
  { id }: AskedVerification,
  take: () => Promise<WalletReply>,
): Promise<WalletReply> {
  const turn = await deps.responseQueue.take(id, async (waited) => {
    // It was open when its body began to arrive; another response may have ended it since.
    if (waited || deps.responseQueue.hasEnded(id)) await findOpen(deps, id)
    const checked = deps.progress.noteChecking(id)
    return take().finally(checked)
  })
  if (turn === null) throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: 1 })
  return turn.value
}

export interface Answered {
  readonly asked: AskedVerification
  readonly channel: Channel
  readonly encryption: OpenedEncryption | null
  readonly presented: Parameters<typeof verifyPresentation>[0]
  /** What is left of what the response may cost. */
  readonly budget: Budget
}

export async function judge(deps: ResponseNeeds, answered: Answered): Promise<VerificationResult> {
  const { asked, channel, encryption, presented, budget } = answered
  const nowMs = deps.clock.now()
  const { environment, settings } = asked
  const frozen = openTransaction(deps.sealer, asked)
  const verdict = await verifyPresentation(
    presented,
    {
      query: asked.query,
      // A template's outputs are made from one alternative, chosen by what each of them gives.
      alternatives: asked.outputs === null ? 'first' : 'every',
      channel,
      nonce: asked.nonce,
      transaction: readTransaction(frozen.map(({ text }) => text)),
      encryption,
      requestedAt: Math.floor(millisecondsOf(asked.createdAt) / 1000),
      now: Math.floor(nowMs / 1000),
      skewSeconds: SKEW_SECONDS,
    },
    {
      anchors: await deps.anchors.find(asked, nowMs),
      statusPolicy: environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest,
      fetchStatus: (source) => deps.statusLists.find({ source, environment, nowMs, lifetimeOf: listLifetime }),
      cache: deps.chainCache,
      haip: settings.haip || deps.config.haip,
    },
    budget,
  )
  const result = resultOf(verdict, asked, utcDayOf(nowMs))
  if (verdict.outcome === 'rejected' || result.outcome === 'failed' || frozen.length === 0) return result
  const { confirmations } = verdict
  // Once for all: where a code was used before, nobody agreed to anything today.
  if (!(await takeAuthenticationCodes(deps, asked, confirmations)))
    return failedResult(CODE_REUSED, verdict.credentials)
  return { ...result, transaction: recordsOf(frozen, confirmations) }
}

const CODE_REUSED = {
  code: 'authentication_code_reused',
  message: 'The authentication code of the proof was used for another verification before.',
}

/** Of what did not complete: what the holder was to agree to, and did not. */
function withTransaction(deps: Pick<Deps, 'sealer'>, asked: AskedVerification, result: VerificationResult) {
  const frozen = openTransaction(deps.sealer, asked)
  if (frozen.length === 0 || result.transaction !== undefined) return result
  // Whatever came here without its confirmations is no agreement.
  if (result.outcome === 'completed') throw new Error('bug: completed without what was to be agreed to')
  return { ...result, transaction: recordsOf(frozen, NONE) }
}

const NONE: readonly Confirmation[] = []

interface Concluded {
  readonly asked: AskedVerification
  readonly result: VerificationResult
  readonly isError: boolean
  readonly channel: Channel['kind']
}

/** Ends the verification, and says where the holder goes on to. */
export async function conclude(
  deps: ResponseNeeds,
  { asked, result, isError, channel }: Concluded,
): Promise<WalletReply> {
  const returnUrl = returnUrlOf(deps, asked, channel)
  const code = returnUrl === null ? null : newResponseCode(deps.random)
  const told = encryptResult(deps, asked, withTransaction(deps, asked, result))
  await end(deps, { asked, result: told, code, channel })
  deps.metrics.presentations.inc({ outcome: result.outcome === 'completed' ? 'completed' : result.error.code })
  // OpenID4VP §8.2: an error response that was processed is a 200; a presentation that failed is one unless the tenant wishes otherwise.
  const refused = !isError && result.outcome === 'failed'
  if (refused && asked.settings.walletRejectionStatus === 400) throw new Refusal('invalid_wallet_response')
  return { redirectUri: returnUrl === null || code === null ? null : redirectUriOf(returnUrl, code) }
}

/**
 * HAIP 1.0 §5.1: after a redirect the wallet always gets somewhere to go on to; where the merchant names nothing, our hosted
 * page. Whoever asked through the browser is still on the page that asked.
 */
function returnUrlOf(
  deps: Pick<Deps, 'config'>,
  { id, redirectUrl, settings }: AskedVerification,
  channel: Channel['kind'],
): string | null {
  const toHostedPage = channel === 'redirect' && (settings.haip || deps.config.haip)
  return redirectUrl ?? (toHostedPage ? hostedPageOf(deps.config.baseUrl, id) : null)
}

async function end(
  deps: ResponseNeeds,
  { asked, result, code, channel }: Omit<Concluded, 'isError'> & { readonly code: ResponseCode | null },
): Promise<void> {
  const ended = await endVerification(deps, { asked, result, responseCodeHash: code?.hash ?? null, channel })
  deps.responseQueue.noteEnded(asked.id)
  if (ended) return
  // Somebody was faster: another answer, the end of its time, or its erasure.
  await findOpen(deps, asked.id)
  throw new Error('bug: a verification that could not be ended is still open')
}
