// Tests requests over the Digital Credentials API, member by member and byte by byte.

import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { certificateBytes } from '../../../wallet/src/index.ts'
import { encodeCbor } from '../../src/cbor/canonical.ts'
import { type CborMap, decodeCbor, isCborArray, isCborEmbedded, isCborMap } from '../../src/cbor/cbor.ts'
import {
  annexCRequest,
  encryptionInfoOf,
  isOrigin,
  isoQueryOf,
  multisignedDcApiRequest,
  parseQuery,
  registrationInfo,
  signedDcApiClaims,
  unsignedDcApiRequest,
} from '../../src/index.ts'
import { pointOf } from '../points.ts'
import { signerOf } from '../request-signer.ts'
import { ANNEX_C } from '../vectors/annex-c.ts'
import { access, clientId, encryptionKey, NONCE, NOW, ORIGIN, privateKeyOf, reader, readerSigner } from './verifier.ts'

const MDL_TYPE = 'org.iso.18013.5.1.mDL'
const SPACE = 'org.iso.18013.5.1'
const mdl = (id = 'mdl', type = MDL_TYPE, elements = ['age_over_18']) => ({
  id,
  format: 'mso_mdoc',
  meta: { doctype_value: type },
  claims: elements.map((element) => ({ path: [SPACE, element] })),
})
const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
const query = parseQuery({ credentials: [mdl()] })
const request = { nonce: NONCE, query, encryptionJwk: encryptionKey.jwk }
const signed = { ...request, expectedOrigins: [ORIGIN], issuedAt: NOW, expiresAt: NOW + 300 }

test('D20: an unsigned request has neither client_id nor expected_origins, nor a member of the redirect flow', () => {
  const data = unsignedDcApiRequest(request)
  assert.deepEqual(Object.keys(data), ['response_type', 'response_mode', 'nonce', 'client_metadata', 'dcql_query'])
  assert.equal(data.response_mode, 'dc_api.jwt')
  assert.equal(unsignedDcApiRequest({ ...request, encryptionJwk: null }).response_mode, 'dc_api')
})

test('D21: a signed request names its origins and has neither response_uri nor state', () => {
  const claims = signedDcApiClaims({ ...signed, clientId })
  assert.deepEqual(Object.keys(claims).toSorted(), [
    'aud',
    'client_id',
    'client_metadata',
    'dcql_query',
    'exp',
    'expected_origins',
    'iat',
    'nonce',
    'response_mode',
    'response_type',
  ])
  assert.deepEqual(claims.expected_origins, [ORIGIN])
  assert.equal(claims.aud, 'https://self-issued.me/v2')
})

test('D19: a missing origin, or an origin in a form that no platform writes, is reported as our bug', () => {
  for (const expectedOrigins of [[], [''], [`${ORIGIN}/`], [ORIGIN, 'http://shop.example'], [`${ORIGIN}/page`]]) {
    assert.throws(() => signedDcApiClaims({ ...signed, clientId, expectedOrigins }), /^Error: bug:/)
  }
  for (const change of [{ clientId: '' }, { nonce: 'short' }, { expiresAt: NOW }])
    assert.throws(() => signedDcApiClaims({ ...signed, clientId, ...change }), /^Error: bug:/)
})

test('an origin has exactly the form of its platform', () => {
  const good = ['https://a.example', 'https://a.example:8443', 'http://localhost:3000', 'https://xn--bcher-kva.example']
  good.push('http://127.0.0.1:8080', 'http://[::1]:8080', 'http://127.1.2.3')
  const app = 'android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck'
  for (const origin of [...good, app]) assert.equal(isOrigin(origin), true, origin)
  for (const text of [
    '',
    'a.example',
    'https://a.example/',
    'https://A.example',
    'https://a.example:443',
    'https://b\u00fccher.example',
    'http://a.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://shop.localhost',
    'http://127.1',
    'http://128.0.0.1',
    'http://[::2]',
    'https://user@a.example',
    'HTTPS://a.example',
    'origin:https://a.example',
    'null',
    ' https://a.example',
    'android:',
  ])
    assert.equal(isOrigin(text), false, text)
})

