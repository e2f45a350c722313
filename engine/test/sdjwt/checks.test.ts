// Tests the checks of an SD-JWT VC on its issuer's part: form, algorithm, certificates, trust, signature, type, time.

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { extension, extensionOf, keyUsage, type Minted, sequence, tlv } from '../trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from '../trust/mint-pki.ts'
import {
  anchor,
  authority,
  base64,
  CLIENT_ID,
  encode,
  es256,
  examine,
  failedChecks,
  type Members,
  mintPresentation,
  type Plan,
  query,
  signer,
  trust,
  VCT,
} from './mint-presentation.ts'

test('a good presentation passes every check, in order, and yields its claims', () => {
  const examination = examine(mintPresentation())
  assert.deepEqual(
    examination.checks.map(({ check, status }) => `${check} ${status}`),
    [
      'well_formed',
      'algorithm_allowed',
      'issuer_certificate_present',
      'issuer_trusted',
      'issuer_signature_valid',
      'disclosures_valid',
      'type_requested',
      'within_validity',
      'holder_key_present',
      'holder_signature_valid',
      'bound_to_request',
      'bound_to_presentation',
      'transaction_data_valid',
    ].map((check) => `${check} pass`),
  )
  assert.equal(examination.failure, null)
  assert.equal(examination.type, VCT)
  assert.deepEqual({ ...examination.issuer }, { common_name: 'Invented Issuer', country: 'UT' })
  assert.equal(examination.claims?.given_name, 'Erika')
  assert.equal(examination.expiresAt, NOW + 86_400)
  assert.deepEqual(examination.status, [])
  assert.deepEqual(Buffer.from(examination.signer?.certificate ?? []), Buffer.from(signer.der))
})

const withHeader = (changes: Members): Plan => ({ header: (header) => ({ ...header, ...changes }) })
const withPayload = (changes: Members): Plan => ({ payload: (payload) => ({ ...payload, ...changes }) })
const without =
  (name: string) =>
  (members: Members): Members => {
    const { [name]: _, ...rest } = members
    return rest
  }
const der: Plan['sign'] = (input) => sign('sha256', Buffer.from(input), signer.privateKey).toString('base64url')
const hmac: Plan['sign'] = (input) => createHmac('sha256', signer.der).update(input).digest('base64url')
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const p384Signer = mintSigner(authority, { key: p384 })
const impostor = mintSigner(mintAuthority(), {})
const sameName = mintAuthority({ subject: { CN: 'Invented Authority', C: 'UT' } })

