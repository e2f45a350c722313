// Tests that staff see the request that the wallet got, and that drafts are compared with the registration.

import assert from 'node:assert/strict'
import test from 'node:test'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)

async function someTenant() {
  const tenant = await service.tenant({ name: 'Ours' })
  const [admin, viewer] = [await person(service, tenant, 'admin'), await person(service, tenant, 'viewer')]
  return { tenant, admin, viewer, key: await service.key(tenant) }
}

async function register(tenant: string): Promise<void> {
  const registrar = await testRegistrar(service)
  const realm = { tenantId: tenant, environment: 'test' } as const
  await registerTenant(service, registrar, realm)
  await addTo(service, realm, registrar.certify())
}

test('while a verification is open, staff see the claims of the request object that a wallet fetches', async () => {
  const { tenant, admin, viewer, key } = await someTenant()
  await register(tenant)
  const created = await create(service, key, { template: 'nationality', purpose: 'To know' })
  const jwt = (await service.call('GET', new URL(created.request_uri).pathname)).text
  const { iat: _, ...claims } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  const shown = (await admin.call('GET', `@/verifications/${created.id}/request`)).json
  assert.deepEqual(shown.request, claims)
  assert.equal(shown.encryption_key, 'in_request')
  assert.equal(shown.built_in, true)
  assert.equal(shown.registration.intended_use, 'age-check')
  assert.equal(shown.registration.privacy_policy, 'https://shop.example/privacy')
  assert.deepEqual(
    shown.question.credentials.map(({ id }: { id: string }) => id),
    ['pid_sd', 'pid_mdoc', 'mdl'],
  )
  // A viewer could answer it.
  const refused = await viewer.call('GET', `@/verifications/${created.id}/request`)
  assertRefused(refused, 403, 'role_insufficient')
  service.clock.advance(301_000)
  assert.equal((await viewer.call('GET', `@/verifications/${created.id}/request`)).status, 200)
})

test('viewers see only the origin of redirect addresses, or the scheme of an app', async () => {
  const { admin, viewer, key } = await someTenant()
  for (const [redirect_url, shown] of [
    ['https://shop.example/back?customer=secret', 'https://shop.example'],
    ['shop.example:/back?customer=secret', 'shop.example:'],
  ] as const) {
    const { id } = await create(service, key, { template: 'age_over_18', redirect_url })
    const seen = async (by: typeof admin) => (await by.call('GET', `@/verifications/${id}`)).json.redirect_url
    assert.deepEqual([await seen(admin), await seen(viewer)], [redirect_url, shown])
  }
})

test("after a verification's end its request has no key, and is unchanged otherwise", async () => {
  const { admin, viewer, key } = await someTenant()
  const created = await create(service, key)
  const open = (await admin.call('GET', `@/verifications/${created.id}/request`)).json
  await wallet.present(created.wallet_uri)
  const ended = (await viewer.call('GET', `@/verifications/${created.id}/request`)).json
  assert.equal(ended.encryption_key, 'destroyed')
  assert.equal(ended.request.response_mode, 'direct_post.jwt')
  assert.equal(ended.request.client_metadata.jwks, undefined)
  const { client_metadata: _, ...before } = open.request
  const { client_metadata: __, ...after } = ended.request
  assert.deepEqual(after, before)
  assert.deepEqual([ended.registration, ended.registration_forgotten], [null, false])
})

test('the template builder shows which claims the registration does not cover, and asks for the intended use', async () => {
  const { tenant, viewer } = await someTenant()
  const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
  const preview = async (claims: string[], more: object = {}) => {
    const query = { credentials: [{ ...pid, claims: claims.map((name) => ({ path: [name] })) }] }
    return (await viewer.call('POST', '@/templates/preview', { body: { key: 'k', document: { query, ...more } } })).json
  }
  assert.deepEqual((await preview(['given_name'])).over_asking, [])
  await register(tenant)
  const judged = await preview(['family_name', 'given_name'])
  assert.deepEqual(judged.over_asking, [{ credential: 'pid', claim: 'given_name', covered_by: [] }])
  assert.equal(judged.intended_use, 'age-check')
  assert.equal(judged.html, null)
  const elsewhere = await preview(['family_name'], { intended_use: 'nowhere' })
  assert.deepEqual([elsewhere.intended_use, elsewhere.concerns[0].code], [null, 'not_registered'])
  assert.deepEqual(elsewhere.concerns[0].reason, { code: 'use_unknown', values: ['nowhere', "'age-check'"] })
  const invalid = await preview(['family_name'], { outputs: {} })
  assert.deepEqual(invalid, { outcome: 'invalid', path: 'outputs', code: 'outputs_count', value: '50' })
})

test('an age rule without flags is read back with an empty list, and saved again unchanged', async () => {
  const { tenant } = await someTenant()
  const admin = await person(service, tenant, 'admin')
  const query = {
    credentials: [
      { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['birthdate'] }] },
    ],
  }
  const outputs = { adult: { age_over: 18, birth_dates: [{ credential: 'p', path: ['birthdate'] }] } }
  const save = (document: object) => admin.call('POST', '@/templates/adult', { body: { document } })
  const saved = (await save({ query, outputs })).json
  assert.deepEqual(saved.outputs.adult.flags, [])
  assert.equal((await save({ query: saved.query, outputs: saved.outputs })).status, 200)
  const neither = await save({ query, outputs: { adult: { age_over: 18, flags: [], birth_dates: [] } } })
  assert.match(neither.json.error.message, /needs flags or birth_dates/)
})
