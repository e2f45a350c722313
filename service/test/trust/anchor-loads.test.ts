// Tests that anchors are loaded again only if one changed, and that every change takes effect at the next check.

import assert from 'node:assert/strict'
import test from 'node:test'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { createAnchorCache } from '../../src/features/trust/store/anchor-cache.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import type { Db, Statement } from '../../src/platform/postgres/db.ts'
import { testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const { db } = service.deps
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const loads: string[] = []
const counting: Db = Object.create(db, {
  listen: { value: async () => async () => undefined },
  query: {
    value: (statement: Statement, values: readonly unknown[]) => {
      if (statement.name === 'load_anchors') loads.push(statement.name)
      return db.query(statement, values)
    },
  },
})
const cache = await createAnchorCache(
  counting,
  () => [],
  async () => 0,
)
let nowMs = service.clock.now()
/** Finds the anchors after the lifetime of the cached state. */
const findLater = () => {
  nowMs += 5_001
  return cache.find(realm, nowMs)
}
const run = (text: string, values: readonly unknown[] = []) =>
  db.query({ name: `test_${text.slice(0, 20)}`, text }, values)
const registrar = await testRegistrar(service)
const add = () =>
  addAnchor(service.deps, {
    owner: realm,
    kind: 'ca',
    profile: 'generic',
    types: ['rc-wrp+jwt:*'],
    certificate: certificateBytes(registrar.authority),
    actor: OPERATOR,
  })

test('an unchanged realm is the same array and reads no row again; a changed row, type or list does', async () => {
  const added = await add()
  assert.equal(added.outcome, 'added')
  const first = await findLater()
  const second = await findLater()
  assert.equal(second, first)
  assert.equal(loads.length, 1)

  await run(`update anchors set types = '{dc+sd-jwt:urn:a}' where tenant_id = $1`, [realm.tenantId])
  const narrowed = await findLater()
  assert.deepEqual(
    narrowed.map(({ types }) => types),
    [['dc+sd-jwt:urn:a']],
  )
  assert.equal(loads.length, 2)

  await run('delete from anchors where tenant_id = $1', [realm.tenantId])
  assert.deepEqual(await findLater(), [])
  assert.equal(loads.length, 3)
})

test('anchors count with the memory of their certificates: too large a set is not cached', async () => {
  const large = await createAnchorCache(
    counting,
    () => [],
    async () => 200 * 1024 * 1024,
  )
  loads.length = 0
  await large.find(realm, nowMs)
  await large.find(realm, nowMs)
  assert.equal(loads.length, 2)
})
