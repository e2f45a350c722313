// Tests what wallets and strangers may post: one answer counts, unreadable responses end nothing (docs/protocol/response.md).

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { encryptResponse, type VerifierRequest } from '@vidimus/wallet'
import { loadTenantSettings, updateTenantSettings } from '../../src/core/tenants/store/settings.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { type Created, create, FORM, newCredentials, read, respond, validBody, validToken } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const credentials = newCredentials(wallet)
const clearTenant = await service.tenant()
const clearKey = await service.key(clearTenant)
const clearSettings = await loadTenantSettings(service.deps.db, clearTenant)
assert.ok(clearSettings !== null)
await updateTenantSettings(service.deps.db, clearTenant, { ...clearSettings, responseMode: 'direct_post' })

async function openRequest(body?: object, owner = key): Promise<{ created: Created; request: VerifierRequest }> {
  const created = await create(service, owner, body)
  return { created, request: await wallet.request(created.wallet_uri) }
}

async function assertEndsNothing(owner: string, created: Created, body: string | Buffer): Promise<void> {
  assertRefused(await respond(service, created.id, body), 400, 'invalid_wallet_response')
  assert.equal((await read(service, owner, created.id)).status, 'pending')
}

test('N001: a response to an unknown id is 404', async () => {
  const { request } = await openRequest()
  const body = await validBody(wallet, request, { credentials })
  assertRefused(await respond(service, `ver_${'z'.repeat(32)}`, body), 404, 'session_not_found')
  assertRefused(await respond(service, 'nothing', body), 404, 'session_not_found')
})

test('N002: a response at or after the end is 410 and changes nothing', async () => {
  const { created, request } = await openRequest({ template: 'identity', ttl_seconds: 60 })
  const body = await validBody(wallet, request, { credentials })
  service.clock.advance(60_001)
  assertRefused(await respond(service, created.id, body), 410, 'session_expired')
  assert.equal((await read(service, key, created.id)).status, 'expired')
})

test('N003: a second response is 409 and changes nothing, whatever it says', async () => {
  const { created, request } = await openRequest()
  const body = await validBody(wallet, request, { credentials })
  assert.equal((await respond(service, created.id, body)).status, 200)
  const before = await read(service, key, created.id)
  for (const second of [body, `error=access_denied&state=${request.state}`, 'nonsense']) {
    assertRefused(await respond(service, created.id, second), 409, 'session_already_responded')
  }
  assert.deepEqual(await read(service, key, created.id), before)
  service.clock.advance(3_600_000)
  assertRefused(await respond(service, created.id, body), 409, 'session_already_responded')
})

test('N005, N006: a response with a wrong or missing state ends nothing', async () => {
  const { created, request } = await openRequest()
  await assertEndsNothing(key, created, await validBody(wallet, request, { credentials, state: 'x'.repeat(43) }))
  await assertEndsNothing(key, created, await validBody(wallet, request, { credentials, state: null }))
  assert.equal((await respond(service, created.id, await validBody(wallet, request, { credentials }))).status, 200)
})

test('N007: a response to one verification with the key or state of another ends nothing', async () => {
  const [one, other] = [await openRequest(), await openRequest()]
  await assertEndsNothing(key, one.created, await validBody(wallet, other.request, { credentials }))
  await assertEndsNothing(
    key,
    one.created,
    await validBody(wallet, one.request, { credentials, state: other.request.state }),
  )
  await assertEndsNothing(
    key,
    one.created,
    await validBody(wallet, one.request, { credentials, encryption: other.request.encryption }),
  )
})

test('N008: an unencrypted vp_token ends nothing if encryption was requested', async () => {
  const { created, request } = await openRequest()
  await assertEndsNothing(key, created, await validBody(wallet, request, { credentials, encryption: null }))
})

test('N009: an encrypted response ends nothing if an unencrypted one was requested', async () => {
  const { request: other } = await openRequest()
  const { created, request } = await openRequest(undefined, clearKey)
  await assertEndsNothing(
    clearKey,
    created,
    await validBody(wallet, request, { credentials, encryption: other.encryption }),
  )
})

