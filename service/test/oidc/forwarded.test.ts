// Tests that the token call confirms content that is forwarded and then forgotten.

import assert from 'node:assert/strict'
import test from 'node:test'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { useCodes } from '../../src/features/oidc/store/authorization-codes.ts'
import { hashOf } from '../../src/platform/one-time-secret.ts'
import { instantOf } from '../../src/platform/world.ts'
import { merchant } from '../forgetting/merchants.ts'
import { quickSignIn, testClient } from '../harness/openid-client.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import {
  authorizeUrl,
  CALLBACK,
  callToken,
  callUserinfo,
  codeFor,
  ownSecret,
  payloadOf,
  withFullDisk,
} from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)

const userinfoOf = (id: string) =>
  service.deps.db.query<{ userinfo: Buffer | null; token_hash: Buffer | null }>(
    { name: 'test_userinfo', text: 'select userinfo, token_hash from oidc_authorizations where verification_id = $1' },
    [id],
  )

test('OIDC-09 with the token call the claims are gone: nothing of them remains in the store', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const registered = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const code = await codeFor(service, wallet, registered)
  const { access_token: token, id_token: idToken } = (
    await callToken(service, registered, { ...ownSecret(registered), code })
  ).json
  const id = String(payloadOf(idToken).sid)
  assert.equal(payloadOf(idToken).given_name, 'Vida')
  const stored = await shop.stored(id)
  assert.deepEqual([stored.sealed, stored.forget_at], [null, null])
  assert.ok(stored.forgotten_at !== null)
  assert.equal((await shop.read(id)).claims, undefined)
  assert.equal(
    (await callUserinfo(service, registered, token)).json.given_name,
    'Vida',
    'the token decrypts the claims until it expires',
  )
  const entries = await shop.forgettings()
  assert.ok(
    entries.some((entry) => entry.includes(registered.client.id) && entry.includes(id)),
    JSON.stringify(entries),
  )
})

test('a browser cannot be recognised by content that is forgotten with the first code', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const registered = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const { location, cookies } = await quickSignIn(service, { url: authorizeUrl(registered), wallet })
  const cookie = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? ''
  const again = async () => {
    const { pathname, search } = authorizeUrl(registered, { prompt: 'none' })
    const answer = await service.app.inject({ url: pathname + search, headers: { cookie } })
    return String(answer.headers.location)
  }
  assert.match(await again(), /error=interaction_required/, 'before the code is used')
  await callToken(service, registered, { ...ownSecret(registered), code: location.searchParams.get('code') ?? '' })
  assert.match(await again(), /error=interaction_required/)
})

test('OIDC-09 a request to forget ends userinfo, too, although the token call already removed the content', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const registered = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK] })
  const code = await codeFor(service, wallet, registered)
  const { access_token: token, id_token: idToken } = (
    await callToken(service, registered, { ...ownSecret(registered), code })
  ).json
  const id = String(payloadOf(idToken).sid)
  assert.equal((await callUserinfo(service, registered, token)).status, 200)
  const [before] = await userinfoOf(id)
  assert.ok(before !== undefined && before.userinfo !== null)
  // Another merchant's call ends nothing.
  const other = await merchant(service, {})
  const foreign = await service.call('POST', `/v1/verifications/${id}/forget`, { key: other.key })
  assert.equal(foreign.status, 404)
  assert.equal((await callUserinfo(service, registered, token)).status, 200)
  await shop.forget(id)
  assert.equal((await callUserinfo(service, registered, token)).status, 401)
  const [after] = await userinfoOf(id)
  assert.deepEqual([after?.userinfo, after?.token_hash], [null, null])
})

test('a token call that was in progress when the content was forgotten stores no claims', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const registered = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK] })
  const code = await codeFor(service, wallet, registered)
  const { data } = (await service.call('GET', '/v1/verifications?limit=1', { key: shop.key })).json
  await shop.forget(data[0].id)
  const now = instantOf(service.clock.now())
  const used = { clientId: registered.client.id, hash: hashOf('code', code) ?? assert.fail(), now, tokenExpiresAt: now }
  const call = { ...used, tokenHash: Buffer.alloc(32, 7), userinfo: Buffer.from('claims'), leavesForwarded: false }
  assert.equal((await useCodes(service.deps.db, shop.realm, [call])).length, 1)
  const [row] = await userinfoOf(data[0].id)
  assert.equal(row?.userinfo, null)
})

test('OIDC-09 while the store is away the token call gets 503; then the same code works, once', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const registered = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK] })
  const code = await codeFor(service, wallet, registered)
  const token = (change = {}) => callToken(service, registered, { ...ownSecret(registered), code, ...change })
  for (const rows of [
    'before update on oidc_authorizations for each row when (new.userinfo is not null)',
    'before update on oidc_authorizations for each row when (new.code_used_at is not null)',
  ]) {
    const away = await withFullDisk(service, rows, token)
    assertRefused(away, 503, 'unavailable')
    assert.ok(Number(away.headers['retry-after']) > 0)
  }
  const answer = await token()
  assert.equal(answer.status, 200, answer.text)
  assert.equal((await callUserinfo(service, registered, answer.json.access_token)).json.given_name, 'Vida')
  const stored = await shop.stored(String(payloadOf(answer.json.id_token).sid))
  assert.equal(stored.sealed, null)
  assert.equal((await token()).json.error, 'invalid_grant')
  assert.equal((await callUserinfo(service, registered, answer.json.access_token)).status, 401)
})

test('a wrong call uses up the code of forwarded content; of many calls at once, one gets tokens', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const registered = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK] })
  const token = (code: string, change = {}) =>
    callToken(service, registered, { ...ownSecret(registered), code, ...change })
  const wrong = await codeFor(service, wallet, registered)
  assert.equal((await token(wrong, { code_verifier: 'w'.repeat(43) })).json.error, 'invalid_grant')
  assert.equal((await token(wrong)).json.error, 'invalid_grant')
  const code = await codeFor(service, wallet, registered)
  const answers = await Promise.all(Array.from({ length: 5 }, () => token(code)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
})

test('the audit trail does not say whose answer was refused: content is forgotten after a yes and after a no', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const { realm } = shop
  const trails: string[] = []
  for (const age of ['25', '60']) {
    const claims = [{ path: ['age_equal_or_over', age] }]
    const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims }
    const document = { title: 'Age', query: { credentials: [pid] } }
    const template = `over_${age}`
    await saveTemplate(service.deps, { realm, actor: OPERATOR, key: template, document })
    const client = await testClient(service, realm.tenantId, {
      ...{ redirectUris: [CALLBACK], templates: [template], defaultTemplate: template, requireTrue: true },
    })
    const { location, verificationId: id } = await quickSignIn(service, { url: authorizeUrl(client), wallet })
    const code = location.searchParams.get('code')
    assert.equal(location.searchParams.get('error'), age === '60' ? 'access_denied' : null)
    if (code !== null) assert.equal((await callToken(service, client, { ...ownSecret(client), code })).status, 200)
    assert.equal((await shop.stored(id)).sealed, null)
    const trail = (await shop.forgettings()).find((entry) => entry.includes(id)) ?? ''
    trails.push(trail.replace(id, 'id').replace(client.client.id, 'client'))
  }
  assert.deepEqual(trails, ['oidc_client client id', 'oidc_client client id'])
})
