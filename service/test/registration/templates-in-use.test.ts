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
