// Tests that lookups by id keep one plan that reads no whole table.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { insertTenant } from '../../../src/core/tenants/store/tenants.ts'
import { newEphemeralKey } from '../../../src/core/verifications/domain/ephemeral-key.ts'
import { OPTIONAL_DEFAULTS } from '../../../src/core/verifications/domain/verification.ts'
import type { NewVerification } from '../../../src/core/verifications/store/columns.ts'
import { openCreation, openFreeCreations, writeCreation } from '../../../src/core/verifications/store/creation.ts'
import { createAtOnce } from '../../../src/core/verifications/store/creation-at-once.ts'
import { endAtOnce, endVerifications } from '../../../src/core/verifications/store/endings.ts'
import { loadProgressAcrossTenants } from '../../../src/core/verifications/store/progress.ts'
import type { TenantLock } from '../../../src/core/verifications/store/tenant-lock.ts'
import {
  loadStatusAcrossTenants,
  loadVerifications,
  loadVersions,
  readStored,
} from '../../../src/core/verifications/store/verifications.ts'
import { loadWalletVerificationsAcrossTenants } from '../../../src/core/verifications/store/wallet-verifications.ts'
import {
  composeEndings,
  type EndedAnswer,
  type EndingContribution,
} from '../../../src/core/verifications/usecases/answering/contributions.ts'
import { beginBatch, writeEnded } from '../../../src/core/verifications/usecases/answering/end-verifications.ts'
import { collectCreations } from '../../../src/core/verifications/usecases/asking/commit-creations.ts'
import { CREATED_AT, composeCreations } from '../../../src/core/verifications/usecases/asking/contributions.ts'
import type { Draft } from '../../../src/core/verifications/usecases/asking/draft.ts'
import { createAudit } from '../../../src/features/audit/usecases/audit.ts'
import { auditCreation, auditEnding } from '../../../src/features/audit/usecases/contributions.ts'
import { countEnding } from '../../../src/features/figures/usecases/count-contribution.ts'
import { findOpenSignIns } from '../../../src/features/oidc/store/authorizations.ts'
import { loadLogosOfAskerAcrossTenants } from '../../../src/features/pages/store/branding.ts'
import { makeDay } from '../../../src/features/retention/store/day-partitions.ts'
import { type NewReceipt, WRITING_RECEIPTS } from '../../../src/features/transparency/store/receipts.ts'
import {
  endAttempts,
  type LeasedDelivery,
  leaseDeliveries,
} from '../../../src/features/webhooks/store/delivery-leases.ts'
import { chooseDueDeliveries } from '../../../src/features/webhooks/store/due-times.ts'
import { announcementEnding } from '../../../src/features/webhooks/usecases/contributions.ts'
import { createBatcher } from '../../../src/platform/event-loop/batch.ts'
import { newAuthorizationId, newTenantId, randomVerificationId } from '../../../src/platform/ids.ts'
import { DAY_MS, SINGLY } from '../../../src/platform/postgres/days.ts'
import { type Db, openDb, type Tx } from '../../../src/platform/postgres/db.ts'
import { partOf, rowKey } from '../../../src/platform/postgres/fragments.ts'
import { newVerificationId } from '../../../src/platform/verification-id.ts'
import { ENVIRONMENTS, type Random } from '../../../src/platform/world.ts'
import { testDatabase } from '../../harness/servers/database.ts'
import { testSealer } from '../../harness/servers/master-key.ts'
import { noteStatements } from '../../harness/servers/statements.ts'

const { db, connection } = await testDatabase()
db.sealer.keep(new Map())
// Creates as many partitions as a service has, because a plan for all of them must be kept, too.
for (let day = 1; day <= 40; day += 1) await db.transaction((tx) => makeDay(tx, day))
const REALM = { tenantId: 'ten_1', environment: 'test' } as const
const routedId = (random: Random) => newVerificationId(db.sealer, random, { tenantId: newTenantId(random), nowMs: 0 })
const ids = (count: number, make: typeof randomVerificationId) => Array.from({ length: count }, () => make(randomBytes))

/** Returns a sealer that has read the stored keys: there are none. */
function sealerWithKeys() {
  const sealer = testSealer()
  sealer.keep(new Map())
  return sealer
}

