// Tests that the cached list shows each verification as a single read would, after every change by any process or time.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Principal } from '../../../src/core/tenants/domain/principal.ts'
import type { Realm } from '../../../src/core/tenants/domain/realm.ts'
import { createListedCache } from '../../../src/core/verifications/store/listed-cache.ts'
import { listVersions } from '../../../src/core/verifications/store/verifications.ts'
import { eraseVerification } from '../../../src/core/verifications/usecases/forgetting/erase-verification.ts'
import { forgetContent } from '../../../src/core/verifications/usecases/forgetting/forget-content.ts'
import { listFilteredPage, listPage } from '../../../src/core/verifications/usecases/reading/list-verifications.ts'
import type { Deps } from '../../../src/deps.ts'
import { END_OF_TIME, instantOf } from '../../../src/platform/world.ts'
import { merchant } from '../../forgetting/merchants.ts'
import { pairDevice } from '../../harness/devices.ts'
import { OPERATOR, testService } from '../../harness/service.ts'
import { create } from '../../wallet/verifications.ts'
import { pay, wholeBody } from './long-results.ts'

const service = await testService()
const { deps, clock, call } = service
/** Another process: it has its own cache, and does not notify this one. */
const elsewhere: Deps = { ...deps, listed: createListedCache(() => performance.now()) }
test.after(() => elsewhere.listed.close())

const seen: string[] = []
deps.db.watch(({ name }) => void seen.push(name))
/** The statements of `work` that read verifications. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  seen.length = 0
  await work()
  return seen.filter((name) => name === 'list_verifications' || name === 'load_versions')
}

const list = async (key: string) => (await call('GET', '/v1/verifications', { key })).json.data
const statusesOf = async (key: string) => (await list(key)).map(({ status }: { status: string }) => status)

async function assertTrue(key: string, ids: readonly string[]): Promise<void> {
  const alone = await Promise.all(ids.map(async (id) => (await call('GET', `/v1/verifications/${id}`, { key })).json))
  // Lists twice: rendered the first time, from the cache the second time.
  for (const _ of [1, 2]) assert.deepEqual(await list(key), alone)
}

test('every change shows in the next list, as it does in a read: ended, cancelled, forgotten, erased, expired', async () => {
  const { key, realm, ended } = await merchant(service, {})
  const good = await ended({ metadata: { order: '1' } })
  const declined = await ended({}, 'declined')
  const cancelled = (await create(service, key)).id
  const open = (await create(service, key, { template: 'identity', redirect_url: 'https://shop.example/back' })).id
  const ids = [open, cancelled, declined, good]
  await assertTrue(key, ids)

  assert.equal((await call('POST', `/v1/verifications/${cancelled}/cancel`, { key })).status, 200)
  await assertTrue(key, ids)
  for (const id of [good, declined]) {
    await forgetContent(elsewhere, { realm, id, actor: OPERATOR })
    await assertTrue(key, ids)
  }
  assert.ok(!JSON.stringify(await list(key)).includes('Specimen'))
  await eraseVerification(elsewhere, { realm, id: good, actor: OPERATOR })
  await assertTrue(key, [open, cancelled, declined])
  assert.equal((await call('DELETE', `/v1/verifications/${declined}`, { key })).status, 200)
  await assertTrue(key, [open, cancelled])

  assert.deepEqual(await statusesOf(key), ['pending', 'expired'])
  clock.advance(24 * 3_600_000)
  await assertTrue(key, [open, cancelled])
  assert.deepEqual(await statusesOf(key), ['expired', 'expired'])
})

/** The newest days first; then all, because the page is not full. */
const LISTED = ['list_verifications', 'list_verifications']

test('content is listed until its time is over; content that must not be kept is not cached', async () => {
  const { key, ended } = await merchant(service, { content: 'forward', holdSeconds: 60 })
  const id = await ended()
  for (const _ of [1, 2]) {
    assert.deepEqual(await statementsOf(() => list(key)), [...LISTED, 'load_versions'])
    assert.ok('claims' in (await list(key))[0])
  }
  clock.advance(60_001)
  assert.ok(!('claims' in (await list(key))[0]))
  await assertTrue(key, [id])
})

