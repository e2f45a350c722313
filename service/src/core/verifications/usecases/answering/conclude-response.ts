// An answer that could be read is judged with no transaction open; then the verification ends, once: of two answers at once, by
// whichever way, exactly one counts.

import { hash } from 'node:crypto'
import {
  type Budget,
  type Channel,
  checksOfFormat,
  type DcqlQuery,
  DeviceDocuments,
  readTransaction,
  type Verdict,
  verifyPresentation,
  type ZkStatement,
} from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { type BundleFacts, makesEvidence } from '../../../../features/evidence/domain/bundle.ts'
import { type SealedBundle, sealEvidence } from '../../../../features/evidence/usecases/seal-evidence.ts'
import {
  type CredentialFacts,
  credentialFacts,
} from '../../../../features/transparency/domain/receipt/credential-facts.ts'
import type { RequestFacts } from '../../../../features/transparency/domain/receipt/receipt.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { type AnswerChannel, channelOf, isInBrowser } from '../../../channels/table.ts'
import type { ZkAnswer, ZkVerifier } from '../../../ports/zk-verifier.ts'
import { utcDayOf } from '../../../quota/domain/quota.ts'
import { registrationOf } from '../../../registrations/usecases/choose-registration.ts'
import { encryptResult } from '../../../result-keys/usecases/encrypt-result.ts'
import { recordsOf, withRecords } from '../../../transactions/domain/record.ts'
import { openTransaction } from '../../../transactions/store/sealed.ts'
import { takeAuthenticationCodes } from '../../../transactions/usecases/take-authentication-codes.ts'
import { type CredentialChecks, checksOf } from '../../domain/checks.ts'
import { newResponseCode, redirectUriOf } from '../../domain/response-code.ts'
import { type JudgedResult, judgedFailed, resultOf } from '../../domain/result.ts'
import { hostedPageOf, type VerificationResult } from '../../domain/verification.ts'
import { type AskedVerification, findOpen, type OpenedEncryption } from '../asking/asked-verification.ts'
import { offeredHash } from '../asking/offered-claims.ts'
import { sentBy } from '../asking/sent-request.ts'
import { endVerification, type NewEnding } from './end-verifications.ts'

export type ResponseNeeds = Pick<
  Deps,
  | 'db'
  | 'clock'
  | 'random'
  | 'config'
  | 'anchors'
  | 'statusLists'
  | 'log'
  | 'metrics'
  | 'lanes'
  | 'certificateChainCache'
  | 'responseQueue'
  | 'progress'
  | 'audit'
  | 'receiptSigners'
  | 'fetchNotes'
  | 'registrations'
  | 'zkVerifier'
>

export interface WalletReply {
  readonly redirectUri: string | null
}

/** Clocks of wallets and issuers differ from ours. */
const SKEW_SECONDS = 60
/** By then a few of those before it have been checked. */
const PROOF_RETRY_SECONDS = 5

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
  readonly way: AnswerChannel
  /** As it was asked by this way. */
  readonly query: DcqlQuery
  /** What is left of what the response may cost. */
  readonly budget: Budget
}

export interface Judged {
  readonly result: VerificationResult
  /** Of each credential of the result, in their order: what the receipt says of it. */
  readonly credentials: readonly CredentialFacts[]
  /** The outcome of every check, for the diagnostics. */
  readonly checks: readonly CredentialChecks[]
  readonly bundle: SealedBundle | null
}

export async function judge(deps: ResponseNeeds, answered: Answered): Promise<Judged> {
  const { asked, channel, query, encryption, presented, budget } = answered
  const nowMs = deps.clock.now()
  const { environment, settings } = asked
  const anchors = await deps.anchors.find(asked, nowMs)
  const frozen = openTransaction(deps.db, asked)
  const { zkVerifier } = deps
  const verdict = await verifyPresentation(
    presented,
    {
      query,
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
      anchors,
      statusPolicy: environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest,
      fetchStatus: (source, budget) =>
        deps.statusLists.find({ source, environment, nowMs, owner: asked.tenantId, budget }),
      cache: deps.certificateChainCache,
      haip: settings.haip || deps.config.haip,
      ...(zkVerifier !== null && { verifyZk: (statement) => checkProof(zkVerifier, asked, statement) }),
    },
    budget,
  )
  const judged = resultOf(verdict, asked, utcDayOf(nowMs))
  const { result, grounds, examined } = await withAgreement(deps, asked, { frozen, verdict, judged })
  const credentials = (result.credentials ?? []).map(({ format, doctype_or_vct }, i) => {
    const own = grounds[i]
    if (own === undefined) throw new Error('bug: a credential without its grounds')
    return credentialFacts(own, { format, type: doctype_or_vct }, anchors)
  })
  const bundle = bundleOf(deps, answered, { result, grounds, credentials, at: instantOf(nowMs) })
  const checks = examined.map((one) => checksOf(one, checksOfFormat(one.format)))
  return { result, credentials, checks, bundle }
}