/** Ids of two days, so the statement goes to the partitioned tables. */
const twoDays = (count: number) => [
  ...ids(count, (random) => newVerificationId(db.sealer, random, { tenantId: newTenantId(random), nowMs: DAY_MS })),
  newVerificationId(db.sealer, randomBytes, { tenantId: newTenantId(randomBytes), nowMs: 2 * DAY_MS }),
]

interface Kept {
  readonly name: string
  readonly custom: number
  readonly generic: number
}

/** Every statement by which flows look up rows by their ids, in a form that shows PostgreSQL's plan. */
const LOOK_UPS = [
  {
    name: 'load_verifications',
    call: `"load_verifications@0"('a', 'test', array['b'], null, 0, 0, 0)`,
    run: (tx: Tx, count: number) =>
      loadVerifications(tx, REALM, { ids: ids(count, randomVerificationId), deviceId: null }),
  },
  {
    name: 'load_short_verifications',
    call: `"load_short_verifications@0"('a', 'test', array['b'], null, 0, 0, 0)`,
    run: (tx: Tx, count: number) => {
      const deps = { db: tx, batcher: createBatcher() }
      return Promise.all(ids(count, randomVerificationId).map((id) => readStored(deps, REALM, { id, deviceId: null })))
    },
  },
  {
    name: 'load_versions',
    call: `"load_versions@0"('a', 'test', array['b'], null, 0, 0, 0)`,
    run: (tx: Tx, count: number) => loadVersions(tx, REALM, { ids: ids(count, randomVerificationId), deviceId: null }),
  },
  {
    name: 'load_wallet_verifications_across_tenants',
    call: `"load_wallet_verifications_across_tenants@0"(array['b'])`,
    run: (tx: Tx, count: number) => loadWalletVerificationsAcrossTenants(tx, ids(count, randomVerificationId)),
  },
  {
    name: 'load_wallet_verifications',
    call: `"load_wallet_verifications@0"(array['b'], array['a'], 0, 0, 0)`,
    run: (tx: Tx, count: number) => loadWalletVerificationsAcrossTenants(tx, ids(count, routedId)),
  },
  {
    name: 'load_wallet_verifications',
    call: `load_wallet_verifications(array['b'], array['a'], 0, 0, 0)`,
    run: (tx: Tx, count: number) => loadWalletVerificationsAcrossTenants(tx, twoDays(count)),
  },
  {
    name: 'load_progress',
    call: `"load_progress@0"(array['b'], array['a'], 0, 0, 0)`,
    run: (tx: Tx, count: number) => loadProgressAcrossTenants(tx, ids(count, routedId)),
  },
  {
    name: 'load_status',
    call: `"load_status@0"('b', 'a', 0)`,
    run: (tx: Tx) => loadStatusAcrossTenants(tx, routedId(randomBytes)),
  },
  {
    name: 'load_logos_of_asker',
    call: `"load_logos_of_asker@0"('b', 'a', 0)`,
    run: (tx: Tx) => loadLogosOfAskerAcrossTenants(tx, routedId(randomBytes)),
  },
  {
    name: 'find_open_oidc_sign_ins',
    call: `find_open_oidc_sign_ins('a', 'test', array['b'], 0, 0)`,
    run: (tx: Tx, count: number) => findOpenSignIns(tx, REALM, { ids: ids(count, newAuthorizationId), nowMs: 0 }),
  },
]

describe('rows that are looked up by their ids', () => {
  for (const { name, call, run } of LOOK_UPS) {
    it(`${call} keeps one plan for any number of them, which reads no whole table`, async () => {
      await db.transaction(async (tx) => {
        for (const count of [1, 2, 64, 1, 3, 1, 2, 40]) await run(tx, count)
        const kept = await tx.query<Kept>({
          name: 'kept_plans',
          text: `select name, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements`,
        })
        const preparedAs = call.startsWith('"') ? `${name}@${SINGLY}` : name
        // Five are tried before one is kept.
        assert.deepEqual(
          kept.find((one) => one.name === preparedAs),
          { name: preparedAs, custom: 5, generic: 3 },
        )
        const plan = await tx.query<Record<string, string>>({
          name: `explain_${preparedAs}`,
          text: `explain execute ${call}`,
        })
        const text = plan.map((row) => Object.values(row)[0]).join('\n')
        const read = [...text.matchAll(/Scan(?: using (\w+))? on (verification\w*|oidc_authorizations)/g)]
        assert.notEqual(read.length, 0)
        for (const [, index, table] of read) assert.equal(index, `${table?.replace(/_singly$/, '')}_pkey`)
        assert.doesNotMatch(text, /Seq Scan/)
      })
    })
  }
})

