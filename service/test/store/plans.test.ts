import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { newAuthorizationId, newVerificationId } from '../../src/domain/ids.ts'
import { findOpenSignIns } from '../../src/store/oidc/authorizations.ts'
import type { Tx } from '../../src/store/postgres/db.ts'
import { loadAskedAcrossTenants } from '../../src/store/verifications/asked.ts'
import { loadVerifications } from '../../src/store/verifications/verifications.ts'
import { testDatabase } from '../harness/servers/database.ts'

const { db } = await testDatabase()
const REALM = { tenantId: 'ten_1', environment: 'test' } as const
const ids = (count: number, make: typeof newVerificationId) => Array.from({ length: count }, () => make(randomBytes))

interface Kept {
  readonly name: string
  readonly custom: number
  readonly generic: number
}

/** Every statement by which flows look up rows by their ids, and how PostgreSQL would be asked for its plan. */
const LOOK_UPS = [
  {
    name: 'load_verifications',
    call: `load_verifications('a', 'test', array['b'], null)`,
    run: (tx: Tx, count: number) =>
      loadVerifications(tx, REALM, { ids: ids(count, newVerificationId), deviceId: null }),
  },
  {
    name: 'load_asked_across_tenants',
    call: `load_asked_across_tenants(array['b'])`,
    run: (tx: Tx, count: number) => loadAskedAcrossTenants(tx, ids(count, newVerificationId)),
  },
  {
    name: 'find_open_oidc_sign_ins',
    call: `find_open_oidc_sign_ins('a', 'test', array['b'])`,
    run: (tx: Tx, count: number) => findOpenSignIns(tx, REALM, ids(count, newAuthorizationId)),
  },
]

describe('rows that are looked up by their ids', () => {
  for (const { name, call, run } of LOOK_UPS) {
    it(`${name} keeps one plan for any number of them, which reads no whole table`, async () => {
      await db.transaction(async (tx) => {
        for (const count of [1, 2, 64, 1, 3, 1, 2, 40]) await run(tx, count)
        const kept = await tx.query<Kept>({
          name: 'kept_plans',
          text: `select name, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements`,
        })
        // Five are tried before one is kept.
        assert.deepEqual(
          kept.find((one) => one.name === name),
          { name, custom: 5, generic: 3 },
        )
        const plan = await tx.query<Record<string, string>>({
          name: `explain_${name}`,
          text: `explain execute ${call}`,
        })
        const text = plan.map((row) => Object.values(row)[0]).join('\n')
        const read = [...text.matchAll(/Scan(?: using (\w+))? on (verification\w*|oidc_authorizations)/g)]
        assert.notEqual(read.length, 0)
        for (const [, index, table] of read) assert.equal(index, `${table}_pkey`)
        assert.doesNotMatch(text, /Seq Scan/)
      })
    })
  }
})
