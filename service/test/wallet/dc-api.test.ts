// Tests the Digital Credentials API through the real routes: offers, answers, a single end (docs/protocol/dc-api.md).

import assert from 'node:assert/strict'
import test from 'node:test'
import { generateKey, issue, MISBEHAVIOUR_NAMES, MISBEHAVIOURS } from '@vidimus/wallet'
import type { TenantSettings } from '../../src/core/tenants/domain/settings.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { addOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, openHostedPage, postAnswer } from '../harness/dc-api.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from './verifications.ts'

const service = await testService()
const { deps } = service
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const SHOP = 'http://localhost:5173'
await addOrigin(deps, { realm: { tenantId, environment: 'test' }, origin: SHOP, actor: OPERATOR })

const MDOC = {
  credentials: [
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
    },
  ],
}
const SD_JWT = {
  credentials: [
    { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['given_name'] }] },
  ],
}

interface Offered {
  readonly requests: readonly { readonly protocol: string; readonly data: Readonly<Record<string, unknown>> }[]
}

async function offered(id: string, origin?: string): Promise<Offered> {
  const answer = await fetchOffer(service, id, origin)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}
const protocolsOf = ({ requests }: Offered) => requests.map(({ protocol }) => protocol)
const claimsOf = ({ requests }: Offered) =>
  JSON.parse(Buffer.from(String(requests[0]?.data.request).split('.')[1] ?? '', 'base64url').toString())

async function tenantWith(change: Partial<TenantSettings>, environment: 'test' | 'live' = 'test') {
  const other = await service.tenant()
  await changeSettings(deps, { tenantId: other, change, actor: OPERATOR })
  return service.key(other, { environment })
}

for (const [protocol, query] of [
  ['openid4vp-v1-signed', SD_JWT],
  ['openid4vp-v1-signed', MDOC],
  ['org-iso-mdoc', MDOC],
] as const) {
  test(`${protocol}, ${query.credentials[0]?.format}: a wallet's answer on the right page completes`, async () => {
    for (const origin of [undefined, SHOP]) {
      const created = await create(service, key, { query, ...(origin === undefined ? {} : { origin }) })
      const offer = await offered(created.id, origin)
      const answer = await browserAnswer(wallet, offer, { origin: origin ?? OWN_ORIGIN, protocols: [protocol] })
      const posted = await postAnswer(service, created.id, answer, origin)
      assert.deepEqual([posted.status, posted.json], [200, {}], posted.text)
      const { status, claims } = await read(service, key, created.id)
      assert.equal(status, 'completed')
      assert.equal(Object.keys(claims).length, 1)
    }
  })
}

test('by Annex C a licence with only a birth date answers an age with it, as alternativeDataElements says', async () => {
  const { issuer, now } = wallet.options
  const ages = [12, 14, 16, 18, 21, 25, 60, 62, 65, 68].map((age) => `age_over_${age}`)
  const credentials = [issue(issuer, 'mdl', { holderKey: generateKey(), now, without: ages })]
  const created = await create(service, key, { template: 'age_over_18' })
  const answer = await browserAnswer(wallet, await offered(created.id), { protocols: ['org-iso-mdoc'], credentials })
  assert.equal((await postAnswer(service, created.id, answer)).status, 200)
  const result = await read(service, key, created.id)
  assert.deepEqual([result.status, result.claims], ['completed', { age_over_18: true }])
  assert.doesNotMatch(JSON.stringify(result), /1990-07/)
})

test('with a redirect_url the page gets the address to go to, with the redeemable code', async () => {
  const created = await create(service, key, { query: SD_JWT, redirect_url: 'https://shop.example/back' })
  const posted = await postAnswer(service, created.id, await browserAnswer(wallet, await offered(created.id)))
  const [, code = ''] = /^https:\/\/shop\.example\/back#response_code=([\w-]{43})$/.exec(posted.json.redirect_uri) ?? []
  const redeemed = await service.call('POST', `/v1/verifications/${created.id}/redeem`, {
    key,
    body: { response_code: code },
  })
  assert.equal(redeemed.status, 200, redeemed.text)
})

test('under HAIP, too, a page that asked through the browser stays open', async () => {
  const haip = await tenantWith({ haip: true })
  const created = await create(service, haip, { query: SD_JWT })
  const posted = await postAnswer(service, created.id, await browserAnswer(wallet, await offered(created.id)))
  assert.deepEqual([posted.status, posted.json], [200, {}], posted.text)
})

test('the offer has the same nonces and keys until the verification ends: an earlier offer can be answered', async () => {
  const created = await create(service, key, { query: MDOC })
  const first = await offered(created.id)
  service.clock.advance(30_000)
  const second = await offered(created.id)
  const fixed = (offer: Offered) => {
    const { nonce, client_metadata } = claimsOf(offer)
    return { nonce, client_metadata, encryptionInfo: offer.requests[1]?.data.encryptionInfo }
  }
  assert.deepEqual(fixed(first), fixed(second))
  assert.ok(fixed(first).encryptionInfo !== undefined)
  const answer = await browserAnswer(wallet, first, { protocols: ['org-iso-mdoc'] })
  assert.equal((await postAnswer(service, created.id, answer)).status, 200)
  assertRefused(await fetchOffer(service, created.id), 409, 'session_already_responded')
})

