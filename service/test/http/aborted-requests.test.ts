// Callers that hang up while they are still being authenticated leave nothing behind: no place at work, no stream.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { testService } from '../harness/service.ts'

const WORKING_MAX = 5
const service = await testService({ requestsInFlightMax: WORKING_MAX })
const { call, deps } = service
const tenantId = await service.tenant()
const port = Number(new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).port)
const sockets: Socket[] = []
after(() => {
  for (const socket of sockets) socket.destroy()
})

async function open(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const get = (path: string, key: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

/** Sends requests one after the other and hangs up on each as soon as it waits for a table that is locked. */
async function abort(requests: readonly string[], table: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await tx.query({ name: `test_lock_${table}`, text: `lock table ${table} in access exclusive mode` })
    for (const request of requests) {
      const arrived = once(service.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
      const socket = await open(request)
      const [, response] = await arrived
      const closed = once(response, 'close')
      socket.resetAndDestroy()
      await closed
    }
  })
}

test('requests aborted during authentication take no place at work', async () => {
  const keys = await Promise.all(Array.from({ length: WORKING_MAX + 1 }, () => service.key(tenantId)))
  await abort(
    keys.map((key) => get('/v1/usage', key)),
    'api_keys',
  )
  // Others, whose keys are looked up after those of the aborted ones.
  for (let count = 0; count < 20; count += 1) {
    const key = await service.key(tenantId)
    assert.equal((await call('GET', '/v1/usage', { key })).status, 200)
  }
  const metrics = await deps.metrics.registry.metrics()
  assert.match(metrics, /^vidimus_http_requests_in_flight 0$/m)
})
