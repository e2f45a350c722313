// Tests registration certificates of ETSI TS 119 475 V1.1.1 and V1.2.1, and that only a trusted provider can vouch for them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { StatusAnswer } from '../../src/expected.ts'
import { type RegistrationReading, readRegistrationCertificate } from '../../src/registration/certificate.ts'
import { judgeRegistrationCertificate } from '../../src/registration/judge.ts'
import type { Anchor, VouchedType } from '../../src/trust/anchor.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { judgeChain } from '../../src/trust/chain.ts'
import { mintJwt, pack } from '../status/mint-status.ts'
import { mintAuthority, mintSigner } from '../trust/mint-pki.ts'
import { CLAIMS, mintRegistration, NOW, OLD_CLAIMS, provider, registrar, STATUS_URI } from './mint-registration.ts'

function read(text: string): Extract<RegistrationReading, { outcome: 'read' }> {
  const reading = readRegistrationCertificate(text)
  assert.equal(reading.outcome, 'read', reading.outcome === 'refused' ? reading.detail : '')
  if (reading.outcome !== 'read') throw new Error('not read')
  return reading
}

const anchorFor = (...types: VouchedType[]): Anchor => ({
  kind: 'ca',
  certificate: provider.der,
  types,
  profile: 'generic',
})

const listing = (status: number) => async (): Promise<StatusAnswer> => ({
  outcome: 'fetched',
  stale: false,
  contentType: 'application/statuslist+jwt',
  bytes: mintJwt({
    by: registrar,
    claims: { sub: STATUS_URI },
    list: { bits: 2, lst: deflateSync(pack({ 3: status }, 2)).toString('base64url') },
  }),
})

const judge = (text: string, change: { anchors?: readonly Anchor[]; status?: number } = {}) =>
  judgeRegistrationCertificate(read(text), {
    anchors: change.anchors ?? [anchorFor('rc-wrp+jwt:*')],
    cache: createChainCache(10),
    now: NOW,
    fetchStatus: listing(change.status ?? 0),
  })

test('reads a registration certificate of V1.2.1', () => {
  const text = mintRegistration()
  const { certificate } = read(text)
  assert.deepEqual(certificate, {
    subject: ['VATUT-UT123456789'],
    legalName: 'Corner Shop GmbH',
    serviceName: 'Corner Shop Online',
    serviceId: 'shop-1',
    intendedUse: 'age-check',
    purposes: [
      { lang: 'en', text: 'To check that you are old enough' },
      { lang: 'de', text: 'Um Ihr Alter zu prüfen' },
    ],
    credentials: [
      {
        format: 'dc+sd-jwt',
        types: ['urn:eudi:pid:1'],
        paths: [
          ['age_equal_or_over', '18'],
          ['nationalities', null],
        ],
      },
    ],
    privacyPolicy: 'https://shop.example/privacy',
    registryUri: 'https://register.example/api',
    intermediary: { ids: ['NTRUT-9'], name: 'Vidimus' },
    issuedAt: NOW - 3600,
    expiresAt: NOW + 90 * 86_400,
    status: { uri: STATUS_URI, index: 3 },
    raw: text,
  })
})

test('V1.2.1, table 10: reads the intermediary from `intermediary`, and from `act` if that is absent', () => {
  const named = { intermediary: { sub: 'NTRUT-9', sname: 'Vidimus' }, act: { sub: 'NTRUT-9' } }
  const { certificate } = read(mintRegistration({ claims: { ...CLAIMS, ...named } }))
  assert.deepEqual(certificate.intermediary, { ids: ['NTRUT-9'], name: 'Vidimus' })
  const { intermediary: _, ...direct } = CLAIMS
  const { certificate: byAct } = read(mintRegistration({ claims: { ...direct, act: named.act } }))
  assert.deepEqual(byAct.intermediary?.ids, ['NTRUT-9'])
})

test('R09: reads a registration certificate of V1.1.1 into the same type', () => {
  const { certificate } = read(mintRegistration({ claims: OLD_CLAIMS }))
  assert.deepEqual(certificate.subject, ['UT123456789', 'VATUT-UT123456789'])
  assert.equal(certificate.legalName, 'Corner Shop GmbH')
  assert.equal(certificate.privacyPolicy, 'https://shop.example/privacy')
  assert.deepEqual(certificate.intermediary, { ids: ['NTRUT-9'], name: 'Vidimus' })
  assert.deepEqual(certificate.purposes, [{ lang: 'en', text: 'To check your age' }])
  assert.equal(certificate.expiresAt, null)
  assert.equal(certificate.status, null)
})

