// Specification 5.8: what a device token gives access to. A route of the OpenAPI document that is missing in the table fails.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { OpenApiDocument } from '../../src/features/docs/openapi/types.ts'
import type { Answer } from '../harness/answer.ts'
import { type PairedDevice, pairDevice, refresh } from '../harness/devices.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()
const { call, clock } = service
const tenant = await service.tenant()
const key = await service.key(tenant)
const foreignKey = await service.key(await service.tenant())
const MINUTE = 60_000

type Expected = readonly [status: number, code?: string]

interface Row {
  readonly body?: unknown
  /** The device that created the verification in the path. */
  readonly own: Expected
  /** Another device of the same tenant, and another tenant's. */
  readonly other: Expected
}

const NO_SCOPE: Expected = [403, 'insufficient_scope']
const CODE = { response_code: 'x'.repeat(43) }

/** Every route that requires a credential. */
const GUARDED: Readonly<Record<string, Row>> = {
  'POST /v1/verifications': { body: { template: 'age_over_18' }, own: [201], other: [201] },
  'GET /v1/verifications': { own: [200], other: [200] },
  'GET /v1/verifications/{id}': { own: [200], other: [404, 'session_not_found'] },
  'DELETE /v1/verifications/{id}': { own: NO_SCOPE, other: NO_SCOPE },
  'POST /v1/verifications/{id}/redeem': {
    body: CODE,
    own: [404, 'invalid_response_code'],
    other: [404, 'invalid_response_code'],
  },
  'POST /v1/verifications/{id}/cancel': { own: [200], other: [404, 'session_not_found'] },
  'POST /v1/verifications/{id}/forget': { own: NO_SCOPE, other: NO_SCOPE },
  'GET /v1/verifications/{id}/verdict': { own: [200], other: [404, 'session_not_found'] },
  'GET /v1/verifications/{id}/transaction': { own: [200], other: [404, 'session_not_found'] },
  'GET /v1/verifications/{id}/diagnostics': { own: [200], other: [404, 'session_not_found'] },
  // A pending verification has no receipt.
  'GET /v1/verifications/{id}/receipt': { own: [404, 'session_not_found'], other: [404, 'session_not_found'] },
  'GET /v1/verifications/{id}/receipt.tlog-proof': {
    own: [404, 'session_not_found'],
    other: [404, 'session_not_found'],
  },
  'GET /v1/verifications/{id}/certificate': { own: [404, 'session_not_found'], other: [404, 'session_not_found'] },
  'POST /v1/verifications/{id}/evidence': { own: NO_SCOPE, other: NO_SCOPE },
  'POST /oid4vp/backend/auth/requests': { body: { query_id: 'age_over_18' }, own: [201], other: [201] },
  'GET /oid4vp/backend/auth/requests/{correlation_id}': { own: [200], other: [404, 'session_not_found'] },
  'DELETE /oid4vp/backend/auth/requests/{correlation_id}': { own: NO_SCOPE, other: NO_SCOPE },
  'POST /v1/links': { body: { template: 'age_over_18' }, own: NO_SCOPE, other: NO_SCOPE },
  'GET /v1/links': { own: NO_SCOPE, other: NO_SCOPE },
  'GET /v1/links/{id}': { own: NO_SCOPE, other: NO_SCOPE },
  'DELETE /v1/links/{id}': { own: NO_SCOPE, other: NO_SCOPE },
  'GET /v1/templates': { own: [200], other: [200] },
  'GET /v1/usage': { own: [200], other: [200] },
  'POST /v1/devices': { body: { name: 'x', allowed_templates: ['y'] }, own: NO_SCOPE, other: NO_SCOPE },
  'GET /v1/devices': { own: NO_SCOPE, other: NO_SCOPE },
  'DELETE /v1/devices/{id}': { own: NO_SCOPE, other: NO_SCOPE },
}

/** Every route that requires none: a device token changes nothing there, whatever its state. */
const OPEN = [
  'GET /v1/verifications/{id}/status',
  'GET /log/receipt-keys',
  'GET /log/checkpoint',
  'GET /log/key',
  'GET /oidc/{tenant}/{environment}/.well-known/openid-configuration',
  'GET /oidc/{tenant}/{environment}/jwks',
  'GET /oidc/{tenant}/{environment}/userinfo',
  'POST /oidc/{tenant}/{environment}/userinfo',
  'POST /oidc/{tenant}/{environment}/token',
  'POST /oidc/{tenant}/{environment}/par',
  'POST /v1/devices/enroll',
  'POST /v1/devices/token',
  'GET /wallet/request/{sessionId}',
  'POST /wallet/request/{sessionId}',
  'POST /wallet/response/{sessionId}',
  'GET /wallet/dc-api/{sessionId}',
  'POST /wallet/dc-api/{sessionId}',
]

