// Tests that locks, rows and notifications of a contribution are committed with the ending, or not at all.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { TenantLock } from '../../src/core/verifications/store/tenant-lock.ts'
import {
  composeEndings,
  type EndingContribution,
} from '../../src/core/verifications/usecases/answering/contributions.ts'
import { createEndings } from '../../src/core/verifications/usecases/answering/end-verifications.ts'
import { composeCreations } from '../../src/core/verifications/usecases/asking/contributions.ts'
import { findOpen } from '../../src/core/verifications/usecases/asking/wallet-verification.ts'
import { createReceiptSigners } from '../../src/features/transparency/store/receipt-keys.ts'
import { endingContributions } from '../../src/features.ts'
import { type Fragment, partOf, rowKey } from '../../src/platform/postgres/fragments.ts'
import { testService } from '../harness/service.ts'
import { create, read } from '../wallet/verifications.ts'

const service = await testService()
const { deps } = service
const tenantId = await service.tenant()
const key = await service.key(tenantId)

const ENDING = {
  result: { outcome: 'failed', error: { code: 'wallet_declined', message: 'The holder declined.' }, credentials: [] },
  judgement: null,
  checks: [],
  responseCodeHash: null,
  channelName: 'redirect',
} as const

await deps.db.query({
  name: 'test_stub_tables',
  text: 'create table stub_ledger (tenant_id text primary key, count integer not null)',
})
await deps.db.query({
  name: 'test_stub_rows',
  text: 'create table stub_rows (step text not null, verification_id text not null check (verification_id <> $$refused$$))',
})

const COUNTS = rowKey<number>('counts of the stub')
const IDS = rowKey<readonly string[]>('ids of the stub')
const inserting = (step: string): Fragment<readonly string[]> => ({
  name: `stub_${step}`,
  ctes(parameters) {
    const ids = parameters.one((value) => value)
    return `stub_${step} as (insert into stub_rows select '${step}', id from unnest(${ids}::text[]) as g (id))`
  },
})

const lock: TenantLock = {
  name: 'stub_locked',
  query: (tenants, _, locking) =>
    `select s.tenant_id, s.count from stub_ledger s where s.tenant_id in (${tenants})
     order by s.tenant_id for update of s ${locking}`,
  columns: 'stub_locked.count as "stubCount"',
  read(locked, keyedRows) {
    for (const { row } of locked) if ('stubCount' in row) keyedRows.put(COUNTS, Number(row.stubCount))
  },
  ensure: async () => undefined,
}

/** Builds a contribution with all optional parts. `ids`: the ids that it writes; by default those of the endings. */
function stub(seen: string[], ids?: readonly string[]): EndingContribution {
  return {
    name: 'stub',
    lock,
    fromEnded: ({ at }) =>
      `stub_ended as (insert into stub_rows select 'ended', id from ended where ${at}::timestamptz > 'epoch')`,
    last: partOf(IDS, inserting('last')),
    own: partOf(IDS, inserting('own')),
    prepare: ({ verification }) => void seen.push(`prepare ${verification.id}`),
    begin: async () => void seen.push('begin'),
    collect(ended, { keyedRows }) {
      seen.push(`collect ${keyedRows.get(COUNTS)}`)
      keyedRows.put(IDS, ids ?? ended.map(({ verification }) => verification.id))
      return true
    },
  }
}

function endingsWith(contribution: EndingContribution) {
  const { all } = endingContributions({ ...deps, receiptSigners: createReceiptSigners(deps.db, deps.remoteKeys.open) })
  return createEndings({ ...deps, composed: composeEndings([...all, contribution]) })
}

const rowsOf = async (id: string) =>
  (
    await deps.db.query<{ step: string }>(
      { name: 'test_stub_read', text: 'select step from stub_rows where verification_id = $1 order by step' },
      [id],
    )
  ).map(({ step }) => step)

const newAsked = async () => findOpen(deps, (await create(service, key)).id)

const ran: string[] = []
deps.db.watch(({ name }) => void ran.push(name))

test('everything that a contribution locks, writes and announces is committed once with the ending', async () => {
  await deps.db.query({ name: 'test_stub_begin', text: 'insert into stub_ledger values ($1, 7)' }, [tenantId])
  const seen: string[] = []
  const endings = endingsWith(stub(seen))
  const verification = await newAsked()
  ran.splice(0)
  assert.equal(await endings.end({ verification, ...ENDING }), true)
  const names = [...ran]
  assert.deepEqual(seen, [`prepare ${verification.id}`, 'begin', 'collect 7'])
  assert.deepEqual(await rowsOf(verification.id), ['ended', 'last', 'own'])
  assert.equal((await read(service, key, verification.id)).status, 'failed')
  assert.deepEqual(
    names.filter((name) => /^(?:end_|stub|write_endings)/.test(name)),
    ['end_free_verifications_of_one', 'stub_own', 'write_endings_of_one'],
  )
})

test('if the part of one contribution fails, no contribution writes anything and the verification stays pending', async () => {
  const verification = await newAsked()
  const ending = endingsWith(stub([], [verification.id, 'refused'])).end({ verification, ...ENDING })
  await assert.rejects(ending, /violates check constraint/)
  assert.deepEqual(await rowsOf(verification.id), [])
  assert.equal((await read(service, key, verification.id)).status, 'pending')
  const [left] = await deps.db.query<{ count: number }>(
    {
      name: 'test_stub_left',
      text: `select (select count(*)::int from receipts where verification_id = $1)
               + (select count(*)::int from audit_entries where object_id = $1 and convert_from(bytes, 'UTF8') like '%verification.failed%') as count`,
    },
    [verification.id],
  )
  assert.equal(left?.count, 0)
})

test('without contributions the statements of core name no table of a feature', () => {
  const endings = composeEndings([])
  const creations = composeCreations([])
  const own = [...Object.values(endings.statements), endings.last, creations.statements.write]
  const opening = [creations.statements.free, creations.statements.waiting].flatMap(({ test: one, live }) => [
    one,
    live,
  ])
  for (const { name, text, forOne } of [...own, ...opening])
    assert.doesNotMatch(`${text} ${forOne?.text}`, /audit|receipt|webhook|deliver|evidence|uncounted|notify/, name)
})
