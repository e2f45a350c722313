// Tests the audit trail as pages show it: current names of objects, which no entry stores, and its filters.

import assert from 'node:assert/strict'
import test from 'node:test'
import { removeMember } from '../../src/features/staff/usecases/manage-team.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const service = await testService()
const { deps } = service
const tenant = await service.tenant({ name: 'Ours' })
const owner = await person(service, tenant, 'owner')
const leaver = await person(service, tenant, 'admin')
const DAY_MS = 86_400_000

interface Entry {
  readonly seq: number
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string; readonly name: string | null }
  readonly object: { readonly type: string; readonly id: string; readonly name: string | null }
}
const read = async (query = '', who = owner): Promise<{ data: Entry[]; next: number | null }> => {
  const answer = await who.call('GET', `@/audit${query === '' ? '' : `?${query}`}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}
const makeKey = (who: typeof owner, name: string) =>
  who.call('POST', '@/keys', { body: { name, scopes: ['verifications:read'], expires_in_days: null } })

await makeKey(owner, 'Shop backend')
await makeKey(leaver, 'Nightly job')

test('keys and members are named, former members are not, and the chain has no name', async () => {
  const { data } = await read('kind=key')
  assert.deepEqual(
    data.map(({ actor, object }) => [actor.name, object.name]),
    [
      [leaver.email, 'Nightly job'],
      [owner.email, 'Shop backend'],
    ],
  )
  await removeMember(deps, { tenantId: tenant, personId: leaver.id, actor: OPERATOR })
  assert.deepEqual((await read('kind=key')).data[0]?.actor, { type: 'user', id: leaver.id, name: null })
  const chain = await deps.db.query<{ bytes: Buffer }>({ name: 'test_chain', text: 'select bytes from audit_entries' })
  assert.ok(!chain.some(({ bytes }) => /@example\.com|Shop backend/.test(bytes.toString('utf8'))))
})

test('names of another tenant are hidden', async () => {
  const other = await service.tenant()
  const stranger = await person(service, other, 'owner')
  await makeKey(stranger, 'Theirs')
  assert.ok(!JSON.stringify(await read()).includes(stranger.email))
  assert.ok(!JSON.stringify(await read('', stranger)).includes(owner.email))
})

test('the trail is filtered by actor, action and time, in any combination', async () => {
  assert.deepEqual((await read(`actor=${owner.id}&kind=key`)).data.length, 1)
  assert.ok((await read('actor_type=operator')).data.every(({ actor }) => actor.type === 'operator'))
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const today = day(service.clock.now())
  service.clock.advance(3 * DAY_MS)
  const staff = await person(service, tenant, 'admin')
  await makeKey(staff, 'Later')
  const later = day(service.clock.now())
  const names = async (query: string) => (await read(query, staff)).data.map(({ object }) => object.name)
  assert.deepEqual(await names(`kind=key&from=${later}`), ['Later'])
  assert.deepEqual(await names(`kind=key&to=${today}`), ['Nightly job', 'Shop backend'])
  assert.deepEqual(await names(`kind=key&from=${today}&to=${later}`), ['Later', 'Nightly job', 'Shop backend'])
  assert.deepEqual(await names(`kind=key&from=${day(service.clock.now() + DAY_MS)}`), [])
  for (const query of ['kind=nothing', 'actor_type=nobody', 'from=yesterday', 'to=2026-99-99', 'actor='])
    assertRefused(await staff.call('GET', `@/audit?${query}`), 400, 'invalid_request')
})

test('a long chain is searched in parts: each page says where the next begins', async () => {
  const own = await service.tenant()
  const staff = await person(service, own, 'viewer')
  const realm = { tenantId: own, environment: 'test' as const }
  const event = { action: 'settings.changed', actor: OPERATOR, object: { type: 'tenant', id: own } } as const
  const events = Array.from({ length: 2_500 }, () => event)
  const now = new Date(service.clock.now()).toISOString().replace('Z', '000Z')
  await deps.db.transaction((tx) => deps.audit.recordAll(tx, realm, { now, events }))
  const first = await read('kind=tenant', staff)
  assert.deepEqual([first.data.length, typeof first.next], [0, 'number'])
  const second = await read(`kind=tenant&before=${first.next}`, staff)
  assert.deepEqual([second.data.map(({ action }) => action), second.next], [['tenant.created'], null])
  const plain = await read('', staff)
  assert.deepEqual([plain.data.length, plain.next], [50, plain.data.at(-1)?.seq])
})