test('D19, D21: a signed request names the one origin, as browsers write it, and no redirect', async () => {
  for (const origin of [undefined, SHOP]) {
    const created = await create(service, key, { query: SD_JWT, ...(origin === undefined ? {} : { origin }) })
    const offer = await offered(created.id)
    assert.deepEqual(protocolsOf(offer), ['openid4vp-v1-signed'])
    const claims = claimsOf(offer)
    assert.deepEqual(claims.expected_origins, [origin ?? OWN_ORIGIN])
    assert.equal(claims.response_mode, 'dc_api.jwt')
    assert.match(claims.client_id, /^x509_hash:/)
    for (const name of ['response_uri', 'redirect_uri', 'request_uri', 'state']) assert.ok(!(name in claims), name)
  }
})

test('Annex C is offered if it can express the query', async () => {
  const protocols = async (as: string, query: object) =>
    protocolsOf(await offered((await create(service, as, { query })).id))
  assert.deepEqual(await protocols(key, MDOC), ['openid4vp-v1-signed', 'org-iso-mdoc'])
  assert.deepEqual(await protocols(key, SD_JWT), ['openid4vp-v1-signed'])
  const [mdl] = MDOC.credentials
  assert.deepEqual(await protocols(key, { credentials: [mdl, { ...mdl, id: 'again' }] }), ['openid4vp-v1-signed'])
})

test('the key of Annex C differs from that of OpenID4VP, and each verification has its own', async () => {
  const keysOf = async () => {
    const offer = await offered((await create(service, key, { query: MDOC })).id)
    const { jwks } = claimsOf(offer).client_metadata
    const info = Buffer.from(String(offer.requests[1]?.data.encryptionInfo), 'base64url')
    return { jwe: Buffer.from(jwks.keys[0].x, 'base64url'), info }
  }
  const [one, other] = [await keysOf(), await keysOf()]
  assert.ok(!one.info.includes(one.jwe))
  assert.notDeepEqual(one.jwe, other.jwe)
  assert.notDeepEqual(one.info, other.info)
})

