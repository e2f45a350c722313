// Builds, signs and sends a webhook. Each attempt builds the body from the current state of the verification.

import { answeredOf } from '../../../core/verifications/domain/answered.ts'
import { RECEIPT_SALT_HEADER } from '../../../core/verifications/domain/sealed-result.ts'
import { isUniversalStep, universalStatus, universalStep } from '../../../core/verifications/domain/universal-status.ts'
import {
  receiptSaltOf,
  renderVerification,
  type Verification,
} from '../../../core/verifications/domain/verification.ts'
import type { Deps } from '../../../deps.ts'
import { request } from '../../../platform/egress/client.ts'
import type { Outcome } from '../../../platform/egress/outcome.ts'
import { type Environment, type Instant, instantOf } from '../../../platform/world.ts'
import { keptAnswer } from '../domain/answer.ts'
import type { AttemptEnd, Exchange } from '../domain/delivery.ts'
import { renderEvent } from '../domain/event.ts'
import { signatureHeader } from '../domain/signature.ts'

/** How much of a response is read. Only its beginning is stored. */
const ANSWER_BYTES_MAX = 16 * 1024

export interface Webhook {
  readonly deliveryId: string
  readonly type: string
  readonly url: string
  readonly verification: Verification
  /** When the event happened. */
  readonly createdAt: Instant
  /** Newest first. */
  readonly secrets: readonly string[]
  readonly moreHeaders?: Readonly<Record<string, string>>
}

export interface SentWebhook {
  readonly end: AttemptEnd
  readonly exchange: Exchange
}

/** Renders the current state of the verification as bytes. */
export function webhookBody(
  deps: Pick<Deps, 'config'>,
  webhook: Pick<Webhook, 'type' | 'verification' | 'createdAt'> & { readonly sentAt: Instant },
): Buffer {
  const { type, verification, sentAt } = webhook
  const { universal } = verification
  if (isUniversalStep(type)) {
    const correlationId = universal?.correlationId ?? verification.id
    const body = universalStep(verification, { step: type, correlationId, at: webhook.createdAt })
    return Buffer.from(JSON.stringify(body), 'utf8')
  }
  // The verification has ended, so it no longer matters whether the wallet has fetched the request.
  if (universal !== null) {
    const terms = { correlationId: universal.correlationId ?? verification.id, isFetched: true }
    return Buffer.from(JSON.stringify(universalStatus(verification, terms)), 'utf8')
  }
  const rendered = renderVerification(verification, deps.config.baseUrl)
  return Buffer.from(renderEvent({ type, verification: rendered, sentAt }), 'utf8')
}

export type SendingNeeds = Pick<Deps, 'clock' | 'config' | 'egress'>

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

export async function sendWebhook(deps: SendingNeeds, webhook: Webhook): Promise<SentWebhook> {
  const { verification } = webhook
  const sentAt = instantOf(deps.clock.now())
  return sendSigned(deps, {
    ...webhook,
    environment: verification.environment,
    receiptSalt: receiptSaltFor(webhook),
    body: webhookBody(deps, { ...webhook, sentAt }),
    gaveContent: !isUniversalStep(webhook.type) && hasContent(verification),
    isForMerchantAlone: isForMerchantAlone(verification),
  })
}

/** A step before the end has no result, and so no receipt. */
export const receiptSaltFor = ({ type, verification }: Pick<Webhook, 'type' | 'verification'>) =>
  isUniversalStep(type) ? null : receiptSaltOf(verification)

/** Signs and sends a body. */
export async function sendSigned(
  deps: Pick<Deps, 'clock' | 'egress'>,
  sent: Pick<Webhook, 'deliveryId' | 'url' | 'secrets' | 'moreHeaders'> & {
    readonly environment: Environment
    readonly receiptSalt: string | null
    readonly body: Buffer
    /** Whether the payload contains a person's claims. */
    readonly gaveContent: boolean
    /** Whether only the merchant can decrypt the payload. Then the response is not stored, because it could reveal the content. */
    readonly isForMerchantAlone: boolean
  },
): Promise<SentWebhook> {
  const { environment, url, body } = sent
  const beganMs = deps.clock.now()
  const outcome = await request(deps.egress[environment], {
    method: 'POST',
    url,
    headers: { ...webhookHeaders(deps, sent, body), ...sent.moreHeaders },
    body,
    bodyBytesMax: ANSWER_BYTES_MAX,
    overflow: 'truncate',
  })
  const tookMs = Math.max(0, Math.round(deps.clock.now() - beganMs))
  const isKept = outcome.outcome === 'answered' && !sent.isForMerchantAlone
  const answer = isKept ? keptAnswer(outcome) : null
  return { end: endOf(outcome, sent.gaveContent), exchange: { sentAt: instantOf(beganMs), tookMs, answer } }
}

const isForMerchantAlone = (verification: Verification) =>
  verification.status === 'completed' &&
  verification.content !== null &&
  Object.hasOwn(verification.content.claims, '$jwe')

/** Whether the payload has content. A payload of the Universal OID4VP API has nothing that only the merchant can decrypt. */
const hasContent = (verification: Verification) =>
  verification.universal === null
    ? verification.status === 'completed' && verification.content !== null
    : answeredOf(verification) !== null

/** Spec 6.6: only a 2xx answer is a success; redirects are not followed. */
function endOf(outcome: Outcome, gaveContent: boolean): AttemptEnd {
  if (outcome.outcome !== 'answered') return { outcome: outcome.outcome, httpStatus: null }
  const { status, headers } = outcome
  if (status >= 200 && status <= 299) return { outcome: 'delivered', httpStatus: status, gaveContent }
  const retryAfter = headers['retry-after']
  return { outcome: 'http_error', httpStatus: status, ...(retryAfter === undefined ? {} : { retryAfter }) }
}