test('N010: a response with both a vp_token and an error ends nothing', async () => {
  const { created, request } = await openRequest(undefined, clearKey)
  await assertEndsNothing(clearKey, created, `${await validBody(wallet, request, { credentials })}&error=access_denied`)
})

test('N011: a response with a field twice ends nothing', async () => {
  const { created, request } = await openRequest(undefined, clearKey)
  const token = encodeURIComponent(JSON.stringify(validToken(wallet, request, credentials)))
  await assertEndsNothing(clearKey, created, `vp_token=${token}&vp_token=${token}&state=${request.state}`)
})

test('N012: another content type than a form is 415', async () => {
  const { created } = await openRequest()
  assertRefused(
    await service.call('POST', `/wallet/response/${created.id}`, { body: {} }),
    415,
    'unsupported_media_type',
  )
  const text = { headers: { 'content-type': 'text/plain' }, raw: 'vp_token={}' }
  assertRefused(await service.call('POST', `/wallet/response/${created.id}`, text), 415, 'unsupported_media_type')
})

test('N013: a body beyond two megabytes is 413; an empty body ends nothing', async () => {
  const { created } = await openRequest()
  const long = `response=${'x'.repeat(2 * 1024 * 1024)}`
  assertRefused(await respond(service, created.id, long), 413, 'payload_too_large')
  await assertEndsNothing(key, created, '')
  assertRefused(await service.call('POST', `/wallet/response/${created.id}`), 400, 'invalid_wallet_response')
})

test('N014: an error of the wallet ends the verification, without a result', async () => {
  const { created, request } = await openRequest()
  const answer = await respond(service, created.id, `error=access_denied&state=${request.state}`)
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, {})
  const result = await read(service, key, created.id)
  assert.equal(result.status, 'failed')
  assert.equal(result.error.code, 'wallet_declined')
  assert.ok(!('claims' in result))
})

test("N015: a wallet's text in an error is repeated nowhere", async () => {
  const { created, request } = await openRequest()
  const script = '<script>alert(1)</script>'
  const body = new URLSearchParams({ error: 'made_up', error_description: script, state: request.state ?? '' })
  assert.equal((await respond(service, created.id, body.toString())).status, 200)
  const result = await read(service, key, created.id)
  assert.equal(result.error.code, 'wallet_error')
  assert.ok(!JSON.stringify(result).includes('script') && !JSON.stringify(result).includes('made_up'))
  assert.ok(!service.logged.join('').includes(script))
})

test('an error inside the encrypted response counts as an error', async () => {
  const { created, request } = await openRequest()
  assert.ok(request.encryption !== null)
  const jwe = await encryptResponse({ error: 'wallet_unavailable', state: request.state }, request.encryption)
  assert.equal((await respond(service, created.id, new URLSearchParams({ response: jwe }).toString())).status, 200)
  assert.equal(
    (await read(service, key, created.id)).error.message,
    'The wallet answered with an error: wallet_unavailable.',
  )
})

test('N016 to N018: the redirect has a code that is stored as a hash and redeemed once', async () => {
  const { created, request } = await openRequest({
    template: 'identity',
    redirect_url: 'https://shop.example.com/back?x=1',
  })
  const { json } = await respond(service, created.id, await validBody(wallet, request, { credentials }))
  const [realm, code] = json.redirect_uri.split('#response_code=')
  assert.equal(realm, 'https://shop.example.com/back?x=1')
  assert.match(code, /^[\w-]{43}$/)
  const [row] = await service.deps.db.query<{ hash: Buffer }>(
    { name: 'test_code_hash', text: 'select response_code_hash as hash from verifications where id = $1' },
    [created.id],
  )
  assert.deepEqual(row?.hash, createHash('sha256').update(code).digest())
  const redeem = (response_code: string) =>
    service.call('POST', `/v1/verifications/${created.id}/redeem`, { key, body: { response_code } })
  assertRefused(await redeem('x'.repeat(43)), 404, 'invalid_response_code')
  assert.equal((await redeem(code)).json.status, 'completed')
  assertRefused(await redeem(code), 404, 'invalid_response_code')
})