test('D20: an unsigned request, or an unencrypted answer, is possible only by setting and only in test', async () => {
  const loose = { dcApiUnsignedInTest: true, dcApiClearInTest: true }
  const id = async (as: string) => (await create(service, as, { query: SD_JWT })).id
  const inTest = await tenantWith(loose)
  const looseId = await id(inTest)
  const offer = await offered(looseId)
  assert.deepEqual(protocolsOf(offer), ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'])
  const [, unsigned] = offer.requests
  assert.equal(unsigned?.data.response_mode, 'dc_api')
  for (const name of ['client_id', 'expected_origins']) assert.ok(!(name in (unsigned?.data ?? {})), name)
  const answer = await browserAnswer(wallet, offer, { protocols: ['openid4vp-v1-unsigned'] })
  assert.ok('vp_token' in (answer.data as object))
  assert.equal((await postAnswer(service, looseId, answer)).status, 200)
  assert.equal((await read(service, inTest, looseId)).status, 'completed')
  for (const strict of [await tenantWith(loose, 'live'), await tenantWith({ ...loose, haip: true })]) {
    const kept = await offered(await id(strict))
    assert.deepEqual(protocolsOf(kept), ['openid4vp-v1-signed'])
    assert.equal(claimsOf(kept).response_mode, 'dc_api.jwt')
  }
})

for (const name of MISBEHAVIOUR_NAMES) {
  const misbehaviour: (typeof MISBEHAVIOURS)[typeof name] & { readonly format?: string } = MISBEHAVIOURS[name]
  test(`${misbehaviour.case}: ${misbehaviour.title}`, async () => {
    const query = misbehaviour.by === 'org-iso-mdoc' || misbehaviour.format === 'mso_mdoc' ? MDOC : SD_JWT
    const created = await create(service, key, { query })
    const protocols = misbehaviour.by === 'org-iso-mdoc' ? ['org-iso-mdoc'] : ['openid4vp-v1-signed']
    const offer = await offered(created.id)
    const answer = await browserAnswer(wallet, offer, { protocols, misbehaviour: name })
    const posted = await postAnswer(service, created.id, answer)
    const { status, error } = await read(service, key, created.id)
    if (misbehaviour.expected === 'refused') {
      assertRefused(posted, 400, 'invalid_wallet_response')
      assert.equal(status, 'pending')
      assert.equal((await postAnswer(service, created.id, await browserAnswer(wallet, offer))).status, 200)
    } else {
      assert.deepEqual([posted.status, status, error.code], [200, 'failed', misbehaviour.expected])
    }
  })
}

test('D22: an Annex C document of an untrusted issuer fails', async () => {
  const created = await create(service, key, { query: MDOC })
  const change = { protocols: ['org-iso-mdoc'], scenario: 'untrusted' } as const
  await postAnswer(service, created.id, await browserAnswer(wallet, await offered(created.id), change))
  const { status, error } = await read(service, key, created.id)
  assert.deepEqual([status, error.code], ['failed', 'issuer_untrusted'])
})

test('an answer without an offer is refused', async () => {
  const [one, other] = [await create(service, key, { query: SD_JWT }), await create(service, key, { query: SD_JWT })]
  const answer = await browserAnswer(wallet, await offered(one.id))
  assertRefused(await postAnswer(service, other.id, answer), 400, 'invalid_wallet_response')
  assert.equal((await read(service, key, other.id)).status, 'pending')
})

test('D15: of an answer that is posted twice, one after the other or at once, one counts', async () => {
  const created = await create(service, key, { query: SD_JWT })
  const answer = await browserAnswer(wallet, await offered(created.id))
  const posted = await Promise.all(Array.from({ length: 3 }, () => postAnswer(service, created.id, answer)))
  assert.deepEqual(posted.map(({ status }) => status).toSorted(), [200, 409, 409])
  assertRefused(await postAnswer(service, created.id, answer), 409, 'session_already_responded')
})

test('of answers by QR code and by browser at once exactly one wins, and the keys of both are deleted', async () => {
  for (let race = 0; race < 20; race += 1) {
    const created = await create(service, key, { query: SD_JWT })
    const form = await validBody(wallet, await wallet.request(created.wallet_uri))
    const answer = await browserAnswer(wallet, await offered(created.id))
    const both = [() => respond(service, created.id, form), () => postAnswer(service, created.id, answer)]
    const answers = await Promise.all((race % 2 === 0 ? both : both.toReversed()).map((send) => send()))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    assert.equal((await read(service, key, created.id)).status, 'completed')
    assert.equal(await keepsKeys(created.id), false)
  }
})

test("D18: a wallet's error ends nothing; a valid answer afterwards is accepted", async () => {
  const created = await create(service, key, { query: SD_JWT })
  const offer = await offered(created.id)
  const declined = await browserAnswer(wallet, offer, { scenario: 'declined' })
  assert.deepEqual(declined.data, { error: 'access_denied' })
  const posted = await postAnswer(service, created.id, declined)
  assert.deepEqual([posted.status, posted.json], [200, {}])
  assert.equal((await read(service, key, created.id)).status, 'pending')
  assert.equal((await postAnswer(service, created.id, await browserAnswer(wallet, offer))).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')
})

/** Returns whether encrypted answers to a verification can still be decrypted. */
async function keepsKeys(id: string): Promise<boolean> {
  const text = 'select from verifications where id = $1 and encryption_key is not null'
  return (await deps.db.query({ name: 'test_keeps_keys', text }, [id])).length > 0
}

test('the keys of an offer are deleted with its verification: cancelled, erased or expired', async () => {
  const make = async () => {
    const { id } = await create(service, key, { query: MDOC, ttl_seconds: 60 })
    await offered(id)
    assert.equal(await keepsKeys(id), true)
    return id
  }
  const [cancelled, erased, expired] = [await make(), await make(), await make()]
  await service.call('POST', `/v1/verifications/${cancelled}/cancel`, { key })
  assertRefused(await fetchOffer(service, cancelled), 410, 'session_expired')
  await service.call('DELETE', `/v1/verifications/${erased}`, { key })
  assertRefused(await fetchOffer(service, erased), 404, 'session_not_found')
  service.clock.advance(61_000)
  assertRefused(await postAnswer(service, expired, {}), 410, 'session_expired')
  service.clock.advance(60_000)
  await applyRetention(deps)
  assert.deepEqual(
    [await keepsKeys(cancelled), await keepsKeys(erased), await keepsKeys(expired)],
    [false, false, false],
  )
})

test('only JSON bodies within the limit are read, and a malformed answer is refused', async () => {
  const { id } = await create(service, key, { query: SD_JWT })
  await offered(id)
  const page = await openHostedPage(service, id)
  const send = (raw: string, type = 'application/json') =>
    service.call('POST', `/wallet/dc-api/${id}`, { raw, headers: { ...page, 'content-type': type } })
  assertRefused(await send('a=b', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type')
  assertRefused(await send(' '.repeat(2 * 1024 * 1024 + 1)), 413, 'payload_too_large')
  for (const raw of [
    '',
    '{',
    '[]',
    '{}',
    '{"protocol":"openid4vp-v1-signed"}',
    '{"protocol":"a","protocol":"b","data":{}}',
  ])
    assertRefused(await send(raw), 400, 'invalid_wallet_response')
  assert.equal((await read(service, key, id)).status, 'pending')
})
