// Tests the Universal OID4VP API, which offers the same verifications in another format.

import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import test from 'node:test'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { signingSecrets } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { merchant } from '../forgetting/merchants.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { CARD, CONSENT, CONSENT_SCHEMA, PAYLOAD, PAYMENT } from '../transactions/asking.ts'

const PATH = '/oid4vp/backend/auth/requests'
const service = await testService({}, LOOPBACK)
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const stranger = await service.key(await service.tenant())
const live = await service.key(tenant, { environment: 'live' })
const realm = { tenantId: tenant, environment: 'test' } as const
const document = { title: 'Card', query: { credentials: [CARD] } }
await saveTemplate(service.deps, { realm, key: 'card', document, actor: OPERATOR })
await saveType(service.deps, { realm, type: CONSENT.type, title: 'Terms', schema: CONSENT_SCHEMA, actor: OPERATOR })

const ask = (body: object, as = key) => service.call('POST', PATH, { key: as, body })
const readStatus = (id: string, as = key) => service.call('GET', `${PATH}/${encodeURIComponent(id)}`, { key: as })

test('a request is created, fetched, answered and erased', async () => {
  const created = await ask({ query_id: 'identity', correlation_id: 'order/4711', qr_code: { size: 300 } })
  assert.equal(created.status, 201, created.text)
  assert.match(created.json.request_uri, /^openid4vp:\/\/\?client_id=/)
  assert.match(created.json.qr_uri, /^data:image\/svg\+xml;base64,/)
  assert.equal(created.json.status_uri, `https://verify.example.com${PATH}/order%2F4711`)
  assert.equal((await readStatus('order/4711')).json.status, 'authorization_request_created')
  await wallet.request(created.json.request_uri)
  await service.deps.fetchNotes.flush()
  assert.equal((await readStatus('order/4711')).json.status, 'authorization_request_retrieved')
  await wallet.present(created.json.request_uri)
  const { json } = await readStatus('order/4711')
  assert.equal(json.status, 'authorization_response_verified')
  assert.equal(json.verified_data.credential_claims[0].claims.given_name, 'Vida')
  assert.equal(json.last_updated, Math.floor(service.clock.now()))
  assert.equal((await service.call('DELETE', `${PATH}/order%2F4711`, { key })).status, 204)
  assertRefused(await readStatus('order/4711'), 404, 'session_not_found')
})

test('a correlation_id that is the id of a verification is refused: it would hide that request', async () => {
  const { correlation_id: id } = (await ask({ query_id: 'identity' })).json
  assertRefused(await ask({ query_id: 'identity', correlation_id: id }), 400, 'invalid_request')
})

test('a repeated correlation_id returns the same verification; without a correlation_id the id of the verification is used', async () => {
  const first = await ask({ query_id: 'identity', correlation_id: 'twice' })
  assert.deepEqual((await ask({ query_id: 'identity', correlation_id: 'twice' })).json, first.json)
  assertRefused(await ask({ query_id: 'address', correlation_id: 'twice' }), 422, 'idempotency_key_reused')
  const { correlation_id: id } = (await ask({ query_id: 'identity' })).json
  assert.match(id, /^ver_/)
  assert.equal((await readStatus(id)).status, 200)
})

test('a correlation_id belongs to one verification: after a day it is refused until that is erased', async () => {
  const body = { query_id: 'identity', correlation_id: 'table-7' }
  const first = await ask(body)
  await wallet.present(first.json.request_uri)
  service.clock.advance(23 * 3_600_000)
  assert.deepEqual((await ask(body)).json, first.json)
  service.clock.advance(2 * 3_600_000)
  const refused = await ask(body)
  assertRefused(refused, 422, 'idempotency_key_reused')
  assert.match(refused.json.error.message, /An earlier request has this correlation_id/)
  assert.equal((await readStatus(body.correlation_id)).json.status, 'authorization_response_verified')
  assert.equal((await service.call('DELETE', `${PATH}/${body.correlation_id}`, { key })).status, 204)
  const firstId = first.json.request_uri.match(/ver_\w{32}/)?.[0] ?? assert.fail('no id')
  assertRefused(await service.call('GET', `/v1/verifications/${firstId}`, { key }), 404, 'session_not_found')
  const second = await ask(body)
  assert.equal(second.status, 201, second.text)
  assert.deepEqual((await ask(body)).json, second.json)
  assert.equal((await readStatus(body.correlation_id)).json.status, 'authorization_request_created')
})

