// Tests erasure and retention: no table still has data of an erased verification.

import assert from 'node:assert/strict'
import test from 'node:test'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { waitUntil, within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { declined, deliverAllDue, startReceiver } from '../harness/webhooks.ts'
import { create, respond, validBody } from '../wallet/verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' }, { noDays: true })
const wallet = await testWallet(service)
const { call, clock } = service
const { db } = service.deps
const DAY = 86_400_000

/** Returns every row of every table as text, with bytes in hex. */
async function dump(): Promise<Map<string, string>> {
  const tables = await db.query<{ name: string }>({
    name: 'test_tables',
    text: `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
             and not c.relispartition`,
  })
  const contents = new Map<string, string>()
  for (const { name } of tables) {
    const rows = await db.query<{ row: string }>({
      name: `test_dump_${name}`,
      text: `select t::text as row from ${name} t`,
    })
    contents.set(name, rows.map(({ row }) => row).join('\n'))
  }
  return contents
}

function tablesWith(contents: Map<string, string>, canary: string): string[] {
  const spellings = [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64').slice(0, -3)]
  const tables = [...contents].filter(([, text]) => spellings.some((spelling) => text.includes(spelling)))
  if (spellings.some((spelling) => service.logged.join('').includes(spelling))) tables.push(['logs', ''])
  return tables.map(([name]) => name)
}

const CANARIES = {
  purpose: 'canary-purpose-3f9a',
  metadataName: 'canary-name-77b1',
  metadataValue: 'canary-value-c2d4',
  redirect: 'canary-redirect-18e5',
  webhook: 'canary-webhook-a6f0',
  idempotencyKey: 'canary-key-5d2c',
  query: 'canary-vct-9be3',
}

function bodies(): Record<string, unknown>[] {
  const common = {
    purpose: CANARIES.purpose,
    metadata: { [CANARIES.metadataName]: CANARIES.metadataValue },
    redirect_url: `https://shop.example/${CANARIES.redirect}`,
    webhook_url: `http://127.0.0.1:9/${CANARIES.webhook}`,
  }
  const query = {
    credentials: [
      {
        id: 'pid',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:1', `urn:${CANARIES.query}`] },
        claims: [{ path: ['family_name'] }, { path: ['given_name'] }],
      },
    ],
  }
  return [
    { template: 'identity_extended', ...common },
    { query, ...common },
  ]
}

for (const scenario of ['good', 'untrusted', 'declined', 'unanswered'] as const) {
  test(`after erasure nothing of a verification is in the store or the logs: ${scenario}`, async () => {
    const tenantId = await service.tenant()
    const key = await service.key(tenantId)
    const names = new Set<string>()
    for (const body of bodies()) {
      const answer = await call('POST', '/v1/verifications', {
        key,
        body,
        headers: { 'idempotency-key': `${CANARIES.idempotencyKey}-${'query' in body}` },
      })
      assert.equal(answer.status, 201, answer.text)
      names.add(answer.json.id)
      if (scenario !== 'unanswered') await wallet.present(answer.json.wallet_uri, scenario)
      await call('GET', `/v1/verifications/${answer.json.id}`, { key })
    }
    const claims = await claimValues(key, names)
    assert.equal(claims.length > 0, scenario === 'good')
    const before = await dump()
    assert.deepEqual(tablesWith(before, CANARIES.purpose).sort(), ['audit_details', 'verifications'])
    assert.deepEqual(tablesWith(before, CANARIES.query), ['verifications'])
    for (const sealed of ['metadataName', 'metadataValue', 'redirect', 'webhook'] as const)
      assert.deepEqual(tablesWith(before, CANARIES[sealed]), [], `${sealed} is sealed`)
    for (const value of claims) assert.deepEqual(tablesWith(before, value), [], 'results are sealed')
    for (const id of names) assert.equal((await call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
    const after = await dump()
    for (const canary of [...Object.values(CANARIES), ...claims])
      assert.deepEqual(tablesWith(after, canary), [], canary)
    for (const id of names)
      assert.deepEqual(
        tablesWith(after, id).sort(),
        scenario === 'unanswered' ? ['audit_entries'] : ['audit_entries', 'receipts'],
        'only the opaque id, in the chain and beside its receipt',
      )
    const verdict = await verifyStored(service.deps, { realm: { tenantId, environment: 'test' }, log: 'whole' })
    assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
    assert.ok(verdict.outcome === 'whole' && verdict.detailsErased >= names.size)
  })
}

/** Texts of the wallet's answer that could be found again. */
async function claimValues(key: string, ids: Iterable<string>): Promise<string[]> {
  const values: string[] = []
  for (const id of ids) {
    const { json } = await call('GET', `/v1/verifications/${id}`, { key })
    values.push(
      ...[...JSON.stringify(json.claims ?? {}).matchAll(/"([^"]{5,})"[,}\]]/g)].map((match) => match[1] ?? ''),
    )
  }
  return values.filter((value) => !/^\d{4}-/.test(value))
}

test('a webhook delivery that is still waiting is deleted with its verification', async () => {
  const key = await service.key(await service.tenant())
  const created = await create(service, key, { template: 'identity', webhook_url: 'http://127.0.0.1:9/hook' })
  await wallet.present(created.wallet_uri)
  const answer = await call('DELETE', `/v1/verifications/${created.id}`, { key })
  assert.equal(answer.json.deleted.webhook_deliveries, 1)
  assert.ok(!(await dump()).get('webhook_deliveries')?.includes(created.id))
})

test('a response that arrives during the erasure is judged before it or finds nothing; no row comes back', async () => {
  const key = await service.key(await service.tenant())
  for (let round = 0; round < 15; round += 1) {
    const created = await create(service, key)
    const body = await validBody(wallet, await wallet.request(created.wallet_uri))
    const [answer, erasure, seen] = await Promise.all([
      respond(service, created.id, body),
      call('DELETE', `/v1/verifications/${created.id}`, { key }),
      call('GET', `/v1/verifications/${created.id}`, { key }),
    ])
    assert.equal(erasure.status, 200, erasure.text)
    assert.ok([200, 404].includes(answer.status), answer.text)
    assert.ok([200, 404].includes(seen.status), seen.text)
    // The receipt is written with the ending, so it exists exactly if the answer counted.
    const left = answer.status === 200 ? ['audit_entries', 'receipts'] : ['audit_entries']
    assert.deepEqual(tablesWith(await dump(), created.id).sort(), left)
  }
})

test('of two simultaneous erasures one gets the counts and an entry, the other gets 404', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const created = await create(service, key)
  const answers = await Promise.all([1, 2, 3].map(() => call('DELETE', `/v1/verifications/${created.id}`, { key })))
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 404, 404])
  const lines: string[] = []
  for await (const line of exportAudit(service.deps, { tenantId, environment: 'test' })) lines.push(line)
  assert.equal(lines.filter((line) => line.includes('verification.erased')).length, 1)
})

