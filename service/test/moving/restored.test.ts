// Tests installations restored to before a move: exports from after it close the tenant at the old one, and open the copy at the new one.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { hashSecret } from '../../src/core/tenants/domain/api-key.ts'
import { revokeKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { checkRestore } from '../../src/features/operator/usecases/check-restore.ts'
import { switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { ENVIRONMENTS } from '../../src/platform/world.ts'
import { OPERATOR, type TestService, testService } from '../harness/service.ts'
import { backUp } from '../restore/whole-backup.ts'
import { ask, completed, moveOf, NEW, run, settles, twoInstallations } from './installations.ts'

const exportsOf = ({ deps }: TestService, tenantId: string) =>
  Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const written: string[] = []
      for await (const line of exportAudit(deps, { tenantId, environment })) written.push(line)
      const lines = async function* () {
        yield* written
      }
      return { name: environment, lines, written }
    }),
  )

it('restore check closes a tenant that has moved away, after it has repeated the erasures', async () => {
  const both = await twoInstallations()
  const { source } = both
  const tenantId = await source.tenant()
  const key = await source.key(tenantId)
  const id = await completed(source, key)
  assert.equal((await source.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  await settles(both, key, '308 200')
  for (const environment of ENVIRONMENTS)
    assert.equal(
      (await verifyStored(source.deps, { realm: { tenantId, environment }, log: 'newest' })).outcome,
      'whole',
    )
  const exports = await exportsOf(source, tenantId)
  for (const { written } of exports)
    assert.ok(written.some((line) => line.includes('tenant.moved_away') && line.includes(NEW)))
  // Restores the tenant's row as in a backup from before the move.
  await run(source, 'update tenants set closed_until = null, moved_to = null, copy_since = null where id = $1', [
    tenantId,
  ])
  await run(source, 'update audit_heads set closed_until = null where tenant_id = $1', [tenantId])
  await settles(both, key, '200 200')
  for (let time = 0; time < 2; time += 1) {
    const { replays } = await checkRestore(source.deps, { exports, acceptsRest: true })
    assert.deepEqual(
      replays.map(({ replay }) => replay.outcome === 'replayed' && replay.movedTo),
      [NEW, NEW],
    )
    await settles(both, key, '308 200')
  }
  assert.equal((await ask(source, '/v1/verifications', { key })).location, `${NEW}/v1/verifications`)
})

describe('the new installation is restored to a backup with a copy that was not open yet', () => {
  /** A tenant that has moved. Its new installation has a backup from this step of the move, and an export from it. */
  async function moved(step: string) {
    const both = await twoInstallations()
    const { source, target } = both
    const tenantId = await source.tenant()
    const [key, leaked] = [await source.key(tenantId), await source.key(tenantId)]
    const ids = [await completed(source, key), await completed(source, key)]
    const backups: { restore: () => Promise<void>; early: Awaited<ReturnType<typeof exportsOf>> }[] = []
    const move = moveOf(both, tenantId, async (at) => {
      if (at === step)
        backups.push({ restore: await backUp(target), early: step === 'open' ? await exportsOf(target, tenantId) : [] })
    })
    await switchTenant(move, { stopSeconds: 30 })
    await settles(both, key, '308 200')
    const [backup] = backups
    assert.ok(backup !== undefined)
    return { ...both, both, tenantId, key, leaked, ids, ...backup }
  }
  const status = async (one: TestService, key: string, id: string) =>
    (await ask(one, `/v1/verifications/${id}`, { key })).status
  const check = async ({ deps }: TestService, exports: Awaited<ReturnType<typeof exportsOf>>) => {
    const { replays, uncovered, isChecked } = await checkRestore(deps, { exports, acceptsRest: false })
    const outcomes = replays.map(({ replay }) => (replay.outcome === 'refused' ? replay.problem : replay.outcome))
    return { outcomes, uncovered, isChecked }
  }

  it('an export opens the copy and repeats what was erased and revoked; without one the store is not served', async () => {
    const { both, target, tenantId, key, leaked, ids, restore } = await moved('open')
    const [erased = '', kept = ''] = ids
    assert.equal((await target.call('DELETE', `/v1/verifications/${erased}`, { key })).status, 200)
    const [row] = await run(target, 'select id from api_keys where hash = $1', [hashSecret(leaked)])
    const id = String(row?.id)
    assert.ok((await revokeKey(target.deps, { tenantId, keyId: id, actor: OPERATOR })) !== null)
    const exports = await exportsOf(target, tenantId)
    await restore()
    await settles(both, key, '308 503')
    const realms = ENVIRONMENTS.map((environment) => `${tenantId} ${environment}`)
    assert.deepEqual(await check(target, []), { outcomes: [], uncovered: realms, isChecked: false })
    for (let time = 0; time < 2; time += 1) {
      const done = { outcomes: ['replayed', 'replayed'], uncovered: [], isChecked: true }
      assert.deepEqual(await check(target, exports), done)
      await settles(both, key, '308 200')
      assert.deepEqual([await status(target, key, erased), await status(target, key, kept)], [404, 200])
      assert.equal(await status(target, leaked, kept), 401)
    }
    const { outcome } = await verifyStored(target.deps, { realm: { tenantId, environment: 'test' }, log: 'newest' })
    assert.equal(outcome, 'whole')
  })

  it('an export from before it was open, or a copy that is not verified, opens nothing', async () => {
    const one = await moved('open')
    await one.restore()
    const early = await check(one.target, one.early)
    assert.deepEqual(early.outcomes, Array(2).fill('the copy here was not open when this was exported'))
    assert.equal(early.isChecked, false)
    await settles(one.both, one.key, '308 503')
    const other = await moved('prepare')
    const exports = await exportsOf(other.target, other.tenantId)
    await other.restore()
    const unfinished = await check(other.target, exports)
    assert.match(unfinished.outcomes.join(), /only an unfinished copy/)
    assert.equal(unfinished.isChecked, false)
    await settles(other.both, other.key, '308 503')
  })

  it('an export that says where the tenant went on to closes it', async () => {
    const { target, tenantId, key, restore } = await moved('open')
    const third = await testService({ baseUrl: 'https://third.example.com' }, {}, { masterKey: randomBytes(32) })
    await switchTenant(moveOf({ source: target, target: third }, tenantId), { stopSeconds: 30 })
    const exports = await exportsOf(target, tenantId)
    await restore()
    assert.deepEqual((await check(target, exports)).outcomes, ['replayed', 'replayed'])
    await settles({ source: target, target: third }, key, '308 200')
  })
})
