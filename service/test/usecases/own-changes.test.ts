// What a process has changed itself it knows at once: the word that other processes need may be on its way for long. Here it
// never comes.

import assert from 'node:assert/strict'
import test from 'node:test'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { hashSecret } from '../../src/domain/tenant/api-key.ts'
import { createRegistrationMemory } from '../../src/store/registration/registration-memory.ts'
import { createKeyMemory } from '../../src/store/tenants/api-key-memory.ts'
import { createAnchorMemory } from '../../src/store/trust/anchor-memory.ts'
import { createKey, revokeKey, rollKey } from '../../src/usecases/operator/manage-keys.ts'
import { changeIdentity } from '../../src/usecases/registration/manage-identity.ts'
import { addRegistration, removeRegistration } from '../../src/usecases/registration/manage-registrations.ts'
import { addAnchor, removeAnchor } from '../../src/usecases/trust/manage-anchors.ts'
import { registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const deafDb = Object.create(service.deps.db, { listen: { value: async () => async () => undefined } })
const deps = {
  ...service.deps,
  keys: await createKeyMemory(deafDb, (error) => assert.fail(String(error))),
  registrations: await createRegistrationMemory(deafDb),
  anchors: await createAnchorMemory(deafDb, () => []),
}
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const nowMs = service.clock.now()

test('a key that was revoked, or rolled with an hour left', async () => {
  const make = async () => {
    const made = await createKey(deps, { ...realm, name: 'x', scopes: [], expiresInDays: null, actor: OPERATOR })
    assert.ok(made !== null)
    return made
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

test('an anchor that was added or removed', async () => {
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

test('a registration that was added or removed, and who is registered', async () => {
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
