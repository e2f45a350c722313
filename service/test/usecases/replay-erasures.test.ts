// A backup is older than the last erasures: restoring it must not bring anybody back for long.

import assert from 'node:assert/strict'
import test from 'node:test'
import { exportAudit } from '../../src/usecases/audit/read-audit.ts'
import { verifyStored } from '../../src/usecases/audit/verify-audit.ts'
import { replayErasures } from '../../src/usecases/verifications/forgetting/replay-erasures.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { deps } = service

async function merchant() {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  return {
    realm: { tenantId, environment: 'test' } as const,
    create: async () =>
      (await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })).json.id as string,
    erase: (id: string) => service.call('DELETE', `/v1/verifications/${id}`, { key }),
    status: async (id: string) => (await service.call('GET', `/v1/verifications/${id}`, { key })).status,
  }
}

async function exported(realm: { tenantId: string; environment: 'test' }): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportAudit(deps, realm)) lines.push(line)
  return lines
}

const reading = (lines: readonly string[]) =>
  async function* () {
    yield* lines
  }

/** Puts the rows of a backup back beside what is there now. */
async function backUp(): Promise<() => Promise<void>> {
  await deps.db.query({ name: 'test_drop', text: 'drop table if exists backup' })
  await deps.db.query({ name: 'test_backup', text: 'create table backup as select * from verifications' })
  return async () => {
    await deps.db.query({
      name: 'test_restore',
      text: 'insert into verifications select * from backup on conflict do nothing',
    })
  }
}

test('what an export says was erased is erased again, and nothing else', async () => {
  const one = await merchant()
  const other = await merchant()
  const [erased, kept, alien] = [await one.create(), await one.create(), await other.create()]
  const restore = await backUp()
  await one.erase(erased)
  const later = await one.create()
  await one.erase(later)
  const lines = await exported(one.realm)
  await restore()
  assert.equal(await one.status(erased), 200, 'the backup brought it back')

  assert.deepEqual(await replayErasures(deps, reading(lines)), {
    outcome: 'replayed',
    erased: 1,
    forgotten: 0,
    alreadyGone: 1,
  })
  assert.equal(await one.status(erased), 404)
  assert.equal(await one.status(kept), 200)
  assert.equal(await other.status(alien), 200)
  assert.deepEqual(await replayErasures(deps, reading(lines)), {
    outcome: 'replayed',
    erased: 0,
    forgotten: 0,
    alreadyGone: 2,
  })
  assert.equal((await verifyStored(deps, { realm: one.realm, notes: [] })).outcome, 'whole')
})

test('an export that was changed, cut short or made by somebody erases nothing', async () => {
  const one = await merchant()
  const victim = await one.create()
  await one.erase(await one.create())
  const lines = await exported(one.realm)
  const bent = lines.map((line) => line.replaceAll('verification.created', 'verification.erased'))
  const unsigned = lines.slice(0, -1)
  for (const bad of [bent, unsigned, [], ['{}'], lines.slice(1)]) {
    assert.equal((await replayErasures(deps, reading(bad))).outcome, 'refused')
  }
  assert.equal(await one.status(victim), 200)
})
