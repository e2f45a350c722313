// Tests the claims that a client's scopes and acr_values request, and the claims that openid-client then reads.

import assert from 'node:assert/strict'
import test from 'node:test'
import { removeTemplate, saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { configureInto, learn, type TestClient, testClient, visit } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK, pathOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const realm = { tenantId, environment: 'test' } as const
const key = await service.key(tenantId)

async function saveOwn(key: string, names: readonly string[]): Promise<void> {
  const saved = await saveTemplate(service.deps, {
    realm,
    key,
    actor: OPERATOR,
    document: {
      title: key,
      query: {
        credentials: [
          {
            id: 'pid',
            format: 'dc+sd-jwt',
            meta: { vct_values: ['urn:eudi:pid:1'] },
            claims: names.map((name) => ({ path: [name] })),
          },
        ],
      },
    },
  })
  assert.equal(saved.outcome, 'created', JSON.stringify(saved))
}
await saveOwn('contact', ['email', 'phone_number', 'given_name'])
await saveOwn('gone', ['given_name'])

const shop = await testClient(service, tenantId, {
  redirectUris: [CALLBACK],
  templates: ['identity', 'address', 'contact', 'age_over_18', 'gone'],
})
await removeTemplate(service.deps, { realm, key: 'gone', actor: OPERATOR })

const learned = async (parameters: Record<string, string>, registered: TestClient = shop) => {
  const config = await configureInto(service, registered)
  const { userinfo } = await learn(service, wallet, config, { redirect_uri: CALLBACK, ...parameters })
  return Object.keys(userinfo)
    .filter((name) => name !== 'sub')
    .sort()
}

const templateOf = async (change: Record<string, string | null>, registered: TestClient = shop) => {
  const url = authorizeUrl(registered, change)
  const { location } = await visit(service, url.pathname + url.search)
  const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1]
  assert.ok(id !== undefined, location)
  return (await service.call('GET', `/v1/verifications/${id}`, { key })).json.template
}

test('acr_values never ends a sign-in: it chooses the first template that the client may use, or has no effect', async () => {
  const of = (...keys: string[]) => keys.map((one) => `urn:vidimus:template:${one}`).join(' ')
  assert.equal(await templateOf({ acr_values: of('nothing') }), 'identity')
  assert.equal(await templateOf({ acr_values: of('portrait') }), 'identity', 'not for this client')
  assert.equal(await templateOf({ acr_values: of('gone') }), 'identity', 'the template was removed')
  assert.equal(await templateOf({ acr_values: `1 ${of('nothing', 'gone', 'address', 'age_over_18')} 2` }), 'address')
  assert.equal(await templateOf({ acr_values: of('gone'), scope: 'openid email' }), 'contact')
  const asAny = { scope: 'openid email', acr_values: `${of('nothing', 'portrait')} 1 2` }
  assert.deepEqual(await learned(asAny), ['email'], 'and the claims are those that were asked for')
  assert.equal(await templateOf({ acr_values: Array.from({ length: 200 }, (_, at) => at).join(' ') }), 'identity')
})

test('standard scopes are in discovery, and each adds its claims and no others', async () => {
  const { json } = await service.call('GET', pathOf(shop, '/.well-known/openid-configuration'))
  assert.deepEqual(json.ui_locales_supported, ['en', 'de', 'fr', 'it', 'es', 'nl'])
  for (const scope of ['openid', 'profile', 'email', 'address', 'phone'])
    assert.ok(json.scopes_supported.includes(scope), scope)
  assert.deepEqual(await learned({ scope: 'openid profile' }), ['birthdate', 'family_name', 'given_name', 'name'])
  assert.deepEqual(await learned({ scope: 'openid email' }), ['email'])
  assert.deepEqual(await learned({ scope: 'openid phone' }), ['phone_number'])
  assert.deepEqual(await learned({ scope: 'openid address' }), ['address'])
  assert.deepEqual(await learned({ scope: 'phone email openid' }), ['email', 'phone_number'])
})