test('a page of unchanged rows reads none of them; a new row is read by itself', async () => {
  const key = await service.key(await service.tenant())
  for (let i = 0; i < 3; i += 1) await create(service, key)
  const listing = () => statementsOf(() => list(key))
  assert.deepEqual(await listing(), [...LISTED, 'load_versions'])
  assert.deepEqual(await listing(), LISTED)
  await create(service, key)
  assert.deepEqual(await listing(), [...LISTED, 'load_versions'])
  assert.deepEqual(await listing(), LISTED)
  const full = () => statementsOf(() => call('GET', '/v1/verifications?limit=4', { key }))
  assert.deepEqual(await full(), ['list_verifications'], 'a full page')
})

/** Returns a store that runs `work` right before the first statement that reads rows. */
function withBetween(work: () => Promise<unknown>): Deps['db'] {
  let isDone = false
  const { query } = deps.db
  return {
    ...deps.db,
    async query(statement, values) {
      if (statement.name === 'load_versions' && !isDone) {
        isDone = true
        await work()
      }
      return query(statement, values)
    },
  }
}

const principalOf = (realm: Realm): Principal => ({
  kind: 'api_key',
  keyId: 'key_test',
  scopes: ['verifications:read'],
  ...realm,
})

test('an erasure between the two statements of a list does not make the page look like the last one', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const realm = { tenantId, environment: 'test' } as const
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1) ids.unshift((await create(service, key)).id)
  const [newest = ''] = ids
  const db = withBetween(() => eraseVerification(elsewhere, { realm, id: newest, actor: OPERATOR }))
  const requested = { principal: principalOf(realm), pay, limit: 2, before: null }
  const page = JSON.parse(await wholeBody(await listPage({ ...elsewhere, db }, requested)))
  assert.deepEqual(
    page.data.map(({ id }: { id: string }) => id),
    ids.slice(1),
  )
})

test('a change between the two statements is cached as the version that was read, never as the listed one', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const realm = { tenantId, environment: 'test' } as const
  const { id } = await create(service, key)
  const listed = createListedCache(() => performance.now())
  test.after(() => listed.close())
  const versionsOf = () =>
    listVersions(deps.db, realm, { deviceId: null, limit: 1, before: END_OF_TIME, now: instantOf(clock.now()) })
  const [before] = await versionsOf()
  const db = withBetween(() => call('POST', `/v1/verifications/${id}/cancel`, { key }))
  const requested = { principal: principalOf(realm), pay, limit: 1, before: null }
  const page = JSON.parse(await wholeBody(await listPage({ ...deps, listed, db }, requested)))
  assert.equal(page.data[0].status, 'expired')
  const [after] = await versionsOf()
  assert.ok(before !== undefined && after !== undefined && before.version !== after.version)
  // A standby that never received the change may take over: there the earlier version is the listed one.
  assert.equal(listed.find(before, clock.now()), null)
  assert.match(listed.find(after, clock.now()) ?? '', /"status":"expired"/)
})

test('?status= lists verifications in that state now, and its Link leads to older ones without a gap', async () => {
  const { key, ended } = await merchant(service, {})
  const by: Record<string, string[]> = { pending: [], completed: [], failed: [], expired: [] }
  for (let round = 0; round < 3; round += 1) {
    by.completed?.unshift(await ended())
    by.failed?.unshift(await ended({}, 'declined'))
    const cancelled = (await create(service, key)).id
    await call('POST', `/v1/verifications/${cancelled}/cancel`, { key })
    by.expired?.unshift(cancelled)
    by.pending?.unshift((await create(service, key)).id)
  }
  const idsOf = (data: readonly { id: string }[]) => data.map(({ id }) => id)
  const all = async (status: string, limit: number) => {
    const found: string[] = []
    let path: string | null = `/v1/verifications?limit=${limit}&status=${status}`
    for (let page = 0; path !== null; page += 1) {
      assert.ok(page < 10, 'the pages end')
      const answer: Awaited<ReturnType<typeof call>> = await call('GET', path, { key })
      assert.equal(answer.status, 200, answer.text)
      found.push(...idsOf(answer.json.data))
      const [, next] = /^<https:\/\/[^/]+(\/v1\/[^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? '')) ?? []
      path = next ?? null
    }
    return found
  }
  for (const [status, ids] of Object.entries(by)) {
    for (const limit of [1, 2, 100]) assert.deepEqual(await all(status, limit), ids, `${status}, ${limit} a page`)
  }
  assert.equal((await call('GET', '/v1/verifications?status=done', { key })).status, 400)
  // The status is that of the current time: verifications that were pending have expired.
  clock.advance(3_600_000)
  assert.deepEqual(await all('pending', 100), [])
  assert.equal((await all('expired', 100)).length, 6)
})

