// Tests that a verification is found by its id alone, in the tenant that the id names. Ids of old releases name none.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { assembleDeps } from '../../src/assemble.ts'
import { createVerification } from '../../src/core/verifications/usecases/asking/create-verification.ts'
import { randomVerificationId } from '../../src/platform/ids.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { findById, findByIds } from '../../src/platform/postgres/routed.ts'
import { newVerificationId, routeOf } from '../../src/platform/verification-id.ts'
import { TEST_MASTER_KEY, testSealer } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { deps } = service
const [own, other] = [await service.tenant({ name: 'Own' }), await service.tenant({ name: 'Other' })]
const key = await service.key(own)
const sent: string[] = []
deps.db.watch(({ name }) => void sent.push(name))

/** Every public address that finds a verification by its id. */
const ADDRESSES = (id: string) => [
  { path: `/v1/verifications/${id}/status`, statement: 'load_status' },
  { path: `/wallet/request/${id}`, statement: 'load_wallet_verifications' },
  { path: `/verify/${id}`, statement: 'load_wallet_verifications' },
  { path: `/verify/${id}/progress`, statement: 'load_progress' },
  { path: `/verify/${id}/logo`, statement: 'load_logos_of_asker' },
]
const ACROSS = /_across_tenants$/

async function visit(path: string): Promise<{ status: number; statements: string[]; text: string }> {
  sent.length = 0
  const { statusCode, payload } = await service.app.inject({ method: 'GET', url: path, remoteAddress: '203.0.113.9' })
  return { status: statusCode, statements: [...sent], text: payload }
}

/** Creates a verification with an id like those of an earlier release, or with one that names another tenant by chance. */
async function createAs(tenantId: string, id: string): Promise<void> {
  const principal = { kind: 'api_key', keyId: 'key_test', scopes: [], tenantId, environment: 'test' } as const
  await createVerification(deps, { principal, id, request: { template: 'identity' }, idempotencyKey: null })
}

const idOf = (tenantId: string) =>
  newVerificationId(deps.derivedKeys, deps.random, { tenantId, nowMs: service.clock.now() })

describe('an id of this release', () => {
  it('names its tenant and day, and every lookup names the tenant', async () => {
    const { id } = await create(service, key)
    const day = Math.floor(service.clock.now() / 86_400_000)
    assert.deepEqual(routeOf(deps.derivedKeys, id), { tenantId: own, day })
    for (const { path, statement } of ADDRESSES(id)) {
      const { status, statements } = await visit(path)
      assert.notEqual(status, 500, path)
      assert.equal(statements.filter((name) => name === statement).length, 1, `${path} ${statements}`)
      assert.deepEqual(
        statements.filter((name) => ACROSS.test(name)),
        [],
        path,
      )
    }
  })

  it('reads the same in another process', async () => {
    const connection = { url: service.url }
    const db = await openDb({
      connection,
      sealer: testSealer(TEST_MASTER_KEY),
      poolMax: 2,
      applicationName: 'vidimus test ~9999',
    })
    after(() => db.close())
    const log = createLog('silent', () => undefined)
    const world = { config: deps.config, db, clock: deps.clock, clockOffsetMs: () => 0, random: deps.random, log }
    const second = await assembleDeps({ ...world, dnsServers: ['127.0.0.1:9'] })
    after(second.close)
    const { id } = await create(service, key)
    assert.equal(routeOf(second.deps.derivedKeys, id)?.tenantId, own)
    assert.deepEqual(routeOf(second.deps.derivedKeys, id), routeOf(deps.derivedKeys, id))
  })

  it('is found nowhere if it does not exist', async () => {
    for (const id of [idOf(own), randomVerificationId(deps.random)])
      for (const { path } of ADDRESSES(id).slice(0, 4)) assert.equal((await visit(path)).status, 404, path)
  })
})

describe('an id that does not name its tenant', () => {
  it('is found if an earlier release made it', async () => {
    const id = randomVerificationId(deps.random)
    await createAs(own, id)
    for (const { path, statement } of ADDRESSES(id)) {
      const { statements } = await visit(path)
      assert.equal(statements.filter((name) => name === `${statement}_across_tenants`).length, 1, path)
      assert.ok(!statements.includes(statement), path)
    }
    assert.equal((await visit(`/v1/verifications/${id}/status`)).status, 200)
    assert.equal((await visit(`/wallet/request/${id}`)).status, 200)
  })

  it('is found if it names another tenant by chance, with its actual tenant', async () => {
    const id = idOf(other)
    await createAs(own, id)
    for (const { path, statement } of ADDRESSES(id)) {
      const { statements } = await visit(path)
      const looks = statements.filter((name) => name.startsWith(statement))
      assert.deepEqual(looks, [statement, `${statement}_across_tenants`], path)
    }
    assert.equal((await visit(`/v1/verifications/${id}/status`)).status, 200)
    assert.match((await visit(`/verify/${id}`)).text, /Own/)
    const read = (withKey: string) => service.call('GET', `/v1/verifications/${id}`, { key: withKey })
    assert.equal((await read(key)).status, 200)
    assert.equal((await read(await service.key(other))).status, 404)
  })
})

describe('two rows with one id', () => {
  const [id, single] = [randomVerificationId(deps.random), randomVerificationId(deps.random)]
  const rows = [
    { id, tenantId: own },
    { id, tenantId: other },
    { id: single, tenantId: own },
  ]

  it('are both not returned, and the other rows of the batch are', async () => {
    const finders = { inTenants: async () => [], acrossTenants: async () => rows }
    assert.deepEqual(await findByIds(deps.derivedKeys, [id, single], finders), rows.slice(2))
    const one = { inTenant: async () => [], acrossTenants: async () => rows.slice(0, 2) }
    assert.equal(await findById(deps.derivedKeys, id, one), null)
  })

  it('do not matter if the id names one of their tenants', async () => {
    const routed = idOf(other)
    const named: string[] = []
    const found = await findByIds<{ id: string }>(deps.derivedKeys, [routed], {
      async inTenants(ids) {
        named.push(...ids.map(({ tenantId }) => tenantId))
        return [{ id: routed }]
      },
      acrossTenants: () => assert.fail('it was found'),
    })
    assert.deepEqual([named, found], [[other], [{ id: routed }]])
  })
})
