// Tests that a process knows its own changes immediately, without the notification.

import assert from 'node:assert/strict'
import test from 'node:test'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { createRegistrationCache } from '../../src/core/registrations/store/registration-cache.ts'
import { createTemplateCache } from '../../src/core/templates/store/template-cache.ts'
import { removeTemplate, saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { hashSecret } from '../../src/core/tenants/domain/api-key.ts'
import { createKeyCache } from '../../src/core/tenants/store/api-key-cache.ts'
import { createKey, revokeKey, rollKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { changeIdentity } from '../../src/features/registration/usecases/manage-identity.ts'
import { addRegistration, removeRegistration } from '../../src/features/registration/usecases/manage-registrations.ts'
import { createAnchorCache } from '../../src/features/trust/store/anchor-cache.ts'
import { addAnchor, removeAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import type { Tx } from '../../src/platform/postgres/db.ts'
import { OWN_TEMPLATE } from '../domain/template/own-template.ts'
import { allNotified } from '../harness/notified.ts'
import { registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const deafDb = Object.create(service.deps.db, { listen: { value: async () => async () => undefined } })
const deps = {
  ...service.deps,
  keys: await createKeyCache(deafDb, (error) => assert.fail(String(error))),
  registrations: await createRegistrationCache(deafDb),
  anchors: await createAnchorCache(
    deafDb,
    () => [],
    async () => 0,
  ),
  templates: await createTemplateCache(deafDb),
}
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const nowMs = service.clock.now()

test('a process knows at once that it revoked a key, or rolled a key with an hour left', async () => {
  const make = async () => {
    const created = await createKey(deps, { ...realm, name: 'x', scopes: [], expiresInDays: null, actor: OPERATOR })
    assert.ok(created !== null)
    return created
  }
  const found = async (key: string) => deps.keys.find(hashSecret(key), nowMs)
  const first = await make()
  assert.equal((await found(first.key))?.revokedAt, null)
  await revokeKey(deps, { ...realm, keyId: first.apiKey.id, actor: OPERATOR })
  assert.notEqual((await found(first.key))?.revokedAt, null)
  const second = await make()
  assert.equal((await found(second.key))?.expiresAt, null)
  await rollKey(deps, { realm, keyId: second.apiKey.id, overlapHours: 1, expiresInDays: null, actor: OPERATOR })
  assert.notEqual((await found(second.key))?.expiresAt, null)
})

test('a process knows at once that it added or removed an anchor', async () => {
  const registrar = await testRegistrar(service)
  assert.equal((await deps.anchors.find(realm, nowMs)).length, 0)
  const added = await addAnchor(deps, {
    owner: realm,
    kind: 'ca',
    profile: 'generic',
    types: ['rc-wrp+jwt:*'],
    certificate: certificateBytes(registrar.authority),
    actor: OPERATOR,
  })
  assert.ok(added.outcome === 'added')
  assert.equal((await deps.anchors.find(realm, nowMs)).length, 1)
  await removeAnchor(deps, { id: added.anchor.id, realm, actor: OPERATOR })
  assert.equal((await deps.anchors.find(realm, nowMs)).length, 0)
})

test('a process knows at once that it added or removed a registration, or changed the registered identity', async () => {
  const registrar = await testRegistrar(service)
  const known = () => deps.registrations.find(realm, nowMs)
  await registerTenant({ ...service, deps }, registrar, realm)
  assert.equal((await known()).registrations.length, 0)
  const added = await addRegistration(deps, { realm, jwt: registrar.certify(), intendedUse: null, actor: OPERATOR })
  assert.ok(added.outcome === 'added')
  assert.equal((await known()).registrations.length, 1)
  const identity = { identifier: 'VATUT-other', tradeName: 'Other', registryUri: null, isIntermediary: false }
  await changeIdentity(deps, { ...realm, identity, actor: OPERATOR })
  assert.equal((await known()).identity?.identifier, 'VATUT-other')
  await removeRegistration(deps, { realm, id: added.registration.id, actor: OPERATOR })
  assert.equal((await known()).registrations.length, 0)
})

test('a process knows at once that it saved, replaced or removed a template', async () => {
  const save = (title: string) =>
    saveTemplate(deps, { realm, key: 'mine', document: { ...OWN_TEMPLATE, title }, actor: OPERATOR })
  const title = async () => (await deps.templates.find(realm, 'mine', nowMs))?.title ?? null
  assert.equal(await title(), null)
  await save('One')
  assert.equal(await title(), 'One')
  await save('Two')
  assert.equal(await title(), 'Two')
  await removeTemplate(deps, { realm, key: 'mine', actor: OPERATOR })
  assert.equal(await title(), null)
})

test('a process knows after the notification that another process replaced or removed a template', async () => {
  const save = (title: string) =>
    saveTemplate(deps, { realm, key: 'ours', document: { ...OWN_TEMPLATE, title }, actor: OPERATOR })
  const title = async () => (await service.deps.templates.find(realm, 'ours', nowMs))?.title ?? null
  await save('One')
  await allNotified(service)
  assert.equal(await title(), 'One')
  await save('Two')
  await allNotified(service)
  assert.equal(await title(), 'Two')
  await removeTemplate(deps, { realm, key: 'ours', actor: OPERATOR })
  await allNotified(service)
  assert.equal(await title(), null)
})

test('a template is read once a second, and once for all simultaneous callers', async () => {
  await saveTemplate(deps, { realm, key: 'often', document: OWN_TEMPLATE, actor: OPERATOR })
  const [reads, other] = [watchedReads(), watchedReads()]
  const memory = await createTemplateCache(reads.db)
  const find = (at: number) => memory.find(realm, 'often', at)
  const found = await Promise.all([find(nowMs), find(nowMs), find(nowMs + 999)])
  assert.deepEqual(found[0]?.title, OWN_TEMPLATE.title)
  assert.equal(reads.count(), 1)
  await find(nowMs + 999)
  assert.equal(reads.count(), 1)
  await find(nowMs + 1_000)
  assert.equal(reads.count(), 2)
  assert.equal(await memory.find({ ...realm, environment: 'live' }, 'often', nowMs), null, 'of another realm')
  const small = await createTemplateCache(other.db, 10)
  await small.find(realm, 'often', nowMs)
  await saveTemplate(deps, { realm, key: 'other', document: OWN_TEMPLATE, actor: OPERATOR })
  await small.find(realm, 'other', nowMs)
  await small.find(realm, 'often', nowMs)
  assert.equal(other.count(), 3, 'templates above the limit are not cached together')
})

function watchedReads() {
  let count = 0
  const query: Tx['query'] = (statement, values) => {
    count += 1
    return service.deps.db.query(statement, values)
  }
  return { db: Object.create(deafDb, { query: { value: query } }), count: () => count }
}
