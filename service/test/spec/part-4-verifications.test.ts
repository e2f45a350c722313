// Specification 4.1: the routes for verifications. One test per sentence; idempotency has its own file.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Scope } from '../../src/core/tenants/domain/api-key.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, decode } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const { call, clock } = service
const post = (body: unknown, bearer = key) => call('POST', '/v1/verifications', { key: bearer, body })
const QUERY = {
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['family_name'] }] },
  ],
}

const ROUTES: [string, string, Scope][] = [
  ['POST', '/v1/verifications', 'verifications:create'],
  ['GET', '/v1/verifications', 'verifications:read'],
  ['GET', '/v1/verifications/ver_x', 'verifications:read'],
  ['DELETE', '/v1/verifications/ver_x', 'verifications:delete'],
  ['POST', '/v1/verifications/ver_x/redeem', 'verifications:read'],
  ['POST', '/v1/verifications/ver_x/cancel', 'verifications:create'],
  ['POST', '/v1/verifications/ver_x/forget', 'verifications:delete'],
  ['GET', '/v1/verifications/ver_x/verdict', 'verifications:read'],
  ['GET', '/v1/verifications/ver_x/transaction', 'verifications:read'],
  ['GET', '/v1/verifications/ver_x/diagnostics', 'verifications:read'],
  ['GET', '/v1/verifications/ver_x/receipt', 'verifications:read'],
  ['GET', '/v1/verifications/ver_x/receipt.tlog-proof', 'verifications:read'],
  ['GET', '/v1/verifications/ver_x/certificate', 'verifications:read'],
  ['POST', '/v1/verifications/ver_x/evidence', 'verifications:delete'],
]

for (const [method, path, scope] of ROUTES) {
  test(`4.1 ${method} ${path.replace('ver_x', '{id}')} needs the scope ${scope}, checked before the body is read`, async () => {
    const others = (
      ['verifications:create', 'verifications:read', 'verifications:delete', 'devices:manage'] as const
    ).filter((one) => one !== scope)
    const lacking = await service.key(tenant, { scopes: others })
    const raw = method === 'POST' ? { raw: '{broken', headers: { 'content-type': 'application/json' } } : {}
    const answer = await call(method, path, { key: lacking, ...raw })
    assertRefused(answer, 403, 'insufficient_scope')
    assert.match(answer.json.error.message, new RegExp(scope))
    assertRefused(await call(method, path, raw), 401, 'invalid_api_key')
  })
}

test('4.1 an empty id is not found: 404, and 401 or 403 first', async () => {
  const unable = await service.key(tenant, { scopes: ['devices:manage'] })
  const redeem = { body: { response_code: 'x'.repeat(43) } }
  for (const [method, path, code, more] of [
    ['GET', '/v1/verifications/', 'session_not_found', {}],
    ['DELETE', '/v1/verifications/', 'session_not_found', {}],
    ['POST', '/v1/verifications//redeem', 'invalid_response_code', redeem],
    ['POST', '/v1/verifications//cancel', 'session_not_found', {}],
    ['POST', '/v1/verifications//forget', 'session_not_found', {}],
    ['GET', '/v1/verifications//verdict', 'session_not_found', {}],
    ['GET', '/v1/verifications//transaction', 'session_not_found', {}],
    ['GET', '/v1/verifications//diagnostics', 'session_not_found', {}],
    ['GET', '/v1/verifications//receipt', 'session_not_found', {}],
    ['GET', '/v1/verifications//receipt.tlog-proof', 'session_not_found', {}],
    ['GET', '/v1/verifications//certificate', 'session_not_found', {}],
    ['POST', '/v1/verifications//evidence', 'session_not_found', {}],
  ] as const) {
    assertRefused(await call(method, path, more), 401, 'invalid_api_key')
    assertRefused(await call(method, path, { key: unable, ...more }), 403, 'insufficient_scope')
    assertRefused(await call(method, path, { key, ...more }), 404, code)
  }
  assertRefused(await call('GET', '/v1/verifications//status'), 404, 'session_not_found')
  assertRefused(await call('DELETE', '/v1/devices/', { key }), 404, 'device_not_found')
})

test('4.1 exactly one of template and query is required', async () => {
  assert.equal((await post({ template: 'identity' })).status, 201)
  assert.equal((await post({ query: QUERY })).status, 201)
  assertRefused(await post({}), 400, 'invalid_request')
  assertRefused(await post({ template: 'identity', query: QUERY }), 400, 'invalid_request')
})

