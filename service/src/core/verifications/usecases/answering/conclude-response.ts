// Examines a readable answer outside of a transaction, then ends the verification. Of two answers, only one counts.

import {
  type Budget,
  type Channel,
  checksOfFormat,
  type DcqlQuery,
  readTransaction,
  type Verdict,
} from '@vidimus/engine'
import { createResultBudget } from '@vidimus/engine/claims'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { type AnswerChannel, channelOf } from '../../../channels/table.ts'
import { utcDayOf } from '../../../quota/domain/quota.ts'
import { encryptResult } from '../../../result-keys/usecases/encrypt-result.ts'
import { recordsOf, withRecords } from '../../../transactions/domain/record.ts'
import { openTransaction } from '../../../transactions/store/sealed.ts'
import { takeAuthenticationCodes } from '../../../transactions/usecases/take-authentication-codes.ts'
import { type CredentialChecks, checksOf } from '../../domain/checks.ts'
import { newResponseCode, redirectUriOf } from '../../domain/response-code.ts'
import { type JudgedResult, judgedFailed, resultOf } from '../../domain/result.ts'
import { hostedPageOf, type VerificationResult } from '../../domain/verification.ts'
import {
  type FindingNeeds,
  findOpen,
  type OpenedEncryption,
  type WalletVerification,
} from '../asking/wallet-verification.ts'
import type { Judgement, NewEnding, ResponseQueue } from './ending.ts'

export type ResponseNeeds = FindingNeeds & Pick<Deps, 'random' | 'config' | 'examine' | 'responseQueue' | 'endings'>

export interface WalletReply {
  readonly redirectUri: string | null
}

/** Clocks of wallets and issuers differ from ours. */
const SKEW_SECONDS = 60

/** Examines the answers to an open verification one after the other. Only a few may wait. */
export async function examineInTurn(
  deps: ResponseNeeds,
  { id }: WalletVerification,
  take: () => Promise<WalletReply>,
): Promise<WalletReply> {
  const turn = await deps.responseQueue.take(id, async (waited) => {
    // The verification was open when the body began to arrive. Another response may have ended it since.
    if (waited || deps.responseQueue.hasEnded(id)) await findOpen(deps, id)
    return deps.responseQueue.checking(id, take)
  })
  if (turn === null) throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: 1 })
  return turn.value
}

export interface Answered {
  readonly verification: WalletVerification
  readonly channel: Channel
  readonly encryption: OpenedEncryption | null
  readonly presented: Judgement['presented']
  readonly channelName: AnswerChannel
  /** The query of this channel. */
  readonly query: DcqlQuery
  /** The remaining cost budget of the response. */
  readonly budget: Budget
}

export interface Judged {
  readonly result: VerificationResult
  /** The outcome of every check, for the diagnostics. */
  readonly checks: readonly CredentialChecks[]
  /** null: there was nothing to examine. */
  readonly judgement: Judgement | null
}

export async function judge(deps: ResponseNeeds, answered: Answered): Promise<Judged> {
  const { verification, channel, query, encryption, presented, budget } = answered
  const nowMs = deps.clock.now()
  const frozen = openTransaction(deps.db, verification)
  const expected = {
    query,
    // A template's outputs come from one alternative. To choose it, every credential is examined: outputs, signers and denied ages decide.
    alternatives: verification.outputs === null ? 'first' : 'every',
    channel,
    nonce: verification.nonce,
    transaction: readTransaction(frozen.map(({ text }) => text)),
    encryption,
    requestedAt: Math.floor(millisecondsOf(verification.createdAt) / 1000),
    now: Math.floor(nowMs / 1000),
    skewSeconds: SKEW_SECONDS,
  } as const
  const { verdict, anchors } = await deps.examine({ verification, presented, expected, budget, nowMs })
  const rest = createResultBudget(budget, verification.resultKey !== null)
  const judged = resultOf(verdict, verification, utcDayOf(nowMs), rest)
  const { result, trustEvidence, examined } = await withAgreement(deps, verification, { frozen, verdict, judged })
  const checks = examined.map((one) => checksOf(one, checksOfFormat(one.format), anchors))
  return { result, checks, judgement: { presented, result, trustEvidence, anchors, at: instantOf(nowMs) } }
}

