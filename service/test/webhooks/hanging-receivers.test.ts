// Tests that ten tenants whose receivers never answer do not affect an eleventh.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { startDeliveries } from '../../src/features/webhooks/jobs/deliveries.ts'
import { createDeliverySlots } from '../../src/features/webhooks/jobs/delivery-slots.ts'
import { testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { declined, enqueueMany, LOOPBACK, patientEgress, startReceiver } from '../harness/webhooks.ts'

const TENANTS = 10
const SECOND = 1_000

/** Answers the first requests, and delays all others until it is released. */
async function startHanging(t: { after(work: () => void): void }, answered: number) {
  const waiting: ServerResponse[] = []
  let seen = 0
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      seen += 1
      if (seen <= answered) response.writeHead(200).end()
      else waiting.push(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    waiting,
    release: () => {
      server.closeAllConnections()
    },
  }
}

for (const { title, answered, runningMin, runningMax } of [
  { title: 'receivers that never answer', answered: 0, runningMin: 80, runningMax: 80 },
  // Each receiver has earned a share of 64, so together they use all shared slots, and only the reserve stays free.
  { title: 'receivers that answer well at first and then never', answered: 400, runningMin: 192, runningMax: 201 },
]) {
  test(`while ten tenants have ${title}, the webhooks of an eleventh are sent`, async (t) => {
    // The worker must end before the database does, because hooks run in order.
    const ends: (() => Promise<void>)[] = []
    const service = await testService({}, LOOPBACK, { ends: { after: (work) => void ends.push(work) } })
    const { deps } = service
    const hanging = await startHanging(t, answered)
    const calm = await startReceiver()
    for (let nth = 0; nth < TENANTS; nth += 1) {
      await enqueueMany(service, { tenantId: await service.tenant(), url: hanging.url, many: 150 })
    }
    const key = await service.key(await service.tenant())
    // Nothing times out, so a hanging receiver blocks its slot. The worker polls once per hour, so notifications start
    // all leases.
    const patient = patientEgress(deps.egress.test)
    const worker = await startDeliveries({ ...deps, egress: { test: patient, live: patient } }, 3_600_000)
    t.after(async () => {
      const stopped = worker.stop()
      hanging.release()
      await stopped
      for (const end of ends) await end()
    })
    let looks = 0
    await waitUntil('the worker leases no further webhook', async () => {
      const before = hanging.waiting.length
      const [row] = await deps.db.query<{ taken: number }>({
        name: 'test_taken',
        text: `select count(*) as taken from webhook_deliveries where leased_until is not null and state = 'pending'`,
      })
      looks = before >= runningMin && row?.taken === before && hanging.waiting.length === before ? looks + 1 : 0
      return looks >= 200
    })
    const running = hanging.waiting.length
    assert.ok(running >= runningMin && running <= runningMax, `${running} in progress`)
    for (const nth of [1, 2, 3]) {
      await declined(service, { key, url: calm.url })
      await waitUntil(`webhook ${nth} of the calm tenant is received`, () => calm.received.length === nth)
    }
    assert.equal(hanging.waiting.length, running, 'and no other delivery took that slot')
  })
}

test("a realm's share begins at 8, doubles with each webhook that ends quickly and halves with each slow one", () => {
  const slots = createDeliverySlots()
  const share = () => slots.terms().realms.get('a')?.share
  slots.begin('a')
  assert.equal(share(), 8)
  for (const [tookMs, expected] of [
    [SECOND, 16],
    [0, 32],
    [0, 64],
    [0, 64],
    [SECOND + 1, 32],
    [15 * SECOND, 16],
    [15 * SECOND, 8],
    [15 * SECOND, 4],
    [15 * SECOND, 2],
    [15 * SECOND, 2],
    [0, 4],
  ] as const) {
    slots.begin('a')
    slots.end('a', tookMs)
    assert.equal(share(), expected, `after ${tookMs} ms`)
  }
})

test('the last 64 slots are for realms without a webhook in progress; all slots are released', () => {
  const slots = createDeliverySlots()
  for (let begun = 0; begun < 192; begun += 1) slots.begin(`p${begun % 3}`)
  assert.deepEqual([slots.terms().free, slots.terms().freeForRunning], [64, 0])
  for (let begun = 0; begun < 64; begun += 1) slots.begin(`newcomer${begun}`)
  assert.deepEqual([slots.terms().free, slots.terms().freeForRunning], [0, 0])
  for (let ended = 0; ended < 192; ended += 1) slots.end(`p${ended % 3}`, 0)
  for (let ended = 0; ended < 64; ended += 1) slots.end(`newcomer${ended}`, 0)
  assert.deepEqual([slots.terms().free, slots.terms().freeForRunning], [256, 192])
})

test('slow realms are remembered while they are quiet, at most 1,024', () => {
  const slots = createDeliverySlots()
  for (let realm = 0; realm < 1_500; realm += 1) {
    slots.begin(`slow${realm}`)
    slots.end(`slow${realm}`, 15 * SECOND)
  }
  const { realms } = slots.terms()
  assert.equal(realms.size, 1_024)
  assert.deepEqual([realms.has('slow0'), realms.get('slow1499')?.share], [false, 4])
})

test('quick realms keep their share while they are quiet, the last 32 of them, until they are slow', () => {
  const slots = createDeliverySlots()
  for (let realm = 0; realm < 100; realm += 1) {
    slots.begin(`quick${realm}`)
    slots.end(`quick${realm}`, 0)
  }
  const { realms } = slots.terms()
  assert.equal(realms.size, 32)
  assert.deepEqual([realms.has('quick67'), realms.get('quick68')], [false, { running: 0, share: 16 }])
  slots.begin('quick68')
  slots.begin('quick68')
  assert.deepEqual(slots.terms().realms.get('quick68'), { running: 2, share: 16 })
  slots.end('quick68', 15 * SECOND)
  slots.end('quick68', 15 * SECOND)
  assert.deepEqual(slots.terms().realms.get('quick68'), { running: 0, share: 4 })
})
