// Tests that a connection holds no body of a request that was refused before it was read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { head, rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const service = await testService()
const client = await rawClient(service.app)
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const CONNECTIONS = 60
const BODY_BYTES = 120_000

test('idle connections hold no bodies that came with a refused request', async (t) => {
  const key = await service.key(await service.tenant())
  const { id } = (await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })).json
  await service.call('POST', `/v1/verifications/${id}/cancel`, { key })
  const type = 'Content-Type: application/x-www-form-urlencoded'
  const headers = `Host: x\r\n${type}\r\nContent-Length: ${BODY_BYTES}`
  const request = `POST /wallet/response/${id} HTTP/1.1\r\n${headers}\r\n\r\n${'A'.repeat(BODY_BYTES)}`
  const bytesInBuffers = () => {
    collectGarbage()
    return process.memoryUsage().arrayBuffers
  }
  const before = bytesInBuffers()
  for (let at = 0; at < CONNECTIONS; at++) {
    const { socket } = await client.open(`127.0.1.${1 + at}`)
    t.after(() => socket.destroy())
    assert.match(await head(socket, request), /^HTTP\/1\.1 410 /)
  }
  // Connections end after a minute without a request.
  await waitUntil('the bodies are released', () => bytesInBuffers() - before < (CONNECTIONS * BODY_BYTES) / 8, 20_000)
})
