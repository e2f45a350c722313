// Tests that a browser cannot edit its request so that a client with `require_true` asks for another template.

import assert from 'node:assert/strict'
import test from 'node:test'
import * as oauth from 'oauth4webapi'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import type { ClientTerms, OidcClient } from '../../src/features/oidc/domain/client.ts'
import { changeClient } from '../../src/features/oidc/usecases/manage-clients.ts'
import { quickSignIn, type TestClient, testClient, visit } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, basic, CALLBACK, CHALLENGE, pathOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const realm = { tenantId, environment: 'test' } as const
const key = await service.key(tenantId)
// The wallet's person is not 65 yet.
const claims = [{ path: ['age_equal_or_over', '65'] }, { path: ['given_name'] }]
const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims }
await saveTemplate(service.deps, {
  realm,
  actor: OPERATOR,
  key: 'senior',
  document: { title: 'Senior', query: { credentials: [pid] } },
})

const { privateKey, publicKey } = await oauth.generateKeyPair('ES256', { extractable: true })
const jwks = JSON.stringify({ keys: [{ ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'k' }] })
const strictClient = (terms: Partial<ClientTerms> = {}) =>
  testClient(service, tenantId, {
    ...{ redirectUris: [CALLBACK], templates: ['identity', 'senior'], defaultTemplate: 'senior', jwks },
    ...{ requireTrue: true, ...terms },
  })
const strict = await strictClient()
const withoutDefault = await strictClient({ defaultTemplate: null })

const open = (url: URL, cookie?: string) => visit(service, url.pathname + url.search, cookie)

async function templateOf({ location }: { readonly location: string }): Promise<string> {
  const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1]
  assert.ok(id !== undefined, location)
  return (await service.call('GET', `/v1/verifications/${id}`, { key })).json.template
}

const errorOf = ({ location }: { readonly location: string }) => {
  const { searchParams } = new URL(location)
  return [searchParams.get('code'), searchParams.get('error'), searchParams.get('error_description')]
}
const REFUSED = [
  null,
  'invalid_request',
  'with require_true and several templates, requests must be pushed or signed: do that, or use a client for each template',
]

test('of several templates, a request that the browser can edit gets none', async () => {
  for (const change of [
    { scope: 'openid' },
    { scope: 'openid vidimus:senior' },
    { scope: 'openid vidimus:identity' },
    { scope: 'openid vc_authn', pres_req_conf_id: 'identity' },
    { scope: 'openid profile' },
    { acr_values: 'urn:vidimus:template:identity' },
    { claims: '{"userinfo":{"birthdate":{"essential":true},"family_name":null}}' },
    { scope: 'openid vidimus:nothing' },
  ])
    for (const defaultTemplate of ['senior', null]) {
      const registered = defaultTemplate === null ? withoutDefault : strict
      assert.deepEqual(errorOf(await open(authorizeUrl(registered, change))), REFUSED, JSON.stringify(change))
    }
})

test('of one template, a browser can choose no other: "no" ends the sign-in', async () => {
  const one = await strictClient({ templates: ['senior'] })
  for (const change of [{ scope: 'openid' }, { scope: 'openid vidimus:senior' }, { scope: 'openid profile' }]) {
    const { location } = await quickSignIn(service, { url: authorizeUrl(one, change), wallet })
    const denied = [null, 'access_denied', 'unmet_authentication_requirements']
    assert.deepEqual(errorOf({ location: location.href }), denied, JSON.stringify(change))
  }
  const other = errorOf(await open(authorizeUrl(one, { scope: 'openid vidimus:identity' })))
  assert.deepEqual(other, [null, 'invalid_scope', 'there is no such template for this client'])
})