/** Title, what is changed, the first check that must fail. */
const SPOILT: readonly (readonly [string, Plan, string])[] = [
  ['has no "~"', { presented: (text) => text.replaceAll('~', '.') }, 'well_formed'],
  [
    'lacks the final "~" and has no key binding',
    { presented: (text) => text.slice(0, text.lastIndexOf('~')) },
    'well_formed',
  ],
  ['has an empty disclosure', { presented: (text) => text.replace('~', '~~') }, 'well_formed'],
  ['has a space', { presented: (text) => text.replace('~', ' ~') }, 'well_formed'],
  ['is in the JSON serialization', { presented: () => encode({ payload: 'x' }) }, 'well_formed'],
  ['has a malformed key binding JWT', { bindingJwt: () => 'AAAA.AAAA' }, 'well_formed'],
  ['has no type', { header: without('typ') }, 'well_formed'],
  ['has the type JWT', withHeader({ typ: 'JWT' }), 'well_formed'],
  ['has the type of a key binding JWT', withHeader({ typ: 'kb+jwt' }), 'well_formed'],
  ['has the type of an older draft', withHeader({ typ: 'vc+sd-jwt' }), 'well_formed'],
  ['has a critical extension', withHeader({ crit: ['exp'] }), 'well_formed'],
  ['names no vct', { payload: without('vct') }, 'well_formed'],
  ['names an empty vct', withPayload({ vct: '' }), 'well_formed'],
  ['names a vct that is too long', withPayload({ vct: 'v'.repeat(1025) }), 'well_formed'],
  ['names a vct that is not a string', withPayload({ vct: [VCT] }), 'well_formed'],
  ['is unsigned', { ...withHeader({ alg: 'none' }), sign: () => '' }, 'algorithm_allowed'],
  ['names no algorithm', { header: without('alg') }, 'algorithm_allowed'],
  ['is a MAC under the public key', { ...withHeader({ alg: 'HS256' }), sign: hmac }, 'algorithm_allowed'],
  ['names an algorithm by an inherited name', withHeader({ alg: 'constructor' }), 'algorithm_allowed'],
  ['has no x5c', { header: without('x5c') }, 'issuer_certificate_present'],
  ['has an empty x5c', withHeader({ x5c: [] }), 'issuer_certificate_present'],
  ['has an x5c that is a string', withHeader({ x5c: base64(signer.der) }), 'issuer_certificate_present'],
  [
    'has an x5c in base64url',
    withHeader({ x5c: [Buffer.from(signer.der).toString('base64url')] }),
    'issuer_certificate_present',
  ],
  ['has an x5c in PEM', withHeader({ x5c: ['-----BEGIN CERTIFICATE-----'] }), 'issuer_certificate_present'],
  ['has an empty certificate', withHeader({ x5c: [''] }), 'issuer_certificate_present'],
  ['has fifty certificates', withHeader({ x5c: Array(50).fill(base64(signer.der)) }), 'issuer_certificate_present'],
  [
    'offers its own key in jwk instead',
    {
      header: (header) => ({ ...without('x5c')(header), jwk: foreign.publicKey.export({ format: 'jwk' }) }),
      signWith: foreign.privateKey,
    },
    'issuer_certificate_present',
  ],
  [
    'has a certificate of an unknown authority',
    { ...withHeader({ x5c: [base64(impostor.der)] }), signWith: impostor.privateKey },
    'issuer_trusted',
  ],
  [
    'has a certificate whose authority only has the right name',
    { ...withHeader({ x5c: [base64(mintSigner(sameName).der)] }) },
    'issuer_trusted',
  ],
  ['brings the anchor along', withHeader({ x5c: [base64(signer.der), base64(authority.der)] }), 'issuer_trusted'],
  ['has a malformed certificate', withHeader({ x5c: ['AAAA'] }), 'issuer_trusted'],
  ['is signed by another key', { signWith: foreign.privateKey }, 'issuer_signature_valid'],
  ['is signed in DER', { sign: der }, 'issuer_signature_valid'],
  ['has a signature of zeros', { sign: () => Buffer.alloc(64).toString('base64url') }, 'issuer_signature_valid'],
  ['has an empty signature', { sign: () => '' }, 'issuer_signature_valid'],
  [
    'names ES256 with a P-384 key',
    { ...withHeader({ x5c: [base64(p384Signer.der)] }), sign: es256(p384.privateKey) },
    'issuer_signature_valid',
  ],
  ['names ES384 with a P-256 key', withHeader({ alg: 'ES384' }), 'issuer_signature_valid'],
  [
    'was changed after signing',
    { presented: (text) => changePayload(text, { exp: NOW + 999_999 }) },
    'issuer_signature_valid',
  ],
  [
    'offers its key in jwk beside the certificate',
    { ...withHeader({ jwk: foreign.publicKey.export({ format: 'jwk' }) }), signWith: foreign.privateKey },
    'issuer_signature_valid',
  ],
  ['has another vct than was asked for', withPayload({ vct: 'urn:example:other' }), 'issuer_trusted'],
  ['has expired', withPayload({ exp: NOW - 61 }), 'within_validity'],
  ['expires this very moment, skew included', withPayload({ exp: NOW - 60 }), 'within_validity'],
  ['has an expiry that is a string', withPayload({ exp: String(NOW + 1) }), 'within_validity'],
  ['has an expiry that is null', withPayload({ exp: null }), 'within_validity'],
  ['has a negative expiry', withPayload({ exp: -1 }), 'within_validity'],
  ['has an expiry beyond the safe integers', withPayload({ exp: 1e300 }), 'well_formed'],
  ['is not valid yet', withPayload({ nbf: NOW + 61 }), 'within_validity'],
  ['has a start that is a string', withPayload({ nbf: '0' }), 'within_validity'],
  ['was issued in the future', withPayload({ iat: NOW + 61 }), 'within_validity'],
  ['was issued at an object', withPayload({ iat: {} }), 'within_validity'],
  ['names its status by something unknown', withPayload({ status: { other: {} } }), 'not_revoked'],
  ['names its status by a string', withPayload({ status: 'valid' }), 'not_revoked'],
  [
    'has a negative status index',
    withPayload({ status: { status_list: { idx: -1, uri: 'https://status.example/1' } } }),
    'not_revoked',
  ],
  [
    'has a fractional status index',
    withPayload({ status: { status_list: { idx: 0.5, uri: 'https://status.example/1' } } }),
    'not_revoked',
  ],
  [
    'has a status index beyond the safe integers',
    withPayload({ status: { status_list: { idx: 2 ** 53, uri: 'https://status.example/1' } } }),
    'well_formed',
  ],
  [
    'has a status index that is a string',
    withPayload({ status: { status_list: { idx: '1', uri: 'https://status.example/1' } } }),
    'not_revoked',
  ],
  ['has a status list without address', withPayload({ status: { status_list: { idx: 1 } } }), 'not_revoked'],
]

for (const [title, plan, check] of SPOILT) {
  test(`rejects a presentation that ${title}`, () => {
    const examination = examine(mintPresentation(plan))
    assert.equal(failedChecks(examination)[0], check)
    assert.notEqual(examination.failure, null)
    assert.equal(examination.claims, null)
  })
}

function changePayload(presented: string, changes: Members): string {
  const [header, payload = '', ...rest] = presented.split('.')
  const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...changes }
  return [header, encode(changed), ...rest].join('.')
}

