// Tests that long results are loaded and rendered in parts and cost their reader, so they do not block the event loop.

import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { Principal } from '../../../src/core/tenants/domain/principal.ts'
import { eraseVerification } from '../../../src/core/verifications/usecases/forgetting/erase-verification.ts'
import { listFilteredPage, listPage } from '../../../src/core/verifications/usecases/reading/list-verifications.ts'
import { readVerification } from '../../../src/core/verifications/usecases/reading/read-verification.ts'
import { merchant } from '../../forgetting/merchants.ts'
import { withTurns } from '../../harness/event-loop.ts'
import { assertRefused, OPERATOR, testService } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'
import { create } from '../../wallet/verifications.ts'
import { lengthenResult, pay, watchResults, wholeBody } from './long-results.ts'

const service = await testService()
const { deps, call } = service
const MIB = 1024 * 1024

const shop = await merchant(service, {})
const { key, realm } = shop
const principal: Principal = { kind: 'api_key', keyId: 'key_test', scopes: ['verifications:read'], ...realm }
/** Newest first: long results, with short ones and open verifications between. */
const ids: string[] = []
const LONG = 700_000
const add = async (length: number | null) => {
  const id = length === null ? (await create(service, key)).id : await shop.ended()
  if (length !== null && length > 0) await lengthenResult(deps, realm, id, length)
  ids.unshift(id)
}
for (const length of [0, LONG, 0, null, 300_000, 300_000, 300_000, 300_000, null, LONG, LONG, 0, LONG, 950_000])
  await add(length)

const idsOf = (text: string): string[] => JSON.parse(text).data.map(({ id }: { id: string }) => id)
const page = (limit: number) => ({ principal, pay, limit, before: null })

test('a long page has the same bytes as reads of each verification, and the same headers as a short one', async () => {
  const each = await Promise.all(ids.map(async (id) => (await call('GET', `/v1/verifications/${id}`, { key })).text))
  const long = await call('GET', '/v1/verifications?limit=100', { key })
  assert.equal(long.status, 200)
  assert.equal(long.text, `{"data":[${each.join(',')}]}`)
  const short = await call('GET', '/v1/verifications?limit=1', { key })
  assert.equal(long.headers['content-type'], short.headers['content-type'])
  assert.equal(typeof (await listPage(deps, page(1))), 'string', 'a short page is sent as one text')
  const filtered = await call('GET', '/v1/verifications?limit=5&status=completed', { key })
  const completed = each.filter((text) => JSON.parse(text).status === 'completed')
  assert.equal(filtered.text, `{"data":[${completed.slice(0, 5).join(',')}]}`)
  assert.match(String(filtered.headers.link), /rel="next"/)
})

test('each statement loads about a megabyte of results, and each turn of the event loop renders as much', async () => {
  const watched = watchResults(deps)
  const found = idsOf(await wholeBody(await listPage({ ...deps, db: watched.db }, page(100))))
  watched.stop()
  assert.deepEqual(found, ids)
  const total = watched.loaded.reduce((sum, bytes) => sum + bytes, 0)
  assert.ok(total > 4.5 * MIB, `${total}`)
  assert.ok(watched.loaded.length >= 6, `${watched.loaded.length} statements`)
  assert.ok(Math.max(...watched.loaded) <= MIB, `${watched.loaded}`)
  assert.ok(Math.max(...watched.decrypted()) <= MIB, `${watched.decrypted()}`)
})

test('nothing is loaded before the client has taken what came before', async () => {
  const watched = watchResults(deps)
  const body = await listPage({ ...deps, db: watched.db }, page(100))
  assert.ok(typeof body !== 'string')
  const parts = body[Symbol.asyncIterator]()
  assert.equal(watched.loaded.length, 0)
  for (const taken of [0, 1, 2]) {
    await parts.next()
    assert.equal(watched.loaded.length, taken)
  }
  await parts.return?.()
  watched.stop()
  assert.equal(watched.loaded.length, 2)
})

test('long results that are read at the same time are loaded one by one and decrypted in turns', async (t) => {
  const long = ids.slice(0, 2)
  const watched = watchResults(deps)
  const read = (_: unknown, i: number) =>
    readVerification({ ...deps, db: watched.db }, { principal, pay, id: long[i % 2] ?? '' })
  await withTurns(t, 1_000, () => Promise.all(Array.from({ length: 8 }, read)))
  watched.stop()
  assert.equal(watched.loaded.length, 8, `${watched.loaded}`)
  assert.equal(watched.decrypted().length, 8, `${watched.decrypted()}`)
})

