// Sends a test event to an endpoint now, and stores request and response for the delivery log.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { newDeliveryId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import { ANSWER_KEPT_MS } from '../domain/answer.ts'
import { type SampleType, sampleVerification, TEST_EVENT_HEADER } from '../domain/sample.ts'
import type { ShownRequest } from '../domain/shown-request.ts'
import { TEST_EVENTS_KEPT_MAX } from '../domain/test-event.ts'
import { insertTestEvent } from '../store/test-events.ts'
import { endpointObject, readEndpoints } from './manage-endpoints.ts'
import { signingSecrets } from './manage-webhook-secret.ts'
import { type SentWebhook, sendWebhook, type Webhook, webhookBody } from './send-webhook.ts'
import { showRequest } from './show-request.ts'

export interface TestedEndpoint extends SentWebhook {
  /** The id of the test event in the delivery log. */
  readonly id: string
  readonly request: ShownRequest
}

/** Returns null if there is no such endpoint. `newestSecretOnly`: a 2xx then proves that the receiver knows the newest secret. */
export async function testEndpoint(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'egress' | 'audit'>,
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
  await deps.db.transaction((tx) => deps.audit.record(tx, realm, tested))
  const webhook: Webhook = {
    deliveryId: newDeliveryId(deps.random),
    type,
    url,
    verification,
    createdAt: instantOf(nowMs),
    secrets,
    moreHeaders: { [TEST_EVENT_HEADER]: '1' },
  }
  const sent = await sendWebhook(deps, webhook)
  const { sentAt, answer, tookMs } = sent.exchange
  const body = webhookBody(deps, { ...webhook, sentAt }).toString('utf8')
  const request = showRequest({ ...webhook, sentAt, receiptSalt: null }, body)
  const { deliveryId } = webhook
  const { outcome, httpStatus } = sent.end
  const endedMs = deps.clock.now()
  await insertTestEvent(deps.db, realm, {
    ...{ id: deliveryId, type, createdAt: sentAt, finishedAt: instantOf(endedMs), outcome, httpStatus, tookMs },
    exchange: { request, answer },
    keptUntil: instantOf(endedMs + ANSWER_KEPT_MS),
    keptMax: TEST_EVENTS_KEPT_MAX,
  })
  return { ...sent, id: deliveryId, request }
}
