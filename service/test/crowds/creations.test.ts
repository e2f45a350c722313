// Tests that verifications which are created at once take turns of the event loop.

import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { withTurns } from '../harness/event-loop.ts'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const CALLS = 6
const claims = Array.from({ length: 90 }, (_, at) => ({ path: [`claim_${at}`] }))
const query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] }, claims }] }

/** The turns in which verifications are put together, after all checks of the request. */
async function turnsOf(t: TestContext, key: string, body: object) {
  const create = async () => {
    const { status, text } = await service.call('POST', '/v1/verifications', { key, body })
    assert.equal(status, 201, text)
  }
  // Nothing else is waited for when caches are filled.
  await create()
  const turns: number[] = []
  const timeOfId = service.deps.creations.timeOfId.bind(service.deps.creations)
  const { mock } = t.mock.method(service.deps.creations, 'timeOfId', timeOfId)
  await withTurns(t, 1_000, async (turn) => {
    mock.mockImplementation((tenantId: string) => {
      turns.push(turn())
      return timeOfId(tenantId)
    })
    await Promise.all(Array.from({ length: CALLS }, create))
  })
  mock.restore()
  assert.equal(turns.length, CALLS)
  return new Set(turns).size
}

test('each query of its own is read in another turn', async (t) => {
  const key = await service.key(await service.tenant())
  assert.equal(await turnsOf(t, key, { query }), CALLS)
  assert.ok((await turnsOf(t, key, { template: 'identity' })) < CALLS, 'short work shares a turn')
})

test('each query of a template is compared with registrations in another turn', async (t) => {
  const tenantId = await service.tenant()
  const realm = { tenantId, environment: 'test' } as const
  const key = await service.key(tenantId)
  const document = { title: 'Many', query }
  const saved = await saveTemplate(service.deps, { realm, key: 'many', actor: OPERATOR, document })
  assert.equal(saved.outcome, 'created')
  assert.ok((await turnsOf(t, key, { template: 'many' })) < CALLS, 'without registrations')
  const registrar = await testRegistrar(service)
  await registerTenant(service, registrar, realm)
  const added = await addTo(service, realm, registrar.certify())
  assert.equal(added.outcome, 'added', JSON.stringify(added))
  assert.equal(await turnsOf(t, key, { template: 'many' }), CALLS)
})