test('4.1 a body is required, and an unknown member is refused', async () => {
  assertRefused(await call('POST', '/v1/verifications', { key }), 400, 'invalid_request')
  assertRefused(
    await call('POST', '/v1/verifications', { key, raw: '', headers: { 'content-type': 'application/json' } }),
    400,
    'invalid_request',
  )
  const answer = await post({ template: 'identity', ttl: 60 })
  assertRefused(answer, 400, 'invalid_request')
  assert.match(answer.json.error.message, /ttl/)
  const typo = await post({ tempalte: 'identity' })
  assert.equal(typo.json.error.message, "body: unknown member 'tempalte'. Did you mean 'template'?")
  const far = await post({ template: 'identity', colour_of_the_page: 'red' })
  assert.equal(far.json.error.message, "body: unknown member 'colour_of_the_page'.")
  for (const body of [null, [], 'identity', 7]) assertRefused(await post(body), 400, 'invalid_request')
})

const badQueries: [unknown, RegExp][] = [
  [{}, /credentials/],
  [{ credentials: [] }, /credentials/],
  [{ credentials: ['pid'] }, /credentials/],
  [{ credentials: QUERY.credentials, credential_sets: ['pid'] }, /credential_sets/],
  [{ credentials: [{ ...QUERY.credentials[0], id: 'with space' }] }, /body\.query\.credentials\[0\]\.id/],
  [{ credentials: [QUERY.credentials[0], QUERY.credentials[0]] }, /body\.query\.credentials\[1\]\.id/],
  [{ credentials: [{ id: 'a', format: 'dc+sd-jwt' }] }, /body\.query\.credentials\[0\]\.meta/],
  [{ credentials: [{ ...QUERY.credentials[0], format: 'jwt_vc_json' }] }, /body\.query\.credentials\[0\]\.format/],
  [{ credentials: [{ ...QUERY.credentials[0], claim_sets: [['x']] }] }, /body\.query\.credentials\[0\]/],
  [
    { credentials: [{ ...QUERY.credentials[0], claims: [{ path: [] }] }] },
    /body\.query\.credentials\[0\]\.claims\[0\]\.path/,
  ],
  [{ ...QUERY, credential_sets: [{ options: [['other']] }] }, /body\.query\.credential_sets\[0\]\.options\[0\]/],
]

for (const [query, jsonPath] of badQueries) {
  test(`4.1 an invalid query is 400, and the message names ${jsonPath.source}`, async () => {
    const answer = await post({ query })
    assertRefused(answer, 400, 'invalid_request')
    assert.match(answer.json.error.message, jsonPath)
  })
}

test("4.1 a template that is neither built in nor the tenant's own is 422 unknown_template", async () => {
  for (const template of ['nothing', 'AGE_OVER_18', '__proto__', 'constructor', 'a b', 'x'.repeat(64), '\u0000']) {
    assertRefused(await post({ template }), 422, 'unknown_template')
  }
})

test("4.1 another tenant's template, or one of the other environment, is unknown", async () => {
  const { saveTemplate } = await import('../../src/core/templates/usecases/manage-templates.ts')
  const saved = await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment: 'test' },
    key: 'mine',
    document: { query: QUERY },
    actor: { type: 'operator', id: 'test' },
  })
  assert.equal(saved.outcome, 'created')
  assert.equal((await post({ template: 'mine' })).status, 201)
  const live = await service.key(tenant, { environment: 'live' })
  assertRefused(await post({ template: 'mine' }, live), 422, 'unknown_template')
  assertRefused(await post({ template: 'mine' }, await service.key(await service.tenant())), 422, 'unknown_template')
})

for (const [url, status, code] of [
  ['https://hooks.example.org/in', 201, ''],
  ['http://hooks.example.org/in', 201, ''],
  ['https://127.0.0.1/in', 422, 'invalid_webhook_url'],
  ['http://[::1]/in', 422, 'invalid_webhook_url'],
  ['http://10.1.2.3/in', 422, 'invalid_webhook_url'],
  ['http://169.254.169.254/latest', 422, 'invalid_webhook_url'],
  ['http://localhost/in', 422, 'invalid_webhook_url'],
  ['https://verify.example.com/self', 422, 'invalid_webhook_url'],
  ['https://user:secret@hooks.example.org/in', 422, 'invalid_webhook_url'],
  ['ftp://hooks.example.org/in', 422, 'invalid_webhook_url'],
  ['hooks.example.org/in', 400, 'invalid_request'],
  ['', 400, 'invalid_request'],
] as const) {
  test(`4.1 webhook_url '${url}' is answered with ${status} ${code}`, async () => {
    const answer = await post({ template: 'identity', webhook_url: url })
    if (code === '') assert.equal(answer.status, status, answer.text)
    else assertRefused(answer, status, code)
  })
}

