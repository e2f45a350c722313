// Tests an old installation that is restored to before a move: an export from after the move closes the tenant again.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { checkRestore } from '../../src/features/operator/usecases/check-restore.ts'
import { switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { ENVIRONMENTS } from '../../src/platform/world.ts'
import { ask, completed, moveOf, NEW, run, settles, twoInstallations } from './installations.ts'

it('restore check closes a tenant that has moved away, after it has repeated the erasures', async () => {
  const both = await twoInstallations()
  const { source } = both
  const tenantId = await source.tenant()
  const key = await source.key(tenantId)
  const id = await completed(source, key)
  assert.equal((await source.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  await settles(both, key, '308 200')
  const exports = []
  for (const environment of ENVIRONMENTS) {
    assert.equal(
      (await verifyStored(source.deps, { realm: { tenantId, environment }, log: 'newest' })).outcome,
      'whole',
    )
    const lines: string[] = []
    for await (const line of exportAudit(source.deps, { tenantId, environment })) lines.push(line)
    assert.ok(lines.some((line) => line.includes('tenant.moved_away') && line.includes(NEW)))
    const reading = async function* () {
      yield* lines
    }
    exports.push({ name: environment, lines: reading })
  }
  // The tenant's row in a backup from before the move.
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