test('a refused answer and a missing answer are errors', async () => {
  const created = (await ask({ query_id: 'identity' })).json
  await wallet.present(created.request_uri, 'declined')
  const refused = (await readStatus(created.correlation_id)).json
  assert.deepEqual([refused.status, refused.error.code], ['error', 'wallet_declined'])
  const late = (await ask({ query_id: 'identity' })).json
  service.clock.advance(301_000)
  assert.equal((await readStatus(late.correlation_id)).json.error.code, 'expired')
})

test('a correlation_id of another tenant, of the other environment, or unknown, gets the same answer; scopes are enforced', async () => {
  await ask({ query_id: 'identity', correlation_id: 'mine' })
  const { correlation_id: id } = (await ask({ query_id: 'identity' })).json
  const unknown = await readStatus('nothing', stranger)
  for (const [name, as] of [
    ['mine', stranger],
    ['mine', live],
    [id, stranger],
    [id, live],
  ] as const) {
    const answer = await readStatus(name, as)
    assert.deepEqual([answer.status, answer.text], [404, unknown.text])
    assert.equal((await service.call('DELETE', `${PATH}/${name}`, { key: as })).status, 404)
  }
  assert.equal((await ask({ query_id: 'identity', correlation_id: 'mine' }, stranger)).status, 201)
  const reader = await service.key(tenant, { scopes: ['verifications:read'] })
  assertRefused(await ask({ query_id: 'identity' }, reader), 403, 'insufficient_scope')
  assertRefused(await service.call('DELETE', `${PATH}/mine`, { key: reader }), 403, 'insufficient_scope')
  assertRefused(await ask({ query_id: 'nothing' }), 422, 'unknown_template')
})

