// Tests that a webhook's host is deleted with the last verification that failed there, also from audit details.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { listDestinations } from '../../src/features/webhooks/usecases/watch-destinations.ts'
import { runJob } from '../harness/jobs.ts'
import { dress } from '../harness/pages/brands.ts'
import { testService } from '../harness/service.ts'
import {
  ALL_DUE,
  complete,
  declined,
  deliverAllDue,
  deliverDue,
  LOOPBACK,
  startReceiver,
  takeDue,
} from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { call, clock, deps } = service
const DAY = 86_400_000

async function failing() {
  const at = { tenantId: await service.tenant(), environment: 'test' as const }
  const key = await service.key(at.tenantId)
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 500 })
  return {
    at,
    receiver,
    make: () => declined(service, { key, url: receiver.url }),
    erase: async (id: string) =>
      assert.equal((await call('DELETE', `/v1/verifications/${id}`, { key })).json.deleted.webhook_deliveries, 1),
    /** How many rows of the tenant, in any table, contain its host. */
    found: () => rowsWith(new URL(receiver.url).host),
  }
}

/** Counts the rows with the text, by table. */
async function rowsWith(text: string): Promise<Record<string, number>> {
  const tables = await deps.db.query<{ name: string }>({
    name: 'test_tables',
    text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  })
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const sql = `select from "${name}" t where strpos(t::text, $1) > 0`
    const rows = await deps.db.query({ name: `test_hold_${name}`, text: sql }, [text])
    if (rows.length > 0) counts[name] = rows.length
  }
  return counts
}

/** Asserts that the trail accounts for all details that it has lost. */
async function assertWhole(realm: Realm): Promise<void> {
  const verdict = await verifyStored(deps, { realm, log: 'whole' })
  assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
}

test('a failing host is deleted from every table with the last verification that failed there, and not before', async () => {
  const shop = await failing()
  const ids = [await shop.make(), await shop.make()]
  await deliverDue(service)
  clock.advance(2 * DAY)
  await deliverDue(service)
  const before = await shop.found()
  assert.equal(before.webhook_destinations, 1)
  assert.equal(before.audit_details, 1, 'noticed on the trail')
  await shop.erase(ids[0] ?? '')
  const between = await shop.found()
  assert.deepEqual([between.webhook_destinations, between.audit_details], [1, 1])
  await shop.erase(ids[1] ?? '')
  assert.deepEqual(await shop.found(), {})
  await assertWhole(shop.at)
})

test('failing hosts are deleted with verifications that retention erases together, and the trail accounts for each', async () => {
  const [shop, hosts] = [await failing(), [await startReceiver(), await startReceiver()]]
  const key = await service.key(shop.at.tenantId)
  for (const host of hosts) {
    host.answer = () => ({ status: 500 })
    await declined(service, { key, url: host.url })
    await declined(service, { key, url: host.url })
  }
  await deliverDue(service)
  clock.advance(2 * DAY)
  await deliverDue(service)
  const found = () => Promise.all(hosts.map(({ url }) => rowsWith(new URL(url).host)))
  for (const { audit_details: noticed } of await found()) assert.equal(noticed, 1, 'noticed on the trail')
  await deps.db.query({ name: 'test_give_up', text: `update webhook_deliveries set state = 'failed', held_for = null` })
  clock.advance(31 * DAY)
  await runJob(deps, 'apply-retention')
  assert.deepEqual(await found(), [{}, {}])
  const lines: string[] = []
  for await (const line of exportAudit(deps, shop.at)) lines.push(line)
  assert.equal(lines.filter((line) => line.includes('verification.erased')).length, 4)
  assert.equal(lines.filter((line) => line.includes('destination.forgotten')).length, 2)
  await assertWhole(shop.at)
})

test('a host that failed once and then recovered is deleted with the verification that failed there', async () => {
  const shop = await failing()
  const id = await shop.make()
  await deliverDue(service)
  clock.advance(2 * DAY)
  await deliverDue(service)
  shop.receiver.answer = () => ({ status: 200 })
  clock.advance(DAY)
  await deliverAllDue(service)
  const recovered = await shop.found()
  assert.deepEqual([recovered.webhook_destinations, recovered.audit_details], [undefined, 1])
  await shop.erase(id)
  assert.deepEqual(await shop.found(), {})
})

test('an attempt that fails after the erasure of its verification does not restore the host', async () => {
  const shop = await failing()
  const id = await shop.make()
  const [taken] = await takeDue(deps, ALL_DUE)
  await shop.erase(id)
  await complete(deps, taken)
  assert.deepEqual(await shop.found(), {})
  assert.deepEqual(await listDestinations(deps, shop.at), [])
})

test('a note that is written at the moment of an erasure is deleted by the hourly job', async () => {
  const [kept, left] = [await failing(), await failing()]
  await kept.make()
  await deliverDue(service)
  await deps.db.query(
    {
      name: 'test_leftover',
      text: `insert into webhook_destinations (tenant_id, environment, origin, failing_since, failed_at, failures)
             values ($1, 'test', $2, $3, $3, 1)`,
    },
    [left.at.tenantId, new URL(left.receiver.url).origin, new Date(clock.now()).toISOString()],
  )
  await runJob(deps, 'forget-destinations')
  await assertWhole(left.at)
  assert.deepEqual(await left.found(), {})
  assert.equal((await kept.found()).webhook_destinations, 1)
})

test('an entry about a deleted host accounts for nothing else: not for other hosts, nor for other settings', async () => {
  for (const lost of [
    "details ->> 'origin' = $2",
    "object_id = 'test' and details ->> 'origin' is null and $2 <> ''",
  ]) {
    const [shop, other] = [await failing(), await startReceiver()]
    const key = await service.key(shop.at.tenantId)
    other.answer = () => ({ status: 500 })
    await declined(service, { key, url: other.url })
    await dress(service, shop.at.tenantId)
    const id = await shop.make()
    await deliverDue(service)
    clock.advance(2 * DAY)
    await deliverDue(service)
    const gone = await deps.db.query<{ seq: number }>(
      { name: `test_lose ${lost}`, text: `delete from audit_details where tenant_id = $1 and ${lost} returning seq` },
      [shop.at.tenantId, new URL(other.url).origin],
    )
    assert.equal(gone.length, 1)
    await shop.erase(id)
    assert.equal((await shop.found()).audit_details, undefined)
    const verdict = await verifyStored(deps, { realm: shop.at, log: 'whole' })
    assert.deepEqual([verdict.outcome, 'seq' in verdict && verdict.seq], ['tampered', gone[0]?.seq], lost)
  }
})
