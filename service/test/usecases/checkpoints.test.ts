// Tests that changes by an attacker with the database are noticed, by the log and older checkpoints.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import test from 'node:test'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import type { HeadWithMac } from '../../src/features/audit/domain/head-macs.ts'
import { adoptTrail } from '../../src/features/audit/usecases/adopt-chain.ts'
import { judgeTrails } from '../../src/features/audit/usecases/judge-chains.ts'
import { auditPublicKey, exportAudit, readCheckpoints } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyExport, verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { diagnoseLog } from '../../src/features/transparency/usecases/diagnose-log.ts'
import { JOBS } from '../../src/job-table.ts'
import { runDueJob } from '../../src/platform/jobs/run-due-job.ts'
import { chainOwner } from '../harness/chain-owner.ts'
import { runJob } from '../harness/jobs.ts'
import { keepOldCheckpoint } from '../harness/log/old-checkpoints.ts'
import { logOldHead } from '../harness/log/old-heads.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { deps, clock } = service
const { asOwner, rewriteChain } = chainOwner(deps.db)
const HOUR = 3_600_000
const DAY = 24 * HOUR

async function chain(entries = 0) {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const realm: Realm = { tenantId, environment: 'test' }
  const grow = async (by: number) => {
    const body = { template: 'age_over_18' }
    for (let n = 0; n < by; n += 1)
      assert.equal((await service.call('POST', '/v1/verifications', { key, body })).status, 201)
  }
  await grow(entries)
  return {
    realm,
    grow,
    logged: () => loggedOf(realm),
    verdict: () => verifyStored(deps, { realm, log: 'whole' }),
    quick: () => verifyStored(deps, { realm, log: 'newest' }),
  }
}

const of = ({ tenantId, environment }: Realm) => [tenantId, environment]
const WHERE = 'where tenant_id = $1 and environment = $2'
const run = (name: string, text: string, values: readonly unknown[]) =>
  asOwner(async (tx) => void (await tx.query({ name: `test_${name}`, text }, values)))

async function loggedOf(realm: Realm): Promise<number[]> {
  const rows = await deps.db.query<{ seq: number }>(
    { name: 'test_logged', text: `select seq from log_blinded_heads ${WHERE} order by seq` },
    of(realm),
  )
  return rows.map(({ seq }) => seq)
}

/** Returns the alarms that a check of all chains raises for this one. */
async function alarmsOf(realm: Realm): Promise<string[]> {
  const before = service.logged.length
  await judgeTrails(deps)
  const raised = service.logged.slice(before).filter((line) => line.includes(realm.tenantId) && line.includes('"test"'))
  return raised.map((line) => (line.includes('is not as the service wrote it') ? 'changed' : 'missing'))
}

test('the log takes each chain that grew, and no job makes a checkpoint of the old kind', async () => {
  const [busy, quiet] = [await chain(3), await chain()]
  await runJob(deps, 'keep-log')
  const begun = await quiet.logged()
  const [first = 0] = await busy.logged()
  assert.ok(first >= 3 && begun.length === 1)
  await busy.grow(2)
  clock.advance(2 * DAY)
  await runJob(deps, 'keep-log')
  await runJob(deps, 'judge-chains')
  assert.deepEqual(await busy.logged(), [first, first + 2])
  assert.deepEqual(await quiet.logged(), begun)
  assert.deepEqual(await readCheckpoints(deps, busy.realm), [])
  const stored = await busy.verdict()
  assert.ok(stored.outcome === 'whole' && stored.checkpoints === 2 && stored.logged?.seq === first + 2)
  const quick = await busy.quick()
  assert.ok(quick.outcome === 'whole' && quick.checkpoints === 1 && quick.logged?.seq === first + 2)
})

test('a chain is verified once a day, from where the run before ended', async () => {
  const job = JOBS.find(({ name }) => name === 'judge-chains')
  assert.ok(job !== undefined)
  const { realm, grow } = await chain(2)
  await runJob(deps, 'keep-log')
  assert.equal(await runDueJob(deps, job), 'done')
  assert.equal(await runDueJob(deps, job), 'not_due')
  clock.advance(2 * HOUR)
  await grow(2)
  await runJob(deps, 'keep-log')
  clock.advance(DAY)
  assert.equal(await runDueJob(deps, job), 'done')
  clock.advance(DAY)
  // An entry that a leaf covers, and that the run before has verified, differs from what the leaf was made of.
  const [, newest = 0] = await loggedOf(realm)
  const other = { name: 'test_other_bytes', text: `update audit_entries set bytes = $4 ${WHERE} and seq = $3` }
  await asOwner(async (tx) => void (await tx.query(other, [...of(realm), newest, Buffer.from('{"at":"x"}')])))
  const before = service.logged.length
  assert.equal(await runDueJob(deps, job), 'done')
  assert.ok(service.logged.slice(before).some((line) => line.includes(realm.tenantId)))
})

