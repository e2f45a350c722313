// Tests that no route reaches objects of another tenant, or of the other environment, by their ids.

import assert from 'node:assert/strict'
import test from 'node:test'
import { generateResultKey } from '../../../sdk/typescript/src/result.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import type { Environment } from '../../src/platform/world.ts'
import { registerDevice } from '../harness/devices.ts'
import { registerTenant, testRegistrar } from '../harness/registrar.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { type Person, person } from '../harness/staff.ts'
import { declined, LOOPBACK, startReceiver } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const receiver = await startReceiver()
const tenant = await service.tenant({ name: 'Ours' })
const owner = await person(service, tenant, 'owner')
const other = await service.tenant({ name: 'Theirs' })
const stranger = await person(service, other, 'owner')
const key = await service.key(tenant)
const verification = await declined(service, { key, url: receiver.url })
const linkDraft = { template: 'identity', idempotency_key: 'l'.repeat(16) }
const link = (await owner.call('POST', '@/links', { body: linkDraft })).json.id
const device = (await registerDevice(service, key)).json.device.id
await owner.call('POST', '@/templates/own', {
  body: {
    document: {
      title: 'Own',
      query: {
        credentials: [
          { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['x'] }, claims: [{ path: ['given_name'] }] },
        ],
      },
    },
  },
})
const origin = (await owner.call('POST', '@/origins', { body: { origin: 'http://localhost:5173' } })).json.origin.id
const { publicKey } = await generateResultKey()
const resultKeyId = (await owner.call('POST', '@/result-keys', { body: { jwk: JSON.stringify(publicKey) } })).json.key
  .id
const registrar = await testRegistrar(service)
await registerTenant(service, registrar, { tenantId: tenant, environment: 'test' })
const added = await owner.call('POST', '@/registration/certificates', { body: { jwt: registrar.certify() } })
const registration = added.json.certificate.id
const clientTerms = {
  ...{
    name: 'Shop',
    redirect_uris: ['https://shop.example/callback'],
    templates: ['identity'],
    default_template: null,
  },
  ...{ subject_mode: 'ephemeral', subject_claims: [], require_true: false, vp_data: false, verified_claims: false },
  claims_in_id_token: false,
  request_uris: [],
  profile: 'openid',
  ...{ id_token_alg: 'RS256', remember_minutes: 0, cross_device: 'confirm', jwks: null },
}
const client = (await owner.call('POST', '@/clients', { body: { ...clientTerms, auth_method: 'client_secret' } })).json
  .client.id
const endpointDraft = { name: 'Shop', url: receiver.url, is_default: true }
const endpoint = (await owner.call('POST', '@/webhooks/endpoints', { body: endpointDraft })).json.id
const [sandboxAnchor] = service.deps.sandbox?.anchors ?? []
assert.ok(sandboxAnchor !== undefined)
const ownAnchor = await addAnchor(service.deps, {
  ...sandboxAnchor,
  owner: { tenantId: tenant, environment: 'test' },
  actor: OPERATOR,
})
assert.ok(ownAnchor.outcome === 'added')
const requested = { purpose: 'openid4vp', common_name: 'Ours' }
assert.equal((await owner.call('POST', '@/trust/certificates/request', { body: requested })).json.outcome, 'requested')
const waitingKey = (await owner.call('GET', '@/trust')).json.certificates.find(
  ({ state }: { state: string }) => state === 'waiting',
).id
const keyId = (await owner.call('GET', '@/keys')).json.data[0].id
const delivery = (await owner.call('GET', '@/deliveries')).json.data[0].id

