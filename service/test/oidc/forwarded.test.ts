// Tests that the token call confirms content that is forwarded and then forgotten.

import assert from 'node:assert/strict'
import test from 'node:test'
import { keepUserinfo } from '../../src/features/oidc/store/authorizations.ts'
import { merchant } from '../forgetting/merchants.ts'
import { quickSignIn, testClient } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK, callToken, callUserinfo, codeFor, ownSecret, payloadOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)

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

test('a browser cannot be recognised by forgotten content', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const registered = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const { location, cookies } = await quickSignIn(service, { url: authorizeUrl(registered), wallet })
  await callToken(service, registered, { ...ownSecret(registered), code: location.searchParams.get('code') ?? '' })
  const cookie = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? ''
  const again = authorizeUrl(registered, { prompt: 'none' })
  const answer = await service.app.inject({ url: again.pathname + again.search, headers: { cookie } })
  assert.match(String(answer.headers.location), /error=interaction_required/)
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
  const kept = () =>
    service.deps.db.query<{ id: string; userinfo: Buffer | null; token_hash: Buffer | null }>(
      {
        name: 'test_userinfo',
        text: 'select id, userinfo, token_hash from oidc_authorizations where verification_id = $1',
      },
      [id],
    )
  const [before] = await kept()
  assert.ok(before !== undefined && before.userinfo !== null)
  // Another merchant's call ends nothing.
  const other = await merchant(service, {})
  const foreign = await service.call('POST', `/v1/verifications/${id}/forget`, { key: other.key })
  assert.equal(foreign.status, 404)
  assert.equal((await callUserinfo(service, registered, token)).status, 200)
  await shop.forget(id)
  assert.equal((await callUserinfo(service, registered, token)).status, 401)
  const [after] = await kept()
  assert.deepEqual([after?.userinfo, after?.token_hash], [null, null])
  // A token call that was in progress at that time stores no claims.
  const late = { id: before.id, userinfo: before.userinfo }
  assert.equal(await keepUserinfo(service.deps.db, shop.realm, late), false)
})
