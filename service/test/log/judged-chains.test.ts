// Tests that the daily check of audit chains finds edits of any age, and raises the alarm each day until the chain is whole.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { judgeTrails } from '../../src/features/audit/usecases/judge-chains.ts'
import { NEVER_STOPPED } from '../../src/platform/world.ts'
import { chainOwner } from '../harness/chain-owner.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { completed } from '../moving/installations.ts'

const service = await testService()
const { deps, clock } = service
const { asOwner } = chainOwner(deps.db)
const DAY = 86_400_000
type Limits = NonNullable<Parameters<typeof judgeTrails>[2]>

async function chain(entries: number) {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const grow = async (by: number) => {
    const body = { template: 'identity' }
    for (let n = 0; n < by; n += 1) await service.call('POST', '/v1/verifications', { key, body })
  }
  await grow(entries)
  await runJob(deps, 'keep-log')
  return { realm: { tenantId, environment: 'test' } as const, key, grow }
}

/** Returns how many changed chains the run of the next day finds. */
async function nextDay(limits: Limits = {}): Promise<number> {
  clock.advance(DAY)
  await runJob(deps, 'keep-log')
  return (await judgeTrails(deps, NEVER_STOPPED, limits)).changed
}

const write = (text: string, values: readonly unknown[] = []) =>
  asOwner(async (tx) => void (await tx.query({ name: `test_${text.length}`, text, replanEachCall: true }, values)))

/** Changes one entry. Returns a function that undoes the change. */
async function edit({ tenantId, environment }: Realm, seq: number): Promise<() => Promise<void>> {
  const where = 'where tenant_id = $1 and environment = $2 and seq = $3'
  const at = [tenantId, environment, seq]
  const [row] = await deps.db.query<{ bytes: Buffer }>(
    { name: 'test_bytes', text: `select bytes from audit_entries ${where}` },
    at,
  )
  const bytes = row?.bytes ?? assert.fail(`no entry ${seq}`)
  const other = Buffer.from(bytes.toString('utf8').replace('"actor"', '"actoR"'))
  const update = (to: Buffer) => write(`update audit_entries set bytes = $4 ${where}`, [...at, to])
  await update(other)
  return () => update(bytes)
}

test('an edit of entries that earlier runs have checked is found within thirty days, and raises an alarm each day until it is undone', async () => {
  const { realm, grow } = await chain(3)
  assert.equal(await nextDay(), 0)
  assert.equal(await nextDay(), 0)
  const undo = await edit(realm, 2)
  let days = 1
  // bounded: by the number of turns.
  while (days < 31 && (await nextDay()) === 0) days += 1
  assert.ok(days <= 30, 'it was found')
  await grow(1)
  assert.equal(await nextDay(), 1)
  assert.equal(await nextDay(), 1)
  await undo()
  assert.equal(await nextDay(), 0)
})

test('changed entries since the last run raise an alarm the next day and each day, whatever the database says was checked', async () => {
  const { realm, grow } = await chain(1)
  assert.equal(await nextDay(), 0)
  await grow(2)
  await runJob(deps, 'keep-log')
  const [head] = await deps.db.query<{ seq: number }>(
    { name: 'test_head_seq', text: 'select seq from audit_heads where tenant_id = $1 and environment = $2' },
    [realm.tenantId, realm.environment],
  )
  const undo = await edit(realm, (head?.seq ?? 0) - 1)
  await write('update log_heads set judged_size = size')
  assert.equal(await nextDay(), 1)
  await grow(1)
  assert.equal(await nextDay(), 1)
  await write(`update log_heads set changed_chains = '{}'`)
  assert.equal(await nextDay(), 1)
  await undo()
  assert.equal(await nextDay({ again: 0 }), 1, 'a chain that was not read again stays changed')
  assert.equal(await nextDay(), 0)
})

test('a long chain is read in blocks, each in its turn, with the entries at their ends', async () => {
  const { realm, key, grow } = await chain(4)
  await service.call('DELETE', `/v1/verifications/${await completed(service, key)}`, { key })
  await grow(2)
  const turns: Limits = { block: 3, days: 3 }
  for (let day = 0; day < 3; day += 1) assert.equal(await nextDay(turns), 0, 'also with erased details')
  for (const seq of [1, 2, 3, 4, 6, 7]) {
    const undo = await edit(realm, seq)
    const found = [await nextDay(turns), await nextDay(turns), await nextDay(turns)]
    assert.equal(found.at(-1), 1, `entry ${seq}`)
    await undo()
    assert.equal(await nextDay(turns), 0)
  }
  const { rows, putBack } = await cut(realm, 3, 4)
  assert.equal(rows, 2)
  const found = [await nextDay(turns), await nextDay(turns), await nextDay(turns)]
  assert.equal(found.at(-1), 1)
  await putBack()
  assert.equal(await nextDay(turns), 0)
})

test('more entries than a run may read take more days', async () => {
  const { realm } = await chain(6)
  const turns: Limits = { block: 3, days: 1 }
  assert.equal(await nextDay(turns), 0)
  const undo = await edit(realm, 2)
  assert.equal(await nextDay({ ...turns, inTurns: 1_000_000 }), 1)
  await undo()
  assert.equal(await nextDay(turns), 0)
  const found = []
  for (let turn = 0; turn < 2; turn += 1) {
    const redo = await edit(realm, 2)
    found.push(await nextDay({ ...turns, inTurns: 1 }))
    await redo()
    assert.equal(await nextDay(turns), 0)
  }
  // One of the two days may be the turn of this entry's block, not both.
  assert.ok(found.includes(0), found.join(' '))
})

async function cut({ tenantId, environment }: Realm, from: number, to: number) {
  await deps.db.query({ name: 'test_cut_kept', text: 'create table cut_entries as table audit_entries' })
  const where = `tenant_id = '${tenantId}' and environment = '${environment}' and seq between ${from} and ${to}`
  await write(`delete from audit_entries where ${where}`)
  const [row] = await deps.db.query<{ rows: number }>({
    name: 'test_cut_count',
    text: `select count(*)::int as rows from cut_entries where ${where}`,
  })
  return { rows: row?.rows, putBack: () => write(`insert into audit_entries select * from cut_entries where ${where}`) }
}