test('checkpoints from before the log still count: in the store, in exports, and as files', async () => {
  const { realm, grow, verdict } = await chain(2)
  const note = await keepOldCheckpoint(deps, realm)
  const old = await Array.fromAsync(exportAudit(deps, realm))
  await grow(2)
  await runJob(deps, 'keep-log')
  await grow(1)
  const publicKey = auditPublicKey(deps)
  const exported = await Array.fromAsync(exportAudit(deps, realm))
  for (const [lines, checkpoints] of [
    [old, 2],
    [exported, 2],
  ] as const) {
    const found = await verifyExport({ lines: () => Readable.from(lines), publicKey, notes: [note], logKeys: null })
    assert.ok(found.outcome === 'whole' && found.checkpoints === checkpoints + 1, JSON.stringify(found))
  }
  const stored = await verifyStored(deps, { realm, log: 'whole', notes: [note] })
  assert.ok(stored.outcome === 'whole' && stored.checkpoints === 3, JSON.stringify(stored))
  assert.deepEqual(await alarmsOf(realm), [])
  const change = `update audit_checkpoints set note = replace(note, '/test', '/live') ${WHERE}`
  await assert.rejects(deps.db.query({ name: 'test_change', text: change }, of(realm)), /append-only/)
  await run('change_as_owner', change, of(realm))
  assert.equal((await verdict()).outcome, 'untrusted')
  assert.deepEqual(await alarmsOf(realm), ['changed'])
  await run('drop_changed', `delete from audit_checkpoints ${WHERE}`, of(realm))
  assert.deepEqual(await alarmsOf(realm), [], 'the log has all that they covered')
})

test('the log must extend a stored checkpoint of it', async () => {
  const { realm } = await chain(1)
  await runJob(deps, 'keep-log')
  const { text: kept } = await service.call('GET', '/log/checkpoint')
  const verifyNote = (note: string) => verifyStored(deps, { realm, log: 'newest', notes: [note] })
  assert.equal((await verifyNote(kept)).outcome, 'whole')
  await chain(1)
  await runJob(deps, 'keep-log')
  assert.equal((await verifyNote(kept)).outcome, 'whole')
  const other = await verifyNote(kept.replace(/\n\d+\n/, '\n1\n'))
  assert.ok(other.outcome === 'untrusted' && /not signed by this service/.test(other.problem))
})

/** The position of a chain when it is attacked. */
const ERAS: Readonly<Record<string, (realm: Realm) => Promise<unknown>>> = {
  'before the log': (realm) => keepOldCheckpoint(deps, realm),
  'in the log': () => runJob(deps, 'keep-log'),
  'in the log, by a release before blinding': (realm) => logOldHead(deps, realm),
  'in both': async (realm) => {
    await keepOldCheckpoint(deps, realm)
    await runJob(deps, 'keep-log')
  },
}

interface Attacked {
  readonly realm: Realm
  /** A head with a valid MAC, from when the chain was shorter. */
  readonly older: HeadWithMac
  grow(by: number): Promise<void>
}

const deleteCheckpoints = async (realm: Realm) => {
  await run('drop_notes', `delete from audit_checkpoints ${WHERE}`, of(realm))
  await run('drop_places', `delete from log_blinded_heads ${WHERE}`, of(realm))
  await run('drop_old_places', `delete from log_chain_heads ${WHERE}`, of(realm))
}

async function rollBack({ realm, older }: Attacked): Promise<void> {
  for (const table of ['audit_entries', 'audit_details'])
    await run(`cut_${table}`, `delete from ${table} ${WHERE} and seq > $3`, [...of(realm), older.seq])
  const { seq, hash, at, mac } = older
  const text = `update audit_heads set seq = $3, hash = $4, at = $5, mac = $6 ${WHERE}`
  await run('older_head', text, [...of(realm), seq, hash, at, mac])
}

