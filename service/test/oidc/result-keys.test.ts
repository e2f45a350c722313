// Tests that sign-ins are refused if only the merchant can read results.

import assert from 'node:assert/strict'
import test from 'node:test'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { merchant } from '../forgetting/merchants.ts'
import { quickSignIn, testClient, visit } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK } from './callers.ts'

const service = await testService()

test('if results are encrypted to the merchant, its clients are refused before a person is asked, at no cost', async () => {
  const { realm, key } = await merchant(service, { content: 'keep' })
  await addMerchantKey(service, realm)
  const registered = await testClient(service, realm.tenantId, { redirectUris: [CALLBACK] })
  const url = authorizeUrl(registered)
  const { location } = await visit(service, url.pathname + url.search)
  const { searchParams } = new URL(location)
  assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['unauthorized_client', 'st'])
  const { json } = await service.call('GET', '/v1/verifications', { key })
  assert.deepEqual(json.data, [])
})

test('a sign-in during which a result key is proven ends with server_error: no code, and the browser is not recognised later', async () => {
  const { realm } = await merchant(service, { content: 'keep' })
  const registered = await testClient(service, realm.tenantId, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const wallet = await testWallet(service)
  const present = async (uri: string) => {
    await addMerchantKey(service, realm)
    return wallet.present(uri)
  }
  const holding = { ...wallet, present }
  const { location, cookies } = await quickSignIn(service, { url: authorizeUrl(registered), wallet: holding })
  assert.equal(location.searchParams.get('error'), 'server_error')
  assert.equal(location.searchParams.get('code'), null)
  assert.ok(cookies.every((cookie) => !cookie.includes('vidimus-known-')))
})

test('the universal API says that it cannot return claims that are encrypted or forgotten', async () => {
  const wallet = await testWallet(service)
  const [path, body] = ['/oid4vp/backend/auth/requests', { query_id: 'identity' }]
  for (const isEncrypted of [true, false]) {
    const { realm, key } = await merchant(service, { content: 'keep' })
    if (isEncrypted) await addMerchantKey(service, realm)
    const { correlation_id: id, request_uri: uri } = (await service.call('POST', path, { key, body })).json
    await wallet.present(uri)
    if (!isEncrypted) await service.call('POST', `/v1/verifications/${id}/forget`, { key })
    const { json } = await service.call('GET', `${path}/${id}`, { key })
    assert.deepEqual([json.status, json.error.code, json.verified_data], ['error', 'content_unreadable', undefined])
  }
})