/** Where there is no room or no time for it now, nothing is known of the proof: the verification stays open for it. */
async function checkProof(
  verifier: ZkVerifier,
  { tenantId, id }: AskedVerification,
  statement: ZkStatement,
): Promise<Exclude<ZkAnswer, 'later'>> {
  const answer = await verifier.verify(statement, { tenantId, verificationId: id })
  if (answer === 'later') throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: PROOF_RETRY_SECONDS })
  return answer
}

/** Once for all: where an authentication code was used before, nobody agreed to anything today. */
async function withAgreement(
  deps: ResponseNeeds,
  asked: AskedVerification,
  answered: {
    readonly frozen: ReturnType<typeof openTransaction>
    readonly verdict: Verdict
    readonly judged: JudgedResult
  },
): Promise<JudgedResult> {
  const { frozen, verdict, judged } = answered
  if (verdict.outcome === 'rejected' || judged.result.outcome === 'failed' || frozen.length === 0) return judged
  const { confirmations } = verdict
  if (!(await takeAuthenticationCodes(deps, asked, confirmations)))
    return judgedFailed(CODE_REUSED, verdict.credentials)
  return { ...judged, result: { ...judged.result, transaction: recordsOf(frozen, confirmations) } }
}

const CODE_REUSED = {
  code: 'authentication_code_reused',
  message: 'The authentication code of the proof was used for another verification before.',
}

/** null where no evidence is to be kept; of what failed, nobody keeps what was shown. */
function bundleOf(
  deps: ResponseNeeds,
  { asked, way, presented }: Answered,
  facts: Pick<BundleFacts, 'result' | 'grounds' | 'credentials' | 'at'>,
): SealedBundle | null {
  if (facts.result.outcome === 'failed' || !makesEvidence(asked, deps.config.forwardOnly)) return null
  const response = presented instanceof DeviceDocuments ? { deviceResponse: presented.bytes } : { vpToken: presented }
  return sealEvidence(deps, asked, { id: asked.id, request: sentBy(deps, asked, way), response, ...facts })
}

interface Concluded extends Judged {
  readonly asked: AskedVerification
  readonly isError: boolean
  readonly way: AnswerChannel
}

/** Ends the verification, and says where the holder goes on to. */
export async function conclude(
  deps: ResponseNeeds,
  { asked, result, credentials, checks, bundle, isError, way }: Concluded,
): Promise<WalletReply> {
  const returnUrl = returnUrlOf(deps, asked, way)
  const code = returnUrl === null ? null : newResponseCode(deps.random)
  const registration = channelOf(way).namesRegistration ? await registrationFacts(deps, asked) : null
  await end(deps, {
    asked,
    result: encryptResult(deps, asked, withRecords(result, openTransaction(deps.db, asked))),
    credentials,
    checks,
    bundle,
    registration,
    sentHash: await sentHash(deps, asked, way),
    responseCodeHash: code?.hash ?? null,
    way,
  })
  deps.metrics.presentations.inc({ outcome: result.outcome === 'completed' ? 'completed' : result.error.code })
  // OpenID4VP §8.2: an error response that was processed is a 200; a presentation that failed is one unless the tenant wishes otherwise.
  const refused = !isError && result.outcome === 'failed'
  if (refused && asked.settings.walletRejectionStatus === 400) throw new Refusal('invalid_wallet_response')
  return { redirectUri: returnUrl === null || code === null ? null : redirectUriOf(returnUrl, code) }
}

/** Of what was kept as it was served, or of what every offer said; null: whoever noted the fetch knows. */
async function sentHash(deps: ResponseNeeds, asked: AskedVerification, way: AnswerChannel): Promise<string | null> {
  if (isInBrowser(way)) return offeredHash(deps, asked)
  const sent = sentBy(deps, asked, way)
  return sent === null ? null : hash('sha256', sent, 'base64url')
}

/**
 * HAIP 1.0 §5.1: after a redirect the wallet always gets somewhere to go on to; where the merchant names nothing, our hosted
 * page. Whoever asked through the browser is still on the page that asked.
 */
function returnUrlOf(
  deps: Pick<Deps, 'config'>,
  { id, redirectUrl, settings }: AskedVerification,
  way: AnswerChannel,
): string | null {
  const toHostedPage = channelOf(way).leadsToHostedPage && (settings.haip || deps.config.haip)
  return redirectUrl ?? (toHostedPage ? hostedPageOf(deps.config.baseUrl, id) : null)
}

async function registrationFacts(deps: ResponseNeeds, asked: AskedVerification): Promise<RequestFacts['registration']> {
  const registration = await registrationOf(deps, asked)
  if (registration === null) return null
  const { hash: hex, intendedUse } = registration
  return { sha256: Buffer.from(hex, 'hex').toString('base64url'), intendedUse }
}

async function end(deps: ResponseNeeds, ending: NewEnding): Promise<void> {
  const ended = await endVerification(deps, ending)
  deps.responseQueue.noteEnded(ending.asked.id)
  if (ended) return
  // Somebody was faster: another answer, the end of its time, or its erasure.
  await findOpen(deps, ending.asked.id)
  throw new Error('bug: a verification that could not be ended is still open')
}
