// Tests `content: forward`: claims and credentials exist until the merchant has them, and at most for the hold time.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { sendOne, writeDown } from '../../src/features/webhooks/usecases/deliver-webhooks.ts'
import { readDeliveries, resendDelivery } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { runJob } from '../harness/jobs.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { ALL_DUE, complete, deliverDue, LOOPBACK, startReceiver, takeDue } from '../harness/webhooks.ts'
import { assertWithoutContent, merchant } from './merchants.ts'

const service = await testService({}, LOOPBACK)
const { deps, clock } = service
const FORWARD = { content: 'forward', holdSeconds: 60 } as const
/** Leases only webhooks of these verifications, because retries of other tests are due, too. */
const leaseOf = async (...ids: readonly string[]) =>
  (await takeDue(deps, ALL_DUE)).filter(({ delivery }) => ids.includes(delivery.verification.id))
const verificationIn = (body: Buffer | undefined) => JSON.parse(String(body)).verification

test("a webhook's 2xx answer deletes the content, in the transaction that records the answer", async () => {
  const { realm, ended, read, stored, forgettings } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  receiver.answer = (count) => ({ status: count === 1 ? 500 : 204 })
  const id = await ended({ webhook_url: receiver.url })
  await deliverDue(service)
  assert.ok('claims' in (await read(id)), 'a 500 is not a receipt')
  clock.advance(40_000)
  await deliverDue(service)
  assert.equal(verificationIn(receiver.received[1]?.body).claims.family_name, 'Specimen')
  assertWithoutContent(await read(id), 'completed')
  const { sealed, forget_at, unrecorded_forgetting } = await stored(id)
  assert.deepEqual([sealed, forget_at, unrecorded_forgetting], [null, null, null])
  assert.deepEqual(await forgettings(), [`system receipt ${id}`])
  assert.equal((await verifyStored(deps, { realm, log: 'whole' })).outcome, 'whole')

  const [delivery] = await readDeliveries(deps, { realm, limit: 1, before: null, verificationId: id })
  assert.ok(delivery !== undefined)
  await resendDelivery(deps, { realm, deliveryId: delivery.id, actor: OPERATOR })
  assertWithoutContent(verificationIn(receiver.received[2]?.body), 'completed')
})

test('a resent delivery that is received counts as a confirmation, too', async () => {
  const { realm, ended, read, forgettings } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  const [delivery] = await readDeliveries(deps, { realm, limit: 1, before: null, verificationId: id })
  assert.ok(delivery !== undefined)
  await resendDelivery(deps, { realm, deliveryId: delivery.id, actor: OPERATOR })
  assert.ok('claims' in verificationIn(receiver.received[0]?.body))
  assertWithoutContent(await read(id), 'completed')
  assert.deepEqual(await forgettings(), [`system receipt ${id}`])
})

test('a resent delivery counts as delivered even if the trail cannot be written then; the job records it', async () => {
  const { realm, ended, read, forgettings } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  const [delivery] = await readDeliveries(deps, { realm, limit: 1, before: null, verificationId: id })
  assert.ok(delivery !== undefined)
  await deps.db.query({
    name: 'test_break_trail',
    text: `create function test_no_forgettings() returns trigger language plpgsql as $$ begin
             if position('verification.forgotten' in convert_from(new.bytes, 'UTF8')) > 0 then
               raise exception 'the trail cannot be written';
             end if;
             return new;
           end $$`,
  })
  await deps.db.query({
    name: 'test_break_trail_now',
    text: `create trigger test_no_forgettings before insert on audit_entries
           for each row execute function test_no_forgettings()`,
  })
  try {
    const end = await resendDelivery(deps, { realm, deliveryId: delivery.id, actor: OPERATOR })
    assert.equal(end?.outcome, 'delivered')
    assertWithoutContent(await read(id), 'completed')
    assert.deepEqual(await forgettings(), [])
  } finally {
    await deps.db.query({ name: 'test_restore_trail', text: 'drop trigger test_no_forgettings on audit_entries' })
  }
  await runJob(deps, 'forget-held-content')
  assert.deepEqual(await forgettings(), [`system receipt ${id}`])
})

