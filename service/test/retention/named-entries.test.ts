// Tests which audit entries a lapse names, whatever their numbers are, against a plain count.

import assert from 'node:assert/strict'
import test from 'node:test'
import { nameEntries } from '../../src/features/retention/store/day-partitions.ts'
import { dayAt } from '../../src/platform/postgres/days.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { db } = service.deps
const day = dayAt(service.clock.now())
await runJob(service.deps, 'make-days')

const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

const CASES: readonly { readonly what: string; readonly numbers: readonly number[] }[] = [
  { what: 'one', numbers: [1] },
  { what: 'one far away', numbers: [4_000_000_000_000] },
  { what: 'exactly one page of numbers', numbers: from(1, 1_000) },
  { what: 'one more', numbers: from(17, 1_001) },
  { what: 'a gap where a page ends', numbers: [...from(5, 1_000), ...from(1_006, 1_000), 2_100] },
  { what: 'a gap before a page ends', numbers: [...from(5, 999), ...from(1_005, 2_500)] },
  { what: 'every second', numbers: from(1, 2_500).map((n) => 2 * n) },
  { what: 'long gaps', numbers: [2, 3, ...from(50_000, 3_000), 9_000_000, 9_000_001] },
  { what: 'no order', numbers: from(1, 6_000).filter((n) => (n * 7_919) % 101 > 3) },
]

/** Encodes numbers as run lengths from 1 on: alternately how many are left out, and how many follow. */
function encode(numbers: readonly number[]): string {
  const runs: [number, number][] = []
  let before = 0
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run !== undefined && number === before + 1) run[1] += 1
    else runs.push([number - before - 1, 1])
    before = number
  }
  return runs.flat().join()
}

for (const { what, numbers } of CASES)
  test(`entries of both realms of a tenant are named: ${what}`, async () => {
    const tenantId = await service.tenant()
    const shifted = numbers.map((number) => number + 3)
    for (const [environment, seqs] of [
      ['test', numbers],
      ['live', shifted],
    ] as const)
      await db.query(
        {
          name: 'test_details',
          text: `insert into audit_details (tenant_id, environment, seq, object_id, salt, details, day)
                 select $1, $2, seq, 'ver_' || seq, '\\x00', '{}', $4 from unnest($3::bigint[]) as seq`,
        },
        [tenantId, environment, seqs, day],
      )
    const named = (await db.transaction((tx) => nameEntries(tx, day))).filter((one) => one.tenantId === tenantId)
    const sorted = named.map(({ environment, entries, last }) => ({ environment, entries, last })).sort(byEnvironment)
    assert.deepEqual(sorted, [
      { environment: 'live', entries: encode(shifted), last: shifted.at(-1) },
      { environment: 'test', entries: encode(numbers), last: numbers.at(-1) },
    ])
  })

const byEnvironment = (one: { readonly environment: string }, other: { readonly environment: string }) =>
  one.environment < other.environment ? -1 : 1
