// Tests that a key or device which is revoked while a body arrives can no longer use that request.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listKeys, revokeKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { revokeDevice } from '../../src/features/devices/index.ts'
import { pairDevice } from '../harness/devices.ts'
import { heldBytes } from '../harness/metric-values.ts'
import { head, rawClient } from '../harness/servers/raw-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const service = await testService()
const { deps } = service
const client = await rawClient(service.app)

/** Authenticates a request and sends the first byte of its body. The returned function sends the rest, slowly. */
async function begin(path: string, token: string, content: object) {
  const body = JSON.stringify(content)
  const { socket } = await client.open()
  const before = await heldBytes(deps)
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body[0]}`,
  )
  // The body is counted once the key is accepted.
  await waitUntil('the body is read', async () => (await heldBytes(deps)) > before)
  return async () => {
    service.clock.advance(500)
    return (await head(socket, body.slice(1))).split('\r\n')[0]
  }
}

async function merchant() {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const usesOf = async () => {
    await deps.keys.writeUses()
    const [row] = await deps.db.query<{ uses: number }>(
      { name: 'test_key_uses', text: 'select sum(uses)::int as uses from api_key_days where tenant_id = $1' },
      [tenantId],
    )
    return row?.uses ?? 0
  }
  return { tenantId, key, usesOf }
}

const AGE = { template: 'age_over_18' }
const UNAUTHORIZED = 'HTTP/1.1 401 Unauthorized'

test('a key that is revoked while a body arrives creates nothing', async () => {
  const { tenantId, key } = await merchant()
  const finish = [
    await begin('/v1/verifications', key, AGE),
    await begin('/v1/links', key, AGE),
    await begin('/v1/devices', key, { name: 'Backdoor', allowed_templates: ['age_over_18'] }),
  ]
  const [found] = await listKeys(deps, tenantId)
  await revokeKey(deps, { tenantId, keyId: found?.id ?? '', actor: OPERATOR })
  assert.deepEqual(await Promise.all(finish.map((rest) => rest())), [UNAUTHORIZED, UNAUTHORIZED, UNAUTHORIZED])
})

test('a device that is revoked while a body arrives creates and redeems nothing', async () => {
  const { tenantId, key } = await merchant()
  const till = await pairDevice(service, key)
  const finish = [
    await begin('/v1/verifications', till.accessToken, AGE),
    await begin('/v1/verifications/ver_x/redeem', till.accessToken, { response_code: 'x'.repeat(43) }),
  ]
  await revokeDevice(deps, { tenantId, environment: 'test', deviceId: till.id, actor: OPERATOR })
  assert.deepEqual(await Promise.all(finish.map((rest) => rest())), [UNAUTHORIZED, UNAUTHORIZED])
})

test('a slow body with a valid key is accepted, and counts as one use of the key', async () => {
  const { key, usesOf } = await merchant()
  const before = await usesOf()
  const finish = await begin('/v1/verifications', key, AGE)
  assert.equal(await finish(), 'HTTP/1.1 201 Created')
  assert.equal(await usesOf(), before + 1)
})