test('a page that loses verifications while it is sent is filled with older ones', async () => {
  const other = await merchant(service, {})
  const others: string[] = []
  for (const length of [0, 0, 0, LONG, LONG, LONG, LONG]) {
    const id = await other.ended()
    if (length > 0) await lengthenResult(deps, other.realm, id, length)
    others.unshift(id)
  }
  const body = await listPage(deps, { ...page(5), principal: { ...principal, ...other.realm } })
  assert.ok(typeof body !== 'string')
  let text = ''
  let parts = 0
  for await (const part of body) {
    text += part
    parts += 1
    // The first verification has been sent. The second and the last of the page are erased.
    if (parts === 2)
      for (const id of [others[1], others[4]])
        await eraseVerification(deps, { realm: other.realm, id: id ?? '', actor: OPERATOR })
  }
  assert.deepEqual(idsOf(text), [others[0], others[2], others[3], others[5], others[6]])

  const again = await listPage(deps, { ...page(5), principal: { ...principal, ...other.realm } })
  assert.ok(typeof again !== 'string')
  const rest = others.filter((_, i) => i !== 1 && i !== 4)
  for (const id of rest) await eraseVerification(deps, { realm: other.realm, id, actor: OPERATOR })
  assert.deepEqual(idsOf(await wholeBody(again)), [], 'the end')
})

test('a filtered page leaves out what is erased while it is sent; its link leads to the rest', async () => {
  const other = await merchant(service, {})
  const others: string[] = []
  for (const length of [LONG, LONG, LONG]) {
    others.unshift(await other.ended())
    await lengthenResult(deps, other.realm, others[0] ?? '', length)
  }
  const terms = { ...page(2), principal: { ...principal, ...other.realm }, filter: { status: 'completed' } } as const
  const { body, next } = await listFilteredPage(deps, terms)
  assert.ok(typeof body !== 'string')
  await eraseVerification(deps, { realm: other.realm, id: others[1] ?? '', actor: OPERATOR })
  assert.deepEqual(idsOf(await wholeBody(body)), [others[0]])
  const rest = await listFilteredPage(deps, { ...terms, before: next })
  assert.deepEqual(idsOf(await wholeBody(rest.body)), [others[2]])
})

test('a failure in the middle ends the connection, so that the body does not look complete; HEAD reads nothing', async () => {
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const ask = (method: string) =>
    new Promise<IncomingMessage>((resolve, reject) =>
      get(
        {
          port,
          host: '127.0.0.1',
          path: '/v1/verifications?limit=100',
          method,
          agent: false,
          headers: { authorization: `Bearer ${key}` },
        },
        resolve,
      ).on('error', reject),
    )
  const bodyOf = async (response: IncomingMessage) => {
    let text = ''
    for await (const chunk of response) text += chunk
    return text
  }
  const whole = await ask('GET')
  assert.deepEqual(idsOf(await bodyOf(whole)), ids)
  assert.equal(whole.headers['content-length'], undefined)
  assert.equal(await bodyOf(await ask('HEAD')), '')
  const damage = {
    name: 'test_damage',
    text: `update verification_results set sealed = set_byte(sealed, 900, get_byte(sealed, 900) # 1) where verification_id = $1`,
  }
  await deps.db.query(damage, [ids.at(-2)])
  const broken = await ask('GET')
  await assert.rejects(bodyOf(broken), { code: 'ECONNRESET' })
  assert.equal(broken.statusCode, 200)
  await deps.db.query(damage, [ids.at(-2)])
})

test('long results cost their reader: 32 KiB beyond the first 256 are one request more, a page at most what is left of half of the burst', async () => {
  const tenant = { perSecond: 1, burst: 200 }
  const paid = await testService({ rates: { ...deps.config.rates, tenant } }, {}, { sharedWith: service })
  const ask = async (path: string, by = key) => (await paid.call('GET', path, { key: by })).status
  const another = await service.key(realm.tenantId)
  /** Returns how much of the burst is left, and spends it. */
  const left = async () => {
    let count = 0
    for (; count < 300; count += 1) if ((await ask('/v1/usage', another)) !== 200) break
    service.clock.advance(400_000)
    return count
  }
  assert.equal(await left(), 200)
  assert.equal(await ask(`/v1/verifications/${ids.at(-1)}`), 200)
  assert.equal(await left(), 199, 'a short result')
  for (const path of ['', '/verdict', '/diagnostics']) {
    assert.equal(await ask(`/v1/verifications/${ids[1]}${path}`), 200)
    assert.equal(await left(), 199 - Math.ceil((LONG - 256 * 1024) / 32_768), path)
  }
  assert.equal(await ask('/v1/verifications?limit=100'), 200)
  const refused = await paid.call('GET', '/v1/verifications?limit=100', { key })
  assertRefused(refused, 429, 'rate_limit_exceeded')
  assert.ok(Number(refused.headers['retry-after']) > 1)
  const sent: string[] = []
  deps.db.watch(({ name }) => void sent.push(name))
  assert.equal(await ask(`/v1/verifications/${ids[1]}`), 429)
  assert.ok(
    sent.includes('load_short_verifications') && !sent.includes('load_verifications'),
    'a refused result is not loaded',
  )
  assert.equal(await left(), 101)
  assert.equal(await ask('/v1/verifications?limit=100&status=completed'), 200, 'a filter leaves enough')
  const viewer = await person(paid, realm.tenantId, 'viewer')
  assert.equal((await viewer.call('GET', `@/verifications/${ids[1]}`)).status, 200)
  const { headers } = await viewer.call('GET', '@/keys')
  const price = Math.ceil((LONG - 256 * 1024) / 32_768)
  assert.ok(Number(headers['ratelimit-remaining']) <= deps.config.rates.key.burst - price, 'staff pay as well')
})
