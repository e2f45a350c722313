// Tests requests for verified claims, as the modules of the eKYC plan send them, with openid-client.

import assert from 'node:assert/strict'
import test from 'node:test'
import { answerVerified, readVerifiedRequests } from '../../src/features/oidc/domain/verified-claims.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { configureInto, learn, testClient, visit } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK, pathOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const shop = await testClient(service, await service.tenant(), { redirectUris: [CALLBACK], claimsInIdToken: false })
const config = await configureInto(service, shop)
const metadata = (await service.call('GET', pathOf(shop, '/.well-known/openid-configuration'))).json

const learnVerified = (verified: object, place: 'userinfo' | 'id_token' = 'userinfo') =>
  learn(service, wallet, config, {
    redirect_uri: CALLBACK,
    scope: 'openid',
    claims: JSON.stringify({ [place]: { verified_claims: verified } }),
  })
const FRAMEWORK = { trust_framework: null }

test('discovery says what can be requested', () => {
  assert.equal(metadata.verified_claims_supported, true)
  assert.deepEqual(metadata.trust_frameworks_supported, ['eidas', 'vidimus'])
  assert.deepEqual(metadata.evidence_supported, ['document'])
  assert.ok(metadata.documents_supported.includes('pid'))
  for (const name of ['given_name', 'family_name', 'birthdate', 'address'])
    assert.ok(metadata.claims_in_verified_claims_supported.includes(name), name)
})

test('verified claims come in the place that requested them, with only the requested members', async () => {
  const request = { verification: FRAMEWORK, claims: { given_name: null, birthdate: { essential: true } } }
  const expected = {
    verification: { trust_framework: 'eidas' },
    claims: { given_name: 'Vida', birthdate: '1990-01-31' },
  }
  const byUserinfo = await learnVerified(request)
  assert.deepEqual(Object.keys(byUserinfo.userinfo).sort(), ['sub', 'verified_claims'])
  const { claims, verification } = byUserinfo.userinfo.verified_claims as typeof expected
  assert.deepEqual(
    [verification, Object.keys(claims).sort(), claims.given_name],
    [expected.verification, ['birthdate', 'given_name'], 'Vida'],
  )
  assert.equal(byUserinfo.idToken.verified_claims, undefined)
  const byIdToken = await learnVerified(request, 'id_token')
  assert.deepEqual(byIdToken.idToken.verified_claims, byUserinfo.userinfo.verified_claims)
  assert.deepEqual(Object.keys(byIdToken.userinfo), ['sub'])
})

test('the answer says how the claims were verified: framework, level, issuer, format, check and time', async () => {
  const verification = {
    ...{ trust_framework: { value: 'eidas' }, assurance_level: { values: ['high', 'substantial'] } },
    ...{ time: { max_age: 600 }, verification_process: null, assurance_process: { policy: null, procedure: null } },
    evidence: [{ type: { value: 'document' }, check_details: null, document_details: { type: null, issuer: null } }],
  }
  const { userinfo } = await learnVerified({ verification, claims: { family_name: {} } })
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is asserted
  const assurance = (userinfo.verified_claims as any).verification
  assert.deepEqual(
    [assurance.trust_framework, assurance.assurance_level, assurance.assurance_process.policy],
    ['eidas', 'high', 'trusted-issuer'],
  )
  assert.match(assurance.assurance_process.procedure, /^(?:dc\+sd-jwt urn:eudi:pid|mso_mdoc eu\.europa\.ec\.eudi\.pid)/)
  assert.match(assurance.verification_process, /^ver_\w+$/)
  assert.ok(Math.abs(Date.parse(assurance.time) - service.clock.now()) < 600_000)
  const [evidence] = assurance.evidence
  assert.deepEqual(Object.keys(evidence).sort(), ['check_details', 'document_details', 'type'])
  assert.deepEqual(evidence.check_details, [{ check_method: 'vcrypt', time: assurance.time }])
  assert.ok(metadata.documents_check_methods_supported.includes(evidence.check_details[0].check_method))
  assert.ok(metadata.documents_supported.includes(evidence.document_details.type))
  assert.ok(String(evidence.document_details.issuer.name).length > 0)
})