test('a scope that no template of the client covers adds no claims', async () => {
  const plain = await testClient(service, tenantId, { redirectUris: [CALLBACK], templates: ['identity'] })
  assert.deepEqual(await learned({ scope: 'openid email' }, plain), [])
  assert.deepEqual(await learned({ scope: 'openid address phone' }, plain), [])
  assert.deepEqual(await learned({ scope: 'openid email profile' }, plain), [
    ...['birthdate', 'family_name', 'given_name', 'name'],
  ])
  const claims = JSON.stringify({ userinfo: { email: null, address: null } })
  assert.deepEqual(await learned({ scope: 'openid', claims }, plain), [], 'claims that no template has')
  assert.deepEqual(await learned({ scope: 'openid' }, plain), ['birthdate', 'family_name', 'given_name', 'name'])
})

test('with vp_data, the credentials, too, have only requested claims', async () => {
  const terms = { redirectUris: [CALLBACK], templates: ['identity', 'contact'], vpData: true, verifiedClaims: true }
  const config = await configureInto(service, await testClient(service, tenantId, terms))
  const { userinfo } = await learn(service, wallet, config, { redirect_uri: CALLBACK, scope: 'openid email' })
  assert.equal(userinfo.email, 'vida.specimen@example.com')
  assert.ok(!JSON.stringify(userinfo).includes('given_name'), JSON.stringify(userinfo))
})

test('vp_data names a credential by the query that it answers, also beside a query of the same type', async () => {
  const pid = (id: string, values: object) => ({
    ...{ id, format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } },
    claims: [{ path: ['given_name'], ...values }],
  })
  const credentials = [pid('administrator', { values: ['Administrator'] }), pid('visitor', {})]
  const query = { credentials, credential_sets: [{ options: [['administrator'], ['visitor']] }] }
  const document = { title: 'Staff', query }
  await saveTemplate(service.deps, { realm, key: 'staff', actor: OPERATOR, document })
  const terms = { redirectUris: [CALLBACK], templates: ['staff'], defaultTemplate: 'staff', vpData: true }
  const config = await configureInto(service, await testClient(service, tenantId, terms))
  const { userinfo } = await learn(service, wallet, config, { redirect_uri: CALLBACK, scope: 'openid' })
  assert.deepEqual(Object.keys(userinfo.vp_data ?? {}), ['visitor'])
})

test('a template without the claims of the subject is not chosen for a scope', async () => {
  const terms = { redirectUris: [CALLBACK], templates: ['identity', 'contact'], subjectMode: 'derived' } as const
  const registered = await testClient(service, tenantId, { ...terms, subjectClaims: ['family_name', 'birth_date'] })
  assert.equal(await templateOf({ scope: 'openid email' }, registered), 'identity')
  assert.deepEqual(await learned({ scope: 'openid email' }, registered), [])
})

test('ID token and userinfo are separate: each has the claims that were requested for it', async () => {
  const terms = { redirectUris: [CALLBACK], templates: ['identity', 'portrait', 'contact'], claimsInIdToken: false }
  const registered = await testClient(service, tenantId, terms)
  const config = await configureInto(service, registered)
  const both = async (parameters: Record<string, string>) => {
    const { idToken, userinfo } = await learn(service, wallet, config, { redirect_uri: CALLBACK, ...parameters })
    return { idToken: personal(idToken), userinfo: personal(userinfo) }
  }
  const identity = ['birthdate', 'family_name', 'given_name', 'name']
  assert.deepEqual(await both({ scope: 'openid' }), { idToken: [], userinfo: identity })
  assert.deepEqual(await both({ scope: 'openid vidimus:identity' }), { idToken: [], userinfo: identity })
  assert.deepEqual(await both({ scope: 'openid profile' }), { idToken: [], userinfo: identity })
  const claims = (value: object) => ({ scope: 'openid', claims: JSON.stringify(value) })
  assert.deepEqual(
    await both(claims({ id_token: { birthdate: null }, userinfo: { given_name: { essential: true } } })),
    { idToken: ['birthdate'], userinfo: ['given_name'] },
  )
  assert.deepEqual(await both({ ...claims({ id_token: { birthdate: null } }), scope: 'openid vidimus:identity' }), {
    idToken: ['birthdate'],
    userinfo: identity,
  })
  const legacy = await both({ scope: 'openid vc_authn', pres_req_conf_id: 'contact' })
  assert.deepEqual(legacy.idToken, ['pres_req_conf_id', 'vc_presented_attributes'], 'VC-AuthN has no userinfo')
})

