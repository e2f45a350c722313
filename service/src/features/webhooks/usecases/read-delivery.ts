// Reads one delivery in full. Requests are not stored, so they are rebuilt from the verification.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import { decryptVerification, turnFor } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ReceiverAnswer } from '../domain/answer.ts'
import type { Attempt, Delivery } from '../domain/delivery.ts'
import type { ShownRequest } from '../domain/shown-request.ts'
import { listAnswers } from '../store/answers.ts'
import { listAttempts } from '../store/attempts.ts'
import { loadDelivery } from '../store/deliveries.ts'
import { receiptSaltFor, webhookBody } from './send-webhook.ts'
import { showRequest } from './show-request.ts'

interface DetailedAttempt extends Attempt {
  /** null: nothing was sent. */
  readonly request: ShownRequest | null
  /** null: the response had only a status, or is no longer stored. */
  readonly answer: ReceiverAnswer | null
}

export interface DetailedDelivery extends Delivery {
  readonly log: readonly DetailedAttempt[]
}

/** Bodies of attempts differ only in when they were sent. A longer one is shown once, with the newest attempt. */
const REPEATED_LENGTH_MAX = 32 * 1024

type Needs = Pick<Deps, 'db' | 'clock' | 'config'>

/** `maySeeContent`: whether to include bodies, which may contain claims. */
export async function readDelivery(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly maySeeContent: boolean },
): Promise<DetailedDelivery | null> {
  const { realm, id } = input
  const delivery = await loadDelivery(deps.db, realm, id)
  if (delivery === null) return null
  const stored = await loadVerification(deps.db, realm, { id: delivery.verificationId, deviceId: null })
  if (stored === null) return null
  const attempts = (await listAttempts(deps.db, realm, [id])).get(id) ?? []
  const names = input.maySeeContent ? attempts.map((attempt) => attempt.id) : []
  const answers = await listAnswers(deps.db, realm, names)
  await turnFor(stored)
  const verification = decryptVerification(deps, stored)
  const { type, createdAt } = delivery
  const event = { type, verification, createdAt }
  const bodyAt = (sentAt: Instant) => webhookBody(deps, { ...event, sentAt }).toString('utf8')
  const newest = attempts.findLast(({ sentAt }) => sentAt !== null)
  const newestBody = input.maySeeContent && newest?.sentAt != null ? bodyAt(newest.sentAt) : null
  const repeats = newestBody !== null && newestBody.length <= REPEATED_LENGTH_MAX
  const url = verification.webhookUrl
  const log = attempts.map(({ id: attempt, ...rest }) => {
    const answer = answers.get(attempt) ?? null
    const { sentAt } = rest
    if (sentAt === null || url === null) return { ...rest, request: null, answer }
    const body = attempt === newest?.id ? newestBody : repeats ? bodyAt(sentAt) : null
    // Any secret serves, because the signature is hidden.
    const webhook = { deliveryId: id, url, secrets: ['-'], sentAt, receiptSalt: receiptSaltFor(event) }
    return { ...rest, request: showRequest(webhook, body), answer }
  })
  return { ...delivery, log }
}