const ASKED = {
  ...{ redirect_uri: CALLBACK, response_type: 'code', scope: 'openid vidimus:identity' },
  ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
}
async function pushed(registered: TestClient, change: Record<string, string> = {}): Promise<URL> {
  const { status, json } = await service.call('POST', pathOf(registered, '/par'), {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...basic(registered.client.id, registered.secret ?? ''),
    },
    raw: new URLSearchParams({ ...ASKED, ...change }).toString(),
  })
  assert.equal(status, 201, JSON.stringify(json))
  const query = new URLSearchParams({ client_id: registered.client.id, request_uri: json.request_uri })
  return new URL(`${registered.issuer}/authorize?${query}`)
}
async function signed(registered: TestClient, scope = ASKED.scope): Promise<URL> {
  const skew = Math.round((service.clock.now() - Date.now()) / 1000)
  const request = await oauth.issueRequestObject(
    { issuer: registered.issuer },
    { client_id: registered.client.id, [oauth.clockSkew]: skew },
    new URLSearchParams({ ...ASKED, scope }),
    { key: privateKey, kid: 'k' },
  )
  return new URL(`${registered.issuer}/authorize?${new URLSearchParams({ client_id: registered.client.id, request })}`)
}

test('a pushed or signed request may name another template; parameters beside it do not count', async () => {
  for (const url of [await pushed(strict), await signed(strict)]) {
    assert.equal(await templateOf(await open(url)), 'identity')
    url.searchParams.set('scope', 'openid vidimus:senior')
    assert.equal(await templateOf(await open(url)), 'identity')
  }
  assert.equal(await templateOf(await open(await pushed(strict, { scope: 'openid profile' }))), 'identity')
})

test('a person who leaves the signature out of a signed request gets no template', async () => {
  const registered = await strictClient({ defaultTemplate: 'identity' })
  const url = await signed(registered, 'openid vidimus:senior')
  assert.equal(await templateOf(await open(url)), 'senior')
  const [, payload = ''] = (url.searchParams.get('request') ?? '').split('.')
  const stripped = new URL(`${registered.issuer}/authorize`)
  const parameters = JSON.parse(Buffer.from(payload, 'base64url').toString())
  for (const name of ['client_id', ...Object.keys(ASKED)]) stripped.searchParams.set(name, parameters[name])
  stripped.searchParams.set('scope', 'openid')
  assert.deepEqual(errorOf(await open(stripped)), REFUSED)
})

test("without require_true, the browser's request chooses as before", async () => {
  const loose = await strictClient({ requireTrue: false })
  assert.equal(await templateOf(await open(authorizeUrl(loose, { scope: 'openid vidimus:identity' }))), 'identity')
  assert.equal(await templateOf(await open(authorizeUrl(loose, { scope: 'openid profile' }))), 'identity')
})

test('a remembered answer to another template is not used', async () => {
  const terms = { rememberMinutes: 30, requireTrue: false }
  const registered = await strictClient(terms)
  const { cookies } = await quickSignIn(service, {
    url: authorizeUrl(registered, { scope: 'openid vidimus:identity' }),
    wallet,
  })
  const cookie = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? ''
  const silent = async (change: Record<string, string> = {}) =>
    errorOf(await open(authorizeUrl(registered, { prompt: 'none', ...change }), cookie))
  assert.notEqual((await silent({ scope: 'openid vidimus:identity' }))[0], null, 'remembered')
  const { id } = registered.client
  const change = (before: OidcClient) => ({ ...before, requireTrue: true })
  assert.equal((await changeClient(service.deps, { realm, id, actor: OPERATOR, change })).outcome, 'done')
  assert.deepEqual(await silent({ scope: 'openid vidimus:identity' }), REFUSED)
  for (const edit of [{}, { scope: 'openid profile' }, { acr_values: 'urn:vidimus:template:identity' }])
    assert.deepEqual(await silent(edit), REFUSED, JSON.stringify(edit))
  const own = await pushed(registered, { prompt: 'none' })
  assert.notEqual(errorOf(await open(own, cookie))[0], null, 'a pushed request may use the answer to its template')
})