for (const url of [
  'https://shop.example/back?order=1#part',
  'http://localhost:3000/back',
  'HTTPS://Shop.Example:443',
  'https://shop.example?order=1',
  'http://[::1]:3000/back',
  'com.example.shop:/back',
  'com.example.shop:back',
  'shop-app://verified/4711',
]) {
  test(`4.1 redirect_url may be ${url}`, async () => {
    assert.equal((await post({ template: 'identity', redirect_url: url })).json.redirect_url, url)
  })
}

for (const url of [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'vbscript:x',
  'blob:https://a/b',
  'about:blank',
  'https://user@shop.example/',
  'https://user:secret@shop.example/',
  '/back',
  'shop.example',
  'http:shop.example',
  'https:/shop.example/back',
  'http:///shop.example',
  'https:\\\\shop.example/back',
  'https://shop.example\\@other.example/',
  'https://shop%2Eexample/',
  'http://0x7f.1/back',
  'http://2130706433/',
  'https://',
  `https://shop.example/${'a'.repeat(2048)}`,
  'ftp://shop.example/back',
  'wss://shop.example/back',
  'mailto:shop@shop.example',
  'localhost:3000',
  'localhost:3000/back',
  'shop.example:8080/back',
]) {
  test(`4.1 redirect_url may not be ${url.slice(0, 50)}`, async () => {
    assertRefused(await post({ template: 'identity', redirect_url: url }), 400, 'invalid_request')
  })
}

test('4.1 a redirect_url that no browser or app opens is refused, with the right form', async () => {
  const messageFor = async (url: string) => (await post({ template: 'identity', redirect_url: url })).json.error.message
  assert.match(await messageFor('localhost:3000/back'), /write http:\/\/ or https:\/\/ before it/)
  assert.match(await messageFor('ftp://shop.example/'), /ftp: is not allowed; .* the scheme of your app/)
  assert.match(await messageFor('shop.example/back'), /such as https:\/\/shop\.example\/back/)
})

test('4.1 metadata is string to string', async () => {
  const metadata = { order: '4711', empty: '', ключ: 'значение' }
  assert.deepEqual((await post({ template: 'identity', metadata })).json.metadata, metadata)
  for (const bad of [{ a: 1 }, { a: null }, { a: {} }, ['a'], 'a', { a: '\u0000' }, { '\u0000': 'a' }]) {
    assertRefused(await post({ template: 'identity', metadata: bad }), 400, 'invalid_request')
  }
})

test('4.1 purpose is recorded on the audit chain and mirrored into the query that the wallet gets', async () => {
  const { readTrail } = await import('../../src/features/audit/usecases/read-audit.ts')
  const bodies: { template?: string; query?: unknown }[] = [
    { template: 'age_over_18' },
    { template: 'driving_licence' },
    { query: QUERY },
  ]
  for (const body of bodies) {
    const created = await create(service, key, { ...body, purpose: 'Renting a car' })
    const [entry] = (
      await readTrail(service.deps, { tenantId: tenant, environment: 'test' }, { before: null, limit: 1 })
    ).entries
    assert.equal(entry?.object.id, created.id)
    assert.deepEqual(entry?.details, { template: body.template ?? null, purpose: 'Renting a car' })
    const { claims } = decode((await call('GET', `/wallet/request/${created.id}`)).text)
    const { credentials, credential_sets: sets } = claims.dcql_query as unknown as AskedQuery
    assert.deepEqual(
      sets.map((set) => set.purpose),
      ['Renting a car'],
    )
    assert.deepEqual(sets[0]?.options.flat().sort(), credentials.map(({ id }) => id).sort())
  }
})

interface AskedQuery {
  readonly credentials: { readonly id: string }[]
  readonly credential_sets: { readonly purpose: string; readonly options: string[][] }[]
}

test('4.1 GET of one verification answers exactly the bytes of the creation until something happens', async () => {
  const created = await post({ template: 'identity', metadata: { a: 'b' } })
  assert.equal((await call('GET', `/v1/verifications/${created.json.id}`, { key })).text, created.text)
})