test('R09: accepts texts as types and paths in a certificate of V1.1.1, as in the example of the standard', () => {
  const credentials = [
    {
      format: 'dc+sd-jwt',
      meta: 'urn:eudi:pid:1',
      claim: [{ path: 'address' }, { path: '["nationalities",null]' }, { path: 'a.b' }],
    },
  ]
  const { certificate } = read(mintRegistration({ claims: { ...OLD_CLAIMS, credentials } }))
  const paths = [['address'], ['nationalities', null], ['a.b']]
  assert.deepEqual(certificate.credentials, [{ format: 'dc+sd-jwt', types: ['urn:eudi:pid:1'], paths }])
  for (const path of ['', '[', '[]', '[{}]', '[1.5]', `["${'x'.repeat(3000)}"]`]) {
    const spoiled = [{ ...credentials[0], claim: [{ path }] }]
    const text = mintRegistration({ claims: { ...OLD_CLAIMS, credentials: spoiled } })
    assert.equal(readRegistrationCertificate(text).outcome, 'refused', path)
  }
})

test('refuses control characters, which PostgreSQL cannot hold or no page should show', () => {
  const bad = (claims: object) => readRegistrationCertificate(mintRegistration({ claims: { ...CLAIMS, ...claims } }))
  const [credential] = CLAIMS.credentials
  for (const mark of ['\u0000', '\u001b', '\u007f', '\n']) {
    const text = `a${mark}b`
    for (const claims of [
      { name: text },
      { sub: text },
      { sub: { id: text } },
      { srv_id: text },
      { intended_use_id: text },
      { registry_uri: `https://register.example/${mark}` },
      { intermediary: { sub: { id: 'NTRUT-9', sname: text } } },
      { intermediary: { sub: text } },
      { status: { status_list: { idx: 3, uri: `${STATUS_URI}${mark}` } } },
      { credentials: [{ ...credential, format: text }] },
      { credentials: [{ ...credential, meta: { vct_values: [text] } }] },
      { credentials: [{ ...credential, claim: [{ path: ['a', text] }] }] },
    ])
      assert.equal(bad(claims).outcome, 'refused', JSON.stringify(claims))
    const { sub_ln: _, ...unnamed } = CLAIMS
    const named = { ...unnamed, sub: { id: 'VATUT-1', legal_name: [text] } }
    assert.equal(read(mintRegistration({ claims: named })).certificate.legalName, null)
    const spoken = { ...CLAIMS, purpose: [{ lang: text, value: 'To sell' }] }
    assert.deepEqual(read(mintRegistration({ claims: spoken })).certificate.purposes, [{ lang: '', text: 'To sell' }])
  }
})

test('a purpose may have several lines; one with another control character is left out', () => {
  const value = 'To check\n\tthat you are old enough'
  const purpose = [{ lang: 'en', value }, ...['\u0000', '\u0085'].map((mark) => ({ lang: 'de', value: `a${mark}b` }))]
  const { certificate } = read(mintRegistration({ claims: { ...CLAIMS, purpose } }))
  assert.deepEqual(certificate.purposes, [{ lang: 'en', text: value }])
})

test('R10: reads both `claim` and `claims` of a credential, and joins them', () => {
  const [credential] = CLAIMS.credentials
  const both = { ...credential, claims: [{ path: ['family_name'] }] }
  const { certificate } = read(mintRegistration({ claims: { ...CLAIMS, credentials: [both] } }))
  assert.deepEqual(certificate.credentials[0]?.paths, [
    ['age_equal_or_over', '18'],
    ['nationalities', null],
    ['family_name'],
  ])
})

test('R03: refuses a JWT of another type than a registration certificate', () => {
  for (const typ of ['JWT', 'rc-wrp+cwt', undefined, 7])
    assert.equal(readRegistrationCertificate(mintRegistration({ header: { typ } })).outcome, 'refused')
  assert.equal(read(mintRegistration({ header: { typ: 'application/rc-wrp+jwt' } })).outcome, 'read')
})