test('?template= and ?reference= list only what fits, also together with a status', async () => {
  const { key } = await merchant(service, {})
  const other = await merchant(service, {})
  const ask = async (template: string, metadata?: Record<string, string>) =>
    (await create(service, key, { template, ...(metadata === undefined ? {} : { metadata }) })).id
  const plain = await ask('age_over_18')
  const order = await ask('age_over_18', { reference: 'Order #8642-b', shop: 'Harbour' })
  const booking = await ask('identity', { booking: 'Order #8642-b' })
  await create(service, other.key, { template: 'identity', metadata: { reference: '8642' } })
  const found = async (query: string) => {
    const answer = await call('GET', `/v1/verifications?${query}`, { key })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await found('template=age_over_18'), [order, plain])
  assert.deepEqual(await found('template=identity'), [booking])
  assert.deepEqual(await found('template=unknown'), [])
  for (const reference of ['Order #8642-b', 'order 8642B', '8642'])
    assert.deepEqual(await found(`reference=${encodeURIComponent(reference)}`), [booking, order], reference)
  assert.deepEqual(await found('reference=harbour'), [order])
  assert.deepEqual(await found('reference=Order'), [], 'a search for a single word might be for a name')
  assert.deepEqual(await found('reference=8642&template=identity&status=pending'), [booking])
  assert.deepEqual(await found('reference=8642&status=completed'), [])
  const [, next] = /<([^>]+)>; rel="next"/.exec(
    String((await call('GET', '/v1/verifications?limit=1&reference=Order%20%238642-b', { key })).headers.link),
  ) ?? ['', '']
  assert.deepEqual(await found(new URL(String(next)).search.slice(1)), [order], 'the next page has the same filter')
  for (const wrong of [
    'template=',
    'template=%00',
    'reference=',
    `reference=${'x'.repeat(501)}`,
    'reference=a&reference=b',
  ])
    assert.equal((await call('GET', `/v1/verifications?${wrong}`, { key })).status, 400, wrong)
})

test('a forgotten reference finds nothing', async () => {
  const { key } = await merchant(service, {})
  const { id } = await create(service, key, { template: 'identity', metadata: { reference: 'A-4711' } })
  const data = async () => (await call('GET', '/v1/verifications?reference=4711', { key })).json.data
  assert.equal((await data()).length, 1)
  assert.equal((await call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  assert.deepEqual(await data(), [])
})

test('a filtered page scans a limited number of rows, and says where it ended even if it found nothing', async () => {
  const { key, realm, ended } = await merchant(service, {})
  const old = await ended({}, 'declined')
  for (let count = 0; count < 5; count += 1) await create(service, key)
  const terms = { principal: principalOf(realm), pay, limit: 10, filter: { status: 'failed' }, window: 2 } as const
  const found: unknown[] = []
  let before: string | null = null
  for (let page = 0; page < 4; page += 1) {
    const { body, next }: Awaited<ReturnType<typeof listFilteredPage>> = await listFilteredPage(deps, {
      ...terms,
      before,
    })
    found.push(...JSON.parse(await wholeBody(body)).data.map(({ id }: { id: string }) => id))
    assert.equal(next === null, page === 3, `page ${page}`)
    before = next
  }
  assert.deepEqual(found, [old])
})

test('a device lists by state only its own verifications', async () => {
  const { key } = await merchant(service, {})
  const { accessToken } = await pairDevice(service, key)
  await create(service, key)
  const own = await call('POST', '/v1/verifications', { key: accessToken, body: { template: 'age_over_18' } })
  const { data } = (await call('GET', '/v1/verifications?status=pending', { key: accessToken })).json
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [own.json.id],
  )
})