test('4.1 a list has data, newest first, 20 by default, at most 100', async () => {
  const lister = await service.key(await service.tenant())
  const ids: string[] = []
  for (let i = 0; i < 25; i += 1) {
    ids.unshift((await create(service, lister)).id)
    if (i % 3 === 0) clock.advance(1)
  }
  const page = async (query: string) => {
    const answer = await call('GET', `/v1/verifications${query}`, { key: lister })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data.map((one: { id: string }) => one.id)
  }
  assert.deepEqual(await page(''), ids.slice(0, 20))
  assert.deepEqual(await page('?limit=1'), ids.slice(0, 1))
  assert.deepEqual(await page('?limit=100'), ids)
  for (const limit of ['0', '101', '-1', '1.5', 'ten', '', '1e1', '0x10', '99999999999999999999']) {
    assertRefused(await call('GET', `/v1/verifications?limit=${limit}`, { key: lister }), 400, 'invalid_request')
  }
  assertRefused(await call('GET', '/v1/verifications?after=x', { key: lister }), 400, 'invalid_request')
  assertRefused(await call('GET', '/v1/verifications?limit=1&limit=2', { key: lister }), 400, 'invalid_request')
  const unknown = await call('GET', '/v1/verifications?page=2', { key: lister })
  assertRefused(unknown, 400, 'invalid_request')
  assert.match(unknown.json.error.message, /^query: unknown member 'page'\. Allowed: limit, before/)
})

test('4.1 before bounds a page: strictly earlier, so that pages neither skip nor repeat, even while rows are added', async () => {
  const lister = await service.key(await service.tenant())
  const ids: string[] = []
  for (let i = 0; i < 23; i += 1) ids.unshift((await create(service, lister)).id)
  const seen: string[] = []
  let before = ''
  for (let page = 0; page < 10; page += 1) {
    const query = `?limit=5${before === '' ? '' : `&before=${encodeURIComponent(before)}`}`
    const { data } = (await call('GET', `/v1/verifications${query}`, { key: lister })).json
    if (data.length === 0) break
    seen.push(...data.map((one: { id: string }) => one.id))
    before = data.at(-1).created_at
    await create(service, lister)
  }
  assert.deepEqual(seen, ids)
})

test('4.1 before is a date-time in UTC that ends in Z, of any precision', async () => {
  const lister = await service.key(await service.tenant())
  const created = await create(service, lister)
  const at = (await call('GET', `/v1/verifications/${created.id}`, { key: lister })).json.created_at
  const count = async (before: string) => {
    const answer = await call('GET', `/v1/verifications?before=${encodeURIComponent(before)}`, { key: lister })
    return answer.status === 200 ? answer.json.data.length : answer.json.error.code
  }
  assert.equal(await count(at), 0)
  assert.equal(await count(at.replace('Z', '1Z')), 1)
  assert.equal(await count(at.replace('Z', '000Z')), 0)
  assert.equal(await count('9999-12-31T23:59:59Z'), 1)
  assert.equal(await count('0000-01-01T00:00:00Z'), 0)
  for (const bad of [
    '2027-06-15',
    'now',
    '2027-06-15T12:00:00',
    '2027-06-15T12:00:00+00:00',
    '2027-13-01T00:00:00Z',
    '',
  ]) {
    assert.equal(await count(bad), 'invalid_request', bad)
  }
})

test("4.1 another tenant's id, another environment's, an unknown one and a malformed one get the same answer", async () => {
  const created = await create(service, key)
  const live = await service.key(tenant, { environment: 'live' })
  const foreign = await service.key(await service.tenant())
  const unknown = `ver_${'x'.repeat(32)}`
  for (const [method, tail, code] of [
    ['GET', '', 'session_not_found'],
    ['DELETE', '', 'session_not_found'],
    ['POST', '/redeem', 'invalid_response_code'],
    ['POST', '/cancel', 'session_not_found'],
    ['POST', '/forget', 'session_not_found'],
    ['GET', '/verdict', 'session_not_found'],
    ['GET', '/transaction', 'session_not_found'],
    ['GET', '/diagnostics', 'session_not_found'],
    ['GET', '/receipt', 'session_not_found'],
    ['GET', '/receipt.tlog-proof', 'session_not_found'],
    ['GET', '/certificate', 'session_not_found'],
    ['POST', '/evidence', 'session_not_found'],
  ] as const) {
    const body = tail === '/redeem' ? { body: { response_code: 'x'.repeat(43) } } : {}
    const answers = await Promise.all([
      call(method, `/v1/verifications/${created.id}${tail}`, { key: live, ...body }),
      call(method, `/v1/verifications/${created.id}${tail}`, { key: foreign, ...body }),
      call(method, `/v1/verifications/${unknown}${tail}`, { key, ...body }),
      call(method, `/v1/verifications/%00${tail}`, { key, ...body }),
      call(method, `/v1/verifications/${created.id}x${tail}`, { key, ...body }),
    ])
    for (const answer of answers) {
      assertRefused(answer, 404, code)
      assert.equal(answer.text, answers[0]?.text)
    }
  }
  assert.equal((await call('GET', `/v1/verifications/${created.id}`, { key })).json.status, 'pending')
})