test("a multisigned request has one payload, and each signer's values only in the signer's header", async () => {
  const chain = [certificateBytes(access)]
  const signer = { clientId, chain, key: signerOf(privateKeyOf(access)) }
  const others = { clientId: 'x509_hash:other', chain: [certificateBytes(reader)] }
  const other = { ...others, key: signerOf(privateKeyOf(reader)) }
  const info = [{ format: 'registration_cert', data: 'x' }]
  const request = (await multisignedDcApiRequest(signed, [{ ...signer, verifierInfo: info }, other])) as {
    readonly payload: string
    readonly signatures: readonly { readonly protected: string; readonly signature: string }[]
  }
  const payload = JSON.parse(Buffer.from(request.payload, 'base64url').toString())
  assert.equal('client_id' in payload || 'verifier_info' in payload, false)
  assert.deepEqual(payload.expected_origins, [ORIGIN])
  const headers = request.signatures.map((entry) => JSON.parse(Buffer.from(entry.protected, 'base64url').toString()))
  assert.deepEqual(
    headers.map(({ client_id, verifier_info, typ, alg }) => [client_id, verifier_info, typ, alg]),
    [
      [clientId, info, 'oauth-authz-req+jwt', 'ES256'],
      ['x509_hash:other', undefined, 'oauth-authz-req+jwt', 'ES256'],
    ],
  )
  for (const [index, entry] of request.signatures.entries()) {
    const key = createPublicKey(privateKeyOf(index === 0 ? access : reader))
    const input = Buffer.from(`${entry.protected}.${request.payload}`)
    const signature = Buffer.from(entry.signature, 'base64url')
    assert.ok(verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, signature))
  }
  await assert.rejects(multisignedDcApiRequest(signed, []), /^Error: bug:/)
})

test('R01, R02: signed and unsigned requests carry a registration certificate as one entry without credential_ids', () => {
  const verifierInfo = registrationInfo('a.b.c')
  assert.deepEqual(verifierInfo, [{ format: 'registration_cert', data: 'a.b.c' }])
  assert.deepEqual(signedDcApiClaims({ ...signed, clientId, verifierInfo }).verifier_info, verifierInfo)
  assert.deepEqual(unsignedDcApiRequest({ ...request, verifierInfo }).verifier_info, verifierInfo)
})

test('in an ISO request each document request carries the registration certificate as bytes', async () => {
  const requestedQuery = parseQuery({ credentials: [mdl(), mdl('age', 'age')] })
  const registration = 'a.b.c'
  const request = await annexCRequest({
    query: requestedQuery,
    encryptionInfo: 'gg',
    origin: ORIGIN,
    readers: [],
    registration,
  })
  assert.ok(request.outcome === 'made')
  const infos = docRequests(decode(request.data.deviceRequest)).map((entry) =>
    embeddedMap(entry.get('itemsRequest')).get('requestInfo'),
  )
  const expected = new Map([['euWrprc', Buffer.from(registration)]])
  assert.deepEqual(infos, [expected, expected])
})

test('writes encryptionInfo and deviceRequest of the Annex C vector, byte for byte', async () => {
  const { origin, encryptionInfo, deviceRequest, nonce, x, y } = ANNEX_C
  assert.equal(encryptionInfoOf(Buffer.from(nonce, 'hex'), pointOf({ x, y })), encryptionInfo)
  const request = await annexCRequest({ query, encryptionInfo, origin, readers: [] })
  assert.deepEqual(request, { outcome: 'made', data: { deviceRequest, encryptionInfo } })
})

test('a nonce of 15 bytes, an invalid point and an origin with a slash are reported as our bug', async () => {
  const { x, y, encryptionInfo } = ANNEX_C
  assert.throws(() => encryptionInfoOf(Buffer.alloc(15), pointOf({ x, y })), /^Error: bug:/)
  assert.throws(() => encryptionInfoOf(Buffer.alloc(16), pointOf({ x: x.slice(4), y })), /^Error: bug:/)
  await assert.rejects(annexCRequest({ query, encryptionInfo, origin: `${ORIGIN}/`, readers: [] }), /^Error: bug:/)
  await assert.rejects(annexCRequest({ query, encryptionInfo: '', origin: ORIGIN, readers: [] }), /^Error: bug:/)
})

