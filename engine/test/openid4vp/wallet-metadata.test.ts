// Tests that a wallet gets the smallest request it can answer (docs/protocol/negotiation.md, rules 1-6).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerProofs } from '../../src/formats/mdoc-zk/offer.ts'
import { MalformedJson } from '../../src/json.ts'
import { type DcqlQuery, parseQuery } from '../../src/openid4vp/dcql.ts'
import { requestClaims } from '../../src/openid4vp/request.ts'
import { declarationOf } from '../../src/openid4vp/wallet-declaration.ts'
import { negotiate, readWalletMetadata, WALLET_METADATA_MAX } from '../../src/openid4vp/wallet-metadata.ts'
import { wireQuery } from '../../src/openid4vp/wire-query.ts'
import type { JsonObject } from '../../src/verdict.ts'

const SPACE = 'eu.europa.ec.av.1'
const age = {
  id: 'age',
  format: 'mso_mdoc',
  meta: { doctype_value: SPACE },
  claims: [{ path: [SPACE, 'age_over_18'], intent_to_retain: true }],
}
const pid = {
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claims: [{ path: ['birthdate'] }],
}
const EITHER = parseQuery({ credentials: [age, pid], credential_sets: [{ options: [['age'], ['pid']] }] })
const MDOC = { mso_mdoc: { issuerauth_alg_values: [-7], deviceauth_alg_values: [-7] } }
const SD_JWT = { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } }

const proposal = (query: DcqlQuery, change: object = {}) => ({
  query,
  signingAlgorithm: 'ES256' as const,
  responseMode: 'direct_post.jwt',
  prefixes: ['x509_hash', 'x509_san_dns'] as const,
  needed: new Set<string>(),
  ...change,
})

function sent(metadata: JsonObject | null, query: DcqlQuery = EITHER, change: object = {}) {
  const agreement = negotiate(metadata, proposal(query, change))
  assert.ok(agreement.outcome === 'fits', JSON.stringify(agreement))
  return { ids: agreement.query.credentials.map(({ id }) => id), ...agreement }
}

const formats = (supported: JsonObject): JsonObject => ({ vp_formats_supported: supported })

test('rule 2: an option whose format the wallet does not list is left out, with its credential query', () => {
  const mdocOnly = sent(formats(MDOC))
  assert.deepEqual(mdocOnly.ids, ['age'])
  assert.deepEqual(mdocOnly.query.credential_sets, [{ options: [['age']] }])
  assert.deepEqual(mdocOnly.leftOut, ['pid'])
  assert.deepEqual(sent(formats(SD_JWT)).ids, ['pid'])
  assert.deepEqual(sent(formats({ ...MDOC, ...SD_JWT })).ids, ['age', 'pid'])
})

test('rule 2: algorithms are compared by registered names and COSE numbers', () => {
  for (const [listed, fits] of [
    [[-7], true],
    [[-9], true],
    [['ES256'], true],
    [['ESP256'], true],
    [[-8], true],
    [[-19], true],
    [['Ed25519'], true],
    [[-257], false],
    [['RS256'], false],
    [[-50], false],
    [['-7'], false],
    [[null, {}, -35], true],
  ] as const) {
    const both = { mso_mdoc: { issuerauth_alg_values: [...listed] }, ...SD_JWT } as JsonObject
    assert.deepEqual(sent(formats(both)).ids, fits ? ['age', 'pid'] : ['pid'], JSON.stringify(listed))
  }
  // Each list must contain an algorithm of ours.
  const device = { mso_mdoc: { issuerauth_alg_values: [-7], deviceauth_alg_values: [-257] }, ...SD_JWT }
  assert.deepEqual(sent(formats(device)).ids, ['pid'])
  const key = { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['RS256'] }, ...MDOC }
  assert.deepEqual(sent(formats(key)).ids, ['age'])
})

test('rule 2: an absent, empty or malformed list has no effect; a format counts as listed only if it has an object', () => {
  for (const metadata of [{}, { issuerauth_alg_values: [] }, { issuerauth_alg_values: 'ES256' }])
    assert.deepEqual(sent(formats({ mso_mdoc: metadata, ...SD_JWT } as JsonObject)).ids, ['age', 'pid'])
  for (const metadata of [null, true, [], 'mso_mdoc'])
    assert.deepEqual(sent(formats({ mso_mdoc: metadata, ...SD_JWT } as JsonObject)).ids, ['pid'])
  for (const metadata of [{}, { vp_formats_supported: [] }, { vp_formats_supported: null }])
    assert.deepEqual(sent(metadata as JsonObject).ids, ['age', 'pid'])
})

