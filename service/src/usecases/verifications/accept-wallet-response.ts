// A wallet answers. Its answer is read and judged with no transaction open; then the verification ends, once: of two
// answers at once exactly one counts, and noise from anyone ends nothing.

import { type Budget, listLifetime, newBudget, readResponse, verifyPresentation } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { utcDayOf } from '../../domain/tenant/quota.ts'
import { newResponseCode, type ResponseCode, redirectUriOf } from '../../domain/verification/response-code.ts'
import { failedResult, resultOf } from '../../domain/verification/result.ts'
import { hostedPageOf, responseUriOf, type VerificationResult } from '../../domain/verification/verification.ts'
import { millisecondsOf } from '../../domain/world.ts'
import type { AskedVerification } from '../../store/verifications/columns.ts'
import { findOpen, type OpenedEncryption, openEncryption } from './asked-verification.ts'
import { endVerification } from './end-verifications.ts'

type Needs = Pick<
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
  | 'auditSeal'
>

export interface WalletResponse {
  readonly asked: AskedVerification
  readonly body: Uint8Array
}

export interface WalletReply {
  readonly redirectUri: string | null
}

/** Clocks of wallets and issuers differ from ours. */
const SKEW_SECONDS = 60

/** Those to one verification are judged one after the other, while it is open. */
export async function acceptWalletResponse(deps: Needs, input: WalletResponse): Promise<WalletReply> {
  const { id } = input.asked
  const turn = await deps.responseQueue.take(id, async (waited) => {
    // It was open when its body began to arrive; another response may have ended it since.
    if (waited || deps.responseQueue.hasEnded(id)) await findOpen(deps, id)
    return acceptInTurn(deps, input)
  })
  if (turn === null) throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: 1 })
  return turn.value
}

async function acceptInTurn(deps: Needs, input: WalletResponse): Promise<WalletReply> {
  const { asked } = input
  const encryption = openEncryption(deps, asked)
  const budget = newBudget()
  const response = readResponse(input.body, { encryption, state: asked.stateParameter }, budget)
  if (response.kind === 'malformed') throw new Refusal('invalid_wallet_response')
  const result =
    response.kind === 'wallet_error'
      ? walletErrorResult(response.code)
      : await judge(deps, { asked, encryption, vpToken: response.vpToken, budget })
  const returnUrl = returnUrlOf(deps, asked)
  const code = returnUrl === null ? null : newResponseCode(deps.random)
  await end(deps, { asked, result, code })
  deps.metrics.presentations.inc({ outcome: result.outcome === 'completed' ? 'completed' : result.error.code })
  // OpenID4VP §8.2: an error response that was processed is a 200; a presentation that failed is one unless the tenant wishes otherwise.
  const refused = response.kind === 'presentation' && result.outcome === 'failed'
  if (refused && asked.settings.walletRejectionStatus === 400) throw new Refusal('invalid_wallet_response')
  return { redirectUri: returnUrl === null || code === null ? null : redirectUriOf(returnUrl, code) }
}

/** HAIP 1.0 §5.1: the wallet always gets somewhere to go on to; where the merchant has no place of its own, our hosted page. */
function returnUrlOf(deps: Pick<Deps, 'config'>, { id, redirectUrl, settings }: AskedVerification): string | null {
  const haip = settings.haip || deps.config.haip
  return redirectUrl ?? (haip ? hostedPageOf(deps.config.baseUrl, id) : null)
}

/** The wallet's words are anybody's: its code is repeated only where it is one of the protocol's. */
function walletErrorResult(code: string): VerificationResult {
  if (code === 'access_denied') {
    return failedResult(
      { code: 'wallet_declined', message: 'The holder declined, or had nothing that answers the query.' },
      [],
    )
  }
  const known = WALLET_ERRORS.has(code) ? `: ${code}` : ''
  return failedResult({ code: 'wallet_error', message: `The wallet answered with an error${known}.` }, [])
}

/** OpenID4VP §8.5 and RFC 6749 §4.1.2.1. */
const WALLET_ERRORS: ReadonlySet<string> = new Set([
  'invalid_scope',
  'invalid_request',
  'invalid_client',
  'vp_formats_not_supported',
  'invalid_request_uri_method',
  'invalid_transaction_data',
  'wallet_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
  'server_error',
  'temporarily_unavailable',
])

interface Answered {
  readonly asked: AskedVerification
  readonly encryption: OpenedEncryption | null
  readonly vpToken: Parameters<typeof verifyPresentation>[0]
  /** What is left of what the response may cost. */
  readonly budget: Budget
}

async function judge(deps: Needs, { asked, encryption, vpToken, budget }: Answered): Promise<VerificationResult> {
  const nowMs = deps.clock.now()
  const { environment, settings } = asked
  const verdict = await verifyPresentation(
    vpToken,
    {
      query: asked.query,
      // A template's outputs are made from one alternative, chosen by what each of them gives.
      alternatives: asked.outputs === null ? 'first' : 'every',
      clientId: asked.clientId,
      nonce: asked.nonce,
      responseUri: responseUriOf(deps.config.baseUrl, asked.id),
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
  return resultOf(verdict, asked, utcDayOf(nowMs))
}

async function end(
  deps: Needs,
  { asked, result, code }: { asked: AskedVerification; result: VerificationResult; code: ResponseCode | null },
): Promise<void> {
  const ended = await endVerification(deps, { asked, result, responseCodeHash: code?.hash ?? null })
  deps.responseQueue.noteEnded(asked.id)
  if (ended) return
  // Somebody was faster: another answer, the end of its time, or its erasure.
  await findOpen(deps, asked.id)
  throw new Error('bug: a verification that could not be ended is still open')
}