describe('what a flow writes', () => {
  const NOW = '2027-06-15T12:00:00.000000Z'
  const LATER = '2099-06-15T12:00:00.000000Z'
  const day = NOW.slice(0, 10)
  const environment = 'test'
  const [first, second] = ['ten_plan_a', 'ten_plan_b']

  const derivedKeys = { derive: (_: string, size: number) => randomBytes(size) }
  const audit = createAudit({ random: randomBytes, derivedKeys })
  const creations = composeCreations([auditCreation(audit)])
  const RECEIPTS = rowKey<readonly NewReceipt[]>('receipts')
  const receipts: EndingContribution = {
    name: 'receipts',
    last: partOf(RECEIPTS, WRITING_RECEIPTS),
    collect(ended, { keyedRows }) {
      keyedRows.put(
        RECEIPTS,
        ended.map(({ realm, verification }) => ({ realm, verificationId: verification.id, jws: 'a.b.c', seq: 1 })),
      )
      return true
    },
  }
  const endings = composeEndings([auditEnding(audit), receipts, announcementEnding, countEnding])

  /** A verification of each tenant is created and ended. */
  async function flow(own: Db, tenantIds: readonly string[], statement: 'free' | 'waiting' = 'free'): Promise<void> {
    const created = tenantIds.map((tenantId) => newVerification(tenantId))
    await own.transaction(async (tx) => {
      const wanted = tenantIds.map((tenantId) => ({ tenantId, others: 1, signIns: 0 }))
      const openings = await openFreeCreations(tx, creations.statements, { environment, day, wanted })
      assert.equal(openings.size, tenantIds.length)
      const admitted = created.map((one) => {
        const draft = { ...one, registration: null, actorDetails: {}, transaction: [] } as unknown as Draft
        const { row } = openings.get(one.tenantId) ?? assert.fail('not opened')
        return {
          realm: { tenantId: one.tenantId, environment } as const,
          row,
          drafts: [draft],
          dayOf: () => SINGLY,
          one,
        }
      })
      const keyedRows = collectCreations(creations, admitted, NOW)
      const times = keyedRows.get(CREATED_AT)
      const verifications = admitted.map(({ one, drafts: [draft] }) => ({
        ...one,
        createdAt: (draft && times.get(draft)) ?? assert.fail('no time'),
      }))
      await writeCreation(tx, creations.statements.write, { verifications, answers: [], keyedRows })
      for (const { memory } of creations.statements.locks) memory?.remember(keyedRows)
    })
    await own.transaction(async (tx) => {
      const rows = created.map(({ tenantId, id }) => ({ ...ENDING, tenantId, id, day: SINGLY }))
      const ended = await endVerifications(tx, endings.statements[statement], { environment, endings: rows, at: NOW })
      const keyedRows = await beginBatch(endings, Date.parse(NOW))
      const locked = created.map(({ tenantId, id }) => {
        const { row } = ended.get(id) ?? assert.fail('not ended')
        return { realm: { tenantId, environment } as const, row, verification: { id }, outcome: 'completed' }
      })
      for (const lock of endings.locks) lock.read(locked, keyedRows)
      await writeEnded(tx, endings, locked as unknown as EndedAnswer[], { now: NOW, keyedRows })
      for (const { memory } of endings.locks) memory?.remember(keyedRows)
    })
  }

  /** The same flow if the process remembers the chains. */
  async function flowAtOnce(own: Db, tenantIds: readonly string[]): Promise<void> {
    const realms = tenantIds.map((tenantId) => ({ tenantId, environment }) as const)
    const recalled = async (locks: readonly TenantLock[]) => {
      const keyedRows = await beginBatch(endings, Date.parse(NOW))
      for (const { memory } of locks) assert.equal(memory?.recall(realms, keyedRows), true)
      return keyedRows
    }
    const created = realms.map((realm) => ({ ...newVerification(realm.tenantId), realm }))
    const keyedRows = await recalled(creations.statements.locks)
    const drafts = created.map((one) => {
      const draft = { ...one, registration: null, actorDetails: {}, transaction: [] } as unknown as Draft
      return { one, draft, realm: one.realm, drafts: [draft], dayOf: () => SINGLY }
    })
    for (const one of creations.all) one.collect(drafts, { now: NOW, keyedRows })
    const times = keyedRows.get(CREATED_AT)
    const verifications = drafts.map(({ one, draft }) => ({
      ...one,
      createdAt: times.get(draft) ?? assert.fail('no time'),
    }))
    const settings = {
      haip: false,
      clientIdPrefix: 'x509_hash',
      responseMode: 'direct_post.jwt',
      retentionDays: 30,
    } as const
    const tenants = tenantIds.map((tenantId) => ({ tenantId, others: 1, settings }))
    const creating = creations.atOnce?.[environment] ?? assert.fail('not composed')
    await own.transaction((tx) => createAtOnce(tx, creating, { verifications, answers: [], keyedRows, day, tenants }))
    for (const { memory } of creations.statements.locks) memory?.remember(keyedRows)
    const ending = await recalled(endings.locks)
    const ended = created.map(({ id, realm }) => ({ realm, verification: { id }, outcome: 'completed' }))
    for (const one of endings.all) one.collect?.(ended as unknown as EndedAnswer[], { now: NOW, keyedRows: ending })
    const { atOnce } = endings.statements
    assert.ok(atOnce !== null)
    const rows = created.map(({ tenantId, id }) => ({ ...ENDING, tenantId, id, day: SINGLY }))
    const readBefore = created.map(({ id }) => ({ id, requestHash: null }))
    await own.transaction((tx) =>
      endAtOnce(tx, atOnce, { environment, endings: rows, at: NOW, readBefore, keyedRows: ending }),
    )
    for (const { memory } of endings.locks) memory?.remember(ending)
  }

  it('a batch from cached state has one plan for one row, which reads no whole table', async (t) => {
    const own = await openDb({ connection, sealer: sealerWithKeys(), poolMax: 1 })
    t.after(() => own.close())
    noteStatements(own)
    const ids = ['ten_once_a', 'ten_once_b']
    for (const id of ids) {
      await insertTenant(own, { id, name: id, plan: 'free', dailyQuota: null, createdAt: NOW })
      const opening = { day, now: NOW, others: 0, signIns: 0, statements: creations.statements }
      await own.transaction((tx) => openCreation(tx, { tenantId: id, environment }, opening))
    }
    // Runs several times, so that the process remembers the chains.
    for (let i = 0; i < 3; i += 1) await flow(own, ids)
    await flowAtOnce(own, ids)
    for (let i = 0; i < 8; i += 1) await flowAtOnce(own, ids.slice(0, 1))
    const kept = await own.query<Kept & { readonly parameters: number }>({
      name: 'kept_plans_at_once',
      text: `select name, custom_plans::int as custom, generic_plans::int as generic, cardinality(parameter_types) as parameters
             from pg_prepared_statements where name like '%at_once%of_one@0' order by name`,
    })
    assert.deepEqual(
      kept.map(({ parameters, ...plans }) => plans),
      ['create_at_once_test', 'end_at_once'].map((name) => ({ name: `${name}_of_one@0`, custom: 5, generic: 3 })),
    )
    for (const { name, parameters } of kept) {
      const nulls = Array<string>(parameters).fill('null').join(', ')
      const plan = await own.query<Record<string, string>>({
        name: `plan_${name}_shown`,
        text: `explain execute "${name}" (${nulls})`,
      })
      const text = plan.map((row) => Object.values(row)[0]).join('\n')
      assert.doesNotMatch(
        text,
        /Seq Scan on (?:verifications|verification_results|receipts|audit_entries|audit_details)/,
      )
    }
  })

  it('one row has one plan, which reads no whole table; many are written in one statement, too', async (t) => {
    const own = await openDb({ connection, sealer: sealerWithKeys(), poolMax: 1 })
    t.after(() => own.close())
    noteStatements(own)
    for (const id of [first, second]) {
      await insertTenant(own, { id, name: id, plan: 'free', dailyQuota: null, createdAt: NOW })
      for (const each of ENVIRONMENTS)
        await own.transaction((tx) =>
          openCreation(
            tx,
            { tenantId: id, environment: each },
            { day, now: NOW, others: 0, signIns: 0, statements: creations.statements },
          ),
        )
    }
    const wanted = [first, second].map((tenantId) => ({ tenantId, others: 1, signIns: 0 }))
    const opened = await own.transaction((tx) =>
      openFreeCreations(tx, creations.statements, { environment: 'live', day, wanted }),
    )
    assert.deepEqual([...opened.keys()].sort(), [first, second])
    await flow(own, [first, second])
    await flow(own, [first, second], 'waiting')
    for (let i = 0; i < 8; i += 1) await flow(own, [first])
    const kept = await own.query<Kept>({
      name: 'kept_plans_for_one',
      text: `select split_part(name, '@', 1) as name, custom_plans::int as custom, generic_plans::int as generic
             from pg_prepared_statements where name ~ '_of_one(@0)?$' order by name`,
    })
    const written = ['end_free_verifications', 'open_free_creations_test', 'write_creation', 'write_endings']
    assert.deepEqual(
      kept.filter(({ generic }) => generic > 0),
      written.map((name) => ({ name: `${name}_of_one`, custom: 5, generic: 3 })),
    )
    const [ending] = await own.query<{ types: string[] }>({
      name: 'types_of_ending',
      text: `select parameter_types::text[] as types from pg_prepared_statements where name = 'end_free_verifications_of_one@0'`,
    })
    // A null day would be in no partition.
    const nulls = ending?.types.map((type) => (type === 'integer' ? '0' : 'null')).join(', ')
    const plan = await own.query<Record<string, string>>({
      name: 'explain_ending',
      text: `explain execute "end_free_verifications_of_one@0" (${nulls})`,
    })
    const text = plan.map((row) => Object.values(row)[0]).join('\n')
    assert.match(text, /Index Scan using verifications_pkey/)
    assert.doesNotMatch(text, /Seq Scan on verifications/)
  })

  describe('on tables that had one row when a connection made its plans, and have grown', () => {
    const ROWS = 5_000
    /** The test itself may read a table once; a read for each of a hundred deliveries must not happen. */
    const READ_MAX = 3 * ROWS

    /** Makes plans on a table with one delivery, adds many deliveries, and returns how many rows `use` then reads for a hundred. */
    async function readOfTheLast(
      use: (tx: Tx, ids: readonly string[]) => Promise<unknown>,
      id: string,
    ): Promise<number> {
      const own = await openDb({ connection, sealer: sealerWithKeys(), poolMax: 1 })
      try {
        await insertTenant(own, { id, name: id, plan: 'free', dailyQuota: null, createdAt: NOW })
        const opening = { day, now: NOW, others: 0, signIns: 0, statements: creations.statements }
        await own.transaction((tx) => openCreation(tx, { tenantId: id, environment }, opening))
        await flow(own, [id])
        await addDeliveries(own, id, { from: 1, to: 1 })
        await own.query({ name: 'test_analyze', text: 'analyze webhook_deliveries, webhook_attempts' })
        for (let i = 0; i < 8; i += 1) await use(own, [`dlv_${id}_1`])
        await addDeliveries(own, id, { from: 2, to: ROWS })
        return await own.transaction(async (tx) => {
          const ids = Array.from({ length: 100 }, (_, i) => `dlv_${id}_${i + 1_000}`)
          await use(tx, ids)
          const [row] = await tx.query<{ read: number }>({
            name: 'test_rows_read',
            text: `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
                   from pg_stat_xact_user_tables where relname in ('webhook_deliveries', 'webhook_attempts')`,
          })
          return row?.read ?? assert.fail('nothing was counted')
        })
      } finally {
        await own.close()
      }
    }

    async function addDeliveries(own: Db, id: string, { from, to }: { from: number; to: number }): Promise<void> {
      await own.query(
        {
          name: 'test_add_deliveries',
          text: `with v as (select id from verifications where tenant_id = $1 limit 1), delivery as (
                   insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at)
                   select 'dlv_' || $1 || '_' || n, $1, 'test', v.id, 'test.' || n, now(), now() from v, generate_series($2::int, $3::int) n
                   returning id)
                 insert into webhook_attempts (delivery_id, tenant_id, environment, trigger, started_at)
                 select id, $1, 'test', 'schedule', now() from delivery`,
        },
        [id, from, to],
      )
    }

    it('endings of webhooks read only their own rows', async () => {
      const read = await readOfTheLast(async (tx, ids) => {
        const attempts = await tx.query<{ id: number; delivery: string }>(
          {
            name: 'test_attempts_of',
            text: 'select id, delivery_id as delivery from webhook_attempts where delivery_id = any ($1)',
            replanEachCall: true,
          },
          [ids],
        )
        const ended = attempts.map(({ id, delivery }) => ({
          ...DELIVERED,
          delivery: leased(delivery, id, 'ten_plan_c'),
        }))
        await endAttempts(tx, ended, { now: NOW, answersUntil: NOW })
      }, 'ten_plan_c')
      assert.ok(read < READ_MAX, `${read} rows were read`)
    })

    const ANY = { now: LATER, free: 100, freeForRunning: 100, shareOfOthers: 64, realms: new Map() }

    it('a worker chooses its leases only from the deliveries that it may take', async () => {
      const read = await readOfTheLast(async (tx) => {
        const { deliveryIds } = await chooseDueDeliveries(tx, ANY)
        assert.notEqual(deliveryIds.length, 0)
      }, 'ten_plan_e')
      assert.ok(read < ROWS / 5, `${read} rows were read`)
    })

    it('leases read only the deliveries that they take', async () => {
      const read = await readOfTheLast(async (tx) => {
        const choice = await chooseDueDeliveries(tx, ANY)
        const leased = await leaseDeliveries(tx, choice, { now: LATER, leaseUntil: LATER })
        assert.equal(leased.length, choice.deliveryIds.length)
      }, 'ten_plan_f')
      assert.ok(read < READ_MAX, `${read} rows were read`)
    })

    it('attempts are deleted with their deliveries, without reading others', async () => {
      const read = await readOfTheLast(async (tx, ids) => {
        const text = 'delete from webhook_deliveries where id = any ($1)'
        await tx.query({ name: 'test_delete_deliveries', text }, [ids])
      }, 'ten_plan_d')
      assert.ok(read < READ_MAX, `${read} rows were read`)
      const [left] = await db.query<{ deliveries: number; attempts: number }>({
        name: 'test_left',
        text: `select (select count(*)::int from webhook_deliveries where tenant_id = 'ten_plan_d') as deliveries,
                 (select count(*)::int from webhook_attempts where tenant_id = 'ten_plan_d') as attempts`,
      })
      assert.deepEqual(left, { deliveries: ROWS - 101, attempts: ROWS - 101 })
    })
  })

  const DELIVERED = {
    state: 'delivered',
    attempts: 1,
    nextAt: null,
    outcome: 'delivered',
    httpStatus: 204,
    gaveContent: false,
    heldFor: null,
    failedAtOrigin: null,
    sentAt: null,
    tookMs: null,
    answer: null,
  } as const

  const leased = (id: string, attemptId: number, tenantId: string) =>
    ({ id, fence: 0, attemptId, verification: { tenantId, day: SINGLY } }) as unknown as LeasedDelivery

  const ENDING = {
    status: 'completed',
    result: { outcome: 'completed', claims: {}, credentials: [], verdict: null },
    errorCode: null,
    channelName: 'redirect',
    responseCodeHash: null,
    boundBy: null,
    forgetAt: null,
    forgottenAt: null,
    fetched: null,
  } as const

  function newVerification(tenantId: string): NewVerification {
    const id = randomVerificationId(randomBytes)
    return {
      ...OPTIONAL_DEFAULTS,
      tenantId,
      environment,
      id,
      createdAt: NOW,
      expiresAt: '2027-06-15T12:05:00.000000Z',
      query: '{"credentials":[]}',
      outputs: null,
      registrationId: null,
      browserBinding: null,
      browserHash: null,
      purpose: null,
      clientId: 'x509_hash:abc',
      actor: { type: 'api_key', id: 'key_1' },
      nonce: id,
      stateParameter: id,
      responseMode: 'direct_post',
      ephemeralKey: newEphemeralKey(randomBytes),
      transaction: [],
      idempotencyKey: null,
      day: SINGLY,
    }
  }
})
