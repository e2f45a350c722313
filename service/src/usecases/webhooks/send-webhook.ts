// One webhook, made and sent: the body is built and signed anew at every attempt, and it ends in a word.

import type { Deps } from '../../deps.ts'
import { answeredOf } from '../../domain/oidc/answered.ts'
import { universalStatus } from '../../domain/oidc/universal-status.ts'
import { RECEIPT_SALT_HEADER } from '../../domain/receipt/receipt.ts'
import { receiptSaltOf, renderVerification, type Verification } from '../../domain/verification/verification.ts'
import type { AttemptEnd } from '../../domain/webhook/delivery.ts'
import { renderEvent } from '../../domain/webhook/event.ts'
import { signatureHeader } from '../../domain/webhook/signature.ts'
import { type Environment, instantOf } from '../../domain/world.ts'
import { request } from '../../outbound/egress/client.ts'
import type { Outcome } from '../../outbound/egress/outcome.ts'

/** As much of an answer as is read: nobody needs its body. */
const ANSWER_BYTES_MAX = 16 * 1024

export interface Webhook {
  readonly deliveryId: string
  readonly type: string
  readonly url: string
  readonly verification: Verification
  /** The newest first. */
  readonly secrets: readonly string[]
}

/** The verification as it is at this moment, in bytes. */
export function webhookBody(
  deps: Pick<Deps, 'clock' | 'config'>,
  { type, verification }: Pick<Webhook, 'type' | 'verification'>,
): Buffer {
  const { universal } = verification
  // It has ended, or there were no webhook: whether it was fetched says nothing any more.
  if (universal !== null) {
    const terms = { correlationId: universal.correlationId ?? verification.id, isFetched: true }
    return Buffer.from(JSON.stringify(universalStatus(verification, terms)), 'utf8')
  }
  const nowMs = deps.clock.now()
  const rendered = renderVerification(verification, deps.config.baseUrl)
  return Buffer.from(renderEvent({ type, verification: rendered, sentAt: instantOf(nowMs) }), 'utf8')
}

export function webhookHeaders(
  deps: Pick<Deps, 'clock'>,
  webhook: Pick<Webhook, 'deliveryId' | 'secrets'> & { readonly receiptSalt: string | null },
  body: Uint8Array,
): Record<string, string> {
  const { receiptSalt } = webhook
  return {
    ...(receiptSalt === null ? {} : { [RECEIPT_SALT_HEADER]: receiptSalt }),
    'Content-Type': 'application/json',
    'User-Agent': 'Vidimus-Webhooks/0.1',
    'X-Service-Signature': signatureHeader(body, webhook.secrets, deps.clock.now()),
    'X-Service-Delivery': webhook.deliveryId,
  }
}

export async function sendWebhook(
  deps: Pick<Deps, 'clock' | 'config' | 'egress'>,
  webhook: Webhook,
): Promise<AttemptEnd> {
  const { verification } = webhook
  return sendSigned(deps, {
    ...webhook,
    environment: verification.environment,
    receiptSalt: receiptSaltOf(verification),
    body: webhookBody(deps, webhook),
    gaveContent: hasContent(verification),
  })
}

/** Any body, signed as every webhook is. */
export async function sendSigned(
  deps: Pick<Deps, 'clock' | 'egress'>,
  sent: Pick<Webhook, 'deliveryId' | 'url' | 'secrets'> & {
    readonly environment: Environment
    readonly receiptSalt: string | null
    readonly body: Buffer
    /** Claims of somebody are in it. */
    readonly gaveContent: boolean
  },
): Promise<AttemptEnd> {
  const { environment, url, body } = sent
  const outcome = await request(deps.egress[environment], {
    method: 'POST',
    url,
    headers: webhookHeaders(deps, sent, body),
    body,
    bodyBytesMax: ANSWER_BYTES_MAX,
    overflow: 'truncate',
  })
  return endOf(outcome, sent.gaveContent)
}

/** The other shape tells nothing of what only the merchant can open. */
const hasContent = (verification: Verification) =>
  verification.universal === null
    ? verification.status === 'completed' && verification.content !== null
    : answeredOf(verification) !== null

/** Spec 6.6: a 2xx answer is the success signal, and nothing else is; redirects are not followed. */
function endOf(outcome: Outcome, gaveContent: boolean): AttemptEnd {
  if (outcome.outcome !== 'answered') return { outcome: outcome.outcome, httpStatus: null }
  const { status, headers } = outcome
  if (status >= 200 && status <= 299) return { outcome: 'delivered', httpStatus: status, gaveContent }
  const retryAfter = headers['retry-after']
  return { outcome: 'http_error', httpStatus: status, ...(retryAfter === undefined ? {} : { retryAfter }) }
}