const REACHES: readonly [method: string, path: string, body?: object][] = [
  ['GET', `@/verifications/${verification}`],
  ['GET', `@/verifications/${verification}/request`],
  ['GET', `@/verifications/${verification}/receipt`],
  ['POST', `@/verifications/${verification}/forget`],
  ['POST', `@/verifications/${verification}/cancel`],
  ['POST', `@/verifications/${verification}/erase`, { confirm: verification.slice(-6) }],
  ['POST', `@/links/${link}/replace`],
  ['POST', `@/links/${link}/revoke`],
  ['POST', `@/keys/${keyId}/revoke`],
  ['POST', `@/keys/${keyId}/roll`, { overlap_hours: 24, expires_in_days: null }],
  ['POST', '@/templates/own/remove'],
  ['POST', `@/devices/${device}`, { name: 'Bar', allowed_templates: ['age_over_18'] }],
  ['POST', `@/devices/${device}/code`],
  ['POST', `@/devices/${device}/revoke`],
  ['POST', `@/deliveries/${delivery}/resend`],
  ['GET', `@/deliveries/${delivery}`],
  ['POST', `@/webhooks/endpoints/${endpoint}`, endpointDraft],
  ['POST', `@/webhooks/endpoints/${endpoint}/remove`],
  ['POST', `@/webhooks/endpoints/${endpoint}/test`, { type: 'verification.failed', newest_secret_only: false }],
  ['POST', `@/trust/anchors/${ownAnchor.anchor.id}/remove`],
  ['POST', `@/trust/lists/${ownAnchor.anchor.id}/remove`],
  ['POST', `@/trust/certificates/${waitingKey}/withdraw`],
  ['POST', `@/origins/${origin}/prove`],
  ['POST', `@/origins/${origin}/remove`],
  ['POST', `@/result-keys/${resultKeyId}/challenge`],
  ['POST', `@/result-keys/${resultKeyId}/prove`, { answer: 'x' }],
  ['POST', `@/result-keys/${resultKeyId}/remove`],
  ['POST', `@/registration/certificates/${registration}/remove`],
  ['POST', `@/clients/${client}`, { ...clientTerms, subject_per_type: true }],
  ['POST', `@/clients/${client}/secret`],
  ['POST', `@/clients/${client}/remove`],
]

const realms: readonly [string, Person, Environment][] = [
  ['staff of another tenant', stranger, 'test'],
  ['the other environment', owner, 'live'],
]
for (const [who, staff, environment] of realms) {
  test(`${who}: every object that does not exist there is 404`, async () => {
    for (const [method, path, body] of REACHES) {
      const answer = await staff.call(method, path, { environment, ...(body === undefined ? {} : { body }) })
      assert.equal(answer.status, 404, `${path}: ${answer.text}`)
    }
  })
}

test("another tenant's staff cannot be changed by their id", async () => {
  assertRefused(await stranger.call('POST', `@/team/${owner.id}/role`, { body: { role: 'viewer' } }), 404, 'not_found')
  assertRefused(await stranger.call('POST', `@/team/${owner.id}/remove`), 404, 'not_found')
})

test('lists contain only objects of the realm', async () => {
  for (const path of [
    '@/verifications',
    '@/links',
    '@/keys',
    '@/devices',
    '@/deliveries',
    '@/origins',
    '@/result-keys',
    '@/clients',
  ]) {
    assert.ok((await owner.call('GET', path)).json.data.length > 0, path)
    assert.deepEqual((await stranger.call('GET', path)).json.data, [], path)
    assert.deepEqual((await owner.call('GET', path, { environment: 'live' })).json.data, [], path)
  }
  assert.equal((await owner.call('GET', '@/webhooks')).json.endpoints.length, 1)
  assert.deepEqual((await stranger.call('GET', '@/webhooks')).json.endpoints, [])
  assert.deepEqual((await owner.call('GET', '@/webhooks', { environment: 'live' })).json.endpoints, [])
  const { json } = await stranger.call('GET', '@/team')
  assert.deepEqual(
    json.members.map(({ id }: { id: string }) => id),
    [stranger.id],
  )
  assert.ok(!(await stranger.call('GET', '@/audit')).text.includes(tenant))
})

test('the trail records each dashboard action with the person who took it', async () => {
  await owner.call('POST', `@/keys/${keyId}/revoke`)
  await owner.call('POST', `@/verifications/${verification}/erase`, { body: { confirm: verification.slice(-6) } })
  const { data } = (await owner.call('GET', '@/audit')).json
  for (const action of ['key.revoked', 'verification.erased', 'template.saved']) {
    const entry = data.find((row: { action: string }) => row.action === action)
    assert.deepEqual(entry.actor, { type: 'user', id: owner.id, name: owner.email })
  }
})

test('a body with unknown members is refused', async () => {
  const body = { name: 'x', scopes: ['verifications:read'], expires_in_days: null, tenant_id: other }
  assertRefused(await owner.call('POST', '@/keys', { body }), 400, 'invalid_request')
})