test('a caller that asks for a callback gets one at the end, with the content of a poll, signed like webhooks', async () => {
  const receiver = await startReceiver()
  const callback = { url: receiver.url, status: ['authorization_response_verified', 'error'] }
  const named = (await ask({ query_id: 'identity', correlation_id: 'order/4712', callback })).json
  const unnamed = (await ask({ query_id: 'identity', callback: { url: receiver.url } })).json
  await wallet.present(named.request_uri)
  await deliverDue(service)
  await wallet.present(unnamed.request_uri, 'declined')
  await deliverDue(service)
  const events = receiver.received.map(({ body }) => JSON.parse(String(body)))
  assert.deepEqual(events, [(await readStatus('order/4712')).json, (await readStatus(unnamed.correlation_id)).json])
  assert.deepEqual(
    events.map(({ status }) => status),
    ['authorization_response_verified', 'error'],
  )
  assert.equal(events[0].verified_data.credential_claims[0].claims.given_name, 'Vida')
  const [secret = ''] = await signingSecrets(service.deps, { tenantId: tenant, environment: 'test' })
  for (const { body, headers } of receiver.received) {
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-service-signature'])) ?? []
    assert.equal(createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'), v1)
  }
})

test('a callback is called at the statuses that it names, once each, and at no other', async () => {
  const every = [
    'authorization_request_created',
    'authorization_request_retrieved',
    'authorization_response_received',
    'authorization_response_verified',
    'error',
  ]
  const reported = async (status: readonly string[], answer: 'good' | 'declined') => {
    const receiver = await startReceiver()
    const body = { query_id: 'identity', correlation_id: `steps-${status.length}-${answer}` }
    const created = await ask({ ...body, callback: { url: receiver.url, status } })
    assert.equal(created.status, 201, created.text)
    // A repeated request, and a repeated fetch, report nothing twice.
    assert.deepEqual((await ask({ ...body, callback: { url: receiver.url, status } })).json, created.json)
    await wallet.request(created.json.request_uri)
    await wallet.request(created.json.request_uri)
    await wallet.present(created.json.request_uri, answer)
    await deliverDue(service)
    const bodies = receiver.received.map((one) => JSON.parse(String(one.body)))
    assert.ok(bodies.every((one) => one.correlation_id === body.correlation_id && one.query_id === 'identity'))
    // Only the callback of the end has content, although the verification has ended when the other callbacks are sent.
    assert.ok(bodies.every((one) => (one.verified_data !== undefined) === (one.status === every[3])))
    const hasEnded = (status: string) => status === every[3] || status === every[4]
    assert.ok(receiver.received.every(({ headers }, i) => hasSalt(headers) === hasEnded(bodies[i].status)))
    return bodies.map((one) => one.status).sort()
  }
  const hasSalt = (headers: object) => 'x-vidimus-receipt-salt' in headers
  assert.deepEqual(await reported(every, 'good'), every.slice(0, 4))
  assert.deepEqual(await reported(['error'], 'good'), [])
  assert.deepEqual(await reported(['error'], 'declined'), ['error'])
  assert.deepEqual(await reported([every[1] ?? '', every[3] ?? ''], 'good'), [every[1], every[3]])
  assert.doesNotMatch(service.logged.join(''), /was not reported/)
  const other = { query_id: 'identity', correlation_id: 'steps-1-good' }
  const changed = await ask({ ...other, callback: { url: 'https://shop.example/hook', status: ['error'] } })
  assertRefused(changed, 422, 'idempotency_key_reused')
})

test('the callback of a step does not confirm content: forwarded content is kept until its own callback', async () => {
  const receiver = await startReceiver()
  const shop = await merchant(service, { content: 'forward', holdSeconds: 600 })
  const callback = { url: receiver.url, status: ['authorization_response_received'] }
  const created = (await ask({ query_id: 'identity', callback }, shop.key)).json
  await wallet.present(created.request_uri)
  await deliverDue(service)
  assert.equal(receiver.received.length, 1)
  assert.notEqual((await shop.stored(created.correlation_id)).sealed, null)
})

test('transaction_data goes to the wallet unchanged, and an answer counts only if the holder confirmed it', async () => {
  // Spaces and order as the caller wrote them, because the hash is over this text.
  const json = `{ "transaction_data_hashes_alg": ["sha-256"], "credential_ids": ["card"],
    "payload": ${JSON.stringify(PAYLOAD)}, "type": "${PAYMENT.type}" }`
  const text = Buffer.from(json).toString('base64url')
  const created = await ask({ query_id: 'card', correlation_id: 'pays', transaction_data: [text] })
  assert.equal(created.status, 201, created.text)
  const [, id = ''] = /request%2F(ver_\w+)/.exec(created.json.request_uri) ?? []
  const { transaction } = await wallet.request(created.json.request_uri)
  assert.deepEqual(
    transaction.map((one) => one.text),
    [text],
  )
  await wallet.present(created.json.request_uri)
  assert.equal((await readStatus('pays')).json.status, 'authorization_response_verified')
  const [item] = (await service.call('GET', `/v1/verifications/${id}/transaction`, { key })).json.transaction
  assert.deepEqual([item.confirmed, item.data], [true, text])
  assert.equal(item.hash, createHash('sha256').update(text).digest('base64url'))
  const other = (await ask({ query_id: 'card', transaction_data: [text] })).json
  await wallet.present(other.request_uri, 'good', { transaction: 'decoded_hash' })
  const refused = (await readStatus(other.correlation_id)).json
  assert.deepEqual([refused.status, refused.error.code], ['error', 'transaction_not_confirmed'])
  const changed = Buffer.from(json.replace('42.5', '43.5')).toString('base64url')
  assertRefused(
    await ask({ query_id: 'card', correlation_id: 'pays', transaction_data: [changed] }),
    422,
    'idempotency_key_reused',
  )
})

test('transaction_data that a wallet could misread is refused', async () => {
  const object = { type: PAYMENT.type, credential_ids: ['card'], payload: PAYLOAD }
  const alg = { transaction_data_hashes_alg: ['sha-256'] }
  const encode = (json: object | string) =>
    Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)).toString('base64url')
  const good = encode({ ...object, ...alg })
  const consent = { type: CONSENT.type, text: CONSENT.text, credential_ids: ['card'] }
  for (const [data, why] of [
    [[`${good}=`], /transaction_data\[0\]: must be base64url/],
    [[Buffer.from([0xff, 0x7b, 0x7d]).toString('base64url')], /must be base64url/],
    [[encode('["type"]')], /must be base64url/],
    [
      [encode(JSON.stringify({ ...object, ...alg }).replace('"payload"', '"type":"urn:x:1","payload"'))],
      /must be base64url/,
    ],
    [[encode(object)], /transaction_data_hashes_alg: is required/],
    [[encode({ ...object, transaction_data_hashes_alg: ['sha-512'] })], /must be \["sha-256"\]/],
    [[encode({ ...object, transaction_data_hashes_alg: ['sha-256', 'sha-512'] })], /must be \["sha-256"\]/],
    [[encode({ ...alg, type: PAYMENT.type, payload: PAYLOAD })], /credential_ids: is required/],
    [[encode({ ...object, ...alg, credential: ['card'] })], /is called credential_ids/],
    [[encode({ ...object, ...alg, credential_ids: ['purse'] })], /names no credential/],
    [[encode({ ...object, ...alg, payload: { ...PAYLOAD, amount: '42' } })], /amount/],
    [[encode({ ...object, ...alg, type: 'urn:nobody:knows:1' })], /not a type that is known/],
    [[encode({ ...consent }), encode({ ...consent, ...alg, text: 'Other terms' })], /in all of them or in none/],
    [[good, good], /twice/],
  ] as const) {
    const answer = await ask({ query_id: 'card', transaction_data: data })
    assertRefused(answer, 422, 'invalid_transaction')
    assert.match(answer.json.error.message, why)
  }
  assertRefused(await ask({ query_id: 'card', transaction_data: [] }), 400, 'invalid_request')
  const pid = await ask({
    query_id: 'identity',
    transaction_data: [encode({ ...object, ...alg, credential_ids: ['pid_sdjwt'] })],
  })
  assert.equal(pid.status, 422, pid.text)
  // Does not name the hash algorithm, which this type leaves open. OpenID4VP: the default is SHA-256.
  const plain = (await ask({ query_id: 'card', transaction_data: [encode(consent)] })).json
  await wallet.present(plain.request_uri)
  assert.equal((await readStatus(plain.correlation_id)).json.status, 'authorization_response_verified')
})