test("the retention job erases what is older than the tenant's retention, 30 days by default, and records it", async () => {
  const [usual, short] = [await service.tenant(), await service.tenant()]
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = 1 where id = $1' }, [short])
  const keys = [await service.key(usual), await service.key(short)]
  const old = await Promise.all(keys.map((key) => create(service, key)))
  const exists = async (index: number) =>
    (await call('GET', `/v1/verifications/${old[index]?.id}`, { key: keys[index] ?? '' })).status === 200
  clock.advance(DAY - 1000)
  await runJob(service.deps, 'apply-retention')
  assert.deepEqual([await exists(0), await exists(1)], [true, true])
  clock.advance(2000)
  await runJob(service.deps, 'apply-retention')
  assert.deepEqual([await exists(0), await exists(1)], [true, false])
  clock.advance(29 * DAY)
  const young = await create(service, keys[0] ?? '')
  const forgotten = await applyRetention(service.deps)
  assert.ok(forgotten.verifications >= 1)
  assert.deepEqual([await exists(0), await exists(1)], [false, false])
  assert.equal((await call('GET', `/v1/verifications/${young.id}`, { key: keys[0] ?? '' })).status, 200)
  const { readTrail } = await import('../../src/features/audit/usecases/read-audit.ts')
  const trail = (await readTrail(service.deps, { tenantId: usual, environment: 'test' }, { before: null, limit: 5 }))
    .entries
  const erased = trail.find((entry) => entry.action === 'verification.erased')
  assert.deepEqual(erased?.actor, { type: 'system', id: 'retention', name: null })
  assert.equal(erased?.object.id, old[0]?.id)
})

/** Returns how many transactions wrote the entries of these erasures; and how many such entries there are. */
async function erasuresOf(ids: readonly string[]): Promise<{ transactions: number; entries: number }> {
  const [row] = await db.query<{ transactions: number; entries: number }>(
    {
      name: 'test_erasures',
      text: `select count(distinct xmin::text)::int as transactions, count(*)::int as entries from audit_entries
             where object_id = any ($1::text[]) and convert_from(bytes, 'UTF8')::jsonb ->> 'action' = 'verification.erased'`,
    },
    [ids],
  )
  assert.ok(row !== undefined)
  return row
}

