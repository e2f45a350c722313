// Tests which templates a registration must cover: own ones and built-in ones in use, the same on every page.

import assert from 'node:assert/strict'
import test from 'node:test'
import { runJob } from '../harness/jobs.ts'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await testService()
const wallet = await testWallet(service)
const registrar = await testRegistrar(service)
const GUEST = {
  title: 'Guest',
  query: {
    credentials: [
      { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['birthdate'] }] },
    ],
  },
}
const DAY_MS = 86_400_000

interface Listed {
  readonly key: string
  readonly built_in: boolean
  readonly in_use: boolean
  readonly concerns: readonly object[]
}

test('registration reports the templates that the list of templates marks: own ones, and built-in ones in use', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  await registerTenant(service, registrar, realm)
  await addTo(service, realm, registrar.certify())
  const key = await service.key(realm.tenantId)
  const read = async (path: string) =>
    (await (await person(service, realm.tenantId, 'viewer')).call('GET', `@/${path}`)).json
  const marked = async () =>
    (await read('templates')).data.filter((one: Listed) => one.in_use && one.concerns.length > 0)
  const reported = async () =>
    (await read('registration')).templates.filter(({ concerns }: Listed) => concerns.length > 0)
  const keysOf = (found: readonly Listed[]) => found.map((one) => one.key)

  await (await person(service, realm.tenantId, 'owner')).call('POST', '@/templates/guest', {
    body: { document: GUEST },
  })
  assert.deepEqual(keysOf(await marked()), ['guest'])
  assert.deepEqual(keysOf(await reported()), ['guest'])

  const answer = await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
  await wallet.present(answer.json.wallet_uri)
  await runJob(service.deps, 'count-endings')
  assert.deepEqual(keysOf(await marked()), ['identity', 'guest'])
  const both = await reported()
  assert.deepEqual(keysOf(both), ['identity', 'guest'])
  assert.deepEqual(
    both.map((one: Listed) => one.built_in),
    [true, false],
  )

  service.clock.advance(31 * DAY_MS)
  assert.deepEqual(keysOf(await marked()), ['guest'])
  assert.deepEqual(keysOf(await reported()), ['guest'])
})

const types = Array.from({ length: 10 }, (_, nth) => `urn:example:${nth}:${'x'.repeat(500)}`)
const claims = Array.from({ length: 80 }, (_, nth) => ({ path: [`claim ${nth}`] }))
const long = { format: 'dc+sd-jwt', meta: { vct_values: types } }

test('long registrations are listed in short, with the whole of one on request, and cost more', async () => {
  const rates = { ...service.deps.config.rates, key: { perSecond: 1, burst: 60 }, tenant: { perSecond: 2, burst: 200 } }
  const small = await testService({ rates })
  const own = await testRegistrar(small)
  const realm = { tenantId: await small.tenant(), environment: 'test' } as const
  await registerTenant(small, own, realm)
  const purpose = Array.from({ length: 9 }, (_, nth) => ({ lang: 'en', value: `${nth}`.padEnd(2_000, 'x') }))
  for (let nth = 0; nth < 20; nth += 1) {
    const use = { intended_use_id: `use-${nth}`, purpose, credentials: [{ ...long, claim: claims }] }
    assert.equal((await addTo(small, realm, own.certify(use))).outcome, 'added')
  }
  const viewer = await person(small, realm.tenantId, 'viewer')
  const { json, text } = await viewer.call('GET', '@/registration')
  const { certificates, under_use: underUse } = json
  // Each has 35 kB.
  assert.deepEqual(
    certificates.map((one: { shortened: boolean; credentials: readonly object[] }) => [
      one.shortened,
      one.credentials.length,
    ]),
    [...Array(7).fill([false, 1]), ...Array(13).fill([true, 0])],
  )
  assert.equal(underUse.length, 20)
  assert.deepEqual([underUse[0].unused[0].types.length, underUse[0].unused_count], [3, 1])
  assert.ok(text.length < 600_000, `${text.length}`)
  const whole = (await viewer.call('GET', `@/registration/certificates/${certificates[19].id}`)).json
  assert.deepEqual([whole.shortened, whole.purposes.length, whole.credentials[0].types.length], [false, 9, 10])
  const stranger = await person(small, await small.tenant(), 'viewer')
  assert.equal((await stranger.call('GET', `@/registration/certificates/${certificates[19].id}`)).status, 404)
  // 700 kB: 10 for the report, and 14 for what it compares.
  assert.deepEqual(
    [(await viewer.call('GET', '@/registration')).status, (await viewer.call('GET', '@/registration')).status],
    [200, 429],
  )
})

test('the list of templates grows with their length, not with what each asks for beyond a registration', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  await registerTenant(service, registrar, realm)
  await addTo(service, realm, registrar.certify({ credentials: [{ ...long, claim: [{ path: ['other'] }] }] }))
  const owner = await person(service, realm.tenantId, 'owner')
  const document = { title: 'Long', query: { credentials: [{ id: 'long', ...long, claims }] } }
  for (const key of ['one', 'two', 'three'])
    assert.equal((await owner.call('POST', `@/templates/${key}`, { body: { document } })).status, 200)
  const { text, json } = await owner.call('GET', '@/templates')
  const { unregistered } = json.data.find(({ key }: Listed) => key === 'one').concerns[0]
  assert.equal(unregistered[0].types.length, 3)
  assert.ok(unregistered.length < 10, `${unregistered.length}`)
  assert.ok(text.length < 150_000, `${text.length}`)
})
