// Checkpoints the service keeps by itself: one a day for each chain that grew, and an alarm for one that was written anew.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import test from 'node:test'
import type { Realm } from '../../src/domain/tenant/realm.ts'

import { JOBS } from '../../src/jobs/table.ts'
import { keepCheckpoints } from '../../src/usecases/audit/keep-checkpoints.ts'
import { auditPublicKey, exportAudit, readCheckpoints } from '../../src/usecases/audit/read-audit.ts'
import { verifyExport, verifyStored } from '../../src/usecases/audit/verify-audit.ts'
import { runDueJob } from '../../src/usecases/operator/run-due-job.ts'
import { chainOwner } from '../harness/chain-owner.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { deps, clock } = service
const { asOwner, writeAnew, cutOff } = chainOwner(deps.db)
const DAY = 86_400_000

async function chain() {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const realm: Realm = { tenantId, environment: 'test' }
  return {
    realm,
    grow: async (by: number) => {
      const body = { template: 'age_over_18' }
      for (let n = 0; n < by; n += 1)
        assert.equal((await service.call('POST', '/v1/verifications', { key, body })).status, 201)
    },
    kept: async () => (await readCheckpoints(deps, realm)).map(({ seq }) => seq),
    verdict: () => verifyStored(deps, { realm, notes: [] }),
  }
}

test('once a day, for each chain that grew and for no other', async () => {
  const job = JOBS.find(({ name }) => name === 'keep-checkpoints')
  assert.ok(job !== undefined)
  const [busy, quiet] = [await chain(), await chain()]
  await busy.grow(3)
  assert.equal(await runDueJob(deps, job), 'done')
  const [first = 0] = await busy.kept()
  const begun = await quiet.kept()
  assert.ok(first >= 3 && begun.length === 1)
  await busy.grow(2)
  assert.equal(await runDueJob(deps, job), 'not_due')
  clock.advance(DAY)
  assert.equal(await runDueJob(deps, job), 'done')
  assert.deepEqual(await busy.kept(), [first, first + 2])
  assert.deepEqual(await quiet.kept(), begun)
})

test('they hold the chain in the store, and an export has them all', async () => {
  const { realm, grow, kept, verdict } = await chain()
  for (let day = 0; day < 3; day += 1) {
    await grow(2)
    await runJob(deps, 'keep-checkpoints')
  }
  await grow(1)
  assert.equal((await kept()).length, 3)
  const stored = await verdict()
  assert.ok(stored.outcome === 'whole' && stored.checkpoints === 3, JSON.stringify(stored))
  const lines = await Array.fromAsync(exportAudit(deps, realm))
  const publicKey = auditPublicKey(deps)
  const whole = await verifyExport({ lines: () => Readable.from(lines), publicKey, notes: [], logKeys: null })
  assert.ok(whole.outcome === 'whole' && whole.checkpoints === 4, JSON.stringify(whole))
})

async function alarms(): Promise<number> {
  const { values } = await deps.metrics.alarms.get()
  return values.find(({ labels }) => labels.alarm === 'audit_chain_changed')?.value ?? 0
}

test('a chain that was written anew is found by the next run, gets no checkpoint, and does not verify', async () => {
  const { realm, grow, kept, verdict } = await chain()
  await grow(4)
  await keepCheckpoints(deps)
  await grow(1)
  await writeAnew(realm, 4)
  const before = { kept: await kept(), alarms: await alarms() }
  assert.deepEqual(await keepCheckpoints(deps), { kept: 0, changed: 1, missing: 0 })
  assert.deepEqual(await kept(), before.kept)
  assert.equal(await alarms(), before.alarms + 1)
  assert.ok(
    service.logged.some((line) => line.includes('is not as the service wrote it') && line.includes(realm.tenantId)),
  )
  assert.equal((await verdict()).outcome, 'tampered')
})

test('a chain that was cut off is found, also when it has grown again', async () => {
  const { realm, grow, kept, verdict } = await chain()
  await grow(4)
  const { changed } = await keepCheckpoints(deps)
  const [seq = 0] = await kept()
  await cutOff(realm, seq - 2)
  assert.deepEqual(await keepCheckpoints(deps), { kept: 0, changed: changed + 1, missing: 0 })
  assert.equal((await verdict()).outcome, 'incomplete')
  await grow(3)
  assert.deepEqual(await keepCheckpoints(deps), { kept: 0, changed: changed + 1, missing: 0 })
  assert.deepEqual(await kept(), [seq])
  assert.equal((await verdict()).outcome, 'tampered')
})

test('a checkpoint cannot be exchanged: none but ours counts, and the table takes no change', async () => {
  const { realm, grow, kept, verdict } = await chain()
  await grow(2)
  await keepCheckpoints(deps)
  const at = [realm.tenantId, realm.environment]
  const change = {
    name: 'test_note',
    text: `update audit_checkpoints set note = replace(note, $3, $4) where tenant_id = $1 and environment = $2`,
  }
  await assert.rejects(deps.db.query(change, [...at, 'test', 'live']), /append-only/)
  const drop = { name: 'test_drop', text: 'delete from audit_checkpoints where tenant_id = $1 and environment = $2' }
  await assert.rejects(deps.db.query(drop, at), /append-only/)
  await asOwner(async (tx) => {
    await tx.query(change, [...at, '/test', '/live'])
  })
  assert.equal((await verdict()).outcome, 'untrusted')
  await grow(1)
  assert.ok((await keepCheckpoints(deps)).changed >= 1)
  assert.equal((await kept()).length, 1)
})
