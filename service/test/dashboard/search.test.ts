// Tests filters of the list of verifications, and that the downloaded file has the same rows and no formulas.

import assert from 'node:assert/strict'
import test from 'node:test'
import { csvLine } from '../../src/platform/csv.ts'
import { pairDevice } from '../harness/devices.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await testService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const owner = await person(service, tenant, 'owner')
const viewer = await person(service, tenant, 'viewer')
const wallet = await testWallet(service)
const device = await pairDevice(service, key, { name: 'Bar 3' })

const create = async (body: object, token = key) => {
  service.clock.advance(1_000)
  return (await service.call('POST', '/v1/verifications', { key: token, body })).json
}
const wine = await create({ template: 'age_over_18', purpose: 'To sell you WINE', metadata: { order: '4711' } })
const till = await create({ template: 'age_over_18' }, device.accessToken)
const evil = await create({ template: 'identity', purpose: '=HYPERLINK("https://evil.example")' })
await wallet.present(wine.wallet_uri)
await wallet.present(till.wallet_uri, 'declined')

const searching = (text: string) => ({ headers: { 'vidimus-search': encodeURIComponent(text) } })
const find = async (query: string, text?: string) =>
  (await owner.call('GET', `@/verifications?${query}`, text === undefined ? {} : searching(text))).json.data.map(
    ({ id }: { id: string }) => id,
  )

test('the list is filtered by time, reason, channel, creator, purpose and metadata, and by several at once', async () => {
  const at = (created: { created_at: string }) => encodeURIComponent(created.created_at)
  assert.deepEqual(await find(`from=${at(till)}`), [evil.id, till.id])
  assert.deepEqual(await find(`to=${at(till)}`), [wine.id])
  assert.deepEqual(await find(`from=${at(till)}&to=${at(evil)}`), [till.id])
  assert.deepEqual(await find('reason=wallet_declined'), [till.id])
  assert.deepEqual(await find('reason=credential_expired'), [])
  assert.deepEqual(await find('channel=qr'), [till.id, wine.id])
  assert.deepEqual(await find('channel=dc_api'), [])
  assert.deepEqual(await find(`actor=${device.id}`), [till.id])
  assert.deepEqual(await find('', 'sell you wine'), [wine.id])
  assert.deepEqual(await find('', '%'), [])
  assert.deepEqual(await find('status=completed&template=age_over_18', '4711'), [wine.id])
  assert.deepEqual(await find('status=failed', '4711'), [])
  assert.deepEqual(await find('template='), [])
})

test("each row has the merchant's name for it: its reference, or the first metadata", async () => {
  const written = { customer: 'c-9', reference: 'Order 1024', note: 'x' }
  const called = await create({ template: 'portrait', metadata: written })
  const { data } = (await viewer.call('GET', '@/verifications')).json
  const references = new Map(data.map((row: { id: string; reference: unknown }) => [row.id, row.reference]))
  assert.deepEqual(references.get(called.id), { name: 'reference', value: 'Order 1024' })
  assert.deepEqual(references.get(wine.id), { name: 'order', value: '4711' })
  assert.equal(references.get(till.id), null)
})

test('a reference is found by its numbers and as a whole, ignoring case, spaces and punctuation, and by no other part', async () => {
  const order = await create({ template: 'portrait', metadata: { reference: 'ORDER-8812/Müller' } })
  const joined = await create({ template: 'portrait', metadata: { reference: 'Inv7730' } })
  for (const text of ['8812', 'ORDER-8812/Müller', 'order 8812 müller', 'Order8812Müller', ' #8812 '])
    assert.deepEqual(await find('', text), [order.id], text)
  for (const text of ['7730', 'inv-7730', 'INV 7730']) assert.deepEqual(await find('', text), [joined.id], text)
  for (const text of ['881', 'rder', '-', '812', 'Müller']) assert.deepEqual(await find('', text), [], text)
  const [stored] = await service.deps.db.query<{ index: Buffer }>(
    { name: 'test_metadata_index', text: 'select metadata_index as index from verifications where id = $1' },
    [order.id],
  )
  assert.ok(!stored?.index.includes('8812') && !stored?.index.includes('order'), 'the words are not readable at rest')
})

test('a row whose sensitive fields cannot be decrypted is listed without them', async () => {
  const spoilt = await create({ template: 'portrait', metadata: { reference: 'Order 7' } })
  await service.deps.db.query(
    { name: 'test_spoil', text: `update verifications set particulars = '\\x00' where id = $1` },
    [spoilt.id],
  )
  const [row] = (await owner.call('GET', '@/verifications')).json.data
  assert.deepEqual([row.id, row.reference], [spoilt.id, null])
  assert.equal((await owner.call('GET', `@/verifications/${spoilt.id}`)).status, 500)
})

