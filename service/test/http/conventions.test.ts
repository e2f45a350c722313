// Tests what applies to every request: ids, headers, methods, strict bodies, and proxies only if configured.

import assert from 'node:assert/strict'
import { METHODS, request } from 'node:http'
import { connect } from 'node:net'
import test from 'node:test'
import { Type } from 'typebox'
import { principalOf, withScope } from '../../src/core/http/principal.ts'
import { parseCidr } from '../../src/platform/cidr.ts'
import { withoutKey } from '../../src/platform/http/access.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { once, within } from '../harness/wait.ts'

const service = await testService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const { call } = service
const port = Number(new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).port)

test('every answer has Request-Id, no-store, nosniff and a policy that loads nothing', async () => {
  for (const path of ['/v1/usage', '/healthz', '/nothing', '/readyz']) {
    const { headers } = await call('GET', path)
    assert.match(String(headers['request-id']), /^req_[0-9A-Za-z]{20}$/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.equal(headers['access-control-allow-origin'], undefined)
  }
})

test('a creation, also a repeated one, says where the verification and its hosted page are', async () => {
  const create = () =>
    call('POST', '/v1/verifications', {
      key,
      body: { template: 'identity' },
      headers: { 'idempotency-key': 'where-it-is' },
    })
  for (const { status, json, headers } of [await create(), await create()]) {
    assert.equal(status, 201)
    assert.equal(headers.location, `https://verify.example.com/v1/verifications/${json.id}`)
    const page = `https://verify.example.com/verify/${json.id}`
    assert.equal(headers.link, `<${page}>; rel="alternate"; type="text/html"`)
    assert.equal((await call('GET', new URL(String(headers.location)).pathname, { key })).status, 200)
    assert.equal((await call('GET', new URL(page).pathname)).status, 200)
  }
})

test("a caller's own Request-Id is not used", async () => {
  const { headers } = await call('GET', '/healthz', { headers: { 'request-id': 'mine' } })
  assert.notEqual(headers['request-id'], 'mine')
})

test('a body that is not strict JSON is 400, and the prototype stays clean', async () => {
  const bad = [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '{"name":1}',
    '{"name":"a","name":"b"}',
    '{"__proto__":{"polluted":true}}',
    '{"name":"a","__proto__":1}',
    '{"name":"\\ud800"}',
    '{"name":NaN}',
    '\ufeff{"name":"a"}',
    '{"name":"a"}x',
    '{"name":"a","more":1}',
    `${'['.repeat(100_000)}`,
  ]
  const app = await echo()
  for (const raw of bad) assertRefused(await app(raw), 400, 'invalid_request')
  assertRefused(await app(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), 400, 'invalid_request')
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.equal((await app('{"name":"a"}')).status, 200)
})

test('a body that is too large is 413, and one of another media type, or of none, is 415', async () => {
  const app = await echo()
  assertRefused(await app(`{"name":"${'a'.repeat(300_000)}"}`), 413, 'payload_too_large')
  assertRefused(await app('name=a', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type')
  assertRefused(await app('<a/>', 'text/xml'), 415, 'unsupported_media_type')
})

test('a malformed body without the scope is 403, never 400', async () => {
  const reader = await service.key(tenant, { scopes: ['verifications:read'] })
  const app = await echo()
  assertRefused(await app('{broken', 'application/json', reader), 403, 'insufficient_scope')
  assertRefused(await app('{broken', 'text/xml', reader), 403, 'insufficient_scope')
  assertRefused(await app('{broken', 'application/json', 'nonsense'), 401, 'invalid_api_key')
})

/** Adds a route to a second application, because the conventions for bodies are the same for all routes. */
async function echo() {
  const { buildApp } = await import('../../src/http-server.ts')
  const app = buildApp(service.deps)
  const schema = { body: Type.Object({ name: Type.String() }, { additionalProperties: false }) }
  app.post('/echo', { ...withScope(service.deps, 'verifications:create'), schema }, async (request) => ({
    tenant: principalOf(request).tenantId,
  }))
  return async (raw: string | Buffer, type = 'application/json', bearer = key) => {
    const response = await app.inject({
      method: 'POST',
      url: '/echo',
      payload: raw,
      headers: { 'content-type': type, authorization: `Bearer ${bearer}` },
    })
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.payload,
      json: JSON.parse(response.payload || '{}'),
    }
  }
}

test('malformed HTTP gets the envelope, too', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8')
  let received = ''
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  socket.write('NOT HTTP AT ALL\r\n\r\n')
  await once(socket, 'close')
  assert.match(received, /^HTTP\/1\.1 400 /)
  assert.match(received, /"code":"invalid_request"/)
})

test('X-Forwarded-For counts only from configured proxies', async () => {
  const spoofed = { 'x-forwarded-for': '198.51.100.1' }
  assert.equal(await addressSeen(service.deps, '203.0.113.9', spoofed), '203.0.113.9')
  const proxy = parseCidr('203.0.113.0/24')
  assert.ok(proxy !== null)
  const behind = { ...service.deps, config: { ...service.deps.config, trustedProxies: [proxy] } }
  assert.equal(await addressSeen(behind, '203.0.113.9', spoofed), '198.51.100.1')
  const chain = { 'x-forwarded-for': '192.0.2.66, 198.51.100.1' }
  assert.equal(await addressSeen(behind, '203.0.113.9', chain), '198.51.100.1')
})

async function addressSeen(deps: typeof service.deps, from: string, headers: Record<string, string>): Promise<string> {
  const { buildApp } = await import('../../src/http-server.ts')
  const app = buildApp(deps)
  app.get('/address', { ...withoutKey(deps) }, async (request) => ({ ip: request.ip }))
  return (await app.inject({ url: '/address', remoteAddress: from, headers })).json().ip
}

test('beyond the limit of requests in progress the answer is 503 with Retry-After', async () => {
  const { buildApp } = await import('../../src/http-server.ts')
  const deps = { ...service.deps, config: { ...service.deps.config, requestsInFlightMax: 2 } }
  const app = buildApp(deps)
  const gate = Promise.withResolvers<void>()
  const entered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  app.get('/slow', { ...withoutKey(deps) }, async () => {
    entered[count++]?.resolve()
    await gate.promise
    return {}
  })
  const waiting = [0, 1].map(() => app.inject('/slow').then((answer) => answer))
  await within('both requests are in progress', Promise.all(entered.map(({ promise }) => promise)))
  const refused = await app.inject('/slow')
  assert.equal(refused.statusCode, 503)
  assert.equal(refused.json().error.code, 'unavailable')
  assert.equal(refused.headers['retry-after'], '1')
  gate.resolve()
  assert.deepEqual(
    (await Promise.all(waiting)).map((answer) => answer.statusCode),
    [200, 200],
  )
  assert.equal((await app.inject('/healthz')).statusCode, 200)
})

test('a route without a declared access cannot be added', async () => {
  const { buildApp } = await import('../../src/http-server.ts')
  assert.throws(() => buildApp(service.deps).get('/open', async () => ({})), /does not say who may use it/)
})

test('only this machine, or a caller with the token, gets metrics', async () => {
  assertRefused(await call('GET', '/metrics', { from: '203.0.113.7' }), 404, 'not_found')
  assertRefused(
    await call('GET', '/metrics', { from: '127.0.0.1', headers: { 'x-forwarded-for': '203.0.113.7' } }),
    404,
    'not_found',
  )
  const answer = await call('GET', '/metrics', { from: '127.0.0.1' })
  assert.equal(answer.status, 200)
  for (const name of ['vidimus_http_requests_total', 'vidimus_http_request_seconds', 'vidimus_store_connections'])
    assert.match(answer.text, new RegExp(name))
  assert.doesNotMatch(answer.text, /\b(?:ten|key)_[0-9A-Za-z]{12,}\b|vk_(?:test|live)_/)
})

test('the log has one line per request, with the route pattern and nothing secret', async () => {
  const secret = `canary${Math.random()}`
  await call('GET', `/v1/usage?${secret}=1`, {
    key,
    headers: { 'x-other': secret, cookie: secret, 'user-agent': secret },
  })
  const lines = service.logged.filter((line) => line.includes('"route":"/v1/usage"'))
  assert.ok(lines.length > 0)
  assert.ok(!service.logged.join('').includes(secret))
  assert.ok(!service.logged.join('').includes(key))
})

test('an undecodable path is answered like any other: its percent signs are literal', async () => {
  const known = await call('GET', '/v1/verifications/%zz', { key })
  assertRefused(known, 404, 'session_not_found')
  assertRefused(await call('GET', '/v1/verifications/%zz'), 401, 'invalid_api_key')
  assertRefused(await call('GET', '/%zz%41?%'), 404, 'not_found')
  for (const { headers } of [known, await call('GET', '/%c0%80')]) {
    assert.match(String(headers['request-id']), /^req_/)
    assert.equal(headers['cache-control'], 'no-store')
  }
  const metrics = await service.deps.metrics.registry.metrics()
  assert.match(metrics, /route="\/v1\/verifications\/:id",method="GET",status="404"/)
})

test('every other method that Node parses gets 405 on a known path and 404 on an unknown one; refusals are counted by their code', async () => {
  const ask = async (method: string, path: string) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path }).end()
    const [answer] = await once(outgoing, 'response')
    answer.resume()
    return [answer.statusCode, answer.headers.allow] as const
  }
  for (const method of METHODS) {
    if (['CONNECT', 'GET', 'POST', 'HEAD', 'OPTIONS'].includes(method)) continue
    assert.deepEqual(await ask(method, '/v1/verifications'), [405, 'POST, GET, HEAD'], method)
    assert.deepEqual(await ask(method, '/nowhere'), [404, undefined], method)
  }
  const metrics = await service.deps.metrics.registry.metrics()
  assert.match(metrics, /^vidimus_refusals_total\{code="method_not_allowed"\} \d\d/m)
})