const document: OpenApiDocument = (await call('GET', '/openapi.json')).json
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    guarded: operation.security.length > 0,
  })),
)

const own = await pairDevice(service, key)
const sibling = await pairDevice(service, key)
const foreign = await pairDevice(service, foreignKey)
const verificationId = await createWith(own)

async function createWith(device: PairedDevice): Promise<string> {
  const answer = await call('POST', '/v1/verifications', {
    key: device.accessToken,
    body: { template: 'age_over_18', ttl_seconds: 3600 },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.id
}

function send(name: string, token: string | undefined, ids = { verification: verificationId, device: own.id }) {
  const [method = '', path = ''] = name.split(' ')
  const id = path.startsWith('/v1/devices') ? ids.device : ids.verification
  const body = GUARDED[name]?.body
  return call(method, path.replace(/\{\w+\}/, id), {
    ...(token === undefined ? {} : { key: token }),
    ...(body === undefined ? {} : { body }),
  })
}

function assertExpected(answer: Answer, [status, code]: Expected): void {
  if (code === undefined) assert.equal(answer.status, status, answer.text)
  else assertRefused(answer, status, code)
}

test('5.8 every route of the API is in this table, under the right heading', () => {
  const named = (guarded: boolean) =>
    operations
      .filter((operation) => operation.guarded === guarded)
      .map(({ name }) => name)
      .sort()
  assert.deepEqual(named(true), Object.keys(GUARDED).sort())
  assert.deepEqual(named(false), [...OPEN].sort())
})

for (const [name, row] of Object.entries(GUARDED)) {
  test(`5.8 ${name} with the token of the device that created the verification`, async () => {
    assertExpected(await send(name, own.accessToken), row.own)
  })
  test(`5.8 ${name} with the token of another device, and of another tenant's`, async () => {
    assertExpected(await send(name, sibling.accessToken), row.other)
    const answer = await send(name, foreign.accessToken)
    assertExpected(answer, row.other)
    // An unknown id gets the same bytes as a foreign one.
    const unknown = { verification: `ver_${'0'.repeat(32)}`, device: '00000000-0000-4000-8000-000000000000' }
    if (answer.status === 404) assert.equal((await send(name, foreign.accessToken, unknown)).text, answer.text)
  })
  test(`5.8 ${name} with the token of a revoked device`, async () => {
    const device = await pairDevice(service, key)
    await call('DELETE', `/v1/devices/${device.id}`, { key })
    assertRefused(await send(name, device.accessToken), 401, 'invalid_api_key')
    clock.advance(16 * MINUTE)
    assertRefused(await send(name, device.accessToken), 401, 'invalid_api_key')
    clock.advance(-16 * MINUTE)
  })
  test(`5.8 ${name} with an expired token; the boundary is inclusive`, async () => {
    const device = await pairDevice(service, key)
    clock.advance(15 * MINUTE - 1)
    assert.notEqual((await send(name, device.accessToken)).status, 401)
    clock.advance(1)
    assertRefused(await send(name, device.accessToken), 401, 'api_key_expired')
    clock.advance(-15 * MINUTE)
  })
  test(`5.8 ${name} with a refresh token, a damaged one and an unknown one`, async () => {
    const token = own.accessToken
    for (const wrong of [own.refreshToken, `${token}x`, token.slice(0, -1), `vd_${'0'.repeat(38)}`]) {
      assertRefused(await send(name, wrong), 401, 'invalid_api_key')
    }
  })
}

for (const name of OPEN) {
  test(`5.8 ${name} answers the same with a device token and without`, async () => {
    const without = await send(name, undefined)
    const device = await pairDevice(service, key)
    await call('DELETE', `/v1/devices/${device.id}`, { key })
    for (const token of [own.accessToken, device.accessToken]) {
      assert.equal((await send(name, token)).status, without.status)
    }
    assert.notEqual(without.status, 401)
  })
}

test('1.5 a device may only create verifications with its allowed_templates', async () => {
  const device = await pairDevice(service, key, { templates: ['age_over_18', 'not_there'] })
  const create = (body: object) => call('POST', '/v1/verifications', { key: device.accessToken, body })
  assert.equal((await create({ template: 'age_over_18' })).status, 201)
  assertRefused(await create({ template: 'identity' }), 403, 'template_not_allowed')
  assertRefused(await create({ template: 'AGE_OVER_18' }), 403, 'template_not_allowed')
  assertRefused(await create({ template: 'unheard_of' }), 403, 'template_not_allowed')
  assertRefused(await create({ template: 'not_there' }), 422, 'unknown_template')
  assertRefused(await create({}), 400, 'invalid_request')
})

test('5.8 a device cannot send a query of its own', async () => {
  const query = { credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }] }
  const asKey = await call('POST', '/v1/verifications', { key, body: { query } })
  assert.equal(asKey.status, 201, asKey.text)
  const answer = await call('POST', '/v1/verifications', { key: own.accessToken, body: { query } })
  assertRefused(answer, 403, 'insufficient_scope')
  assert.match(answer.json.error.message, /verifications:create/)
  // Only callers who may send a query learn whether it is valid.
  for (const unsound of [{ credentials: [{ id: 'a' }] }, { credentials: [{}] }]) {
    assertRefused(await call('POST', '/v1/verifications', { key, body: { query: unsound } }), 400, 'invalid_request')
    const refused = await call('POST', '/v1/verifications', { key: own.accessToken, body: { query: unsound } })
    assertRefused(refused, 403, 'insufficient_scope')
  }
})

