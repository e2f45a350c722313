// Tests audit trails of a moving tenant where it is not served: no alarm, and the remaining trail is complete.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { verifyAuditExport } from '@vidimus/sdk'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { judgeTrails } from '../../src/features/audit/usecases/judge-chains.ts'
import { auditPublicKey, exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyExport } from '../../src/features/audit/usecases/verify-audit.ts'
import { diagnoseTrails } from '../../src/features/audit/usecases/watch-trails.ts'
import { checkRestore } from '../../src/features/operator/usecases/check-restore.ts'
import {
  abortMove,
  copyTenant,
  finishMove,
  switchTenant,
} from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { makeDays } from '../../src/features/retention/usecases/make-days.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import { ENVIRONMENTS } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import type { TestService } from '../harness/service.ts'
import { ask, completed, type Installations, moveOf, NEW, run, settles, twoInstallations } from './installations.ts'

/** Moves the clocks of both by two days, so that days of yesterday's tenants lapse. */
async function toDayAfterNext({ source, target }: Installations): Promise<void> {
  source.clock.advance((dayAt(source.clock.now()) + 2) * DAY_MS - source.clock.now() + 900_000)
  target.clock.set(source.clock.now())
  for (const { deps } of [source, target]) await makeDays(deps)
}

async function judged({ deps }: TestService) {
  await runJob(deps, 'keep-log')
  const { whole, changed, missing } = await judgeTrails(deps)
  return { whole, changed, missing, status: (await diagnoseTrails(deps)).status }
}

async function exportOf({ deps }: TestService, realm: Realm) {
  const written: string[] = []
  for await (const line of exportAudit(deps, realm)) written.push(line)
  const lines = async function* () {
    yield* written
  }
  return { name: realm.environment, lines, written }
}

it('the trail of a moved tenant that remains is complete: it can be exported, and closes the tenant after a restore', async () => {
  const both = await twoInstallations()
  const { source } = both
  await makeDays(source.deps)
  const tenantId = await source.tenant()
  await run(source, 'update tenants set retention_days = 1 where id = $1', [tenantId])
  const key = await source.key(tenantId)
  await completed(source, key)
  await toDayAfterNext(both)
  await applyRetention(source.deps)
  await completed(source, key)
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  assert.deepEqual(await finishMove(moveOf(both, tenantId)), { waitUntil: null })
  assert.deepEqual(await run(source, 'select seq from audit_details where tenant_id = $1', [tenantId]), [])

  assert.deepEqual(await judged(source), { whole: 2, changed: 0, missing: 0, status: 'ok' })
  const log = (await ask(source, '/log/key')).text.trim()
  const exports = []
  for (const environment of ENVIRONMENTS) {
    const { written, ...exported } = await exportOf(source, { tenantId, environment })
    const question = { lines: exported.lines, publicKey: auditPublicKey(source.deps), notes: [], logKeys: null }
    assert.equal((await verifyExport(question)).outcome, 'whole')
    const { detailsErased, erasuresNotLogged } = await verifyAuditExport(written.join('\n'), { log })
    assert.deepEqual([detailsErased > 0, erasuresNotLogged], [true, 0])
    // Details that were lost before the tenant left, which no entry accounts for.
    const before = written.filter((line) => !line.includes('tenant.moved_away') && !line.includes('"checkpoint"'))
    const { outcome } = await verifyExport({
      ...question,
      lines: async function* () {
        yield* before
      },
    })
    assert.equal(outcome, 'tampered')
    exports.push(exported)
  }
  // Restores the tenant's row as in a backup from before the move.
  await run(source, 'update tenants set closed_until = null, moved_to = null, copy_since = null where id = $1', [
    tenantId,
  ])
  await run(source, 'update audit_heads set closed_until = null where tenant_id = $1', [tenantId])
  await checkRestore(source.deps, { exports, acceptsRest: false })
  await settles(both, key, '308 200')
  assert.equal((await ask(source, '/v1/verifications', { key })).location, `${NEW}/v1/verifications`)
})

it('a copy that was not opened raises no alarm, and a restore check needs no export of it', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const tenantId = await source.tenant()
  await completed(source, await source.key(tenantId))
  const other = await target.tenant()
  const own = { whole: 2, changed: 0, missing: 0, status: 'ok' }
  await copyTenant(moveOf(both, tenantId))
  assert.deepEqual(await judged(target), own)
  await abortMove(moveOf(both, tenantId))
  assert.deepEqual(await judged(target), own)
  const exports = await Promise.all(
    ENVIRONMENTS.map((environment) => exportOf(target, { tenantId: other, environment })),
  )
  const { uncovered, isChecked } = await checkRestore(target.deps, { exports, acceptsRest: false })
  assert.deepEqual([uncovered, isChecked], [[], true])
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  assert.deepEqual(await judged(target), { ...own, whole: 4 })
  await run(target, 'update audit_heads set mac = null where tenant_id = $1', [tenantId])
  assert.deepEqual(await judged(target), { ...own, changed: 2, status: 'problem' })
})
