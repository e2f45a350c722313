// Streams test events to a developer's machine, with the exact bytes and signature of a webhook.

import type { Principal } from '../../../core/tenants/domain/principal.ts'
import { receiptSaltOf } from '../../../core/verifications/domain/verification.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import { decryptVerification, turnFor } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf } from '../../../platform/world.ts'
import { type Announcement, listenForEnded } from '../store/ended-announcements.ts'
import { signingSecrets } from './manage-webhook-secret.ts'
import { webhookBody, webhookHeaders } from './send-webhook.ts'

export interface StreamedEvent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'log' | 'audit'>

/** Returns a function that stops the stream. Events that have no listener are lost. */
export async function streamEvents(
  deps: Needs,
  principal: Principal,
  onEvent: (event: StreamedEvent) => void,
): Promise<() => Promise<void>> {
  if (principal.kind !== 'api_key' || principal.environment !== 'test') throw new Refusal('not_found')
  return listenForEnded(deps.db, principal, (ended) => {
    eventOf(deps, principal, ended).then(
      (event) => {
        if (event !== null) onEvent(event)
      },
      (error) => deps.log.fault('an event was not streamed', error),
    )
  })
}

async function eventOf(
  deps: Needs,
  principal: Principal,
  { verificationId, type }: Announcement,
): Promise<StreamedEvent | null> {
  const stored = await loadVerification(deps.db, principal, { id: verificationId, deviceId: null })
  // The verification was erased in the meantime.
  if (stored === null) return null
  await turnFor(stored)
  const verification = decryptVerification(deps, stored)
  const now = instantOf(deps.clock.now())
  const body = webhookBody(deps, { type, verification, createdAt: now, sentAt: now })
  const secrets = await signingSecrets(deps, principal)
  const webhook = { deliveryId: `listen_${verificationId}`, secrets, receiptSalt: receiptSaltOf(verification) }
  return { body, headers: webhookHeaders(deps, webhook, body) }
}