const ATTACKS: Readonly<Record<string, (attacked: Attacked) => Promise<void>>> = {
  rewritten: ({ realm }) => rewriteChain(realm, 2),
  'rewritten, and its checkpoints deleted': async ({ realm }) => {
    await rewriteChain(realm, 2)
    await deleteCheckpoints(realm)
  },
  'rolled back': rollBack,
  'rolled back, and its checkpoints deleted': async (attacked) => {
    await rollBack(attacked)
    await deleteCheckpoints(attacked.realm)
  },
  'rolled back and continued': async (attacked) => {
    await rollBack(attacked)
    await attacked.grow(6)
    await runJob(deps, 'keep-log')
  },
  'rolled back and continued, and then its checkpoints deleted': async (attacked) => {
    await rollBack(attacked)
    await attacked.grow(6)
    await runJob(deps, 'keep-log')
    await deleteCheckpoints(attacked.realm)
    await runJob(deps, 'keep-log')
  },
  'rolled back, its checkpoints deleted, and continued': async (attacked) => {
    await rollBack(attacked)
    await deleteCheckpoints(attacked.realm)
    await attacked.grow(1)
    await runJob(deps, 'keep-log')
  },
}

for (const [era, begin] of Object.entries(ERAS)) {
  for (const [attack, strike] of Object.entries(ATTACKS)) {
    test(`an alarm stays if a chain (${era}) is ${attack}, with the database alone`, async () => {
      const { realm, grow, verdict } = await chain(2)
      const [older] = await deps.db.query<HeadWithMac>(
        { name: 'test_head', text: `select seq, hash, at, mac from audit_heads ${WHERE}` },
        of(realm),
      )
      assert.ok(older !== undefined)
      clock.advance(2 * HOUR)
      await grow(3)
      await begin(realm)
      assert.deepEqual(await alarmsOf(realm), [])
      clock.advance(1_000)
      await strike({ realm, older, grow })
      assert.notDeepEqual(await alarmsOf(realm), [])
      await grow(1)
      await runJob(deps, 'keep-log')
      assert.notDeepEqual(await alarmsOf(realm), [], 'also after new entries')
      const unsigned = era === 'before the log' && /rolled back.*checkpoints deleted/.test(attack)
      // The chain no longer shows that an operator must check it. The missing leaf does.
      if (unsigned) assert.deepEqual(await loggedOf(realm), [], 'the chain does not enter the log')
      else assert.notEqual((await verdict()).outcome, 'whole')
      if (!unsigned)
        assert.equal(
          (await adoptTrail(deps, realm)).outcome,
          era === 'before the log' && /checkpoints deleted/.test(attack) ? 'adopted' : 'refused',
        )
    })
  }
}

test('a chain rolled back between two of its leaves, with the later position deleted, raises an alarm even after it has grown again', async () => {
  const job = JOBS.find(({ name }) => name === 'judge-chains') ?? assert.fail('there is no such job')
  const { realm, grow } = await chain(2)
  await runJob(deps, 'keep-log')
  clock.advance(2 * DAY)
  assert.equal(await runDueJob(deps, job), 'done')
  const [older] = await deps.db.query<HeadWithMac>(
    { name: 'test_head', text: `select seq, hash, at, mac from audit_heads ${WHERE}` },
    of(realm),
  )
  assert.ok(older !== undefined)
  await grow(3)
  await runJob(deps, 'keep-log')
  assert.deepEqual(await alarmsOf(realm), [])
  await rollBack({ realm, older, grow })
  await run('drop_later', `delete from log_blinded_heads ${WHERE} and seq > $3`, [...of(realm), older.seq])
  clock.advance(1_000)
  await grow(6)
  await runJob(deps, 'keep-log')
  assert.equal((await loggedOf(realm)).length, 2, 'the check continues from the remaining leaf')
  assert.deepEqual(await alarmsOf(realm), ['changed'])
})

test('a forged run or lease years ahead does not block the job', async () => {
  const job = JOBS.find(({ name }) => name === 'judge-chains') ?? assert.fail('there is no such job')
  clock.advance(2 * DAY)
  assert.equal(await runDueJob(deps, job), 'done')
  for (const column of ['ran_at', 'lease_until']) {
    clock.advance(2 * DAY)
    await run(`ahead_${column}`, `update jobs set ${column} = '2099-01-01' where name = $1`, [job.name])
    assert.equal(await runDueJob(deps, job), 'done', column)
    assert.equal(await runDueJob(deps, job), 'not_due', column)
  }
})