test('refuses the whole certificate if a member that it needs is unreadable', () => {
  const changes: Record<string, object> = {
    'no subject': { sub: undefined },
    'an empty subject': { sub: '' },
    'a subject without identifier': { sub: { legal_name: ['x'] } },
    'no name': { name: undefined, sub_ln: undefined },
    'no time': { iat: undefined },
    'an end that is not a number': { exp: 'tomorrow' },
    'an intermediary without identifier': { intermediary: { sub: {} } },
    'an intermediary that is a text': { intermediary: 'NTRUT-9' },
    'a status of another kind': { status: { crl: 'x' } },
    'a status without index': { status: { status_list: { uri: STATUS_URI } } },
    'an index below zero': { status: { status_list: { uri: STATUS_URI, idx: -1 } } },
    'credentials that are not a list': { credentials: {} },
    'a credential without format': { credentials: [{ meta: {} }] },
    'a path that is empty': { credentials: [{ format: 'dc+sd-jwt', claim: [{ path: [] }] }] },
    'too many claims in all credentials together': {
      credentials: Array.from({ length: 2 }, (_, of) => ({
        format: 'dc+sd-jwt',
        claim: Array.from({ length: 251 }, (_, at) => ({ path: [`${of}-${at}`] })),
      })),
    },
    'a credential of more types than a query may name': {
      credentials: [{ format: 'dc+sd-jwt', meta: { vct_values: Array.from({ length: 51 }, (_, at) => `urn:${at}`) } }],
    },
    'a path of objects': { credentials: [{ format: 'dc+sd-jwt', claim: [{ path: [{}] }] }] },
  }
  for (const [what, change] of Object.entries(changes)) {
    const reading = readRegistrationCertificate(mintRegistration({ claims: { ...CLAIMS, ...change } }))
    assert.equal(reading.outcome, 'refused', what)
  }
  for (const text of ['', 'a.b', 'a.b.c', `${mintRegistration()}.x`, 'x'.repeat(60_000)])
    assert.equal(readRegistrationCertificate(text).outcome, 'refused')
})

test('leaves out a member for display that must not be shown', () => {
  for (const policy of [
    'javascript:alert(1)',
    'http://shop.example',
    'https://u:p@shop.example',
    'https://ｓhop.example',
    7,
    null,
  ]) {
    const { certificate } = read(mintRegistration({ claims: { ...CLAIMS, privacy_policy: policy } }))
    assert.equal(certificate.privacyPolicy, null)
  }
  const { certificate } = read(mintRegistration({ claims: { ...CLAIMS, purpose: [7, { lang: 'en' }, 'x'] } }))
  assert.deepEqual(certificate.purposes, [])
})

test('verifies a certificate of a trusted provider, and returns its status', async () => {
  const verified = { unverified: null, signer: 'none' }
  assert.deepEqual(await judge(mintRegistration()), { ...verified, status: 'valid' })
  assert.deepEqual(await judge(mintRegistration(), { status: 1 }), { ...verified, status: 'revoked' })
  assert.deepEqual(await judge(mintRegistration(), { status: 2 }), { ...verified, status: 'suspended' })
  const without = mintRegistration({ claims: { ...CLAIMS, status: undefined } })
  assert.deepEqual(await judge(without), { ...verified, status: 'none' })
})

test('R08: does not verify a certificate of an untrusted provider, and does not fetch its status', async () => {
  const other = mintSigner(mintAuthority({ subject: { CN: 'Invented Registrar Root', C: 'UT' } }))
  const cases = {
    stranger: mintRegistration({ by: other }),
    spoiled: mintRegistration({ spoil: true }),
    chainless: mintRegistration({ header: { x5c: undefined } }),
    'of another key': mintRegistration({
      by: other,
      header: { x5c: [Buffer.from(registrar.der).toString('base64')] },
    }),
    'of another algorithm': mintRegistration({ header: { alg: 'ES384' } }),
    unsigned: mintRegistration({ header: { alg: 'none' } }),
  }
  for (const [what, text] of Object.entries(cases)) {
    const { unverified, status, signer } = await judge(text, { status: 1 })
    assert.equal(typeof unverified, 'string', what)
    assert.deepEqual([status, signer], ['unknown', 'unknown'], what)
  }
  assert.equal(typeof (await judge(mintRegistration(), { anchors: [] })).unverified, 'string')
})

test('R08: anchors for credentials do not vouch for registration certificates, nor the reverse', async () => {
  const everything = anchorFor('dc+sd-jwt:*', 'mso_mdoc:*')
  assert.equal(typeof (await judge(mintRegistration(), { anchors: [everything] })).unverified, 'string')
  for (const [format, type] of [
    ['dc+sd-jwt', 'urn:eudi:pid:1'],
    ['mso_mdoc', 'org.iso.18013.5.1.mDL'],
    ['dc+sd-jwt', '*'],
  ] as const) {
    const question = { chain: [registrar.der], format, type, at: NOW, use: 'credential' } as const
    const trust = { anchors: [anchorFor('rc-wrp+jwt:*')], cache: createChainCache(10), haip: false }
    assert.equal(judgeChain(question, trust).outcome, 'untrusted')
    const vouched = { ...trust, anchors: [everything] }
    assert.equal(judgeChain(question, vouched).outcome, 'trusted')
  }
})

test('refuses times that cannot be written as a date', () => {
  for (const claims of [{ exp: 1e300 }, { exp: 253_402_300_800 }, { exp: -1 }, { iat: 1e300 }, { iat: -1 }])
    assert.equal(readRegistrationCertificate(mintRegistration({ claims: { ...CLAIMS, ...claims } })).outcome, 'refused')
})