test('reading and redeeming do not forget the content; it is deleted after the hold time', async () => {
  const { ended, read, stored, forgettings } = await merchant(service, FORWARD)
  const id = await ended()
  await read(id)
  await runJob(deps, 'forget-held-content')
  assert.ok('claims' in (await read(id)))
  clock.advance(60_000)
  assertWithoutContent(await read(id), 'completed')
  assert.notEqual((await stored(id)).sealed, null, 'the job has not run yet')
  await runJob(deps, 'forget-held-content')
  assert.equal((await stored(id)).sealed, null)
  assert.deepEqual(await forgettings(), [`system hold ${id}`])
  assertWithoutContent(await read(id), 'completed')
})

test('a run deletes content that becomes due before the next run, so nothing remains after its time', async () => {
  const { ended, stored } = await merchant(service, FORWARD)
  const id = await ended()
  clock.advance(49_000)
  await runJob(deps, 'forget-held-content')
  assert.notEqual((await stored(id)).sealed, null)
  clock.advance(1_000)
  await runJob(deps, 'forget-held-content')
  assert.equal((await stored(id)).sealed, null)
})

test('a webhook after the hold time reports only the outcome', async () => {
  const { ended } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 503 })
  await ended({ webhook_url: receiver.url })
  await deliverDue(service)
  clock.advance(400_000)
  await deliverDue(service)
  assert.ok('claims' in verificationIn(receiver.received[0]?.body))
  assertWithoutContent(verificationIn(receiver.received[1]?.body), 'completed')
})

test("a webhook without content confirms nothing: the trail says that the content's time was over", async () => {
  const { realm, ended, stored, forgettings } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const [sent, resent] = [await ended({ webhook_url: receiver.url }), await ended({ webhook_url: receiver.url })]
  clock.advance(60_000)
  const [delivery] = await readDeliveries(deps, { realm, limit: 1, before: null, verificationId: resent })
  assert.ok(delivery !== undefined)
  await resendDelivery(deps, { realm, deliveryId: delivery.id, actor: OPERATOR })
  for (const leased of await leaseOf(sent)) await complete(deps, leased)
  assert.equal(receiver.received.length, 2)
  for (const { body } of receiver.received) assertWithoutContent(verificationIn(body), 'completed')
  for (const id of [sent, resent]) assert.notEqual((await stored(id)).sealed, null, 'the job has not run yet')
  await runJob(deps, 'forget-held-content')
  assert.deepEqual((await forgettings()).toSorted(), [`system hold ${sent}`, `system hold ${resent}`].toSorted())
})

test('a late confirmation of content that was sent in time counts', async () => {
  const { ended, forgettings } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  const [leased] = await leaseOf(id)
  assert.ok(leased !== undefined)
  const ending = await sendOne(deps, leased)
  clock.advance(60_000)
  await writeDown(deps, ending)
  assert.deepEqual(await forgettings(), [`system receipt ${id}`])
})

test('a failed verification keeps nothing except the error, in our words', async () => {
  const { ended, read, stored } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url }, 'untrusted')
  assertWithoutContent(await read(id), 'failed')
  assert.equal((await read(id)).error.code, 'issuer_untrusted')
  const { sealed, forgotten_at } = await stored(id)
  assert.ok(sealed !== null && forgotten_at !== null)
  const context = `verification_results.sealed|${(await merchantOf(id)).tenant_id}|test|${id}`
  assert.deepEqual(Object.keys(JSON.parse(deps.db.sealer.open(sealed, context).toString())), [
    'outcome',
    'error',
    'credentials',
    // Random bytes for the digests of the receipt.
    'receiptSalt',
  ])
  await deliverDue(service)
  assertWithoutContent(verificationIn(receiver.received[0]?.body), 'failed')
})

async function merchantOf(id: string): Promise<{ tenant_id: string }> {
  const [row] = await deps.db.query<{ tenant_id: string }>(
    { name: 'test_owner', text: 'select tenant_id from verifications where id = $1' },
    [id],
  )
  assert.ok(row !== undefined)
  return row
}