test('selects the parts of a query that ISO can express', () => {
  const cases: readonly [string, object, string, readonly string[]][] = [
    ['mdocs alone', { credentials: [mdl('a'), mdl('b', 'other')] }, 'expressible', ['a', 'b']],
    ['an mdoc and an SD-JWT', { credentials: [mdl(), pid] }, 'inexpressible', []],
    ['an SD-JWT alone', { credentials: [pid] }, 'inexpressible', []],
    ['an mdoc without elements', { credentials: [{ ...mdl(), claims: undefined }] }, 'inexpressible', []],
    ['two mdocs of one type', { credentials: [mdl('a'), mdl('b')] }, 'ambiguous', []],
    [
      'an SD-JWT as an alternative',
      { credentials: [pid, mdl()], credential_sets: [{ options: [['pid'], ['mdl']] }] },
      'expressible',
      ['mdl'],
    ],
    [
      'an SD-JWT that is required',
      { credentials: [pid, mdl()], credential_sets: [{ options: [['pid']] }, { options: [['mdl']] }] },
      'inexpressible',
      [],
    ],
    [
      'an SD-JWT that is optional',
      { credentials: [pid, mdl()], credential_sets: [{ options: [['pid']], required: false }, { options: [['mdl']] }] },
      'expressible',
      ['mdl'],
    ],
    [
      'an mdoc that counts only with an SD-JWT',
      {
        credentials: [pid, mdl(), mdl('age', 'age')],
        credential_sets: [{ options: [['pid', 'mdl'], ['age']] }],
      },
      'expressible',
      ['age'],
    ],
    [
      'nothing but an optional SD-JWT',
      { credentials: [pid], credential_sets: [{ options: [['pid']], required: false }] },
      'inexpressible',
      [],
    ],
  ]
  for (const [title, json, outcome, ids] of cases) {
    const iso = isoQueryOf(parseQuery(JSON.parse(JSON.stringify(json))))
    assert.equal(iso.outcome, outcome, title)
    assert.deepEqual(iso.outcome === 'expressible' ? iso.queries.map(({ id }) => id) : [], ids, title)
  }
})

test('requests the first claim set, states authorities and retention, and writes alternatives as use cases', async () => {
  const rich = {
    ...mdl('rich', 'rich'),
    claims: [
      { id: 'a', path: [SPACE, 'age_over_18'], intent_to_retain: true },
      { id: 'b', path: ['other', 'birth_date'] },
    ],
    claim_sets: [['a'], ['b']],
    trusted_authorities: [{ type: 'aki', values: ['AQID'] }],
  }
  const sets = [{ options: [['rich'], ['mdl']] }, { options: [['mdl']], required: false }]
  const requestedQuery = parseQuery({ credentials: [mdl(), rich], credential_sets: sets })
  const request = await annexCRequest({ query: requestedQuery, encryptionInfo: 'gg', origin: ORIGIN, readers: [] })
  assert.ok(request.outcome === 'made')
  const decoded = decode(request.data.deviceRequest)
  assert.equal(decoded.get('version'), '1.1')
  assert.equal(decoded.has('readerAuthAll'), false)
  const info = embeddedMap(decoded.get('deviceRequestInfo'))
  assert.deepEqual(info.get('useCases'), [
    new Map<string, unknown>([
      ['mandatory', true],
      ['documentSets', [[1], [0]]],
    ]),
    new Map<string, unknown>([
      ['mandatory', false],
      ['documentSets', [[0]]],
    ]),
  ])
  const [, second] = docRequests(decoded)
  const items = embeddedMap(second?.get('itemsRequest'))
  assert.deepEqual(items.get('nameSpaces'), new Map([[SPACE, new Map([['age_over_18', true]])]]))
  const requestInfo = items.get('requestInfo')
  assert.ok(isCborMap(requestInfo))
  assert.deepEqual(requestInfo.get('issuerIdentifiers'), [Buffer.of(1, 2, 3)])
})

test('a claim set that replaces one element becomes alternativeDataElements; a set with values or without a replacement does not', async () => {
  const claims = (names: readonly string[], values?: string) =>
    names.map((id) => ({ id, path: [SPACE, id], ...(id === values && { values: [true] }) }))
  const infoOf = async (names: readonly string[], sets: readonly (readonly string[])[], values?: string) => {
    const requestedQuery = parseQuery({ credentials: [{ ...mdl(), claims: claims(names, values), claim_sets: sets }] })
    const request = await annexCRequest({ query: requestedQuery, encryptionInfo: 'gg', origin: ORIGIN, readers: [] })
    assert.ok(request.outcome === 'made')
    const [first] = docRequests(decode(request.data.deviceRequest))
    const items = embeddedMap(first?.get('itemsRequest'))
    return { asked: items.get('nameSpaces'), info: items.get('requestInfo') }
  }
  const ages = ['age_over_18', 'age_over_21', 'birth_date']
  const { asked: requested, info } = await infoOf(
    ages,
    ages.map((name) => [name]),
    'age_over_21',
  )
  assert.deepEqual(requested, new Map([[SPACE, new Map([['age_over_18', false]])]]))
  const alternatives = new Map<string, unknown>([
    ['requestedElement', [SPACE, 'age_over_18']],
    ['alternativeElementSets', [[[SPACE, 'birth_date']]]],
  ])
  assert.deepEqual(info, new Map([['alternativeDataElements', [alternatives]]]))
  const parts = ['a', 'b', 'c']
  assert.equal((await infoOf(parts, [['a', 'b'], ['a']])).info, undefined)
  assert.equal((await infoOf(parts, [['a', 'b'], ['c']])).info, undefined)
  const both = (
    await infoOf(parts, [
      ['a', 'b'],
      ['a', 'c'],
      ['c', 'b'],
    ])
  ).info
  assert.ok(isCborMap(both))
  const list = both.get('alternativeDataElements')
  assert.ok(isCborArray(list))
  assert.deepEqual(
    list.map((one) => isCborMap(one) && one.get('requestedElement')),
    [
      [SPACE, 'b'],
      [SPACE, 'a'],
    ],
  )
})