test('the list is filtered by all that staff created, and by all sign-ins', async () => {
  const body = { template: 'portrait', idempotency_key: 'k'.repeat(16) }
  const created = (await owner.call('POST', '@/verifications', { body })).json
  assert.deepEqual(await find('actor=staff'), [created.id])
  assert.deepEqual(await find('actor=openid'), [])
  assert.deepEqual(await find('channel=openid'), [])
})

test('one request reads 10,000 rows and says how far it came; a file has 20,000 and says where to continue', async () => {
  const big = await service.tenant()
  const staff = await person(service, big, 'owner')
  const at = `timestamptz '2020-01-01' + n * interval '1 second'`
  await service.deps.db.query(
    {
      name: 'test_many',
      text: `insert into verifications (id, tenant_id, environment, created_at, expires_at, template, actor_type, actor_id, nonce, state,
               client_id, response_mode)
             select 'ver_' || lpad(n::text, 32, '0'), $1, 'test', ${at}, ${at}, 'identity', 'api_key', 'k', 'n', 's', 'c', 'direct_post'
             from generate_series(1, 20100) n`,
    },
    [big],
  )
  for (const nothing of ['', 'reason=wallet_declined', 'channel=qr', 'actor=nobody', 'status=completed']) {
    const { data, next, full } = (
      await staff.call('GET', `@/verifications?${nothing}`, nothing === '' ? searching('nothing') : {})
    ).json
    assert.deepEqual(
      [data, full, Date.parse(next)],
      [[], false, Date.parse('2020-01-01T00:00:00Z') + 10_101_000],
      nothing,
    )
  }
  const { text } = await staff.call('GET', '@/verifications/export')
  const lines = text.trimEnd().split('\r\n')
  assert.equal(lines.length, 1 + 20_000 + 1)
  assert.match(lines.at(-1) ?? '', /ends here; continue with to=2020-01-01T00:01:41/)
})

test('a search text is taken from a header only: addresses get into logs', async () => {
  for (const path of ['@/verifications', '@/verifications/export']) {
    assertRefused(await owner.call('GET', `${path}?text=4711`), 400, 'invalid_request')
    for (const text of ['', 'a%0Ab', '%zz', 'x'.repeat(501)])
      assertRefused(await owner.call('GET', path, { headers: { 'vidimus-search': text } }), 400, 'invalid_request')
  }
  const { text } = await owner.call('GET', '@/verifications/export', searching('4711'))
  assert.equal(text.trimEnd().split('\r\n').length, 2)
  assert.ok(text.includes(wine.id))
})

test('an invalid time is refused', async () => {
  assertRefused(await owner.call('GET', '@/verifications?from=yesterday'), 400, 'invalid_request')
  assertRefused(await owner.call('GET', '@/verifications?actor='), 400, 'invalid_request')
})

test('the file has the columns of the list and nothing of the holder; an audit entry names the person who got it', async () => {
  const answer = await owner.call('GET', '@/verifications/export?template=age_over_18')
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers['content-type']), /^text\/csv/)
  assert.match(String(answer.headers['content-disposition']), /^attachment; filename="vidimus-verifications-test-/)
  const [head, ...lines] = answer.text.trimEnd().split('\r\n')
  assert.match(head ?? '', /^id,created_at,status,reason,/)
  assert.deepEqual(
    lines.map((line) => line.split(',')[0]),
    [till.id, wine.id],
  )
  const at = head?.split(',').indexOf('reference') ?? -1
  assert.deepEqual(
    lines.map((line) => line.split(',')[at]),
    ['', '4711'],
  )
  const [entry] = (await owner.call('GET', '@/audit')).json.data
  assert.deepEqual([entry.action, entry.actor.type, entry.actor.id], ['verifications.exported', 'user', owner.id])
  assertRefused(await viewer.call('GET', '@/verifications/export'), 403, 'role_insufficient')
})

test("a merchant's text is not a formula when the file is opened", async () => {
  const { text } = await owner.call('GET', '@/verifications/export?template=identity')
  assert.ok(text.includes(`"'=HYPERLINK(""https://evil.example"")"`), text)
  for (const begin of ['=', '+', '-', '@', '\t', '\r', ' =', '\uff1d']) {
    assert.match(csvLine([`${begin}1`]), /^"?'/, JSON.stringify(begin))
  }
  assert.equal(csvLine(['a', null, 'b "c"']), 'a,,"b ""c"""\r\n')
})

test('a tenant may export a few files in quick succession; further ones are refused', async () => {
  let last = await owner.call('GET', '@/verifications/export')
  for (let n = 0; n < 8 && last.status === 200; n += 1) last = await owner.call('GET', '@/verifications/export')
  assertRefused(last, 429, 'rate_limit_exceeded')
})
