// What strangers can make the service hold: answers nobody reads, bodies that do not end, connections; for each address and in all.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { parseCidr } from '../../src/domain/cidr.ts'
import { CONNECTIONS, CUTS_BUDGET, HELD_BYTES, openBound, PIPELINED_MAX, TIMES } from '../../src/http/bounds/limits.ts'
import { withoutKey } from '../../src/http/principal.ts'
import { buildApp } from '../../src/http/server.ts'
import { connectionsCut, heldBytes } from '../harness/metric-values.ts'
import { closing, head, rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'

/** Open requests of three addresses fill what is not kept for others. */
const service = await testService({ requestsInFlightMax: 96 })
const { deps, clock } = service
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const client = await rawClient(service.app)

const GET = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'
const usage = `GET /v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
const form = (length: number) =>
  `Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\nvp_token=`

test('the times a client has are in order, and looked at often', () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = service.app.server
  assert.deepEqual([headersTimeout, requestTimeout, keepAliveTimeout], [10_000, 30_000, 72_000])
  const { connectionsCheckingInterval } = service.app.server as { connectionsCheckingInterval?: number }
  assert.equal(connectionsCheckingInterval, TIMES.check)
  assert.ok(TIMES.check <= headersTimeout / 2 && headersTimeout < requestTimeout && requestTimeout < TIMES.unread)
})

test('requests pipelined beyond the bound end their connection, and nothing of them is kept', async () => {
  const { socket, theirs } = await client.open()
  socket.pause()
  const closed = closing(theirs)
  const before = await connectionsCut(deps, 'pipelined')
  socket.write(GET.repeat(1_900))
  await closed
  assert.equal(await connectionsCut(deps, 'pipelined'), before + 1)
  assert.match(await client.ask(usage), /^HTTP\/1\.1 200 /)
  // Those that were begun hold their slots until they end.
  const isEmpty = async () => /^vidimus_http_requests_in_flight 0$/m.test(await deps.metrics.registry.metrics())
  while (!(await isEmpty())) await new Promise(setImmediate)
})

test('as many as the bound allows are answered in order', async () => {
  const { socket } = await client.open()
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  socket.write(GET.repeat(PIPELINED_MAX))
  while (received.split('HTTP/1.1 200 ').length <= PIPELINED_MAX) await once(socket, 'data')
})

test('nothing is parsed of what was read together with the request that ended its connection', async () => {
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

test('an address whose connections had to be ended has one request for each; others go on as before', async () => {
  const from = '127.0.0.7'
  for (let count = 0; count < CUTS_BUDGET.burst; count += 1) {
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
  clock.advance(1000 / CUTS_BUDGET.perSecond)
  assert.doesNotMatch(await client.ask(usage, from), /\r\nconnection: close\r\n/i)
})

test("a trusted proxy's connections stay open whatever one of its clients did", async () => {
  const trusted = parseCidr('127.0.0.10/32')
  assert.ok(trusted !== null)
  const behind = { ...deps, config: { ...deps.config, trustedProxies: [trusted] } }
  const app = buildApp(behind)
  after(() => app.close())
  const own = await rawClient(app)
  for (let count = 0; count <= CUTS_BUDGET.burst; count += 1) {
    const { socket, theirs } = await own.open('127.0.0.10')
    const closed = closing(theirs)
    socket.write(GET.repeat(100))
    await closed
  }
  assert.doesNotMatch(await own.ask(usage, '127.0.0.10'), /\r\nconnection: close\r\n/i)
})

test('an answer nobody reads holds no slot at work, but its bytes count against its address until it is gone', async () => {
  const large = Buffer.alloc(HELD_BYTES.each * 3, 0x20)
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
  while (!response.writableEnded) await new Promise(setImmediate)
  assert.ok(theirs.writableLength > 0, 'it is not read')
  assert.match(await own.ask(usage), /^HTTP\/1\.1 200 /)
  assert.match(await own.ask(usage, '127.0.0.2'), /^HTTP\/1\.1 429 /)
  const closed = closing(theirs)
  socket.resetAndDestroy()
  await closed
  assert.match(await own.ask(usage, '127.0.0.2'), /^HTTP\/1\.1 200 /)
})

test('answers that wait behind one nobody reads give their bytes back when the connection ends', async () => {
  const app = buildApp(deps)
  const large = Buffer.alloc(HELD_BYTES.each, 0x20)
  app.get('/large', { ...withoutKey(deps), schema: { hide: true } }, async (_request, reply) => reply.send(large))
  after(() => app.close())
  const own = await rawClient(app)
  const { socket, theirs } = await own.open('127.0.0.12')
  socket.pause()
  const answers: ServerResponse[] = []
  app.server.on('request', (_request, response) => void answers.push(response))
  socket.write(`GET /large HTTP/1.1\r\nHost: x\r\n\r\n${GET.repeat(3)}`)
  while (answers.length < 4 || !answers.every(({ writableEnded }) => writableEnded)) await new Promise(setImmediate)
  assert.ok((await heldBytes(deps)) > large.length)
  const closed = closing(theirs)
  socket.resetAndDestroy()
  await closed
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
  assert.equal(await heldBytes(deps), 0)
})

test('an answer nobody takes for a minute ends its connection', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const app = buildApp(deps)
  const large = Buffer.alloc(HELD_BYTES.each * 3, 0x20)
  app.get('/large', { ...withoutKey(deps), schema: { hide: true } }, async (_request, reply) => reply.send(large))
  after(() => app.close())
  const own = await rawClient(app)
  const before = await connectionsCut(deps, 'unread')
  const { socket, theirs } = await own.open()
  socket.pause()
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  while (theirs.writableLength === 0) await new Promise(setImmediate)
  // What the kernel takes by itself at first counts as taken.
  for (let minute = 0; minute < 20 && !theirs.destroyed; minute += 1) {
    clock.advance(TIMES.unread + 1)
    t.mock.timers.tick(TIMES.check)
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  }
  assert.ok(theirs.destroyed)
  assert.equal(await connectionsCut(deps, 'unread'), before + 1)
})

test('three addresses with slow bodies fill their shares, and a fourth is served', async () => {
  const made = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const slow = `POST /wallet/response/${made.json.id} HTTP/1.1\r\n${form(1000)}`
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
  assert.match(await client.ask('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', '127.0.0.1'), /^HTTP\/1\.1 200 /)
})

test('a company with thousands of networks fills its share, and somebody else is served', async () => {
  const trusted = parseCidr('127.0.0.11/32')
  assert.ok(trusted !== null)
  const app = buildApp({ ...deps, config: { ...deps.config, requestsInFlightMax: 16, trustedProxies: [trusted] } })
  after(() => app.close())
  const own = await rawClient(app)
  const made = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const { all, reserve } = openBound(16)
  const slow = (network: number) =>
    `POST /wallet/response/${made.json.id} HTTP/1.1\r\nX-Forwarded-For: 2001:db8:1:${network.toString(16)}::1\r\n${form(1000)}`
  const opened: Socket[] = []
  for (let network = 0; network < all - reserve; network += 1) {
    const arrived = once(app.server, 'request')
    const { socket } = await own.open('127.0.0.11')
    opened.push(socket)
    socket.write(slow(network))
    await arrived
  }
  const asked = (from: string) => usage.replace('Host: x', `Host: x\r\nX-Forwarded-For: ${from}`)
  assert.match(await own.ask(asked('2001:db8:1:ffff::1'), '127.0.0.11'), /^HTTP\/1\.1 503 /)
  assert.match(await own.ask(asked('2001:db8:2::1'), '127.0.0.11'), /^HTTP\/1\.1 200 /)
  for (const socket of opened) socket.destroy()
})

test('one address has so many open requests and no more', async () => {
  const made = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const slow = `POST /wallet/response/${made.json.id} HTTP/1.1\r\n${form(1000)}`
  for (let count = 0; count < 128; count += 1) {
    const arrived = once(service.app.server, 'request')
    const { socket } = await client.open('127.0.0.5')
    socket.write(slow)
    await arrived
  }
  assert.match(await client.ask(usage, '127.0.0.5'), /^HTTP\/1\.1 429 /)
  assert.match(await client.ask(usage, '127.0.0.6'), /^HTTP\/1\.1 200 /)
})

test('bytes of bodies are counted as they arrive, whether or not their length is said', async () => {
  const made = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const line = `POST /wallet/response/${made.json.id} HTTP/1.1\r\n`
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

test('a small body is counted by its word, before any of it arrives', async () => {
  const app = buildApp(deps)
  const nearly = Buffer.alloc(HELD_BYTES.each - 5_000, 0x20)
  app.get('/large', { ...withoutKey(deps), schema: { hide: true } }, async (_request, reply) => reply.send(nearly))
  after(() => app.close())
  const own = await rawClient(app)
  const from = '127.0.0.13'
  const { socket } = await own.open(from)
  socket.pause()
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, response] = await arrived
  while (!response.writableEnded) await new Promise(setImmediate)
  const line = 'POST /v1/devices/enroll HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const said = (length: number) => `${line}Content-Length: ${length}\r\n\r\n`
  assert.match(await own.ask(`${said(1_000)}{${' '.repeat(998)}}`, from), /^HTTP\/1\.1 400 /)
  const refused = await own.ask(said(10_000), from)
  assert.match(refused, /^HTTP\/1\.1 429 /)
  assert.match(refused, /\r\nconnection: close\r\n/i)
})

test('connections are counted for each address', async () => {
  const from = '127.0.0.8'
  for (let count = 0; count < CONNECTIONS.each; count += 1) await client.open(from)
  const { socket } = await client.open('127.0.0.1')
  assert.match(await head(socket, usage), /^HTTP\/1\.1 200 /)
  assert.equal(await client.ask(usage, from), '')
})
