// Tests that lists of links with long requests are read in parts and cost their reader, so they do not block the event loop.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { LinkRequest } from '../../../src/features/links/domain/link.ts'
import { linkSealContext } from '../../../src/features/links/index.ts'
import { listLinkPage, readLinkPage } from '../../../src/features/links/usecases/read-links.ts'
import { withTurns } from '../../harness/event-loop.ts'
import { assertRefused, testService } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'
import { pay, watchResults } from './long-results.ts'

const MIB = 1024 * 1024
const REQUESTS = { context: 'links.request', column: 'request' }
const service = await testService()
const { deps, clock } = service
const tenantId = await service.tenant({ plan: 'enterprise' })
const key = await service.key(tenantId)
const realm = { tenantId, environment: 'test' } as const

const makeLink = (body: object = { template: 'age_over_18', metadata: { order: '4711' } }) =>
  service.call('POST', '/v1/links', { key, body })

/** Gives a link a request of about this length, as an earlier release accepted it. */
async function lengthenRequest(id: string, length: number): Promise<void> {
  const request: LinkRequest = { query: { credentials: [{ id: 'x'.repeat(length) }] } }
  const sealed = deps.db.sealer.seal(Buffer.from(JSON.stringify(request)), linkSealContext({ ...realm, id }))
  const text = 'update links set request = $3 where tenant_id = $1 and id = $2'
  await deps.db.query({ name: 'test_lengthen_request', text }, [tenantId, id, sealed])
}

/** Newest first. */
const ids: string[] = []
for (const length of [null, 230_000, 230_000, 230_000, 230_000, 230_000, null, 900_000, 230_000, null]) {
  const { id } = (await makeLink()).json
  if (length !== null) await lengthenRequest(id, length)
  ids.unshift(id)
}

test('each statement loads at most a megabyte of requests, and each turn of the event loop decrypts as much', async () => {
  const page = { limit: 100, before: null, pay }
  for (const list of [
    async (db: typeof deps.db) => JSON.parse(await listLinkPage({ ...deps, db }, realm, page)).data,
    async (db: typeof deps.db) => (await readLinkPage({ ...deps, db }, realm, page)).data,
  ]) {
    const watched = watchResults(deps, REQUESTS)
    const data = await list(watched.db)
    watched.stop()
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      ids,
    )
    const total = watched.loaded.reduce((sum, bytes) => sum + bytes, 0)
    assert.ok(total > 2 * MIB, `${total}`)
    assert.ok(Math.max(...watched.loaded) <= MIB, `${watched.loaded}`)
    assert.ok(Math.max(...watched.decrypted()) <= MIB, `${watched.decrypted()}`)
  }
})

test('lists that are read at the same time decrypt their requests in turns', async (t) => {
  const watched = watchResults(deps, REQUESTS)
  const page = { limit: 100, before: null, pay }
  const read = () => readLinkPage({ ...deps, db: watched.db }, realm, page)
  await withTurns(t, 1_000, () => Promise.all(Array.from({ length: 12 }, read)))
  watched.stop()
  assert.ok(Math.max(...watched.decrypted()) <= MIB, `${watched.decrypted()}`)
})

test('a list loads the requests of its page only, and reads each as the link alone', async () => {
  const watched = watchResults(deps, REQUESTS)
  const { data, next } = await readLinkPage({ ...deps, db: watched.db }, realm, { limit: 1, before: null, pay })
  watched.stop()
  assert.deepEqual([data.length, next], [1, data[0]?.created_at])
  assert.ok(watched.loaded.length === 1 && (watched.loaded[0] ?? MIB) < 1000, `${watched.loaded}`)
  const each = await Promise.all(ids.map(async (id) => (await service.call('GET', `/v1/links/${id}`, { key })).json))
  assert.deepEqual((await service.call('GET', '/v1/links?limit=100', { key })).json.data, each)
})

test('if links are deleted while a list is read, older ones fill the page', async () => {
  const gone = (await makeLink()).json.id
  const text = 'delete from links where tenant_id = $1 and id = $2'
  const forget = async () => void (await deps.db.query({ name: 'test_forget_link', text }, [tenantId, gone]))
  const body = await listLinkPage(deps, realm, { limit: 2, before: null, pay: forget })
  assert.deepEqual(
    JSON.parse(body).data.map(({ id }: { id: string }) => id),
    ids.slice(0, 2),
  )
})

test('long requests cost their reader, and staff from a rate of their own: 32 KiB beyond the first 256 are one request more', async () => {
  const tenant = { perSecond: 1, burst: 200 }
  const paid = await testService({ rates: { ...deps.config.rates, tenant } }, {}, { sharedWith: service })
  const viewer = await person(paid, tenantId, 'viewer')
  const another = await service.key(tenantId)
  const left = async () => {
    let count = 0
    for (; count < 300; count += 1) if ((await paid.call('GET', '/v1/usage', { key: another })).status !== 200) break
    clock.advance(400_000)
    return count
  }
  assert.equal(await left(), 200)
  assert.equal((await paid.call('GET', '/v1/links?limit=2', { key })).status, 200)
  assert.equal(await left(), 199, 'requests of up to 256 KiB')
  const bytes = 900_000 + 6 * 230_000
  const price = Math.ceil((bytes - 256 * 1024) / 32_768)
  assert.equal((await paid.call('GET', '/v1/links?limit=100', { key })).status, 200)
  assert.equal(await left(), 199 - price)
  const shown = await viewer.call('GET', '@/links')
  assert.equal(shown.status, 200)
  assert.equal(await left(), 200, 'staff do not stop tills')
  const staffLeft = async () => Number((await viewer.call('GET', '@/keys')).headers['ratelimit-remaining'])
  await viewer.call('GET', '@/links')
  assert.ok((await staffLeft()) <= deps.config.rates.key.burst - price)
  const again = async () => (await paid.call('GET', '/v1/links?limit=100', { key })).status
  assert.deepEqual([await again(), await again()], [200, 429], 'one key gets half of the rate')
})

test("a link's request has at most 64 KiB", async () => {
  const metadata = (length: number) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}`, 'ü'.repeat(length)]))
  const claims = Array.from({ length: 60 }, (_, i) => ({ path: [`c${i}${'x'.repeat(240)}`] }))
  const query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] }, claims }] }
  const fits = await makeLink({ query, metadata: metadata(450) })
  assert.equal(fits.status, 201, fits.text)
  const refused = await makeLink({ query, metadata: metadata(500) })
  assertRefused(refused, 400, 'invalid_request')
  assert.match(refused.text, /65536 bytes/)
})
