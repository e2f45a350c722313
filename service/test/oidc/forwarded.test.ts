// Where content is forwarded and forgotten, the token call is the receipt.

import assert from 'node:assert/strict'
import test from 'node:test'
import { merchant } from '../forgetting/merchants.ts'
import { quickSignIn, testClient } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK, callToken, callUserinfo, codeFor, ownSecret, payloadOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)

test('OIDC-09 with the token call the claims leave: nothing of them stays in the store', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const made = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const code = await codeFor(service, wallet, made)
  const { access_token: token, id_token: idToken } = (await callToken(service, made, { ...ownSecret(made), code })).json
  const id = String(payloadOf(idToken).sid)
  assert.equal(payloadOf(idToken).given_name, 'Vida')
  const stored = await shop.stored(id)
  assert.deepEqual([stored.sealed, stored.forget_at], [null, null])
  assert.ok(stored.forgotten_at !== null)
  assert.equal((await shop.read(id)).claims, undefined)
  assert.equal((await callUserinfo(service, made, token)).json.given_name, 'Vida', 'the token opens it until it ends')
  const entries = await shop.forgettings()
  assert.ok(
    entries.some((entry) => entry.includes(made.client.id) && entry.includes(id)),
    JSON.stringify(entries),
  )
})

test('a browser is not remembered by what is forgotten', async () => {
  const shop = await merchant(service, { content: 'forward' })
  const made = await testClient(service, shop.realm.tenantId, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const { location, cookies } = await quickSignIn(service, { url: authorizeUrl(made), wallet })
  await callToken(service, made, { ...ownSecret(made), code: location.searchParams.get('code') ?? '' })
  const cookie = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? ''
  const again = authorizeUrl(made, { prompt: 'none' })
  const answer = await service.app.inject({ url: again.pathname + again.search, headers: { cookie } })
  assert.match(String(answer.headers.location), /error=interaction_required/)
})