test('rule 2: if a required set had no option left, the whole query is sent', () => {
  const whole = (query: DcqlQuery, supported: JsonObject) => {
    const { query: requested, leftOut } = sent(formats(supported), query)
    assert.deepEqual(wireQuery(requested), wireQuery(query))
    assert.deepEqual(leftOut, [])
  }
  whole(EITHER, {})
  whole(EITHER, { jwt_vc_json: {} })
  // Without sets every credential is required.
  whole(parseQuery({ credentials: [age, pid] }), MDOC)
  // One of the two sets would be left without an option.
  const both = [{ options: [['age']] }, { options: [['pid']] }]
  whole(parseQuery({ credentials: [age, pid], credential_sets: both }), MDOC)
  // The option needs both formats.
  whole(parseQuery({ credentials: [age, pid], credential_sets: [{ options: [['age', 'pid']] }] }), MDOC)
  // Only optional sets: an empty query asks for nothing.
  whole(parseQuery({ credentials: [pid], credential_sets: [{ options: [['pid']], required: false }] }), MDOC)
})

test('rule 2: an optional set without an answer is removed; the required one stays unchanged', () => {
  const sets = [{ options: [['age']] }, { options: [['pid']], required: false }]
  const { query, leftOut } = sent(formats(MDOC), parseQuery({ credentials: [age, pid], credential_sets: sets }))
  assert.deepEqual(query.credential_sets, [{ options: [['age']] }])
  assert.deepEqual(leftOut, ['pid'])
})

test('rule 2: keeps credential queries that the transaction data names', () => {
  assert.deepEqual(sent(formats(MDOC), EITHER, { needed: new Set(['age', 'pid']) }).ids, ['age', 'pid'])
  assert.deepEqual(sent(formats(MDOC), EITHER, { needed: new Set(['age']) }).ids, ['age'])
})

test('rule 1: metadata only removes: each remaining option and credential query is ours, unchanged', () => {
  const supports: JsonObject[] = [MDOC, SD_JWT, {}, { mso_mdoc: {}, mso_mdoc_zk: {} }, { ...MDOC, 'dc+sd-jwt': null }]
  for (const supported of supports) {
    const { query } = sent({ ...formats(supported), dcql_query: { credentials: [] }, trusted_authorities: [] })
    for (const credential of query.credentials)
      assert.ok(
        EITHER.credentials.some((ours) => ours === credential || JSON.stringify(ours) === JSON.stringify(credential)),
      )
    for (const { options, required } of query.credential_sets ?? []) {
      assert.notEqual(required, false)
      for (const option of options) assert.ok(EITHER.credential_sets?.[0]?.options.some((ours) => ours === option))
    }
  }
})

const provable = (query: DcqlQuery) => offerProofs(query, () => SPACE)
const formatsIn = (query: DcqlQuery) =>
  (wireQuery(query).credentials as { format: string }[]).map(({ format }) => format)

test('rules 2 and 6: proofs are requested only from a wallet that lists them', () => {
  const query = provable(EITHER)
  for (const metadata of [null, {}, formats(MDOC), formats({ ...MDOC, mso_mdoc_zk: null })])
    assert.ok(!formatsIn(sent(metadata, query).query).includes('mso_mdoc_zk'), JSON.stringify(metadata))
  assert.deepEqual(sent(null, query).leftOut, ['age_zk'])
  const listed = sent(formats({ ...MDOC, mso_mdoc_zk: {} }), query)
  assert.deepEqual(formatsIn(listed.query), ['mso_mdoc_zk', 'mso_mdoc'])
  assert.deepEqual(listed.leftOut, ['pid'])
  // A proof is never the only option.
  const alone = sent(formats({ mso_mdoc_zk: {} }), query)
  assert.deepEqual(formatsIn(alone.query), ['mso_mdoc_zk', 'mso_mdoc', 'dc+sd-jwt'])
})