test('the answer names the published list that named the issuer, without the key in its address', async () => {
  const realm = { tenantId: shop.client.tenantId, environment: 'test' } as const
  const request = {
    verification: { ...FRAMEWORK, assurance_process: { assurance_details: null } },
    claims: { family_name: null },
  }
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is asserted
  const processOf = async () => ((await learnVerified(request)).userinfo.verified_claims as any).verification
  assert.deepEqual((await processOf()).assurance_process, {}, 'installed by hand')
  const anchors = await service.deps.anchors.find(realm, service.clock.now())
  for (const { kind, profile, types, certificate } of anchors) {
    const added = await addAnchor(service.deps, { owner: realm, kind, profile, types, certificate, actor: OPERATOR })
    assert.equal(added.outcome, 'added', JSON.stringify(added))
  }
  // Marks the anchors as named by a published list.
  await service.deps.db.query(
    {
      name: 'test_listed',
      text: `with list as (
               insert into trust_lists (id, tenant_id, environment, by_owner, kind, source, signer, types, issuer, sequence, issued_at, next_update_at, loaded_at, created_at)
               values ('tl_test', $1, 'test', false, 'lote', 'https://list.example/pid.jwt?key=ours', '\\x00', '{}', 'An operator', 1, $2, $3, $2, $2) returning id)
             update anchors set list_id = list.id from list where tenant_id = $1`,
    },
    [
      realm.tenantId,
      new Date(service.clock.now()).toISOString(),
      new Date(service.clock.now() + 86_400_000).toISOString(),
    ],
  )
  service.clock.advance(5_001)
  assert.deepEqual((await processOf()).assurance_process, {
    assurance_details: [{ assurance_type: 'trust_list', assurance_classification: 'https://list.example/pid.jwt' }],
  })
})

