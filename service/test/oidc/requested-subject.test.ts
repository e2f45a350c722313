// Tests that a client that names a subject gets a code for that person only (OpenID Connect Core §3.1.2.2).

import assert from 'node:assert/strict'
import test from 'node:test'
import type { OidcClient } from '../../src/features/oidc/domain/client.ts'
import { changeClient } from '../../src/features/oidc/usecases/manage-clients.ts'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { comeBack, quickSignIn, testClient, visit } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK, callToken, ownSecret, payloadOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Shop' })
const client = await testClient(service, tenant, { redirectUris: [CALLBACK], rememberMinutes: 10 })

const hintOf = (sub: string) =>
  ['{"alg":"ES256"}', JSON.stringify({ sub }), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')
const asking: Readonly<Record<string, (sub: string) => Record<string, string>>> = {
  'claims.id_token.sub.value': (value) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) }),
  'claims.id_token.sub.values': (value) => ({ claims: JSON.stringify({ id_token: { sub: { values: [value] } } }) }),
  id_token_hint: (sub) => ({ id_token_hint: hintOf(sub) }),
}

async function signIn(more: Record<string, string>) {
  const url = authorizeUrl(client, more)
  const { location, cookies } = await visit(service, url.pathname + url.search)
  const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1] ?? assert.fail(location)
  const cookie = cookies.at(-1)?.split(';')[0] ?? ''
  const { walletUri } = await readHostedPage(service.deps, id)
  return comeBack(service, String((await wallet.present(walletUri)).redirectUri), cookie)
}

const errorOf = (location: string) => new URL(location).searchParams.get('error')

for (const [name, asks] of Object.entries(asking))
  test(`${name}: another subject gets no code, recognised or after a sign-in`, async () => {
    const first = await signIn({})
    assert.match(first.location, /[?&]code=/)
    const known = first.cookies.map((one) => one.split(';')[0] ?? '').find((one) => one.includes('known')) ?? ''
    const silent = authorizeUrl(client, { prompt: 'none' })
    assert.match((await visit(service, silent.pathname + silent.search, known)).location, /[?&]code=/)
    const code = new URL(first.location).searchParams.get('code') ?? ''
    const tokens = await callToken(service, client, { code, ...ownSecret(client) })
    const own = String(payloadOf(JSON.parse(tokens.text).id_token).sub)
    const right = authorizeUrl(client, { prompt: 'none', ...asks(own) })
    assert.match((await visit(service, right.pathname + right.search, known)).location, /[?&]code=/)
    const url = authorizeUrl(client, { prompt: 'none', ...asks('somebody-else') })
    assert.equal(errorOf((await visit(service, url.pathname + url.search, known)).location), 'login_required')
    assert.equal(errorOf((await signIn(asks('somebody-else'))).location), 'login_required')
  })

test('a hint that is not a token, a hint that contradicts the claims, and several subjects are refused', async () => {
  const two = { ...asking['claims.id_token.sub.value']?.('one'), id_token_hint: hintOf('two') }
  const several = { claims: JSON.stringify({ id_token: { sub: { values: ['one', 'two'] } } }) }
  for (const change of [{ id_token_hint: 'x.y.z' }, two, several]) {
    const url = authorizeUrl(client, change)
    assert.equal(errorOf((await visit(service, url.pathname + url.search)).location), 'invalid_request')
  }
})

test('a browser is recognised only if its answer still identifies the person', async () => {
  const terms = {
    redirectUris: [CALLBACK],
    rememberMinutes: 10,
    subjectMode: 'claim',
    subjectClaims: ['given_name'],
  } as const
  const registered = await testClient(service, tenant, terms)
  const { cookies } = await quickSignIn(service, { url: authorizeUrl(registered), wallet })
  const known = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? assert.fail()
  const { pathname, search } = authorizeUrl(registered, { prompt: 'none' })
  const again = async () => (await visit(service, pathname + search, known)).location
  assert.match(await again(), /[?&]code=/)
  const change = (before: OidcClient) => ({ ...before, subjectClaims: ['document_number'] })
  const realm = { tenantId: tenant, environment: 'test' } as const
  const changed = await changeClient(service.deps, { realm, id: registered.client.id, actor: OPERATOR, change })
  assert.equal(changed.outcome, 'done')
  assert.equal(errorOf(await again()), 'interaction_required')
})

test('a preferred template that does not identify the person is ignored', async () => {
  const registered = await testClient(service, tenant, {
    redirectUris: [CALLBACK],
    templates: ['identity', 'age_over_18'],
    defaultTemplate: 'identity',
    subjectMode: 'claim',
    subjectClaims: ['given_name'],
  })
  const url = authorizeUrl(registered, { scope: 'openid', acr_values: 'urn:vidimus:template:age_over_18' })
  const { location } = await quickSignIn(service, { url, wallet })
  assert.match(location.href, /[?&]code=/)
})
