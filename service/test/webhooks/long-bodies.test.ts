// Tests the delivery log of long results: pages load no result, and a long body is shown once.

import assert from 'node:assert/strict'
import test from 'node:test'
import { ATTEMPTS_SHOWN_MAX } from '../../src/features/webhooks/store/attempts.ts'
import { resendDelivery } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { merchant } from '../forgetting/merchants.ts'
import { withTurns } from '../harness/event-loop.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { ALL_DUE, complete, deliverDue, LOOPBACK, startReceiver, takeDue } from '../harness/webhooks.ts'
import { lengthenResult, watchResults } from '../usecases/reading/long-results.ts'

const service = await testService({}, LOOPBACK)
const { deps, clock } = service
const receiver = await startReceiver()
const shop = await merchant(service, {})
const { realm } = shop
const admin = await person(service, realm.tenantId, 'admin')
const LONG = 500_000

const deliveries = async () => (await admin.call('GET', '@/deliveries')).json.data
const bodiesOf = async (id: string): Promise<(string | null)[]> =>
  (await admin.call('GET', `@/deliveries/${id}`)).json.attempts.map(
    ({ request }: { request: { body: string | null } | null }) => request?.body ?? null,
  )

test('a long body is shown with the newest attempt, as it was sent; short ones with each', async () => {
  const id = await shop.ended({ webhook_url: receiver.url })
  await deliverDue(service)
  const [delivery] = await deliveries()
  const resend = async () => {
    clock.advance(1_000)
    await resendDelivery(deps, { realm, deliveryId: delivery.id, actor: OPERATOR })
  }
  await resend()
  const sent = () => receiver.received.map(({ body }) => body.toString('utf8'))
  assert.deepEqual(await bodiesOf(delivery.id), sent())
  await lengthenResult(deps, realm, id, LONG)
  for (let i = 2; i < ATTEMPTS_SHOWN_MAX; i += 1) await resend()
  const bodies = await bodiesOf(delivery.id)
  assert.equal(bodies.length, ATTEMPTS_SHOWN_MAX)
  assert.deepEqual(
    bodies.slice(0, -1),
    Array.from({ length: ATTEMPTS_SHOWN_MAX - 1 }, () => null),
  )
  assert.equal(bodies.at(-1), sent().at(-1))
  assert.ok((bodies.at(-1)?.length ?? 0) > LONG)
})

test('a page of the log loads no result', async () => {
  const seen: string[] = []
  deps.db.watch(({ name }) => void seen.push(name))
  const [delivery] = await deliveries()
  assert.equal(delivery.attempts[0].url, receiver.url)
  assert.deepEqual(
    seen.filter((name) => name === 'load_verifications'),
    [],
  )
})

test('long bodies that are due at the same time are rendered in turns', async (t) => {
  for (let i = 0; i < 4; i += 1)
    await lengthenResult(deps, realm, await shop.ended({ webhook_url: receiver.url }), LONG)
  const leased = await takeDue(deps, ALL_DUE)
  assert.equal(leased.length, 4)
  const watched = watchResults(deps)
  const send = (one: (typeof leased)[number]) => complete({ ...deps, db: watched.db }, one)
  await withTurns(t, 1_000, () => Promise.all(leased.map(send)))
  watched.stop()
  assert.equal(watched.decrypted().length, 4, `${watched.decrypted()}`)
})