test('a callback is checked like a webhook, and names existing statuses', async () => {
  const inside = { url: 'http://10.0.0.1/hook' }
  assertRefused(await ask({ query_id: 'identity', callback: inside }), 422, 'invalid_webhook_url')
  const url = 'https://shop.example/hook'
  for (const status of [[], ['nonsense']])
    assertRefused(await ask({ query_id: 'identity', callback: { url, status } }), 400, 'invalid_request')
})

test('with forwarded content a callback confirms what it contained, and nothing else', async () => {
  const receiver = await startReceiver()
  for (const isEncrypted of [false, true]) {
    const shop = await merchant(service, { content: 'forward', holdSeconds: 600 })
    if (isEncrypted) await addMerchantKey(service, shop.realm)
    const created = (await ask({ query_id: 'identity', callback: { url: receiver.url } }, shop.key)).json
    await wallet.present(created.request_uri)
    await deliverDue(service)
    assert.equal((await shop.stored(created.correlation_id)).sealed === null, !isEncrypted)
  }
})

test('the correlation_id that a merchant chose is stored nowhere', async () => {
  await ask({ query_id: 'identity', correlation_id: 'canary-name-4be1' })
  const rows = await service.deps.db.query<{ row: string }>({
    name: 'test_names',
    text: `select to_jsonb(r)::text || to_jsonb(k)::text as row from oid4vp_requests r
           left join idempotency_keys k on k.verification_id = r.verification_id`,
  })
  assert.ok(rows.length > 0)
  assert.ok(rows.every(({ row }) => !row.includes('canary') && !row.includes(Buffer.from('canary').toString('hex'))))
  assert.ok(!service.logged.join('').includes('canary-name'))
})