for (const [redirect, expected] of [
  ['https://shop.example.com/back#tab=2', 'https://shop.example.com/back#tab=2&response_code='],
  ['https://shop.example.com/back#', 'https://shop.example.com/back#response_code='],
  ['com.example.shop:/verified', 'com.example.shop:/verified#response_code='],
] as const) {
  test(`the code is appended to ${redirect}`, async () => {
    const { created, request } = await openRequest({ template: 'identity', redirect_url: redirect })
    const { json } = await respond(service, created.id, await validBody(wallet, request, { credentials }))
    assert.equal(json.redirect_uri.slice(0, -43), expected)
  })
}

test('a declined verification redirects too', async () => {
  const { created, request } = await openRequest({
    template: 'identity',
    redirect_url: 'https://shop.example.com/back',
  })
  const { json } = await respond(service, created.id, `error=access_denied&state=${request.state}`)
  assert.match(json.redirect_uri, /#response_code=/)
})

test('N028: no wallet route redirects', async () => {
  const { created } = await openRequest({ template: 'identity', redirect_url: 'https://shop.example.com/back' })
  for (const path of [`/wallet/request/${created.id}/`, `/wallet/request/`, `/wallet/response/${created.id}/`]) {
    const answer = await service.call('GET', path)
    assert.ok(answer.status >= 400 && answer.headers.location === undefined, path)
  }
})

test('N029: a presentation to one verification fails at another', async () => {
  const [first, second] = [await openRequest(undefined, clearKey), await openRequest(undefined, clearKey)]
  const token = JSON.stringify(validToken(wallet, first.request, credentials))
  const body = new URLSearchParams({ vp_token: token, state: second.request.state ?? '' }).toString()
  assert.equal((await respond(service, second.created.id, body)).status, 200)
  const result = await read(service, clearKey, second.created.id)
  assert.equal(result.error.code, 'holder_binding_invalid')
  assert.deepEqual(result.credentials[0].claims, {})
})

test('a tenant can answer failed presentations with 400; the result does not change', async () => {
  const strict = await service.tenant()
  const settings = await loadTenantSettings(service.deps.db, strict)
  assert.ok(settings !== null)
  await updateTenantSettings(service.deps.db, strict, { ...settings, walletRejectionStatus: 400 })
  const strictKey = await service.key(strict)
  const created = await create(service, strictKey)
  assert.equal((await wallet.present(created.wallet_uri, 'wrong_nonce')).status, 400)
  assert.equal((await read(service, strictKey, created.id)).status, 'failed')
  const declined = await create(service, strictKey)
  assert.equal((await wallet.present(declined.wallet_uri, 'declined')).status, 200)
})

test('the answer does not reveal which check failed', async () => {
  const { created } = await openRequest()
  const answer = await respond(service, created.id, 'response=eyJhbGciOiJub25lIn0....')
  assert.equal(answer.json.error.message, 'The wallet response could not be processed.')
})

test('the encryption key is destroyed with the answer, and no claim is stored unencrypted', async () => {
  const { created, request } = await openRequest()
  await respond(service, created.id, await validBody(wallet, request, { credentials }))
  const [row] = await service.deps.db.query<{ key: Buffer | null; sealed: Buffer }>(
    {
      name: 'test_ended_row',
      text: `select v.encryption_key as key, r.sealed from verifications v
             join verification_results r on r.verification_id = v.id where v.id = $1`,
    },
    [created.id],
  )
  assert.equal(row?.key, null)
  assert.ok(!row?.sealed.includes('Specimen'))
  assert.ok(!service.logged.join('').includes('Specimen'))
})

test('an answer to a verification that is erased while it arrives gets 404', async () => {
  const { created, request } = await openRequest()
  const body = await validBody(wallet, request, { credentials })
  assert.equal((await service.call('DELETE', `/v1/verifications/${created.id}`, { key })).status, 200)
  assertRefused(await respond(service, created.id, body), 404, 'session_not_found')
})

test('a charset parameter of the content type is accepted', async () => {
  const { created, request } = await openRequest()
  const headers = { 'content-type': `${FORM['content-type']}; charset=utf-8` }
  const raw = await validBody(wallet, request, { credentials })
  assert.equal((await service.call('POST', `/wallet/response/${created.id}`, { headers, raw })).status, 200)
})