/** Applies to all items at once: if an authentication code was used before, the holder agreed to nothing now. */
async function withAgreement(
  deps: ResponseNeeds,
  verification: WalletVerification,
  answered: {
    readonly frozen: ReturnType<typeof openTransaction>
    readonly verdict: Verdict
    readonly judged: JudgedResult
  },
): Promise<JudgedResult> {
  const { frozen, verdict, judged } = answered
  if (verdict.outcome === 'rejected' || judged.result.outcome === 'failed' || frozen.length === 0) return judged
  const { confirmations } = verdict
  if (!(await takeAuthenticationCodes(deps, verification, confirmations)))
    return judgedFailed(CODE_REUSED, verdict.credentials)
  return { ...judged, result: { ...judged.result, transaction: recordsOf(frozen, confirmations) } }
}

const CODE_REUSED = {
  code: 'authentication_code_reused',
  message: 'The authentication code of the proof was used for another verification before.',
}

interface Concluded extends Judged {
  readonly verification: WalletVerification
  readonly isError: boolean
  readonly channelName: AnswerChannel
  /** As in `Answer`. */
  readonly clientId?: string
}

/** Ends the verification, and returns where the holder continues. */
export async function conclude(
  deps: ResponseNeeds,
  { verification, result, checks, judgement, isError, channelName, clientId }: Concluded,
): Promise<WalletReply> {
  const returnUrl = returnUrlOf(deps, verification, channelName)
  const code = returnUrl === null ? null : newResponseCode(deps.random)
  await end(deps, {
    verification,
    result: encryptResult(deps, verification, withRecords(result, openTransaction(deps.db, verification))),
    checks,
    judgement,
    responseCodeHash: code?.hash ?? null,
    channelName,
    ...(clientId !== undefined && { clientId }),
  })
  // OpenID4VP §8.2: the wallet gets 200 for an error response, and for a presentation that failed, unless the tenant
  // prefers 400.
  const refused = !isError && result.outcome === 'failed'
  if (refused && verification.settings.walletRejectionStatus === 400) throw new Refusal('invalid_wallet_response')
  return { redirectUri: returnUrl === null || code === null ? null : redirectUriOf(returnUrl, code) }
}

/**
 * HAIP 1.0 §5.1: after a redirect the wallet always gets a page to continue to, our hosted page if the merchant names
 * none. With the browser API the holder is still on the page that asked.
 */
function returnUrlOf(
  deps: Pick<Deps, 'config'>,
  { id, redirectUrl, settings }: WalletVerification,
  channelName: AnswerChannel,
): string | null {
  const toHostedPage = channelOf(channelName).leadsToHostedPage && (settings.haip || deps.config.haip)
  return redirectUrl ?? (toHostedPage ? hostedPageOf(deps.config.baseUrl, id) : null)
}

async function end(deps: ResponseNeeds, ending: NewEnding): Promise<void> {
  const ended = await deps.endings.end(ending)
  deps.responseQueue.noteEnded(ending.verification.id)
  if (ended) return
  // Another answer came first, or the verification expired or was erased.
  await findOpen(deps, ending.verification.id)
  throw new Error('bug: a verification that could not be ended is still open')
}

/** How many answers to a verification may wait besides the one in progress. A wallet sends a second one if our response got lost. */
const WAITING_MAX = 2
/** How many ended verifications are remembered: more than can end while a body may still arrive. */
const ENDED_REMEMBERED_MAX = 20_000

/** Works within this process. Across replicas, the conditional update lets only one answer through. */
export function createResponseQueue(
  noteChecking: (id: string) => () => void,
  waitingMax = WAITING_MAX,
  rememberedMax = ENDED_REMEMBERED_MAX,
): ResponseQueue {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>()
  const ended = new Set<string>()
  return {
    async take(id, work) {
      const line = lines.get(id) ?? { last: Promise.resolve(), length: 0 }
      if (line.length > waitingMax) return null
      const waited = line.length > 0
      line.length += 1
      lines.set(id, line)
      const turn = line.last.then(() => work(waited))
      // The next answer runs whatever the outcome of this one.
      line.last = turn.catch(() => undefined)
      try {
        return { value: await turn }
      } finally {
        line.length -= 1
        if (line.length === 0) lines.delete(id)
      }
    },
    checking: (id, work) => {
      const checked = noteChecking(id)
      return work().finally(checked)
    },
    hasEnded: (id) => ended.has(id),
    noteEnded(id) {
      ended.add(id)
      const [oldest] = ended
      if (ended.size > rememberedMax && oldest !== undefined) ended.delete(oldest)
    },
  }
}