async function assertWhole(tenantId: string): Promise<void> {
  const verdict = await verifyStored(service.deps, { realm: { tenantId, environment: 'test' }, log: 'whole' })
  assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
}

const stillThere = async (ids: readonly string[]) =>
  (
    await db.query<{ id: string }>(
      { name: 'test_left', text: 'select id from verifications where id = any ($1::text[]) order by id' },
      [ids],
    )
  ).map(({ id }) => id)

test('verifications past their retention are erased together, with an entry each, and do not wait for a locked row', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const created = []
  for (let n = 0; n < 6; n += 1) {
    const headers = { 'idempotency-key': `${CANARIES.idempotencyKey}-${n}` }
    const body = { template: 'identity', purpose: CANARIES.purpose }
    created.push((await call('POST', '/v1/verifications', { key, body, headers })).json)
  }
  for (const { wallet_uri } of created.slice(0, 3)) await wallet.present(wallet_uri)
  const ids: string[] = created.map(({ id }) => id)
  const [lockedId = ''] = ids
  clock.advance(31 * DAY)
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold', text: 'select id from verifications where id = $1 for update' }, [lockedId])
    holding.resolve()
    await release.promise
  })
  await within('the row is locked', holding.promise)
  const retention = applyRetention(service.deps)
  await waitUntil('all but the locked one are erased', async () => (await stillThere(ids)).length <= 1)
  assert.deepEqual(await stillThere(ids), [lockedId])
  assert.deepEqual(await erasuresOf(ids), { transactions: 1, entries: 5 })
  release.resolve()
  await holder
  await retention
  assert.deepEqual(await stillThere(ids), [])
  assert.deepEqual(await erasuresOf(ids), { transactions: 2, entries: 6 })
  const after = await dump()
  for (const [index, id] of ids.entries())
    assert.deepEqual(
      tablesWith(after, id).sort(),
      index < 3 ? ['audit_entries', 'receipts'] : ['audit_entries'],
      'only the opaque id, in the chain and beside its receipt',
    )
  for (const canary of [CANARIES.purpose, CANARIES.idempotencyKey]) assert.deepEqual(tablesWith(after, canary), [])
  await assertWhole(tenantId)
})

test('a verification with a waiting webhook is erased separately, and delays no other', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const receiver = await startReceiver()
  const notified = [
    await declined(service, { key, url: receiver.url }),
    await declined(service, { key, url: receiver.url }),
  ]
  await deliverAllDue(service)
  const waiting = await declined(service, { key, url: 'http://127.0.0.1:9/hook' })
  clock.advance(31 * DAY)
  const { id: young } = await create(service, key)
  await applyRetention(service.deps)
  assert.deepEqual(await stillThere([...notified, waiting, young]), [young])
  assert.deepEqual(await erasuresOf(notified), { transactions: 1, entries: 2 })
  assert.deepEqual(await erasuresOf([...notified, waiting]), { transactions: 2, entries: 3 })
  await assertWhole(tenantId)
})

test('more rows than one transaction takes are all erased, and no row of another tenant', async () => {
  const tenants = [await service.tenant(), await service.tenant()]
  const keys = await Promise.all(tenants.map((tenant) => service.key(tenant)))
  const ids: string[] = []
  // bounded: each turn creates 26.
  while (ids.length < 130) {
    // No tenant may send that many requests.
    clock.advance(60_000)
    for (let n = 0; n < 26; n += 1) ids.push((await create(service, keys[0] ?? '')).id)
  }
  const other = await create(service, keys[1] ?? '')
  await db.query({ name: 'test_long', text: 'update tenants set retention_days = 3650 where id = $1' }, [tenants[1]])
  clock.advance(31 * DAY)
  await applyRetention(service.deps)
  assert.deepEqual(await stillThere([...ids, other.id]), [other.id])
  assert.deepEqual(await erasuresOf(ids), { transactions: 2, entries: 130 })
  for (const tenant of tenants) await assertWhole(tenant)
})

