// A saved endpoint is sent an event that tells of nothing, now; and its answer is shown. Nothing is queued, and of the answer
// nothing is kept.

import type { Deps } from '../../deps.ts'
import type { AuditActor } from '../../domain/audit/entry.ts'
import { newDeliveryId } from '../../domain/ids.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type SampleType, sampleVerification, TEST_EVENT_HEADER } from '../../domain/webhook/sample.ts'
import { instantOf } from '../../domain/world.ts'
import { recordEvent } from '../audit/record-event.ts'
import { endpointObject, readEndpoints } from './manage-endpoints.ts'
import { signingSecrets } from './manage-webhook-secret.ts'
import { type SentWebhook, sendWebhook, type Webhook, webhookBody } from './send-webhook.ts'
import { type ShownRequest, showRequest } from './show-request.ts'

export interface TestedEndpoint extends SentWebhook {
  readonly request: ShownRequest
}

/** null: there is no such endpoint. With `newestSecretOnly` who answers 2xx has shown that it knows that secret, and no older one. */
export async function testEndpoint(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'config' | 'egress' | 'headMacs'>,
  input: {
    readonly realm: Realm
    readonly id: string
    readonly type: SampleType
    readonly newestSecretOnly: boolean
    readonly actor: AuditActor
  },
): Promise<TestedEndpoint | null> {
  const { realm, id, type, actor } = input
  const endpoint = (await readEndpoints(deps, realm)).find((one) => one.id === id)
  if (endpoint === undefined) return null
  const { url } = endpoint
  const nowMs = deps.clock.now()
  const verification = sampleVerification(realm, { type, url, nowMs, random: deps.random })
  const signing = await signingSecrets(deps, realm)
  const secrets = input.newestSecretOnly ? signing.slice(0, 1) : signing
  const tested = { now: instantOf(nowMs), actor, action: 'endpoint.tested', object: endpointObject(id) } as const
  await deps.db.transaction((tx) => recordEvent(deps, tx, realm, tested))
  const webhook: Webhook = {
    deliveryId: newDeliveryId(deps.random),
    type,
    url,
    verification,
    secrets,
    moreHeaders: { [TEST_EVENT_HEADER]: '1' },
  }
  const sent = await sendWebhook(deps, webhook)
  const body = webhookBody(deps, { ...webhook, sentAt: sent.exchange.sentAt }).toString('utf8')
  return { ...sent, request: showRequest({ ...webhook, sentAt: sent.exchange.sentAt, receiptSalt: null }, body) }
}
