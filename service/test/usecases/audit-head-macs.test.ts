// Tests that an attacker with the database alone cannot make a chain that verifies, is signed, or gets a checkpoint.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import test from 'node:test'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { genesisHash } from '../../src/features/audit/domain/entry.ts'
import { createHeadMacs } from '../../src/features/audit/domain/head-macs.ts'
import { adoptTrail } from '../../src/features/audit/usecases/adopt-chain.ts'
import { listUnguarded } from '../../src/features/audit/usecases/guard.ts'
import { judgeTrails } from '../../src/features/audit/usecases/judge-chains.ts'
import {
  auditPublicKey,
  ChainNotWhole,
  checkpointAudit,
  exportAudit,
} from '../../src/features/audit/usecases/read-audit.ts'
import { verifyExport, verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { readNoteKey } from '../../src/platform/signed-note.ts'
import { instantOf } from '../../src/platform/world.ts'
import { chainOwner } from '../harness/chain-owner.ts'
import { runJob } from '../harness/jobs.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from '../wallet/verifications.ts'

const service = await testService()
const { deps, clock } = service
const { asOwner, rewriteChain } = chainOwner(deps.db)
const DAY = 86_400_000

async function chain(entries: number) {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const realm: Realm = { tenantId, environment: 'test' }
  const grow = async (by: number) => {
    for (let n = 0; n < by; n += 1) {
      const answer = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
      assert.equal(answer.status, 201)
    }
  }
  await grow(entries)
  return { realm, grow, verdict: () => verifyStored(deps, { realm, log: 'whole' }) }
}

const at = (realm: Realm) => [realm.tenantId, realm.environment]
const run = (name: string, text: string, values: readonly unknown[]) =>
  asOwner(async (tx) => void (await tx.query({ name: `test_${name}`, text }, values)))

/** Deletes what the store says about the chain's position in the log. */
const dropPlaces = (realm: Realm) =>
  run('drop_places', 'delete from log_blinded_heads where tenant_id = $1 and environment = $2', at(realm))
const emptySeal = (realm: Realm) =>
  run('empty_seal', 'update audit_heads set mac = null where tenant_id = $1 and environment = $2', at(realm))

async function placesOf(realm: Realm): Promise<number[]> {
  const text = 'select seq from log_blinded_heads where tenant_id = $1 and environment = $2 order by seq'
  return (await deps.db.query<{ seq: number }>({ name: 'test_places', text }, at(realm))).map(({ seq }) => seq)
}

/** Exports a chain, and asserts that the export has no signature. */
async function exportUnsigned(realm: Realm): Promise<string[]> {
  const lines: string[] = []
  await assert.rejects(async () => {
    for await (const line of exportAudit(deps, realm)) lines.push(line)
  }, ChainNotWhole)
  return lines
}

test('if rows below an untouched head are deleted, nothing is signed, and the rest does not verify', async () => {
  const { realm, verdict } = await chain(5)
  const whole = await verdict()
  assert.ok(whole.outcome === 'whole')
  await run('cut_rows', 'delete from audit_entries where tenant_id = $1 and environment = $2 and seq > $3', [
    ...at(realm),
    whole.entries - 2,
  ])
  const lines = await exportUnsigned(realm)
  assert.equal(lines.length, 1 + whole.entries - 2)
  const found = await verifyExport({
    lines: () => Readable.from(lines),
    publicKey: auditPublicKey(deps),
    notes: [],
    logKeys: null,
  })
  assert.equal(found.outcome, 'incomplete')
  assert.equal((await verdict()).outcome, 'incomplete')
  const before = await judgeTrails(deps)
  assert.ok(before.changed >= 1)
  await assert.rejects(checkpointAudit(deps, realm), ChainNotWhole)
})

test('entries beyond the head are not signed', async () => {
  const { realm, grow, verdict } = await chain(2)
  const before = await verdict()
  assert.ok(before.outcome === 'whole')
  const saved = await deps.db.query<{ seq: number; hash: Buffer; at: string; mac: Buffer }>(
    { name: 'test_save', text: 'select seq, hash, at, mac from audit_heads where tenant_id = $1 and environment = $2' },
    at(realm),
  )
  await grow(1)
  const [head] = saved
  await run(
    'head_back',
    'update audit_heads set seq = $3, hash = $4, at = $5, mac = $6 where tenant_id = $1 and environment = $2',
    [...at(realm), head?.seq, head?.hash, head?.at, head?.mac],
  )
  assert.equal((await verdict()).outcome, 'tampered')
  await exportUnsigned(realm)
})

test('a chain rewritten before the log has it does not verify, is not signed, and no entry of ours makes it valid', async () => {
  const { realm, grow, verdict } = await chain(4)
  await rewriteChain(realm, 3)
  assert.equal((await verdict()).outcome, 'untrusted')
  await exportUnsigned(realm)
  const first = await judgeTrails(deps)
  await grow(2)
  assert.equal((await verdict()).outcome, 'untrusted', 'new entries are appended, the chain stays without a MAC')
  await runJob(deps, 'keep-log')
  assert.equal((await judgeTrails(deps)).changed, first.changed)
  assert.deepEqual(await placesOf(realm), [])
  await exportUnsigned(realm)
  await emptySeal(realm)
  await grow(1)
  assert.equal((await verdict()).outcome, 'untrusted', 'emptying the column changes nothing')
  await assert.rejects(checkpointAudit(deps, realm), ChainNotWhole)
})

test('a MAC belongs to one chain and one head', async () => {
  const [one, other] = [await chain(1), await chain(1)]
  assert.equal((await one.verdict()).outcome, 'whole')
  await run(
    'swap_seal',
    `update audit_heads h set mac = o.mac from audit_heads o
     where h.tenant_id = $1 and h.environment = $2 and o.tenant_id = $3 and o.environment = $2`,
    [...at(one.realm), other.realm.tenantId],
  )
  assert.equal((await one.verdict()).outcome, 'untrusted')
})

test('only an operator gives a chain from before MACs a MAC, if the chain agrees with itself and its checkpoints', async () => {
  const { realm, grow, verdict } = await chain(3)
  await emptySeal(realm)
  await grow(1)
  await runJob(deps, 'keep-log')
  assert.equal((await verdict()).outcome, 'untrusted')
  const trails = (await diagnose(deps)).find(({ area }) => area === 'audit trail')
  assert.equal(trails?.status, 'problem')
  assert.match(trails?.remedy ?? '', /audit adopt/)
  assert.ok((await listUnguarded(deps)).some(({ tenantId }) => tenantId === realm.tenantId))
  assert.equal((await adoptTrail(deps, realm)).outcome, 'adopted')
  assert.equal((await adoptTrail(deps, realm)).outcome, 'not_needed')
  assert.equal((await verdict()).outcome, 'whole')
  await grow(1)
  await runJob(deps, 'keep-log')
  assert.equal((await verdict()).outcome, 'whole')
  await rewriteChain(realm, 2)
  await emptySeal(realm)
  assert.equal((await adoptTrail(deps, realm)).outcome, 'refused')
})

test('alarm, metric, doctor and dashboard report a chain without the checkpoint that it should have', async () => {
  const { realm } = await chain(1)
  const owner = await person(service, realm.tenantId, 'owner')
  const missing = async () => {
    const { values } = await deps.metrics.alarms.get()
    return values.find(({ labels }) => labels.alarm === 'audit_checkpoint_missing')?.value ?? 0
  }
  const guard = async () => (await owner.call('GET', '@/audit')).json.guard
  assert.deepEqual(await guard(), { sealed: true, checkpoint_missing: false }, 'a new one is not due yet')
  await runJob(deps, 'keep-log')
  clock.advance(3 * DAY)
  await chain(1)
  await runJob(deps, 'keep-log')
  const again = await person(service, realm.tenantId, 'owner')
  await dropPlaces(realm)
  assert.equal((await again.call('GET', '@/audit')).json.guard.checkpoint_missing, true)
  assert.match(await deps.metrics.registry.metrics(), /vidimus_audit_chains_without_checkpoint [1-9]/)
  const before = await missing()
  assert.ok((await judgeTrails(deps)).missing >= 1)
  assert.ok((await missing()) > before)
  assert.ok(
    service.logged.some(
      (line) => line.includes('should have a checkpoint in the log') && line.includes(realm.tenantId),
    ),
  )
  await emptySeal(realm)
  assert.equal((await again.call('GET', '@/audit')).json.guard.sealed, false)
  assertRefused(await again.call('GET', '@/audit/export'), 409, 'audit_not_whole')
})

const emptyChain = (realm: Realm) =>
  asOwner(async (tx) => {
    for (const table of ['log_blinded_heads', 'audit_details', 'audit_entries', 'audit_heads']) {
      const text = `delete from ${table} where tenant_id = $1 and environment = $2`
      await tx.query({ name: `test_empty_${table}`, text }, at(realm))
    }
  })

const trailsDoctor = async () => (await diagnose(deps)).find(({ area }) => area === 'audit trail')

test('an emptied chain is incomplete; new entries begin another, which is not signed until an operator adopts it', async () => {
  const { realm, grow, verdict } = await chain(3)
  const owner = await person(service, realm.tenantId, 'owner')
  const before = await judgeTrails(deps)
  const ofRealm = async () => (await listUnguarded(deps)).filter(({ tenantId }) => tenantId === realm.tenantId)
  assert.deepEqual(await ofRealm(), [])
  await emptyChain(realm)
  // Times of a chain rise; entries from before it started over keep theirs.
  clock.advance(1_000)
  assert.deepEqual(await verdict(), {
    outcome: 'incomplete',
    seq: 1,
    problem: 'is missing: a chain begins with its tenant',
    checkpoints: 0,
  })
  assert.deepEqual(await ofRealm(), [realm])
  assert.equal((await trailsDoctor())?.status, 'problem')
  assert.equal((await owner.call('GET', '@/audit')).json.guard.sealed, false)
  await exportUnsigned(realm)
  assert.equal((await judgeTrails(deps)).changed, before.changed + 1)
  assert.equal((await adoptTrail(deps, realm)).outcome, 'refused', 'there is no chain to adopt')
  await emptyChain(realm)
  await grow(2)
  assert.equal((await verdict()).outcome, 'untrusted')
  await exportUnsigned(realm)
  await runJob(deps, 'keep-log')
  assert.equal((await judgeTrails(deps)).changed, before.changed + 1)
  assert.deepEqual(await placesOf(realm), [])
  assert.equal((await adoptTrail(deps, realm)).outcome, 'adopted')
  await grow(1)
  assert.equal((await verdict()).outcome, 'whole')
  assert.equal((await judgeTrails(deps)).changed, before.changed)
})

test("accepts wallets' answers although the head of the chain was removed", async () => {
  const wallet = await testWallet(service)
  const { realm, verdict } = await chain(0)
  const key = await service.key(realm.tenantId)
  const created = await create(service, key)
  const body = await validBody(wallet, await wallet.request(created.wallet_uri))
  await emptyChain(realm)
  assert.equal((await respond(service, created.id, body)).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')
  assert.equal((await verdict()).outcome, 'untrusted')
})

test('a head that is missing from the log is not added before an operator has checked it', async () => {
  const { realm, grow, verdict } = await chain(3)
  clock.advance(3 * DAY)
  await run('long_complete', 'update log_heads set complete_at = $1', [instantOf(clock.now())])
  await grow(1)
  for (let day = 0; day < 2; day += 1) {
    await runJob(deps, 'keep-log')
    assert.deepEqual(await placesOf(realm), [], 'the alarm stays')
  }
  assert.equal((await adoptTrail(deps, realm)).outcome, 'adopted')
  assert.equal((await placesOf(realm)).length, 1)
  await runJob(deps, 'keep-log')
  assert.equal((await placesOf(realm)).length, 2, 'the head with the entry about it, too')
  assert.equal((await adoptTrail(deps, realm)).outcome, 'not_needed')
  const found = await verdict()
  assert.ok(found.outcome === 'whole' && found.checkpoints === 2, JSON.stringify(found))
  const lines = await Array.fromAsync(exportAudit(deps, realm))
  const log = readNoteKey((await service.call('GET', '/log/key')).text) ?? assert.fail('no key')
  const logKeys = { log, witnesses: [] }
  const exported = await verifyExport({ lines: () => Readable.from(lines), publicKey: null, notes: [], logKeys })
  assert.equal(exported.outcome, 'whole')
})

test('a halted log takes no adopted chain', async () => {
  const { realm } = await chain(1)
  clock.advance(3 * DAY)
  await run('complete_again', 'update log_heads set complete_at = $1', [instantOf(clock.now())])
  const halt = (why: string | null) => run(`halt_${why === null}`, 'update log_heads set halted = $1', [why])
  await halt('for a test')
  const refused = await adoptTrail(deps, realm)
  assert.ok(refused.outcome === 'refused' && /halted/.test(refused.problem))
  await halt(null)
  assert.equal((await adoptTrail(deps, realm)).outcome, 'adopted')
})

test('a MAC belongs to one key, one head and a valid head before it', () => {
  const [ours, foreign] = [createHeadMacs(new Uint8Array(32).fill(1)), createHeadMacs(new Uint8Array(32).fill(2))]
  const realm: Realm = { tenantId: 'ten_x', environment: 'live' }
  const head = { seq: 4, hash: new Uint8Array(32).fill(9), at: '2026-01-01T00:00:00.000000Z' }
  const marked = { ...head, mac: ours.make(realm, head) }
  assert.ok(ours.holds(realm, marked))
  assert.ok(!foreign.holds(realm, marked))
  const moved = { ...head, seq: 5 }
  assert.ok(ours.holds(realm, { ...moved, mac: ours.follow(realm, marked, moved) }))
  assert.equal(foreign.follow(realm, marked, moved), null)
  assert.ok(!ours.holds(realm, { ...marked, at: '2026-01-01T00:00:01.000000Z' }))
  assert.ok(!ours.holds(realm, { ...marked, mac: null }))
  const first = { ...head, seq: 0, hash: genesisHash(realm), mac: null }
  assert.ok(!ours.holds(realm, first))
  assert.equal(ours.follow(realm, first, head), null, 'the first entry of a chain that did not begin with its tenant')
})