test('5.8 a device lists only what it created itself; its merchant sees it, too', async () => {
  const ids = async (token: string) =>
    (await call('GET', '/v1/verifications?limit=100', { key: token })).json.data.map(({ id }: { id: string }) => id)
  const device = await pairDevice(service, key)
  assert.deepEqual(await ids(device.accessToken), [])
  const id = await createWith(device)
  assert.deepEqual(await ids(device.accessToken), [id])
  assert.ok(!(await ids(own.accessToken)).includes(id))
  assert.ok((await ids(key)).includes(id))
})

test('5.8 an idempotency key of one device does not return what another device created', async () => {
  const headers = { 'idempotency-key': 'order-17' }
  const body = { template: 'age_over_18' }
  const first = await call('POST', '/v1/verifications', { key: own.accessToken, body, headers })
  const second = await call('POST', '/v1/verifications', { key: sibling.accessToken, body, headers })
  assert.equal(first.status, 201)
  assert.notEqual(second.json.id, first.json.id)
  assert.ok(!second.text.includes(first.json.id))
})

test('5.8 a device belongs to the environment of the key that registered it', async () => {
  const live = await pairDevice(service, await service.key(tenant, { environment: 'live' }))
  assertRefused(
    await call('GET', `/v1/verifications/${verificationId}`, { key: live.accessToken }),
    404,
    'session_not_found',
  )
})

test('5.8 an answer to a device says whether its refresh token was used, so that it need not be tried', async () => {
  const device = await pairDevice(service, key)
  const spent = async () =>
    (await call('GET', '/v1/usage', { key: device.accessToken })).headers['device-refresh-token']
  assert.equal(await spent(), 'unspent')
  await refresh(service, device.refreshToken)
  assert.equal(await spent(), 'spent')
  assert.equal((await call('GET', '/v1/usage', { key })).headers['device-refresh-token'], undefined)
})

test('2.3 last_seen_at is accurate to a minute, without a write on every request', async () => {
  const device = await pairDevice(service, key)
  const seen = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    const { json } = await call('GET', '/v1/devices', { key })
    return json.data.find(({ id }: { id: string }) => id === device.id).last_seen_at
  }
  const first = await seen()
  clock.advance(MINUTE - 1)
  await call('GET', '/v1/usage', { key: device.accessToken })
  assert.equal(await seen(), first)
  clock.advance(1)
  await Promise.all(Array.from({ length: 10 }, () => call('GET', '/v1/usage', { key: device.accessToken })))
  let now = await seen()
  for (let round = 0; now === first && round < 100; round += 1) now = await seen()
  assert.ok(now > first)
})

test("2.3 the audit trail shows a device's name with its actions, and why it was revoked", async () => {
  const device = await pairDevice(service, key, { name: 'Bar 7' })
  const id = await createWith(device)
  await refresh(service, device.refreshToken)
  await refresh(service, device.refreshToken)
  const rows = await service.deps.db.query<{ entry: string; details: Record<string, unknown> }>(
    {
      name: 'test_device_trail',
      text: `select convert_from(e.bytes, 'UTF8') as entry, d.details from audit_entries e
             left join audit_details d using (tenant_id, environment, seq)
             where e.object_id in ($1, $2) order by e.seq`,
    },
    [device.id, id],
  )
  const trail = rows.map(({ entry, details }) => ({ entry: JSON.parse(entry), details }))
  assert.deepEqual(
    trail.map(({ entry }) => [entry.action, entry.actor.type]),
    [
      ['device.created', 'api_key'],
      ['device.enrolled', 'device'],
      ['verification.created', 'device'],
      ['device.revoked', 'system'],
      ['verification.cancelled', 'system'],
    ],
  )
  assert.equal(trail[1]?.details.actor_name, 'Bar 7')
  assert.equal(trail[2]?.entry.actor.id, device.id)
  assert.equal(trail[2]?.details.actor_name, 'Bar 7')
  assert.deepEqual(trail[3]?.details, { name: 'Bar 7', reason: 'refresh_reuse' })
})
