// Tests moves that are refused or fail half-way: what is reported, and what remains.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { abortMove, copyTenant, switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { testService } from '../harness/service.ts'
import { moveOf, NEW, OLD, run, twoInstallations } from './installations.ts'

it('a move between two installations with one master key is refused, and nothing is copied', async () => {
  const both = { source: await testService({ baseUrl: OLD }), target: await testService({ baseUrl: NEW }) }
  const tenantId = await both.source.tenant()
  await assert.rejects(copyTenant(moveOf(both, tenantId)), /both installations have the same master key/)
  await assert.rejects(switchTenant(moveOf(both, tenantId), { stopSeconds: 30 }), /the same master key/)
  assert.deepEqual(await run(both.target, 'select id from tenants where id = $1', [tenantId]), [])
})

it('a move that fails and cannot be aborted reports both errors, the cause first', async () => {
  const both = await twoInstallations()
  const tenantId = await both.source.tenant()
  const failing = moveOf(both, tenantId, async (step) => {
    if (step !== 'verify') return
    await run(both.source, 'alter table tenants rename column closed_until to closed_till')
    throw new Error('the disk is full')
  })
  await assert.rejects(switchTenant(failing, { stopSeconds: 30 }), (error) => {
    assert.ok(error instanceof AggregateError)
    assert.match(error.message, /^the disk is full; taking the move back failed, too: .*closed_until/)
    assert.equal((error.cause as Error).message, 'the disk is full')
    return true
  })
})

it('a tenant that has moved cannot come back, and its move cannot be aborted', async () => {
  const both = await twoInstallations()
  const tenantId = await both.source.tenant()
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  await assert.rejects(abortMove(moveOf(both, tenantId)), /has moved already, and cannot come back/)
  const back = moveOf({ source: both.target, target: both.source }, tenantId)
  await assert.rejects(switchTenant(back, { stopSeconds: 30 }), /has this tenant already/)
})