const [V7] = provable(EITHER).credentials.flatMap((one) => ('circuits' in one ? (one.circuits ?? []) : []))

test('rule 2: requests only proofs of listed systems and circuits, in each known format', () => {
  assert.ok(V7 !== undefined)
  const circuitsFor = (declared: JsonObject) => {
    const { query } = sent(formats({ ...MDOC, mso_mdoc_zk: declared }), provable(EITHER))
    const requested = (wireQuery(query).credentials as { meta: { zk_system_type?: { circuit_hash: string }[] } }[])[0]
    return requested?.meta.zk_system_type?.map(({ circuit_hash: hash }) => hash) ?? []
  }
  assert.equal(circuitsFor({}).length, 2)
  const system = 'longfellow-libzk-v1'
  for (const one of [
    { system, circuit_hash: V7.hash },
    { system, params: { circuit_hash: V7.hash } },
    { system, params: { circuitHash: V7.hash.toUpperCase() } },
  ])
    assert.deepEqual(circuitsFor({ zk_system_type: [one] }), [V7.hash])
  assert.equal(circuitsFor({ zk_system_type: [{ system }] }).length, 2)
  assert.equal(circuitsFor({ zk_system_type: [system] }).length, 2)
  assert.deepEqual(circuitsFor({ zk_system_type: [{ system: 'another', circuit_hash: V7.hash }] }), [])
  assert.deepEqual(circuitsFor({ zk_system_type: [{ system, circuit_hash: '00' }] }), [])
  assert.deepEqual(circuitsFor({ zk_system_type: [] }), [])
})

test('a proof request has the formats of TS13, Google Wallet and Multipaz at once, and never intent_to_retain', () => {
  assert.ok(V7 !== undefined)
  const { query } = sent(formats({ ...MDOC, mso_mdoc_zk: {} }), provable(EITHER))
  const [proof, plain] = wireQuery(query).credentials as JsonObject[]
  assert.ok(proof !== undefined)
  const { zk_system_type: systems } = proof.meta as unknown as { zk_system_type: JsonObject[] }
  const [first] = systems
  assert.deepEqual(first, {
    zkSystemId: V7.id,
    system: 'longfellow-libzk-v1',
    params: { circuit_hash: V7.hash },
    id: V7.id,
    circuit_hash: V7.hash,
    num_attributes: 1,
    version: 7,
    block_enc_hash: 4151,
    block_enc_sig: 4096,
  })
  assert.doesNotMatch(JSON.stringify(proof), /intent_to_retain/)
  assert.match(JSON.stringify(plain), /"intent_to_retain":true/)
})

test('does not request a circuit that cannot be checked now', () => {
  assert.deepEqual(
    formatsIn(
      offerProofs(
        EITHER,
        () => SPACE,
        () => false,
      ),
    ),
    ['mso_mdoc', 'dc+sd-jwt'],
  )
})

test("rule 3: the first of our client id prefixes that the wallet lists; the link's if it lists none", () => {
  const prefix = (...listed: string[]) => sent({ client_id_prefixes_supported: listed }).prefix
  assert.equal(prefix('x509_san_dns', 'x509_hash'), 'x509_hash')
  assert.equal(prefix('redirect_uri', 'x509_san_dns'), 'x509_san_dns')
  assert.equal(prefix(), 'x509_hash')
  assert.equal(sent(null).prefix, 'x509_hash')
  const dnsFirst = { prefixes: ['x509_san_dns', 'x509_hash'] }
  assert.equal(
    sent({ client_id_prefixes_supported: ['x509_hash', 'x509_san_dns'] }, EITHER, dnsFirst).prefix,
    'x509_san_dns',
  )
})

