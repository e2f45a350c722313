// Tests a worker that is killed before it records the merchant's 2xx: the content is delivered again, then deleted.

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { forgetDueContent } from '../../src/core/verifications/usecases/forgetting/forget-due-content.ts'
import { showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import type { WorkerOrder } from '../harness/children/delivery-child.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { assertWithoutContent, merchant } from './merchants.ts'

const CHILD = fileURLToPath(new URL('../harness/children/delivery-child.ts', import.meta.url))
/** Longer than a lease of a delivery and the start of a process together. */
const LEASE_OVER_MS = 300_000
const service = await testService({}, LOOPBACK)
const { deps, clock } = service
const FORWARD = { content: 'forward', holdSeconds: 600 } as const

/** Runs a worker process until it waits for the rows that `lock` locks, then kills it together with its connection. */
async function killedAt(
  t: TestContext,
  lock: { name: string; text: string; values: readonly string[] },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await tx.query({ name: lock.name, text: lock.text }, [...lock.values])
    const order: WorkerOrder = { databaseUrl: service.url, nowMs: clock.now(), realMs: Date.now(), speed: 1 }
    const child = fork(CHILD, [JSON.stringify(order)])
    t.after(() => child.kill('SIGKILL'))
    await once(child, 'message')
    child.send('go')
    const waiting = async () => {
      const rows = await deps.db.query<{ pid: number }>({
        name: 'test_waiting_backends',
        text: `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      })
      return rows.map(({ pid }) => pid)
    }
    await waitUntil('the worker waits for the lock', async () => (await waiting()).length > 0)
    const pids = await waiting()
    const dead = once(child, 'exit')
    child.kill('SIGKILL')
    await dead
    // The dead process's statement could otherwise still run when the lock is released.
    for (const pid of pids)
      await deps.db.query({ name: 'test_terminate', text: 'select pg_terminate_backend($1)' }, [pid])
    await waitUntil('its connections are gone', async () => !(await waiting()).some((pid) => pids.includes(pid)))
  })
}

/** Locking it blocks neither leases nor sending; the service changes it when it stores the confirmation. */
const resultOf = (id: string) => ({
  name: 'test_hold_result',
  text: 'select 1 as held from verification_results where verification_id = $1 for update',
  values: [id],
})

test('after a kill between the 2xx and its record the content is delivered again, and then deleted', async (t) => {
  const { ended, read, stored } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  await killedAt(t, resultOf(id))
  assert.equal(receiver.received.length, 1, 'the merchant has answered with 2xx')
  assert.ok('claims' in (await read(id)), 'the service has not recorded the 2xx')
  clock.advance(LEASE_OVER_MS)
  await deliverDue(service)
  assert.equal(receiver.received.length, 2)
  for (const { body } of receiver.received) assert.ok('claims' in JSON.parse(String(body)).verification)
  assertWithoutContent(await read(id), 'completed')
  assert.equal((await stored(id)).sealed, null)
})

test('after a kill between the 2xx and its record, without another delivery, the content is deleted when its time is over', async (t) => {
  const { ended, read, stored } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  await killedAt(t, resultOf(id))
  assert.ok('claims' in (await read(id)))
  clock.advance(FORWARD.holdSeconds * 1000)
  assertWithoutContent(await read(id), 'completed')
  await forgetDueContent(deps)
  assert.equal((await stored(id)).sealed, null)
})

test('after a kill between the record and the audit trail the content is gone, and the next run adds the entry', async (t) => {
  const { realm, ended, read, stored, forgettings } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  // The first delivery of a realm creates its secret, which has an audit entry, too.
  await showWebhookSecret(deps, { realm, actor: OPERATOR })
  const id = await ended({ webhook_url: receiver.url })
  await killedAt(t, {
    name: 'test_hold_head',
    text: `select 1 as held from audit_heads where tenant_id = $1 and environment = 'test' for update`,
    values: [realm.tenantId],
  })
  assertWithoutContent(await read(id), 'completed')
  assert.deepEqual(await forgettings(), [])
  assert.equal((await stored(id)).unrecorded_forgetting, 'receipt')
  await forgetDueContent(deps)
  assert.deepEqual(await forgettings(), [`system receipt ${id}`])
  assert.equal((await stored(id)).unrecorded_forgetting, null)
})