test('one reader signs each document request; every reader signs the whole request', async () => {
  const requestedQuery = parseQuery({ credentials: [mdl(), mdl('age', 'age')] })
  const readers = [readerSigner(), readerSigner(access)]
  const request = await annexCRequest({ query: requestedQuery, encryptionInfo: 'gg', origin: ORIGIN, readers })
  assert.ok(request.outcome === 'made')
  const decoded = decode(request.data.deviceRequest)
  assert.equal(decoded.get('version'), '1.1')
  assert.equal(
    docRequests(decoded).every((entry) => isCborArray(entry.get('readerAuth'))),
    true,
  )
  const all = decoded.get('readerAuthAll')
  assert.ok(isCborArray(all))
  assert.equal(all.length, 2)
  // [ bstr {1: -7}, { 33: leaf }, null, 64 bytes ], untagged.
  const [parts] = all
  assert.ok(isCborArray(parts))
  assert.deepEqual(parts[0], Buffer.from('a10126', 'hex'))
  assert.deepEqual(parts[1], new Map([[33, Buffer.from(certificateBytes(reader))]]))
  assert.deepEqual([parts[2], (parts[3] as Buffer).length], [null, 64])
})

test('several certificates form an array; a reader without a certificate, or with a short signature, throws a bug', async () => {
  const making = { query, encryptionInfo: 'gg', origin: ORIGIN }
  const usual = readerSigner()
  const chain = [certificateBytes(reader), certificateBytes(access)]
  const request = await annexCRequest({ ...making, readers: [{ ...usual, chain }] })
  assert.ok(request.outcome === 'made')
  const all = decode(request.data.deviceRequest).get('readerAuthAll')
  const [parts] = isCborArray(all) ? all : []
  const header = isCborArray(parts) ? parts[1] : undefined
  assert.deepEqual(
    isCborMap(header) && header.get(33),
    chain.map((der) => Buffer.from(der)),
  )
  await assert.rejects(annexCRequest({ ...making, readers: [{ ...usual, chain: [] }] }), /^Error: bug:/)
  const short = { ...usual, sign: () => Buffer.alloc(70) }
  await assert.rejects(annexCRequest({ ...making, readers: [short] }), /^Error: bug:/)
})

test('canonical CBOR has the shortest heads, and keys in the order of their bytes', () => {
  const hex = (value: Parameters<typeof encodeCbor>[0]) => Buffer.from(encodeCbor(value)).toString('hex')
  assert.equal(
    hex(
      new Map([
        ['b', 1],
        ['aa', 2],
        ['a', 3],
      ]),
    ),
    'a361610361620162616102',
  )
  assert.equal(
    hex(
      new Map<string | number, number>([
        [-1, 1],
        ['a', 2],
        [1, 3],
        [100, 4],
      ]),
    ),
    'a4010318640420016161' + '02',
  )
  assert.equal(hex([23, 24, 255, 256, 65_535, 65_536, -24, -25]), '8817181818ff19010019ffff1a0001000037' + '3818')
  assert.equal(hex([true, false, null, Buffer.of(1), '\u00fc', { encoded: Buffer.of(0xa0) }]), '86f5f4f6410162c3bca0')
  for (const value of [0.5, Number.NaN, 2 ** 40]) assert.throws(() => encodeCbor(value), /^Error: bug:/)
})

function decode(text: string): CborMap {
  const value = decodeCbor(Buffer.from(text, 'base64url'))
  assert.ok(isCborMap(value))
  return value
}

function docRequests(request: CborMap): readonly CborMap[] {
  const value = request.get('docRequests')
  assert.ok(isCborArray(value) && value.every(isCborMap))
  return value
}

function embeddedMap(value: Parameters<typeof isCborEmbedded>[0]): CborMap {
  assert.ok(isCborEmbedded(value))
  const map = decodeCbor(value.embedded)
  assert.ok(isCborMap(map))
  return map
}