test('a merchant may forget kept content of single verifications, also twice, and a failed verification keeps its error', async () => {
  const { ended, read, forget, forgettings } = await merchant(service, { content: 'keep' })
  const [good, bad] = [await ended(), await ended({}, 'untrusted')]
  assert.equal((await read(bad)).credentials.length, 1)
  for (const id of [good, good]) assertWithoutContent(await forget(id), 'completed')
  const { error } = await read(bad)
  for (const id of [bad, bad]) {
    const answer = await forget(id)
    assertWithoutContent(answer, 'failed')
    assert.deepEqual(answer.error, error)
  }
  assertWithoutContent(await read(bad), 'failed')
  assert.deepEqual(await forgettings(), [`api_key key ${good}`, `api_key key ${bad}`])
})

test('a pending verification has nothing to forget; its later content is kept as the setting says', async () => {
  const { key, forget, forgettings } = await merchant(service, { content: 'keep' })
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
  assert.deepEqual(await forget(created.json.id), created.json)
  assert.deepEqual(await forgettings(), [])
})

test('kept content stays, whatever the answer to its webhook', async () => {
  const { ended, read, forgettings } = await merchant(service, { content: 'keep' })
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  await deliverDue(service)
  clock.advance(7_200_000)
  await runJob(deps, 'forget-held-content')
  assert.ok('claims' in (await read(id)))
  assert.deepEqual(await forgettings(), [])
})

test('content that the merchant forgets while its webhook is being sent has one entry, and the delivery ends normally', async () => {
  const { realm, ended, forget, read, forgettings } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  const [taken] = await leaseOf(id)
  await forget(id)
  await complete(deps, taken)
  assertWithoutContent(await read(id), 'completed')
  assert.deepEqual(await forgettings(), [`api_key key ${id}`])
  const [delivery] = await readDeliveries(deps, { realm, limit: 1, before: null, verificationId: id })
  assert.equal(delivery?.state, 'delivered')
})

test("a worker that lost its lease records no confirmation: the content waits for the lease's new owner", async () => {
  const { ended, read } = await merchant(service, { content: 'forward', holdSeconds: 900 })
  const receiver = await startReceiver()
  const id = await ended({ webhook_url: receiver.url })
  const [late] = await leaseOf(id)
  assert.ok(late !== undefined)
  await sendOne(deps, late)
  clock.advance(46_000)
  const [again] = await leaseOf(id)
  await complete(deps, late)
  assert.ok('claims' in (await read(id)))
  await complete(deps, again)
  assertWithoutContent(await read(id), 'completed')
})

test('erasing, forgetting and confirming at the same moment cannot deadlock', async () => {
  const { key, ended, forget } = await merchant(service, FORWARD)
  const receiver = await startReceiver()
  const ids: string[] = []
  for (let i = 0; i < 12; i += 1) ids.push(await ended({ webhook_url: receiver.url }))
  const leased = await leaseOf(...ids)
  assert.equal(leased.length, ids.length)
  const sent = await Promise.all(leased.map((one) => sendOne(deps, one)))
  const erased = ids.map((id, at) =>
    at % 3 === 0 ? forget(id) : service.call('DELETE', `/v1/verifications/${id}`, { key }),
  )
  await Promise.all([...sent.map((ending) => writeDown(deps, ending)), ...erased, runJob(deps, 'forget-held-content')])
  const rows = await deps.db.query(
    {
      name: 'test_left_content',
      text: `select 1 as left from verification_results where verification_id = any ($1::text[]) and sealed is not null`,
    },
    [ids],
  )
  assert.equal(rows.length, 0)
})

test('the job finds due content by its index, however many rows are kept or forgotten', async () => {
  const plan = await deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_no_seqscan', text: 'set local enable_seqscan = off' })
    return tx.query<{ 'QUERY PLAN': string }>({
      name: 'test_explain_forgetting',
      text: `explain select verification_id from verification_results where forget_at <= now() order by forget_at limit 500`,
    })
  })
  const lines = plan.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(lines, /Index Scan (using|on) verification_results_forget_at/)
})