test('adopting a quiet chain without its position in the log ends the alarm', async () => {
  const { realm } = await chain(2)
  await runJob(deps, 'keep-log')
  clock.advance(2 * HOUR)
  await chain(1)
  await runJob(deps, 'keep-log')
  await run('drop_places', `delete from log_blinded_heads ${WHERE}`, of(realm))
  assert.notDeepEqual(await alarmsOf(realm), [])
  assert.equal((await adoptTrail(deps, realm)).outcome, 'adopted')
  assert.deepEqual(await alarmsOf(realm), [])
})

test('if the store contradicts the log about a head, nothing is added and an alarm is raised', async () => {
  for (const [name, change] of Object.entries({
    elsewhere: `update log_blinded_heads set leaf_index = 1 ${WHERE}`,
    further: `insert into log_blinded_heads select tenant_id, environment, ordinal + 1, 1000000, 1 from log_blinded_heads ${WHERE}`,
  })) {
    await chain(1)
    const { realm, grow, logged, quick } = await chain(2)
    await runJob(deps, 'keep-log')
    await run(`places_${name}`, change, of(realm))
    await grow(1)
    const before = await logged()
    await runJob(deps, 'keep-log')
    assert.deepEqual(await logged(), before, name)
    const found = await quick()
    assert.ok(found.outcome === 'untrusted' && /at the position that the store names/.test(found.problem), name)
    assert.deepEqual(await alarmsOf(realm), ['changed'], name)
    await run('restore_places', `delete from log_blinded_heads ${WHERE}`, of(realm))
  }
})

test('verifying a chain with the whole log finds an edited or missing tile of hashes', async () => {
  const { realm } = await chain(1)
  await runJob(deps, 'keep-log')
  const kept = await deps.db.query<{ bytes: Buffer }>({
    name: 'test_tile',
    text: 'select bytes from log_tiles where level = 0 and index = 0',
  })
  const write = (bytes: Buffer) =>
    deps.db.query(
      {
        name: 'test_write_tile',
        text: `insert into log_tiles (level, index, bytes) values (0, 0, $1)
               on conflict (level, index) do update set bytes = excluded.bytes`,
      },
      [bytes],
    )
  const bytes = kept[0]?.bytes ?? assert.fail('no tile')
  assert.equal((await verifyStored(deps, { realm, log: 'whole' })).outcome, 'whole')
  for (const spoiled of [
    Buffer.concat([Buffer.alloc(1, (bytes[0] ?? 0) ^ 1), bytes.subarray(1)]),
    bytes.subarray(32),
  ]) {
    await write(spoiled)
    const found = await verifyStored(deps, { realm, log: 'whole' })
    assert.ok(
      found.outcome === 'untrusted' && /tile 0\/000 .* edited or lost/.test(found.problem),
      JSON.stringify(found),
    )
  }
  await deps.db.query({ name: 'test_drop_tile', text: 'delete from log_tiles where level = 0 and index = 0' })
  assert.equal((await verifyStored(deps, { realm, log: 'whole' })).outcome, 'untrusted')
  // The tile is longer than at the checkpoint, because it grew in between.
  await write(Buffer.concat([bytes, Buffer.alloc(32)]))
  assert.equal((await verifyStored(deps, { realm, log: 'whole' })).outcome, 'whole')
  await write(bytes)
})

test('a leaf that was exchanged in the store halts the log, and no chain is compared with it', async () => {
  const { realm, quick } = await chain(1)
  await runJob(deps, 'keep-log')
  await deps.db.query(
    {
      name: 'test_other_leaf',
      text: 'update log_tiles set bytes = overlay(bytes placing $1 from 40) where level = -1 and index = 0',
    },
    [Buffer.from([1, 2, 3])],
  )
  await judgeTrails(deps)
  const [finding] = await diagnoseLog(deps)
  assert.match(finding?.finding ?? '', /halted.*leaves of the public log in the store do not match its last checkpoint/)
  assert.equal((await quick()).outcome, 'whole', 'its own leaf is still proven')
  const found = await verifyStored(deps, { realm, log: 'whole' })
  assert.ok(found.outcome === 'untrusted' && /do not match its last checkpoint/.test(found.problem))
})
