// Tests limits on what strangers can make the service store in memory: unread answers, endless bodies, connections.

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { buildApp } from '../../src/http-server.ts'
import { parseCidr } from '../../src/platform/cidr.ts'
import { withoutKey } from '../../src/platform/http/access.ts'
import {
  BUFFERED_BYTES,
  CLOSED_CONNECTIONS_BUDGET,
  connectionBound,
  openBound,
  PIPELINED_MAX,
  THROTTLED_CONNECTIONS,
  TIMES,
} from '../../src/platform/http/bounds/limits.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { connectionsCut, heldBytes } from '../harness/metric-values.ts'
import { closing, head, type RawClient, rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'

/** Open requests of three addresses fill everything except the reserve. */
const service = await testService({ requestsInFlightMax: 96 })
const { deps, clock } = service
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const client = await rawClient(service.app)

const GET = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'
const usage = `GET /v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
const form = (length: number) =>
  `Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\nvp_token=`

test('the timeouts are ordered, and checked often', () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = service.app.server
  assert.deepEqual([headersTimeout, requestTimeout, keepAliveTimeout], [10_000, 30_000, 72_000])
  const { connectionsCheckingInterval } = service.app.server as { connectionsCheckingInterval?: number }
  assert.equal(connectionsCheckingInterval, TIMES.check)
  assert.ok(TIMES.check <= headersTimeout / 2 && headersTimeout < requestTimeout && requestTimeout < TIMES.unread)
})

test('requests that are pipelined beyond the limit end their connection, and nothing of them is kept', async () => {
  const { socket, theirs } = await client.open()
  socket.pause()
  const closed = closing(theirs)
  const before = await connectionsCut(deps, 'pipelined')
  socket.write(GET.repeat(1_900))
  await closed
  assert.equal(await connectionsCut(deps, 'pipelined'), before + 1)
  assert.match(await client.ask(usage), /^HTTP\/1\.1 200 /)
  // Requests that have started keep their slots until they end.
  const isEmpty = async () => /^vidimus_http_requests_in_flight 0$/m.test(await deps.metrics.registry.metrics())
  await waitUntil('no request is in flight', isEmpty)
})

test('as many pipelined requests as the limit allows are answered in order', async () => {
  const { socket } = await client.open()
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  socket.write(GET.repeat(PIPELINED_MAX))
  await waitUntil('all are answered', () => received.split('HTTP/1.1 200 ').length > PIPELINED_MAX)
})

test('data that was read together with the request that ended its connection is not parsed', async () => {
  const { socket, theirs } = await client.open()
  let parsed = 0
  const count = () => {
    parsed += 1
  }
  service.app.server.on('request', count)
  const closed = closing(theirs)
  socket.write(GET.repeat(1_900))
  await closed
  service.app.server.off('request', count)
  assert.equal(parsed, PIPELINED_MAX + 1)
})

test('an address with many closed connections gets one request per connection; others are not affected', async () => {
  const from = '127.0.0.7'
  for (let count = 0; count < CLOSED_CONNECTIONS_BUDGET.burst; count += 1) {
    const { socket, theirs } = await client.open(from)
    const closed = closing(theirs)
    socket.write(GET.repeat(100))
    await closed
  }
  const { socket, theirs } = await client.open(from)
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  const closed = Promise.all([closing(theirs), closing(socket)])
  socket.write(usage.repeat(3))
  await closed
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200'], 'the till on the same Wi-Fi is served')
  assert.match(received, /\r\nconnection: close\r\n/i)
  assert.doesNotMatch(await client.ask(usage), /\r\nconnection: close\r\n/i)
  clock.advance(1000 / CLOSED_CONNECTIONS_BUDGET.perSecond)
  assert.doesNotMatch(await client.ask(usage, from), /\r\nconnection: close\r\n/i)
})

test('an address may not open more connections than requests; a trusted proxy may open as many as it needs', async () => {
  const address = { perSecond: 1, burst: 3 }
  const trusted = parseCidr('127.0.0.23/32')
  assert.ok(trusted !== null)
  const config = { ...deps.config, rates: { ...deps.config.rates, address }, trustedProxies: [trusted] }
  const app = buildApp({ ...deps, config })
  after(() => app.close())
  const own = await rawClient(app)
  const from = '127.0.0.22'
  for (let count = 0; count < address.burst; count += 1) assert.equal(await taken(own, from), true)
  assert.equal(await taken(own, from), false)
  assert.equal(await taken(own, '127.0.0.24'), true)
  for (let count = 0; count <= address.burst; count += 1) assert.equal(await taken(own, '127.0.0.23'), true)
  clock.advance(1000 / address.perSecond)
  assert.equal(await taken(own, from), true)
})

/** Starts a separate service whose addresses the test can throttle. */
async function withThrottled(): Promise<RawClient & { throttle(from: string): Promise<void> }> {
  const app = buildApp(deps)
  after(() => app.close())
  const own = await rawClient(app)
  const throttle = async (from: string) => {
    for (let count = 0; count < CLOSED_CONNECTIONS_BUDGET.burst; count += 1) await own.ask('nonsense\r\n\r\n', from)
  }
  return { ...own, throttle }
}

/** Opens a connection, and returns whether it was accepted. */
async function taken(own: RawClient, from: string): Promise<boolean> {
  const { socket, theirs } = await own.open(from)
  if (theirs.destroyed) return false
  socket.destroy()
  await closing(theirs)
  return true
}

test('a throttled address gets few new connections a second; open ones continue', async () => {
  const own = await withThrottled()
  const from = '127.0.0.21'
  const till = await own.open(from)
  await own.throttle(from)
  for (let count = 0; count < THROTTLED_CONNECTIONS.each.burst; count += 1) assert.ok(await taken(own, from))
  assert.equal(await taken(own, from), false)
  assert.equal(await own.ask(usage, from), '', 'closed unheard')
  for (let count = 0; count < 2; count += 1) {
    const answer = await head(till.socket, usage)
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.doesNotMatch(answer, /\r\nconnection: close\r\n/i)
  }
  assert.match(await own.ask(usage), /^HTTP\/1\.1 200 /, 'other addresses are not throttled')
  clock.advance(1000 / THROTTLED_CONNECTIONS.each.perSecond)
  assert.match(await own.ask(usage, from), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is)
  assert.equal(await taken(own, from), false)
})

test('all throttled addresses together get few new connections a second; others are not limited', async () => {
  const own = await withThrottled()
  const { each, all } = THROTTLED_CONNECTIONS
  const addresses = Array.from({ length: all.burst / each.burst + 1 }, (_, at) => `127.0.0.${at + 30}`)
  for (const from of addresses) await own.throttle(from)
  const [last = '', ...others] = addresses
  for (const from of others) for (let count = 0; count < each.burst; count += 1) assert.ok(await taken(own, from))
  assert.equal(await taken(own, last), false)
  assert.ok(await taken(own, '127.0.0.1'))
  clock.advance(1000 / all.perSecond)
  assert.equal(await taken(own, last), true)
})

test("a trusted proxy's connections stay open whatever one of its clients did", async () => {
  const trusted = parseCidr('127.0.0.10/32')
  assert.ok(trusted !== null)
  const behind = { ...deps, config: { ...deps.config, trustedProxies: [trusted] } }
  const app = buildApp(behind)
  after(() => app.close())
  const own = await rawClient(app)
  for (let count = 0; count <= CLOSED_CONNECTIONS_BUDGET.burst; count += 1) {
    const { socket, theirs } = await own.open('127.0.0.10')
    const closed = closing(theirs)
    socket.write(GET.repeat(100))
    await closed
  }
  assert.doesNotMatch(await own.ask(usage, '127.0.0.10'), /\r\nconnection: close\r\n/i)
})

test('an unread answer takes no slot, but its bytes count against its address until it is gone', async () => {
  const large = Buffer.alloc(BUFFERED_BYTES.each * 3, 0x20)
  const narrow = { ...deps, config: { ...deps.config, requestsInFlightMax: 1 } }
  const app = buildApp(narrow)
  app.get('/large', { ...withoutKey(narrow), schema: { hide: true } }, async (_request, reply) => reply.send(large))
  after(() => app.close())
  const own = await rawClient(app)
  const { socket, theirs } = await own.open('127.0.0.2')
  socket.pause()
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, response] = await arrived
  await waitUntil('the answer is written', () => response.writableEnded)
  assert.ok(theirs.writableLength > 0, 'it is not read')
  assert.match(await own.ask(usage), /^HTTP\/1\.1 200 /)
  assert.match(await own.ask(usage, '127.0.0.2'), /^HTTP\/1\.1 429 /)
  const closed = closing(theirs)
  socket.resetAndDestroy()
  await closed
  assert.match(await own.ask(usage, '127.0.0.2'), /^HTTP\/1\.1 200 /)
})

test('answers that wait behind an unread answer free their bytes when the connection ends', async () => {
  // This service has its own metrics, because connections of other services may end during the test.
  const counted = { ...deps, metrics: createMetrics() }
  const app = buildApp(counted)
  const large = Buffer.alloc(BUFFERED_BYTES.each, 0x20)
  app.get('/large', { ...withoutKey(counted), schema: { hide: true } }, async (_request, reply) => reply.send(large))
  after(() => app.close())
  const own = await rawClient(app)
  const { socket, theirs } = await own.open('127.0.0.12')
  socket.pause()
  const answers: ServerResponse[] = []
  app.server.on('request', (_request, response) => void answers.push(response))
  // The answers may be of any route except the operator's probes.
  const small = GET.replace('/readyz', '/metrics')
  socket.write(`GET /large HTTP/1.1\r\nHost: x\r\n\r\n${small.repeat(3)}`)
  const isAnswered = () => answers.length >= 4 && answers.every(({ writableEnded }) => writableEnded)
  await waitUntil('four answers are written', isAnswered)
  assert.ok((await heldBytes(counted)) > large.length)
  const closed = closing(theirs)
  socket.resetAndDestroy()
  await closed
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
  assert.equal(await heldBytes(counted), 0)
})

test('an answer that is not read for a minute ends its connection', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const app = buildApp(deps)
  const large = Buffer.alloc(BUFFERED_BYTES.each * 3, 0x20)
  app.get('/large', { ...withoutKey(deps), schema: { hide: true } }, async (_request, reply) => reply.send(large))
  after(() => app.close())
  const own = await rawClient(app)
  const before = await connectionsCut(deps, 'unread')
  const { socket, theirs } = await own.open()
  socket.pause()
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  await waitUntil('the answer waits for its reader', () => theirs.writableLength > 0)
  // Bytes in the buffers of the kernel count as read.
  for (let minute = 0; minute < 20 && !theirs.destroyed; minute += 1) {
    clock.advance(TIMES.unread + 1)
    t.mock.timers.tick(TIMES.check)
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  }
  assert.ok(theirs.destroyed)
  assert.equal(await connectionsCut(deps, 'unread'), before + 1)
})

test('three addresses with slow bodies fill their shares, and a fourth is served', async () => {
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const slow = `POST /wallet/response/${created.json.id} HTTP/1.1\r\n${form(1000)}`
  for (const from of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) {
    for (let count = 0; count < 96; count += 1) {
      const arrived = once(service.app.server, 'request')
      const { socket } = await client.open(from)
      socket.write(slow)
      await arrived
    }
  }
  assert.match(await client.ask(usage, '127.0.0.1'), /^HTTP\/1\.1 503 /)
  for (let count = 0; count < 4; count += 1) assert.match(await client.ask(usage, '127.0.0.4'), /^HTTP\/1\.1 200 /)
  for (const path of ['/healthz', '/readyz'])
    assert.match(await client.ask(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, '127.0.0.1'), /^HTTP\/1\.1 200 /)
})

test('a request that arrives while all slots are taken waits; if its client hangs up, it takes none', async () => {
  const narrow = { ...deps, config: { ...deps.config, requestsInFlightMax: 1 } }
  const app = buildApp(narrow)
  const waiting: (() => void)[] = []
  app.get('/held', { ...withoutKey(narrow), schema: { hide: true } }, async () => {
    await new Promise<void>((resolve) => void waiting.push(resolve))
    return 'done'
  })
  after(() => app.close())
  const own = await rawClient(app)
  const ask = async (from: string) => {
    const arrived = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    const { socket, theirs } = await own.open(from)
    const answer = head(socket, 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n')
    await arrived
    return { socket, theirs, answer }
  }
  const first = await ask('127.0.0.20')
  await waitUntil('the first is at work', () => waiting.length >= 1)
  const gone = await ask('127.0.0.21')
  const patient = await ask('127.0.0.22')
  const closed = closing(gone.theirs)
  gone.socket.resetAndDestroy()
  await closed
  assert.equal(waiting.length, 1)
  waiting[0]?.()
  assert.match(await first.answer, /^HTTP\/1\.1 200 /)
  await waitUntil('the second is at work', () => waiting.length >= 2)
  waiting[1]?.()
  assert.match(await patient.answer, /^HTTP\/1\.1 200 /)
  assert.equal(waiting.length, 2)
})

test('a company with thousands of networks fills its share, and others are served', async () => {
  const trusted = parseCidr('127.0.0.11/32')
  assert.ok(trusted !== null)
  const app = buildApp({ ...deps, config: { ...deps.config, requestsInFlightMax: 16, trustedProxies: [trusted] } })
  after(() => app.close())
  const own = await rawClient(app)
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const { all, reserve } = openBound(16)
  const slow = (network: number) =>
    `POST /wallet/response/${created.json.id} HTTP/1.1\r\nX-Forwarded-For: 2001:db8:1:${network.toString(16)}::1\r\n${form(1000)}`
  const opened: Socket[] = []
  for (let network = 0; network < all - reserve; network += 1) {
    const arrived = once(app.server, 'request')
    const { socket } = await own.open('127.0.0.11')
    opened.push(socket)
    socket.write(slow(network))
    await arrived
  }
  const usageFrom = (from: string) => usage.replace('Host: x', `Host: x\r\nX-Forwarded-For: ${from}`)
  assert.match(await own.ask(usageFrom('2001:db8:1:ffff::1'), '127.0.0.11'), /^HTTP\/1\.1 503 /)
  assert.match(await own.ask(usageFrom('2001:db8:2::1'), '127.0.0.11'), /^HTTP\/1\.1 200 /)
  for (const socket of opened) socket.destroy()
})

test('an address has a limited number of open requests', async () => {
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const slow = `POST /wallet/response/${created.json.id} HTTP/1.1\r\n${form(1000)}`
  for (let count = 0; count < 128; count += 1) {
    const arrived = once(service.app.server, 'request')
    const { socket } = await client.open('127.0.0.5')
    socket.write(slow)
    await arrived
  }
  assert.match(await client.ask(usage, '127.0.0.5'), /^HTTP\/1\.1 429 /)
  assert.match(await client.ask(usage, '127.0.0.6'), /^HTTP\/1\.1 200 /)
})

test('bytes of bodies are counted as they arrive, with or without a content length', async () => {
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const line = `POST /wallet/response/${created.json.id} HTTP/1.1\r\n`
  const body = 2 * 1024 * 1024
  const sized = `${line}${form(body)}${'A'.repeat(body - 100)}`
  const chunk = body - 200
  const chunked = `${line}Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.toString(16)}\r\n${'A'.repeat(chunk)}\r\n`
  const answers = await Promise.race([
    ...Array.from({ length: 9 }, (_, at) => client.ask(at % 2 === 0 ? sized : chunked, '127.0.0.2')),
  ])
  assert.match(answers, /^HTTP\/1\.1 429 /)
  assert.match(answers, /connection: close/i)
  const whole = `${line}${form(9 + 100_000)}${'A'.repeat(100_000)}`
  assert.match(await client.ask(whole, '127.0.0.3'), /^HTTP\/1\.1 400 /)
})

test('a small body is counted by its content length, before any of it arrives', async () => {
  const app = buildApp(deps)
  const nearly = Buffer.alloc(BUFFERED_BYTES.each - 5_000, 0x20)
  app.get('/large', { ...withoutKey(deps), schema: { hide: true } }, async (_request, reply) => reply.send(nearly))
  after(() => app.close())
  const own = await rawClient(app)
  const from = '127.0.0.13'
  const { socket } = await own.open(from)
  socket.pause()
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, response] = await arrived
  await waitUntil('the answer is written', () => response.writableEnded)
  const line = 'POST /v1/devices/enroll HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const headWith = (length: number) => `${line}Content-Length: ${length}\r\n\r\n`
  assert.match(await own.ask(`${headWith(1_000)}{${' '.repeat(998)}}`, from), /^HTTP\/1\.1 400 /)
  const refused = await own.ask(headWith(10_000), from)
  assert.match(refused, /^HTTP\/1\.1 429 /)
  assert.match(refused, /\r\nconnection: close\r\n/i)
})

test('connections are counted per address', async () => {
  const from = '127.0.0.8'
  for (let count = 0; count < connectionBound(16).each; count += 1) await client.open(from)
  const { socket } = await client.open('127.0.0.1')
  assert.match(await head(socket, usage), /^HTTP\/1\.1 200 /)
  assert.equal(await client.ask(usage, from), '')
})
