// Reads one delivery in full. Requests are not stored, so they are rebuilt from the verification.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Verification } from '../../../core/verifications/domain/verification.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import { decryptVerification } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import type { ReceiverAnswer } from '../domain/answer.ts'
import type { Attempt, Delivery } from '../domain/delivery.ts'
import type { ShownRequest } from '../domain/shown-request.ts'
import { listAnswers } from '../store/answers.ts'
import { listAttempts, type StoredAttempt } from '../store/attempts.ts'
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
  const verification = decryptVerification(deps, stored)
  const attempts = (await listAttempts(deps.db, realm, [id])).get(id) ?? []
  const names = input.maySeeContent ? attempts.map((attempt) => attempt.id) : []
  const answers = await listAnswers(deps.db, realm, names)
  const log = attempts.map(({ id: attempt, ...rest }) => {
    const answer = answers.get(attempt) ?? null
    return { ...rest, request: requestOf(deps, { delivery, verification, attempt: rest, ...input }), answer }
  })
  return { ...delivery, log }
}

function requestOf(
  deps: Needs,
  input: {
    readonly delivery: Delivery
    readonly verification: Verification
    readonly attempt: Omit<StoredAttempt, 'id'>
    readonly maySeeContent: boolean
  },
): ShownRequest | null {
  const { delivery, verification, attempt, maySeeContent } = input
  const { sentAt } = attempt
  const url = verification.webhookUrl
  if (sentAt === null || url === null) return null
  const { type, createdAt } = delivery
  const event = { type, verification, createdAt }
  const body = maySeeContent ? webhookBody(deps, { ...event, sentAt }).toString('utf8') : null
  // Any secret serves, because the signature is hidden.
  const webhook = { deliveryId: delivery.id, url, secrets: ['-'], sentAt, receiptSalt: receiptSaltFor(event) }
  return showRequest(webhook, body)
}