test('times have no fractions of a second, as Identity Assurance requires', async () => {
  const { userinfo } = await learnVerified({
    verification: { ...FRAMEWORK, time: null },
    claims: { family_name: null },
  })
  const { verification } = userinfo.verified_claims as { verification: { time: string } }
  assert.match(verification.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

const OMITTED: readonly [string, object][] = [
  ['a claim with another value', { verification: FRAMEWORK, claims: { given_name: { value: 'somebody-else' } } }],
  ['an unknown claim', { verification: FRAMEWORK, claims: { 'a b"ü{}': null } }],
  ['an unknown essential claim', { verification: FRAMEWORK, claims: { unknown: { essential: true } } }],
  ['another framework', { verification: { trust_framework: { value: 'de_aml' } }, claims: { given_name: null } }],
  [
    'another level',
    { verification: { ...FRAMEWORK, assurance_level: { value: 'low' } }, claims: { given_name: null } },
  ],
  [
    'evidence of another type',
    {
      verification: { ...FRAMEWORK, evidence: [{ type: { value: 'vouch' } }] },
      claims: { given_name: null },
    },
  ],
  [
    'an element that is not there, with a value',
    {
      verification: { ...FRAMEWORK, ial: { value: '2' } },
      claims: { given_name: null },
    },
  ],
  [
    'an element that is not there, with a value for its member',
    {
      verification: { ...FRAMEWORK, ial: { level: { value: '2' } } },
      claims: { given_name: null },
    },
  ],
  [
    'a trust list that does not name the authority of the issuer',
    {
      verification: {
        ...FRAMEWORK,
        assurance_process: { assurance_details: [{ assurance_classification: { values: ['https://x.example'] } }] },
      },
      claims: { given_name: null },
    },
  ],
]
for (const [what, request] of OMITTED)
  test(`${what} leaves verified claims out, and the sign-in succeeds`, async () => {
    assert.deepEqual(Object.keys((await learnVerified(request)).userinfo), ['sub'])
  })

test('claims that cannot be returned are left out; of several alternatives the first possible one is returned', async () => {
  const mixed = { given_name: { essential: false }, unknown: { essential: true }, family_name: { value: 'x' } }
  const { userinfo } = await learnVerified({ verification: { ...FRAMEWORK, ial: null }, claims: mixed })
  assert.deepEqual(userinfo.verified_claims, {
    verification: { trust_framework: 'eidas' },
    claims: { given_name: 'Vida' },
  })
  const either = await learnVerified([
    { verification: { trust_framework: { value: 'de_aml' } }, claims: { family_name: null } },
    { verification: FRAMEWORK, claims: { given_name: null } },
  ])
  assert.deepEqual(either.userinfo.verified_claims, userinfo.verified_claims)
})

test('max_age counts from the verification', () => {
  const at = '2027-06-15T12:00:00.000Z'
  const requests = readVerifiedRequests({ verification: { ...FRAMEWORK, time: { max_age: 60 } }, claims: { a: null } })
  const actual = { verification: { trust_framework: 'eidas', time: at }, claims: { a: 1 } }
  assert.notEqual(answerVerified(requests, actual, Date.parse(at) + 60_000), null)
  assert.equal(answerVerified(requests, actual, Date.parse(at) + 60_001), null)
  const undated = { ...actual, verification: { trust_framework: 'eidas', time: 'yesterday' } }
  assert.equal(answerVerified(requests, undated, Date.parse(at)), null, 'a missing time is not recent')
})

test('an unreadable constraint is not met', () => {
  const actual = { verification: { trust_framework: 'eidas' }, claims: { given_name: 'Vida', family_name: 'Specimen' } }
  const answerTo = (framework: unknown, name: unknown) =>
    answerVerified(
      readVerifiedRequests({
        verification: { trust_framework: framework },
        claims: { given_name: name, family_name: null },
      }),
      actual,
      0,
    )
  for (const unreadable of ['de_aml', ['de_aml'], [{ value: 'de_aml' }], 7, false]) {
    assert.equal(answerTo(unreadable, null), null, JSON.stringify(unreadable))
    assert.deepEqual(answerTo(null, unreadable)?.claims, { family_name: 'Specimen' }, JSON.stringify(unreadable))
  }
  for (const open of [null, {}, { essential: true }]) assert.deepEqual(answerTo(open, open), actual)
})

// Anyone can request 3,900 values. For each of them a portrait of 290 kB was written again: 260 ms for every token.
test('thousands of constraints take little time, and beyond a limit no constraint is met', () => {
  const at = 60_000
  const portrait = `data:image/jpeg;base64,${'A'.repeat(290_000)}`
  const actual = {
    verification: { trust_framework: 'eidas' },
    claims: { picture: portrait, nationalities: Array(4_000).fill('UT'), given_name: 'Vida' },
  }
  const answerTo = (claims: object) =>
    answerVerified(readVerifiedRequests({ verification: FRAMEWORK, claims }), actual, at)
  const numbers = Array.from({ length: 3_900 }, (_, i) => i % 10)
  const before = process.threadCpuUsage()
  assert.equal(answerTo({ picture: { values: numbers } }), null)
  assert.equal(answerTo({ nationalities: numbers }), null)
  assert.equal(answerTo({ picture: { max_age: 1 } }), null)
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 60_000, `${(user + system) / 1000} ms`)
  assert.deepEqual(answerTo({ given_name: { values: [...numbers, 'Vida'] } })?.claims, { given_name: 'Vida' })
  const many = { picture: { values: numbers }, nationalities: numbers, given_name: { value: 'Vida' } }
  assert.equal(answerTo(many), null, 'an unknown constraint is not met')
})

test('a condition on evidence must hold for every credential, because the claims come from all of them', () => {
  const evidenceOf = (...types: string[]) => types.map((type) => ({ type: 'document', document_details: { type } }))
  const answerTo = (wanted: unknown, ...types: string[]) => {
    const actual = { verification: { trust_framework: 'eidas', evidence: evidenceOf(...types) }, claims: { a: 1 } }
    const request = { verification: { ...FRAMEWORK, evidence: wanted }, claims: { a: null } }
    return answerVerified(readVerifiedRequests(request), actual, 0)?.verification ?? null
  }
  const ofType = (type: string) => ({ type: null, document_details: { type: { value: type } } })
  const both = { trust_framework: 'eidas', evidence: evidenceOf('pid', 'driving_permit') }
  assert.equal(answerTo([ofType('pid')], 'pid', 'driving_permit'), null)
  assert.deepEqual(answerTo([ofType('pid')], 'pid', 'pid'), { ...both, evidence: evidenceOf('pid', 'pid') })
  assert.deepEqual(answerTo([ofType('pid'), ofType('driving_permit')], 'pid', 'driving_permit'), both)
  assert.deepEqual(answerTo(null, 'pid', 'driving_permit'), both)
  const ofCountry = { document_details: { issuer: { country_code: { value: 'DE' } } } }
  assert.equal(answerTo([ofCountry], 'pid'), null, 'an issuer without a country is not of this one')
})

test('names that every object inherits are not claims', () => {
  const actual = { verification: { trust_framework: 'eidas' }, claims: { given_name: 'Vida' } }
  const answerTo = (verified: string) => answerVerified(readVerifiedRequests(JSON.parse(verified)), actual, 0)
  for (const name of ['constructor', 'toString', '__proto__']) {
    assert.equal(answerTo(`{"verification":{"trust_framework":null},"claims":{"${name}":null}}`), null, name)
    const answer = answerTo(`{"verification":{"trust_framework":null,"${name}":null},"claims":{"given_name":null}}`)
    assert.deepEqual(answer, actual, name)
    const constrained = `{"trust_framework":null,"${name}":{"value":"x"}}`
    assert.equal(answerTo(`{"verification":${constrained},"claims":{"given_name":null}}`), null, name)
  }
})

test('claims that cannot be stored are malformed: deeply nested, repeated, or with half a character', async () => {
  const wrapped = (verification: string) =>
    `{"userinfo":{"verified_claims":{"verification":{"trust_framework":null,${verification}},"claims":{"given_name":null}}}}`
  const malformed = [
    wrapped(`"evidence":${'['.repeat(3_500)}${']'.repeat(3_500)}`),
    wrapped('"policy":{"value":"\\ud800"}'),
    '{"userinfo":{"\\ud800":null}}',
    '{"userinfo":{"given_name":null},"userinfo":{}}',
  ]
  const { pathname } = authorizeUrl(shop)
  for (const claims of malformed) {
    const form = Object.fromEntries(authorizeUrl(shop, { claims }).searchParams)
    const { status, location } = await visit(service, pathname, undefined, undefined, form)
    assert.equal(status, 303, claims.slice(0, 80))
    assert.equal(new URL(location).searchParams.get('error'), 'invalid_request', claims.slice(0, 80))
  }
})

test('a request without framework or claims is malformed', async () => {
  const malformed = [
    {},
    'x',
    { claims: { a: null } },
    { verification: FRAMEWORK },
    { verification: {}, claims: { a: 1 } },
  ]
  for (const verified of [...malformed, { verification: FRAMEWORK, claims: {} }, Array(9).fill({})]) {
    const url = authorizeUrl(shop, { claims: JSON.stringify({ userinfo: { verified_claims: verified } }) })
    const { location } = await visit(service, url.pathname + url.search)
    assert.equal(new URL(location).searchParams.get('error'), 'invalid_request', JSON.stringify(verified))
  }
})