test('4.1 a response code is redeemed once: then it is like a wrong one, and like one of an unknown verification', async () => {
  const created = await create(service, key, { template: 'identity', redirect_url: 'https://shop.example/back' })
  const { redirectUri } = await presented(created.wallet_uri)
  const code = new URL(redirectUri).hash.slice('#response_code='.length)
  assert.match(code, /^[A-Za-z0-9_-]{43}$/)
  const redeem = (response_code: string, id = created.id) =>
    call('POST', `/v1/verifications/${id}/redeem`, { key, body: { response_code } })
  const wrong = await redeem(`${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`)
  assertRefused(wrong, 404, 'invalid_response_code')
  for (const other of [await service.key(await service.tenant()), await service.key(tenant, { environment: 'live' })]) {
    const stolen = await call('POST', `/v1/verifications/${created.id}/redeem`, {
      key: other,
      body: { response_code: code },
    })
    assertRefused(stolen, 404, 'invalid_response_code')
  }
  const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)))
  const [good, ...bad] = answers.sort((a, b) => a.status - b.status)
  assert.equal(good?.status, 200)
  assert.equal(good?.json.status, 'completed')
  assert.equal(good?.text, (await call('GET', `/v1/verifications/${created.id}`, { key })).text)
  for (const answer of [...bad, await redeem(code), await redeem(code, `ver_${'x'.repeat(32)}`)]) {
    assertRefused(answer, 404, 'invalid_response_code')
    assert.equal(answer.text, wrong.text)
  }
})

async function presented(walletUri: string): Promise<{ redirectUri: string }> {
  const answer = JSON.stringify(await wallet.present(walletUri))
  const redirectUri = /https:\/\/shop\.example\/back#response_code=[A-Za-z0-9_-]+/.exec(answer)?.[0]
  assert.ok(redirectUri !== undefined, answer)
  return { redirectUri }
}

test('4.1 response_code is a string of at least 16 characters', async () => {
  const created = await create(service, key)
  const redeem = (body: unknown) => call('POST', `/v1/verifications/${created.id}/redeem`, { key, body })
  for (const bad of [
    {},
    { response_code: 'x'.repeat(15) },
    { response_code: 16 },
    { response_code: 'x'.repeat(16), more: 1 },
  ]) {
    assertRefused(await redeem(bad), 400, 'invalid_request')
  }
  assertRefused(await redeem({ response_code: 'x'.repeat(16) }), 404, 'invalid_response_code')
})

test('4.1 a verification without a redirect has no code that could be redeemed', async () => {
  const created = await create(service, key)
  await wallet.present(created.wallet_uri)
  const answer = await call('POST', `/v1/verifications/${created.id}/redeem`, {
    key,
    body: { response_code: 'x'.repeat(43) },
  })
  assertRefused(answer, 404, 'invalid_response_code')
})

test('4.2 the public poll answers any origin with the id and the status, and never with claims', async () => {
  const created = await create(service, key, {
    template: 'identity',
    metadata: { secret: 'canary' },
    purpose: 'canary',
  })
  const poll = () =>
    call('GET', `/v1/verifications/${created.id}/status`, { headers: { origin: 'https://shop.example' } })
  const pending = await poll()
  assert.deepEqual(pending.json, { id: created.id, status: 'pending' })
  assert.equal(pending.headers['access-control-allow-origin'], '*')
  await wallet.present(created.wallet_uri)
  const completed = await poll()
  assert.deepEqual(completed.json, { id: created.id, status: 'completed' })
  const unknown = await call('GET', '/v1/verifications/ver_unknown/status')
  assertRefused(unknown, 404, 'session_not_found')
  assert.equal(unknown.headers['access-control-allow-origin'], '*')
})

test('4.2 no other route answers a foreign origin', async () => {
  const headers = { origin: 'https://shop.example' }
  for (const path of ['/v1/verifications', '/v1/usage', '/v1/devices']) {
    assert.equal((await call('GET', path, { key, headers })).headers['access-control-allow-origin'], undefined)
  }
})