test('a verification that cannot be erased does not block the others, and raises an alarm', async () => {
  const keys = [await service.key(await service.tenant()), await service.key(await service.tenant())]
  const stuck = await create(service, keys[0] ?? '')
  const old = await Promise.all(keys.map((key) => create(service, key)))
  await db.query({
    name: 'test_refuse_erasure_function',
    text: `create function refuse_erasure() returns trigger language plpgsql as
           $$ begin if old.id = '${stuck.id}' then raise exception 'refused'; end if; return old; end $$`,
  })
  await db.query({
    name: 'test_refuse_erasure_trigger',
    text: 'create trigger refuse_erasure before delete on verifications for each row execute function refuse_erasure()',
  })
  clock.advance(31 * DAY)
  assert.ok((await applyRetention(service.deps)).verifications >= 2)
  assert.deepEqual(await stillThere([stuck, ...old].map(({ id }) => id)), [stuck.id])
  assert.ok(service.logged.some((line) => line.includes('past its retention was not erased')))
  assert.match(await service.deps.metrics.registry.metrics(), /alarm="retention_not_applied"\} 1/)
  await db.query({ name: 'test_accept_erasure', text: 'drop trigger refuse_erasure on verifications' })
  assert.equal((await applyRetention(service.deps)).verifications, 1)
})

test('the key of an expired verification is destroyed, and no other', async () => {
  const key = await service.key(await service.tenant())
  const lapsing = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  const open = await create(service, key, { template: 'identity', ttl_seconds: 3600 })
  const hasKey = async (id: string) => {
    const [row] = await db.query<{ kept: boolean }>(
      { name: 'test_has_key', text: 'select encryption_key is not null as kept from verifications where id = $1' },
      [id],
    )
    return row?.kept
  }
  clock.advance(121_000)
  await applyRetention(service.deps)
  assert.deepEqual([await hasKey(lapsing.id), await hasKey(open.id)], [false, true])
  assert.equal((await call('GET', `/v1/verifications/${lapsing.id}`, { key })).json.status, 'expired')
})

test('keys of rows that were locked during a run, or that a wrong mark hides, are destroyed by a later run', async () => {
  const key = await service.key(await service.tenant())
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1) ids.push((await create(service, key, { template: 'identity', ttl_seconds: 60 })).id)
  const [locked = '', hidden = ''] = ids
  const keys = async () => {
    const text = 'select id from verifications where id = any ($1) and encryption_key is not null order by id'
    const rows = await db.query<{ id: string }>({ name: 'test_with_keys', text }, [ids])
    return rows.map(({ id }) => id)
  }
  clock.advance(121_000)
  await db.transaction(async (tx) => {
    await tx.query({ name: 'test_lock_one', text: 'select 1 as locked from verifications where id = $1 for update' }, [
      locked,
    ])
    await applyRetention(service.deps)
    assert.deepEqual(await keys(), [locked])
  })
  clock.advance(60_000)
  await applyRetention(service.deps)
  assert.deepEqual(await keys(), [])
  const text = `with marked as (update expired_key_mark set until = now() + interval '100 years')
                update verifications set encryption_key = '\\x00' where id = $1`
  await db.query({ name: 'test_mark_ahead', text }, [hidden])
  await applyRetention(service.deps)
  assert.deepEqual(await keys(), [])
})

test('a key of a row that was locked during a run long after its expiry is destroyed by the next run', async () => {
  const key = await service.key(await service.tenant())
  const { id } = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  const isKept = async () => {
    const text = 'select encryption_key is not null as kept from verifications where id = $1'
    const [row] = await db.query<{ kept: boolean }>({ name: 'test_has_key', text }, [id])
    return row?.kept
  }
  // No job ran for an hour.
  clock.advance(3_600_000)
  await db.transaction(async (tx) => {
    const text = 'select 1 as locked from verifications where id = $1 for update'
    await tx.query({ name: 'test_lock_one', text }, [id])
    await applyRetention(service.deps)
    assert.equal(await isKept(), true)
  })
  await applyRetention(service.deps)
  assert.equal(await isKept(), false)
})

test('after the tests above no result is without its verification, and no receipt without its tenant', async () => {
  const [left] = await db.query<{ results: number; receipts: number; all: number }>({
    name: 'test_orphans',
    text: `select (select count(*)::int from verification_results r
                   where not exists (select from verifications v where v.id = r.verification_id and v.tenant_id = r.tenant_id)) as results,
                  (select count(*)::int from receipts r where not exists (select from tenants t where t.id = r.tenant_id)) as receipts,
                  (select count(*)::int from receipts) as all`,
  })
  assert.deepEqual({ ...left, all: (left?.all ?? 0) > 0 }, { results: 0, receipts: 0, all: true })
})
