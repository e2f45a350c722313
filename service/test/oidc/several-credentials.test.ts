// Tests sign-ins to a template without outputs that several credentials answer, maybe of several people.

import assert from 'node:assert/strict'
import test from 'node:test'
import { chooseCredentials, formBody, generateKey, issue, presentCredential } from '@vidimus/wallet'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { configureInto, learn, quickSignIn, testClient } from '../harness/openid-client.ts'
import { ANNA, BERT, CHILD, type Person } from '../harness/people.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { type TestWallet, testWallet } from '../harness/wallet.ts'
import { bindingOf, respond } from '../wallet/verifications.ts'
import { authorizeUrl, CALLBACK } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const realm = { tenantId, environment: 'test' } as const

const pid = (id: string, paths: readonly (readonly string[])[], more: object = {}) => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claims: paths.map((path) => ({ path })),
  ...more,
})
const AGE = ['age_equal_or_over', '18']
const QUERIES = {
  ages: [pid('credential_2', [AGE], { multiple: true }), pid('card', [AGE])],
  names: [pid('a', [['given_name']]), pid('b', [['family_name']])],
  name: [pid('a', [['given_name'], ['family_name']]), pid('b', [['family_name']])],
}
for (const [template, credentials] of Object.entries(QUERIES)) {
  const document = { title: template, query: { credentials } }
  const saved = await saveTemplate(service.deps, { realm, key: template, actor: OPERATOR, document })
  assert.equal(saved.outcome, 'created', JSON.stringify(saved))
}

/** Presents a PID of each person for the query with this id. */
function walletOf(people: Readonly<Record<string, readonly Person[]>>): TestWallet {
  const { options } = wallet
  return {
    ...wallet,
    options,
    async present(uri) {
      const request = await wallet.request(uri)
      const binding = bindingOf(wallet, request)
      const vpToken = Object.fromEntries(
        Object.entries(people).map(([id, persons]) => [
          id,
          persons.map((person) => {
            const { issuer, now } = options
            const credential = issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now, person })
            const query = { credentials: request.query.credentials.filter((one) => one.id === id), sets: null }
            const [choice] = chooseCredentials(query, [credential])
            assert.ok(choice)
            return presentCredential(choice.credential, choice.paths, binding)
          }),
        ]),
      )
      const id = /ver_\w+/.exec(uri)?.[0] ?? ''
      const taken = await respond(service, id, await formBody(request, { vpToken }))
      assert.equal(taken.status, 200, taken.text)
      const { status, json } = taken
      return { request, status, body: json, redirectUri: json.redirect_uri, disclosed: [], registration: null }
    },
  }
}

async function clientOf(template: keyof typeof QUERIES, requireTrue = false) {
  const terms = { templates: [template], defaultTemplate: template, requireTrue, vpData: true }
  return testClient(service, tenantId, { redirectUris: [CALLBACK], ...terms })
}

async function userinfoOf(template: keyof typeof QUERIES, people: Readonly<Record<string, readonly Person[]>>) {
  const config = await configureInto(service, await clientOf(template))
  return (await learn(service, walletOf(people), config, { redirect_uri: CALLBACK, scope: 'openid' })).userinfo
}

for (const [title, people, isAccepted] of [
  ['the first presentation denies', { credential_2: [CHILD, ANNA], card: [ANNA] }, false],
  ['a later presentation of the same query denies', { credential_2: [ANNA, CHILD], card: [ANNA] }, false],
  ['a later credential denies', { credential_2: [ANNA, BERT], card: [CHILD] }, false],
  ['none denies', { credential_2: [ANNA, BERT], card: [ANNA] }, true],
] as const)
  test(`require_true, and ${title} the age: the sign-in ${isAccepted ? 'succeeds' : 'ends'}`, async () => {
    const client = await clientOf('ages', true)
    const { location } = await quickSignIn(service, { url: authorizeUrl(client), wallet: walletOf(people) })
    assert.equal(location.searchParams.has('code'), isAccepted, location.href)
    if (isAccepted) return
    assert.equal(location.searchParams.get('error'), 'access_denied')
    assert.equal(location.searchParams.get('error_description'), 'unmet_authentication_requirements')
    const { age_equal_or_over: ages } = await userinfoOf('ages', people)
    assert.deepEqual(ages, { 18: false }, 'where "no" is a valid answer')
  })

const BOTH = { credential_2: [ANNA, BERT], card: [ANNA] }
const NAMES_OF_BOTH = ['credential_2', 'credential_2.2', 'card']

test('vp_data and the Universal API name each presentation by the query that it answers', async () => {
  const { vp_data: data } = await userinfoOf('ages', BOTH)
  assert.deepEqual(Object.keys(Object(data)), NAMES_OF_BOTH)
  const path = '/oid4vp/backend/auth/requests'
  const { json: begun } = await service.call('POST', path, { key, body: { query_id: 'ages', correlation_id: 'both' } })
  await walletOf(BOTH).present(begun.request_uri)
  const { json } = await service.call('GET', `${path}/both`, { key })
  const ids = json.verified_data.credential_claims.map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, NAMES_OF_BOTH)
})

test('name is made of a given name and a family name of one credential', async () => {
  const mixed = await userinfoOf('names', { a: [ANNA], b: [BERT] })
  assert.deepEqual([mixed.given_name, mixed.family_name, mixed.name], ['Anna', 'Beispiel', undefined])
  const own = await userinfoOf('name', { a: [ANNA], b: [BERT] })
  assert.deepEqual([own.given_name, own.family_name, own.name], ['Anna', 'Muster', 'Anna Muster'])
})

test('require_true, and a template takes an age from the first credential that has it: a later one that denies it counts', async () => {
  const sources = ['a', 'b'].map((credential) => ({ credential, path: AGE }))
  const query = { credentials: [pid('a', [AGE]), pid('b', [AGE])] }
  const document = { title: 'First', query, outputs: { age_over_18: { value: sources } } }
  assert.equal(
    (await saveTemplate(service.deps, { realm, key: 'first', actor: OPERATOR, document })).outcome,
    'created',
  )
  const terms = { redirectUris: [CALLBACK], templates: ['first'], defaultTemplate: 'first', requireTrue: true }
  const client = await testClient(service, tenantId, terms)
  for (const [people, isAccepted] of [
    [{ a: [ANNA], b: [CHILD] }, false],
    [{ a: [ANNA], b: [ANNA] }, true],
  ] as const) {
    const { location } = await quickSignIn(service, { url: authorizeUrl(client), wallet: walletOf(people) })
    assert.equal(location.searchParams.has('code'), isAccepted, location.href)
  }
})