test('an issuer that is trusted only for another type is not trusted', () => {
  const other = { ...trust, anchors: [{ ...anchor, types: ['dc+sd-jwt:urn:example:other'] as const }] }
  assert.deepEqual(failedChecks(examine(mintPresentation(), { trust: other })), ['issuer_trusted'])
})

test('the certificate must name an https issuer if it has alternative names', () => {
  const named = (...names: [number, string][]) => {
    const general = names.map(([tag, name]) => tlv(tag, Buffer.from(name)))
    const extensions = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
    const subjectAltName = extensionOf('551d11', false, sequence(...general))
    return mintSigner(authority, { extensions: [...extensions, subjectAltName] })
  }
  const [uri, dns, email] = [0x86, 0x82, 0x81]
  const presentedBy = (by: Minted, iss: unknown) =>
    mintPresentation({ ...withPayload({ iss }), ...withHeader({ x5c: [base64(by.der)] }), signWith: by.privateKey })
  const both = named([uri, 'https://issuer.example/one'], [dns, 'ISSUER.example'])
  for (const iss of [
    'https://issuer.example/one',
    'https://issuer.example/two',
    'https://issuer.example:8443',
    'did:example:1',
    undefined,
  ]) {
    assert.equal(examine(presentedBy(both, iss)).failure, null, String(iss))
  }
  for (const iss of [
    'https://other.example',
    'https://issuer.example.evil.example',
    'https://issuer.example@evil.example',
    'https://',
    1,
    null,
    {},
  ]) {
    assert.deepEqual(failedChecks(examine(presentedBy(both, iss))), ['issuer_trusted'], String(iss))
  }
  assert.deepEqual(
    failedChecks(examine(presentedBy(named([uri, 'https://issuer.example/one']), 'https://issuer.example/two'))),
    ['issuer_trusted'],
  )
  const onlyUri = named([uri, 'https://issuer.example/one'])
  assert.equal(examine(presentedBy(onlyUri, 'https://issuer.example/one')).failure, null)
  assert.equal(examine(presentedBy(named([email, 'office@issuer.example']), 'https://issuer.example')).failure, null)
})

test('without anchors no issuer is trusted', () => {
  const examination = examine(mintPresentation(), { trust: { ...trust, anchors: [] } })
  assert.deepEqual(failedChecks(examination), ['issuer_trusted'])
  assert.equal(examination.failure?.code, 'issuer_untrusted')
  assert.equal(examination.signer, null)
})

test('a genuine credential of an unrequested type is reported as such', () => {
  const requested = { ...query, meta: { vct_values: ['urn:example:other'] } }
  const examination = examine(mintPresentation(), { query: requested })
  assert.deepEqual(failedChecks(examination), ['type_requested'])
  assert.equal(examination.failure?.code, 'query_not_satisfied')
})

test('reports an expired credential as expired, and a credential that is not valid yet as invalid', () => {
  assert.equal(examine(mintPresentation(withPayload({ exp: NOW - 61 }))).failure?.code, 'credential_expired')
  assert.equal(examine(mintPresentation(withPayload({ nbf: NOW + 61 }))).failure?.code, 'credential_invalid')
})

test('times within the skew are accepted', () => {
  const { failure } = examine(mintPresentation(withPayload({ exp: NOW - 59, nbf: NOW + 60, iat: NOW + 60 })))
  assert.equal(failure, null)
})

test('a credential without times is valid and says that it never expires', () => {
  const examination = examine(mintPresentation({ payload: (payload) => without('exp')(without('iat')(payload)) }))
  assert.equal(examination.failure, null)
  assert.equal(examination.expiresAt, null)
})

test('returns a status list reference as it was signed', () => {
  const status = { status_list: { idx: 7, uri: 'https://status.example/1' } }
  assert.deepEqual(examine(mintPresentation(withPayload({ status }))).status, [
    {
      kind: 'list',
      source: { uri: 'https://status.example/1', kind: 'status_list_jwt', format: 'dc+sd-jwt' },
      index: 7,
      certificate: null,
    },
  ])
})

test('a credential with audiences is accepted only by these audiences', () => {
  assert.equal(examine(mintPresentation(withPayload({ aud: CLIENT_ID }))).failure, null)
  assert.equal(examine(mintPresentation(withPayload({ aud: ['https://a.example', CLIENT_ID] }))).failure, null)
  for (const aud of ['https://a.example', [], [CLIENT_ID.slice(1)], null, {}]) {
    assert.deepEqual(failedChecks(examine(mintPresentation(withPayload({ aud })))), ['bound_to_request'])
  }
})

test('a failure reveals nothing of the presentation', () => {
  for (const [, plan] of SPOILT) {
    const { checks, failure } = examine(mintPresentation(plan))
    assert.doesNotMatch(JSON.stringify({ checks, failure }), /Erika|Exemplar|1990|issuer\.example/)
  }
})
