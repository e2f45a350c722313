// Tests the front page, HEAD, HSTS, CORS for wallets, and refusals that say what to do.

import assert from 'node:assert/strict'
import test from 'node:test'
import { rawClient } from '../harness/servers/raw-client.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()
const plain = await testService({ baseUrl: 'http://localhost:8080' })
const { call } = service
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const create = (body: object) => call('POST', '/v1/verifications', { key, body })
const client = await rawClient(service.app)
const plainClient = await rawClient(plain.app)
/** Whole addresses as request targets that are invalid, or nearly. */
const UNROUTABLE = ['http://x:99999/', 'http:///a', 'http://x/#', 'http://[/', 'http://x%zz/', 'http://x/%zz']

test('the front page is the dashboard, and there is an icon', async () => {
  const front = await call('GET', '/')
  assert.deepEqual([front.status, front.headers.location], [302, '/dashboard'])
  const icon = await call('GET', '/favicon.ico')
  assert.deepEqual([icon.status, icon.headers.location], [302, '/dashboard/icon.svg'])
})

test('HEAD is answered like GET, without a body, and Allow names it', async () => {
  for (const path of ['/', '/healthz', '/openapi.json', '/docs', '/v1/usage']) {
    const [get, head] = [await call('GET', path, { key }), await call('HEAD', path, { key })]
    assert.deepEqual([head.status, head.text], [get.status, ''], path)
    assert.equal(head.headers['content-length'], get.headers['content-length'], path)
  }
  assertRefused(await call('PATCH', '/healthz'), 405, 'method_not_allowed')
  assert.equal((await call('PATCH', '/healthz')).headers.allow, 'GET, HEAD')
})

test('HEAD neither opens a stream nor ends a sign-in', async () => {
  assert.equal((await call('HEAD', '/dev/events', { key })).status, 405)
  assert.equal((await call('HEAD', '/dashboard/api/sign-in/oidc/callback')).status, 404)
})

test('every https answer has HSTS, malformed requests included; over plain http there is none', async () => {
  const strict = 'max-age=63072000'
  for (const path of ['/', '/healthz', '/v1/usage', '/nowhere', '/%zz', '/wallet/request/x', '/till', '/dashboard']) {
    assert.equal((await call('GET', path)).headers['strict-transport-security'], strict, path)
    assert.equal((await plain.call('GET', path)).headers['strict-transport-security'], undefined, path)
  }
  for (const text of ['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
    const carrying = /^HTTP\/1\.1 400 .*\r\n(?:.*\r\n)*Strict-Transport-Security: max-age=/
    assert.match(await client.ask(text), carrying, text)
    assert.doesNotMatch(await plainClient.ask(text), /Strict-Transport-Security/, text)
  }
  for (const target of UNROUTABLE) {
    const answer = await client.ask(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 \d+ .*\r\n(?:.*\r\n)*strict-transport-security: max-age=/i, target)
    assert.match(answer, /\r\nrequest-id: req_/i, target)
  }
  const wide = await testService({}, { VIDIMUS_HSTS_SUBDOMAINS: 'on' })
  assert.equal(
    (await wide.call('GET', '/')).headers['strict-transport-security'],
    'max-age=63072000; includeSubDomains',
    'where the operator says so',
  )
})

test('browser wallets may read every answer of their routes, and no origin is allowed with cookies', async () => {
  const created = await create({ template: 'age_over_18' })
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://wallet.example' }
  const answers = [
    await call('GET', `/wallet/request/${created.json.id}`, { headers: { origin: 'https://wallet.example' } }),
    await call('GET', '/wallet/request/unknown'),
    await call('POST', `/wallet/response/${created.json.id}`, { headers: form, raw: 'nothing' }),
    await call('OPTIONS', `/wallet/request/${created.json.id}`, {
      headers: { origin: 'https://wallet.example', 'access-control-request-method': 'POST' },
    }),
    await call('OPTIONS', `/wallet/response/${created.json.id}`),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 400, 204, 204],
  )
  for (const { headers } of answers) {
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
  assert.equal(answers[3]?.headers['access-control-allow-methods'], 'GET, POST')
  for (const path of ['/v1/usage', '/dashboard', '/till']) {
    assert.equal((await call('GET', path)).headers['access-control-allow-origin'], undefined, path)
  }
})

test('the refusal of an unknown template names a similar template, if there is one, and where the list is', async () => {
  const slip = await create({ template: 'age_over_81' })
  assertRefused(slip, 422, 'unknown_template')
  assert.match(slip.json.error.message, /Did you mean 'age_over_18'\?.*dashboard.*`vidimus template list`/)
  const strange = await create({ template: 'something_else_altogether' })
  assert.doesNotMatch(strange.json.error.message, /Did you mean/)
  assert.match(strange.json.error.message, /`vidimus template list`/)
})

test('the refusal of a webhook to this machine mentions `vidimus listen`; other refusals do not', async () => {
  for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000', 'shop.localhost']) {
    const refused = await create({ template: 'age_over_18', webhook_url: `http://${host}/hook` })
    assertRefused(refused, 422, 'invalid_webhook_url')
    assert.match(refused.json.error.message, /`vidimus listen`/, host)
  }
  const inside = await create({ template: 'age_over_18', webhook_url: 'http://10.0.0.1/hook' })
  assertRefused(inside, 422, 'invalid_webhook_url')
  assert.doesNotMatch(inside.json.error.message, /listen/)
})
