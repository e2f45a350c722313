// Tests hostile or careless callers: slow bodies, endless streams, guessed keys, long ids, odd headers.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { mintApiKey } from '../../src/core/tenants/domain/api-key.ts'
import { revokeKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { STREAMS } from '../../src/platform/http/bounds/limits.ts'
import { readableTarget } from '../../src/platform/http/request-target.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { decline } from '../harness/webhooks.ts'

const service = await testService({ requestsInFlightMax: 5 })
const { call, deps } = service
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const port = Number(new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).port)
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function send(text: string): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let received = ''
  socket.setEncoding('utf8')
  socket.on('error', () => undefined)
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  await once(socket, 'connect')
  socket.write(text)
  return { socket, received: () => received }
}

test('bodies that never end take no request slot, and none is read for an unknown verification', async () => {
  const half = 'Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nvp_token='
  const { received } = await send(`POST /wallet/response/x HTTP/1.1\r\n${half}`)
  await waitUntil('it is answered', () => received().includes('\r\n\r\n'))
  assert.match(received(), /^HTTP\/1\.1 404 /)
  const created = await call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  for (let count = 0; count < 10; count += 1) await send(`POST /wallet/response/${created.json.id} HTTP/1.1\r\n${half}`)
  assert.equal((await call('GET', '/v1/usage', { key })).status, 200)
  assert.equal((await call('GET', '/healthz')).status, 200)
})

test('a key has few streams; they take no request slot, and end when their key is revoked', async () => {
  const own = await service.key(tenantId)
  const head = `GET /dev/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own}\r\n\r\n`
  const streams = []
  for (let count = 0; count < 3; count += 1) {
    const stream = await send(head)
    await waitUntil('the stream listens', () => stream.received().includes('listening'))
    streams.push(stream)
  }
  const fourth = await send(head)
  await waitUntil('the fourth is refused', () => fourth.received().includes('}'))
  assert.match(fourth.received(), /^HTTP\/1\.1 429 /)
  assert.equal((await call('GET', '/v1/usage', { key })).status, 200)

  const [row] = await deps.db.query<{ id: string }>(
    { name: 'test_key_by_hash', text: 'select id from api_keys where hash = $1' },
    [createHash('sha256').update(own).digest()],
  )
  await revokeKey(deps, { tenantId, keyId: row?.id ?? '', actor: OPERATOR })
  const created = await call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  await decline(service, created.json.id)
  // The stream is over when the last chunk of its body arrives.
  for (const { received } of streams) await waitUntil('the stream ends', () => received().endsWith('0\r\n\r\n'))
  for (const { received } of streams) assert.doesNotMatch(received(), /data: /)
})

test('a tenant has few streams, however many keys it creates; another tenant still gets one', async () => {
  const listen = async (own: string) => {
    const stream = await send(`GET /dev/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own}\r\n\r\n`)
    await waitUntil('the stream is answered', () => /listening|\}/.test(stream.received()))
    return Number(stream.received().slice(9, 12))
  }
  const crowded = await service.tenant()
  for (let count = 0; count < STREAMS.each; count += 1) assert.equal(await listen(await service.key(crowded)), 200)
  assert.equal(await listen(await service.key(crowded)), 429)
  assert.equal(await listen(await service.key(await service.tenant())), 200)
})

test('an address that guesses keys is refused without a query to the store; other addresses are not', async () => {
  const guessed = await testService({ rates: { ...deps.config.rates, ip: { perSecond: 0.1, burst: 2 } } })
  const ours = await guessed.key(await guessed.tenant())
  const unknown = () => mintApiKey(deps.random, 'test')
  const statuses: number[] = []
  for (let count = 0; count < 25; count += 1)
    statuses.push((await guessed.call('GET', '/v1/usage', { key: unknown() })).status)
  assert.deepEqual(statuses.slice(0, 20), new Array(20).fill(401))
  assert.equal(statuses.at(-1), 429)
  assert.equal((await guessed.call('GET', '/v1/usage', { key: ours, from: '198.51.100.7' })).status, 200)
  guessed.clock.advance(60_000)
  assert.equal((await guessed.call('GET', '/v1/usage', { key: ours })).status, 200)
})

test('a long id counts as unknown: 401 without a key, 404 with a key, never a fault', async () => {
  const long = `ver_${'a'.repeat(2_000)}`
  for (const path of [`/v1/verifications/${long}`]) {
    assertRefused(await call('GET', path), 401, 'invalid_api_key')
    assertRefused(await call('GET', path, { key }), 404, 'session_not_found')
  }
  assertRefused(await call('GET', `/v1/verifications/${long}/status`), 404, 'session_not_found')
  assertRefused(await call('GET', `/wallet/request/${long}`), 404, 'session_not_found')
  assert.ok(!service.logged.some((line) => line.includes('request failed')))
})

for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
  test(`a DELETE without a body may carry the content type ${type}`, async () => {
    const created = await call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
    const erased = await call('DELETE', `/v1/verifications/${created.json.id}`, {
      key,
      headers: { 'content-type': type },
    })
    assert.equal(erased.status, 200, erased.text)
  })
}

test('a query with too many fields is refused, and its names are not read', async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `${at * 1_026}=1`).join('&')
  for (const path of ['/healthz', '/v1/usage', '/v1/templates']) {
    const { status } = await call('GET', `${path}?${fields(64)}`, { key })
    assert.notEqual(status, 400, path)
    assertRefused(await call('GET', `${path}?${fields(65)}`, { key }), 400, 'invalid_request')
  }
  assertRefused(await call('GET', `/nothing-here?${fields(65)}`), 400, 'invalid_request')
  assert.equal(readableTarget(`/v1/usage?${fields(64)}`), `/v1/usage?${fields(64)}`)
  for (const path of ['/v1/usage', '/%zz', 'http://host/v1/usage', '*'])
    assert.ok(readableTarget(`${path}?${fields(3_000)}`).length < 100, path)
})

test('a request with too many headers is refused before its headers are read', async () => {
  const headers = (count: number) => Array.from({ length: count }, (_, at) => `${at * 1_026}: 1\r\n`).join('')
  const few = await send(`GET /healthz HTTP/1.1\r\nHost: x\r\n${headers(99)}\r\n`)
  await waitUntil('it is answered', () => few.received().includes('\r\n\r\n'))
  assert.match(few.received(), /^HTTP\/1\.1 200 /)
  const many = await send(`GET /healthz HTTP/1.1\r\nHost: x\r\n${headers(100)}\r\n`)
  await waitUntil('it is refused', () => many.received().includes('}'))
  assert.match(many.received(), /^HTTP\/1\.1 431 /)
  await waitUntil('the connection is closed', () => many.socket.destroyed || many.socket.readableEnded)
})

test('a long path is neither decoded nor compared with routes', async () => {
  for (const letter of ['%', '%41', 'a'])
    assert.equal(readableTarget(`/verify/${letter.repeat(2_041)}?x=1`), '/address-too-long')
  const fits = `/verify/${'a'.repeat(2_040)}?request=${'a'.repeat(9_000)}`
  assert.equal(readableTarget(fits), fits)
  assertRefused(await call('POST', `/dashboard/api/tenants/x/${'a'.repeat(5_000)}/zz`), 404, 'not_found')
})
