// Tests that callers that hang up during authentication leave no request slot and no stream behind.

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { buildApp } from '../../src/http-server.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { requestsInFlight } from '../harness/metric-values.ts'
import { testService } from '../harness/service.ts'
import { FROM_PAGE, person } from '../harness/staff.ts'
import { once, waitUntil } from '../harness/wait.ts'

const WORKING_MAX = 5
/** The limit of streams per key. */
const STREAMS_MAX = 3
const service = await testService({ requestsInFlightMax: WORKING_MAX })
const { call, deps } = service
const tenantId = await service.tenant()
const port = await listening(service.app)
const sockets: Socket[] = []
after(() => {
  for (const socket of sockets) socket.destroy()
})

async function listening(app: App): Promise<number> {
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}

async function open(text: string, at: number): Promise<Socket> {
  const socket = connect(at, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const get = (path: string, key: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

/** Sends a request, waits for its arrival and for `work`, and hangs up; resolves when the service has noticed. */
async function abort(text: string, where: { app: App; at: number; when?: () => Promise<void> }): Promise<void> {
  const { app, at, when } = where
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const socket = await open(text, at)
  const [, response] = await arrived
  await when?.()
  const closed = once(response, 'close')
  socket.resetAndDestroy()
  await closed
}

/** Locks the table of keys during the request, so that only cached keys authenticate. */
async function withKeysLocked(work: () => Promise<void>): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_lock_keys', text: 'lock table api_keys in access exclusive mode' })
    await work()
  })
}

test('requests that are aborted during authentication take no request slot', async () => {
  const keys = await Promise.all(Array.from({ length: WORKING_MAX + 1 }, () => service.key(tenantId)))
  await withKeysLocked(async () => {
    for (const key of keys) await abort(get('/v1/usage', key), { app: service.app, at: port })
  })
  // Further requests, whose keys are looked up after those of the aborted requests.
  for (let count = 0; count < 20; count += 1) {
    const key = await service.key(tenantId)
    assert.equal((await call('GET', '/v1/usage', { key })).status, 200)
  }
  const metrics = await deps.metrics.registry.metrics()
  assert.match(metrics, /^vidimus_http_requests_in_flight 0$/m)
})

test('streams that are aborted while they begin to listen are not counted, and stop listening', async () => {
  const gate = Promise.withResolvers<void>()
  let [requestCount, listens] = [0, 0]
  const slow: Db = {
    ...deps.db,
    async listen(...ear) {
      requestCount += 1
      await gate.promise
      const stop = await deps.db.listen(...ear)
      listens += 1
      return async () => {
        await stop()
        listens -= 1
      }
    },
  }
  const app = buildApp({ ...deps, db: slow })
  after(() => app.close())
  const at = await listening(app)
  const key = await service.key(tenantId)
  for (let count = 1; count <= STREAMS_MAX; count += 1) {
    const when = () => waitUntil(`${count} streams begin to listen`, () => requestCount >= count)
    await abort(get('/dev/events', key), { app, at, when })
  }
  gate.resolve()
  const stream = await open(get('/dev/events', key), at)
  assert.match(String((await once(stream, 'data'))[0]), /^HTTP\/1\.1 200 /)
  await waitUntil('one stream listens', () => listens <= 1)
})

test('staff who hang up during the second session check keep their slots, and nothing is done for them', async () => {
  const owner = await person(service, tenantId, 'owner')
  const gate = Promise.withResolvers<void>()
  let sessionLoads = 0
  const slow: Db = {
    ...deps.db,
    async query(statement, values) {
      // Every request is checked when its headers have arrived, and again when its body has.
      if (statement.name === 'load_dashboard_session' && ++sessionLoads % 2 === 0) await gate.promise
      return deps.db.query(statement, values)
    },
  }
  const app = buildApp({ ...deps, db: slow })
  after(() => app.close())
  const at = await listening(app)
  const body = JSON.stringify({ name: 'for nobody', scopes: ['verifications:read'], expires_in_days: null })
  const headers = {
    ...FROM_PAGE,
    cookie: owner.cookie,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const making = `POST /dashboard/api/tenants/${tenantId}/test/keys HTTP/1.1\r\nHost: x\r\n${head.join('')}\r\n${body}`
  const aborted = 4
  for (let count = 1; count <= aborted; count += 1) {
    const when = () => waitUntil(`${count} sessions are loaded twice`, () => sessionLoads >= 2 * count)
    await abort(making, { app, at, when })
  }
  assert.equal(await requestsInFlight(deps), aborted)
  const late = await open(get('/v1/usage', await service.key(tenantId)), at)
  assert.match(String((await once(late, 'data'))[0]), /^HTTP\/1\.1 503 /)
  gate.resolve()
  await waitUntil('no request is in flight', async () => (await requestsInFlight(deps)) === 0)
  const { json } = await owner.call('GET', '@/keys')
  assert.equal(json.data.filter(({ name }: { name: string }) => name === 'for nobody').length, 0)
})