test('rule 5: if nothing fits, the error names what is missing', () => {
  const missing = (metadata: JsonObject, change: object = {}) => {
    const agreement = negotiate(metadata, proposal(EITHER, change))
    return agreement.outcome === 'unfit' ? agreement.missing : null
  }
  const cases: readonly (readonly [JsonObject, string, readonly string[]])[] = [
    [{ response_modes_supported: ['direct_post', 'fragment'] }, 'response_modes_supported', ['direct_post.jwt']],
    [{ response_types_supported: ['id_token'] }, 'response_types_supported', ['vp_token']],
    [
      { request_object_signing_alg_values_supported: ['RS256', 'EdDSA'] },
      'request_object_signing_alg_values_supported',
      ['ES256'],
    ],
    [{ client_id_prefixes_supported: ['redirect_uri'] }, 'client_id_prefixes_supported', ['x509_hash', 'x509_san_dns']],
  ]
  for (const [metadata, member, anyOf] of cases) assert.deepEqual(missing(metadata), [{ member, anyOf }])
  assert.equal(missing(Object.assign({}, ...cases.map(([metadata]) => metadata)) as JsonObject)?.length, 4)
  assert.deepEqual(missing({ client_id_prefixes_supported: ['x509_san_dns'] }, { prefixes: ['x509_hash'] }), [
    { member: 'client_id_prefixes_supported', anyOf: ['x509_hash'] },
  ])
  // We require encryption: a wallet that only answers unencrypted gets no unencrypted request.
  assert.ok(missing({ response_modes_supported: ['direct_post'] }) !== null)
  assert.equal(missing({ request_object_signing_alg_values_supported: ['ES256'] }), null)
  assert.equal(missing({ request_object_signing_alg_values_supported: [-7] }), null)
  for (const nothing of [[], 'direct_post', null])
    assert.equal(missing({ response_modes_supported: nothing } as JsonObject), null)
})

test('rule 1: metadata must be a JSON object of at most 16 kB and 500 values', () => {
  const { bytes, values } = WALLET_METADATA_MAX
  const array = (count: number) => `{"a":[${Array(count).fill(0).join()}]}`
  assert.ok(readWalletMetadata(array(values - 2)))
  assert.throws(() => readWalletMetadata(array(values)), MalformedJson)
  const text = (size: number) => `{"a":"${'x'.repeat(size - 8)}"}`
  assert.equal(Buffer.byteLength(text(bytes)), bytes)
  assert.ok(readWalletMetadata(text(bytes)))
  assert.throws(() => readWalletMetadata(text(bytes + 1)), MalformedJson)
  assert.throws(() => readWalletMetadata(`{"a":"${'é'.repeat(bytes / 2)}"}`), MalformedJson)
  for (const none of ['', '[]', 'null', '{"a":1,"a":2}', '{'])
    assert.throws(() => readWalletMetadata(none), MalformedJson)
})

test("the wallet's metadata is repeated only by registered names", () => {
  const declared = declarationOf({
    vp_formats_supported: {
      'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'Erika Mustermann'], 'kb-jwt_alg_values': ['ES256'] },
      mso_mdoc: null,
      'Erika Mustermann': {},
      mso_mdoc_zk: {},
    },
    client_id_prefixes_supported: ['x509_hash', 'Berlin', 7],
    request_object_signing_alg_values_supported: ['ES256', -9],
    jwks: { keys: [{ kty: 'EC', crv: 'P-521', kid: 'Erika' }, 'x'] },
    issuer: 'https://erika.example',
  })
  assert.deepEqual(declared, [
    { member: 'vp_formats_supported', values: ['dc+sd-jwt', 'mso_mdoc_zk'], others: 1 },
    { member: 'vp_formats_supported.dc+sd-jwt', values: ['ES256'], others: 1 },
    { member: 'client_id_prefixes_supported', values: ['x509_hash'], others: 2 },
    { member: 'request_object_signing_alg_values_supported', values: ['ES256'], others: 0 },
    { member: 'jwks', values: ['P-521'], others: 1 },
  ])
  assert.deepEqual(declarationOf({}), [])
})

test('client_metadata names the remaining formats', () => {
  const { query } = sent(formats({ ...MDOC, mso_mdoc_zk: {} }), provable(EITHER))
  const claims = requestClaims({
    clientId: 'x509_hash:a',
    responseUri: 'https://verify.example.com/r',
    nonce: 'n'.repeat(43),
    state: null,
    query,
    encryptionJwk: null,
    issuedAt: 1,
    expiresAt: 2,
    walletNonce: null,
  })
  const { vp_formats_supported: named } = claims.client_metadata as { vp_formats_supported: JsonObject }
  assert.deepEqual(Object.keys(named).sort(), ['mso_mdoc', 'mso_mdoc_zk'])
})