test('with claims_in_id_token, ID token and userinfo both have all requested claims, and no more', async () => {
  const terms = { redirectUris: [CALLBACK], templates: ['identity', 'contact'], claimsInIdToken: true }
  const config = await configureInto(service, await testClient(service, tenantId, terms))
  const parameters = { redirect_uri: CALLBACK, scope: 'openid email', claims: '{"id_token":{"phone_number":null}}' }
  const { idToken, userinfo } = await learn(service, wallet, config, parameters)
  assert.deepEqual(
    [personal(idToken), personal(userinfo)],
    [
      ['email', 'phone_number'],
      ['email', 'phone_number'],
    ],
  )
})

test('vidimus_binding is in the ID token if requested there, or with the setting; amr always has it', async () => {
  const requested = { redirect_uri: CALLBACK, scope: 'openid' }
  const wanted = { ...requested, claims: '{"id_token":{"vidimus_binding":null}}' }
  const bindings = async (claimsInIdToken: boolean, parameters: Record<string, string>) => {
    const registered = await testClient(service, tenantId, { redirectUris: [CALLBACK], claimsInIdToken })
    const { idToken, userinfo } = await learn(service, wallet, await configureInto(service, registered), parameters)
    assert.equal(userinfo.vidimus_binding, undefined)
    assert.deepEqual(idToken.amr, ['vc', 'response_code'])
    return idToken.vidimus_binding
  }
  assert.equal(await bindings(false, requested), undefined, 'as oidcc-server expects')
  assert.equal(await bindings(false, wanted), 'response_code')
  assert.equal(await bindings(true, requested), 'response_code')
})

test('a request of VC-AuthN always gets vidimus_binding, because its amr does not say it', async () => {
  const registered = await testClient(service, tenantId, { redirectUris: [CALLBACK], claimsInIdToken: false })
  const config = await configureInto(service, registered)
  const asVcAuthn = { redirect_uri: CALLBACK, scope: 'openid vc_authn', pres_req_conf_id: 'identity' }
  const { idToken } = await learn(service, wallet, config, asVcAuthn)
  assert.deepEqual([idToken.amr, idToken.vidimus_binding], [['vc_authn'], 'response_code'])
})

test('a request for vidimus_binding takes no claim of the person away, and chooses no template', async () => {
  const plain = { redirect_uri: CALLBACK, scope: 'openid' }
  for (const claimsInIdToken of [false, true])
    for (const claims of ['{"id_token":{"vidimus_binding":null}}', '{"userinfo":{"vidimus_binding":null}}']) {
      const registered = await testClient(service, tenantId, { redirectUris: [CALLBACK], claimsInIdToken })
      const config = await configureInto(service, registered)
      const before = await learn(service, wallet, config, plain)
      const { idToken, userinfo } = await learn(service, wallet, config, { ...plain, claims })
      assert.ok(personal(before.userinfo).includes('family_name'))
      assert.deepEqual(personal(userinfo), personal(before.userinfo), claims)
      assert.deepEqual(personal(idToken), personal(before.idToken), claims)
    }
})

const PROTOCOL = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'at_hash', 'c_hash']

const personal = (claims: Record<string, unknown>) =>
  Object.keys(claims)
    .filter((name) => !PROTOCOL.includes(name) && name !== 'vidimus_binding')
    .sort()
