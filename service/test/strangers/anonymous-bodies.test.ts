// JSON bodies of callers who are not authenticated: short ones are read, long ones are refused before they are parsed.

import assert from 'node:assert/strict'
import test from 'node:test'
import { ANONYMOUS_BODY_BYTES_MAX, JSON_BODY_BYTES_MAX } from '../../src/platform/http/body.ts'
import { testService } from '../harness/service.ts'
import { FROM_PAGE, person } from '../harness/staff.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const tenantId = await service.tenant()
const key = await service.key(tenantId)

async function send(method: string, url: string, payload: string, headers: Record<string, string> = {}) {
  const answer = await service.app.inject({
    method: method as 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/json', ...FROM_PAGE, ...headers },
  })
  return { status: answer.statusCode, text: answer.payload, allow: answer.headers.allow }
}

/** JSON of this many bytes that a parser refuses by its last member. */
function repeating(bytes: number): string {
  const start = '{"a":"'
  const end = '","b":1,"b":1}'
  return `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`
}
const PARSED = /not valid JSON/

const routes = service.app.knownRoutes.filter(({ method }) => method !== 'GET')

test('no route parses a long body of a caller without credentials', async () => {
  const body = repeating(ANONYMOUS_BODY_BYTES_MAX * 3)
  assert.ok(routes.length > 100)
  for (const { method, url } of routes) {
    const path = url.replaceAll(/:[A-Za-z]+/g, 'x').replace('/x/x/', '/x/test/')
    const { status, text } = await send(method, path, body)
    assert.doesNotMatch(text, PARSED, `${method} ${url} ${status}`)
    assert.ok(status >= 400 || method === 'OPTIONS', `${method} ${url} ${status}`)
  }
})

test('no body is parsed for an address without a route, or with another method', async () => {
  const body = repeating(200)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']) {
    assert.deepEqual([method, (await send(method, '/nowhere', body)).status], [method, 404])
    const other = await send(method, '/healthz', body)
    assert.deepEqual([method, other.status, other.allow], [method, 405, 'GET, HEAD'])
  }
})

for (const path of ['/v1/devices/enroll', '/v1/devices/token', '/dashboard/api/sign-in/password', '/verify/x/hold'])
  test(`${path} reads bodies up to the bound`, async () => {
    const fitting = await send('POST', path, repeating(ANONYMOUS_BODY_BYTES_MAX))
    assert.deepEqual([fitting.status, PARSED.test(fitting.text)], [400, true], fitting.text)
    assert.equal((await send('POST', path, repeating(ANONYMOUS_BODY_BYTES_MAX + 1))).status, 413)
  })

test('the longest honest bodies fit', async () => {
  const email = `${'e'.repeat(310)}@x.example`
  const signIn = { email, password: '\u{1f511}'.repeat(1_024) }
  assert.equal((await send('POST', '/dashboard/api/sign-in/password', JSON.stringify(signIn))).status, 401)
  const id = 'i'.repeat(1_364)
  const response = { id, rawId: id, type: 'public-key', response: { signature: 's'.repeat(6_200) } }
  const passkey = await send('POST', '/dashboard/api/sign-in/passkey', JSON.stringify({ response }))
  assert.equal(passkey.status, 401, passkey.text)
})

test('a merchant with a key and a signed-in member of the staff may send long bodies', async () => {
  const long = repeating(JSON_BODY_BYTES_MAX)
  const theirs = routes.filter(({ url, access }) => access.kind === 'key' && !url.startsWith('/till/'))
  assert.ok(theirs.length > 10)
  for (const { method, url } of theirs) {
    const path = url.replaceAll(/:[A-Za-z]+/g, 'x')
    const { status } = await send(method, path, long, { authorization: `Bearer ${key}` })
    assert.ok([400, 404].includes(status), `${method} ${url} ${status}`)
  }
  const owner = await person(service, tenantId, 'owner')
  const preview = await owner.call('POST', '@/templates/preview', {
    raw: long,
    headers: { 'content-type': 'application/json' },
  })
  assert.deepEqual([preview.status, PARSED.test(preview.text)], [400, true], preview.text)
})

test('a wallet may send a long answer', async () => {
  const { id } = await create(service, key, { template: 'age_over_18' })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await send('POST', `/wallet/response/${id}`, `response=${'x'.repeat(1_000_000)}`, form)
  assert.match(answer.text, /invalid_wallet_response/)
})
