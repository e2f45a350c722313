// Tests answers that Node would send itself: Expect, a missing Host, CONNECT, Upgrade, and malformed HTTP.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildApp } from '../../src/http-server.ts'
import { CLOSED_CONNECTIONS_BUDGET, PIPELINED_MAX } from '../../src/platform/http/bounds/limits.ts'
import { connectionsCut } from '../harness/metric-values.ts'
import { closing, rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'

const service = await testService({})
const { deps } = service

/** Sends `text`, and returns everything that the service sends until the connection ends. */
async function exchange(text: string): Promise<{ received: string; requests: number; cuts: number }> {
  // Each call has its own application, with its own budget.
  const app = buildApp(deps)
  after(() => app.close())
  const client = await rawClient(app)
  const before = await connectionsCut(deps, 'malformed')
  const { socket, theirs } = await client.open()
  let [received, requests] = ['', 0]
  app.server.on('request', () => {
    requests += 1
  })
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  const closed = Promise.all([closing(theirs), closing(socket)])
  socket.write(text)
  await closed
  return { received, requests, cuts: (await connectionsCut(deps, 'malformed')) - before }
}

const statuses = (received: string) => received.match(/^HTTP\/1\.1 \d+/gm)?.map((line) => Number(line.slice(9)))

test('refuses an unknown expectation once, with our envelope, and closes the connection', async () => {
  const { received, requests, cuts } = await exchange(
    'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'.repeat(2_000),
  )
  assert.deepEqual([statuses(received), requests, cuts], [[417], 0, 1])
  assert.match(received, /\r\nConnection: close\r\n/)
  assert.match(received, /"code":"invalid_request"/)
})

test('an unknown expectation counts among the requests with unread answers', async () => {
  const before = await connectionsCut(deps, 'pipelined')
  const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'
  const known = `${request}\r\n`.repeat(PIPELINED_MAX)
  const { received, cuts } = await exchange(`${known}${request}Expect: x\r\n\r\n`)
  assert.doesNotMatch(received, /HTTP\/1\.1 417/)
  assert.deepEqual([cuts, await connectionsCut(deps, 'pipelined')], [0, before + 1])
})

test('a request without Host is refused once, with our envelope, and ends the connection', async () => {
  const { received, requests, cuts } = await exchange('GET /healthz HTTP/1.1\r\n\r\n'.repeat(2_000))
  assert.deepEqual([statuses(received), requests, cuts], [[400], 1, 1])
  assert.match(received, /"code":"invalid_request"/)
})

test('an HTTP/1.0 request needs no Host', async () => {
  const { received } = await exchange('GET /healthz HTTP/1.0\r\n\r\n')
  assert.deepEqual(statuses(received), [200])
})

test('CONNECT ends the connection', async () => {
  const { received, requests, cuts } = await exchange('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100))
  assert.deepEqual([received, requests, cuts], ['', 0, 1])
})

test('an Upgrade is a request like any other, and the last on its connection', async () => {
  const upgrade = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const { received, requests } = await exchange(upgrade.repeat(1_000))
  assert.deepEqual([statuses(received), requests], [[200], 1])
})

test('100-continue is a request like any other, and counts as one', async () => {
  const expecting = 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n'
  const { requests } = await exchange(expecting.repeat(1_000))
  assert.equal(requests, PIPELINED_MAX + 1)
})

test('malformed HTTP closes the connection and costs one request each time', async () => {
  const { received, cuts } = await exchange('nonsense\r\n\r\n')
  assert.deepEqual([statuses(received), cuts], [[400], 1])
  const app = buildApp(deps)
  after(() => app.close())
  const client = await rawClient(app)
  const usage = 'GET /v1/usage HTTP/1.1\r\nHost: x\r\n\r\n'
  assert.doesNotMatch(await client.ask(usage), /\r\nconnection: close\r\n/i)
  for (let count = 0; count < CLOSED_CONNECTIONS_BUDGET.burst; count += 1) await client.ask('nonsense\r\n\r\n')
  assert.match(await client.ask(usage), /\r\nconnection: close\r\n/i)
})
