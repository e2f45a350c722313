// Tests the mobile security object: the times and the status reference of a credential.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extension, keyUsage } from '../trust/mint-certificate.ts'
import { mintSigner } from '../trust/mint-pki.ts'
import { accepts, examine, rejects } from './examine.ts'
import { anchor, date, iaca, type MdocPlan, mintMdoc, NOW, Raw, Tagged } from './mint-mdoc.ts'

/** Expiry is reported first, because a holder can act on it. */
const LONG_AGO = { signed: date(1), validFrom: date(2), validUntil: date(3) }

const times: [string, Record<string, unknown>, 'credential_invalid' | 'credential_expired'][] = [
  ['has expired', { validUntil: date(NOW - 60) }, 'credential_expired'],
  ['is not valid yet', { validFrom: date(NOW + 61) }, 'credential_invalid'],
  ['ends before it begins', { validUntil: date(NOW - 3601) }, 'credential_invalid'],
  ['was signed in the future', { signed: date(NOW + 61) }, 'credential_invalid'],
  ['has expired, and was signed before its signer was certified', LONG_AGO, 'credential_expired'],
  ['was signed before its signer was certified', { signed: date(Date.UTC(2024, 0, 1) / 1000) }, 'credential_invalid'],
]
for (const [title, changes, code] of times) {
  test(`rejects an mdoc that ${title}`, () => rejects(withTimes(changes), 'within_validity', code))
}

test('rejects an mdoc signed after its signer expired', () => {
  const brief = mintSigner(iaca, { notAfter: '20260301100000Z' })
  const examination = examine(mintMdoc({ signer: brief }))
  assert.ok(examination.checks.some(({ check, status }) => check === 'within_validity' && status === 'fail'))
})

test('accepts fractions of a second, as real issuers write them', () => {
  accepts(withTimes({ validUntil: new Tagged(0, '2030-01-01T00:00:00.123456Z') }))
  rejects(withTimes({ validUntil: new Tagged(0, '2026-03-01T11:30:00.5Z') }), 'within_validity', 'credential_expired')
})

test('a time in another zone is converted', () => {
  accepts(withTimes({ validUntil: new Tagged(0, '2030-01-01T00:00:00+00:00') }))
  accepts(withTimes({ validUntil: new Tagged(0, '2026-03-01T11:59:30-00:00') }))
  accepts(withTimes({ validUntil: new Tagged(0, '2026-03-01T11:30:00-01:00') }))
  rejects(
    withTimes({ validUntil: new Tagged(0, '2026-03-01T12:30:00+01:00') }),
    'within_validity',
    'credential_expired',
  )
})

test('accepts an mdoc whose validity begins before it was signed', () => {
  accepts(withTimes({ validFrom: date(NOW - 7200) }))
})

test('accepts times within the skew, to the second', () => {
  accepts(withTimes({ validUntil: date(NOW - 59) }))
  accepts(withTimes({ validFrom: date(NOW + 60) }))
})

const malformed: [string, MdocPlan][] = [
  ['without validityInfo', { mso: (members) => ({ ...members, validityInfo: null }) }],
  ['without validUntil', withTimes({ validUntil: undefined })],
  ['with a time without its tag', withTimes({ validUntil: '2030-01-01T00:00:00Z' })],
  ['with a time under another tag', withTimes({ validUntil: new Tagged(1, NOW + 1000) })],
  ['with a time without a zone', withTimes({ validUntil: new Tagged(0, '2030-01-01T00:00:00') })],
  ['with an hour that does not exist', withTimes({ validUntil: new Tagged(0, '2030-01-01T24:00:00Z') })],
  ['with a day that does not exist', withTimes({ validUntil: new Tagged(0, '2030-02-30T00:00:00Z') })],
  ['of version 2.0', { mso: (members) => ({ ...members, version: '2.0' }) }],
  [
    'with a docType that contains control characters',
    { mso: (members) => ({ ...members, docType: 'org.iso\u001b[31m' }) },
  ],
  ['without docType', { mso: (members) => ({ ...members, docType: null }) }],
  ['without digests', { mso: (members) => ({ ...members, valueDigests: null }) }],
  ['without deviceKeyInfo', { mso: (members) => ({ ...members, deviceKeyInfo: null }) }],
  ['with an unknown status mechanism', { mso: (members) => ({ ...members, status: { other: 1 } }) }],
  ['with a status that is null', { mso: (members) => ({ ...members, status: null }) }],
  ['with a negative status index', withStatus({ status_list: { idx: -1, uri: 'https://a.example' } })],
  ['with a fractional status index', withStatus({ status_list: { idx: 1.5, uri: 'https://a.example' } })],
  ['with a status index that is text', withStatus({ status_list: { idx: '1', uri: 'https://a.example' } })],
  [
    'with a status index of 2^53',
    withStatus({ status_list: { idx: new Raw(Buffer.from('1b0020000000000000', 'hex')), uri: 'u' } }),
  ],
  ['with a status without an address', withStatus({ status_list: { idx: 1 } })],
  ['with a status identifier that is a number', withStatus({ identifier_list: { id: 1, uri: 'https://a.example' } })],
]
for (const [title, plan] of malformed) {
  test(`rejects a security object ${title}`, () => rejects(plan, 'well_formed', 'credential_invalid'))
}

test('returns every status reference, and the CRL of the signer', () => {
  const lists = {
    status_list: { idx: 4, uri: 'https://a.example/1' },
    identifier_list: { id: Buffer.of(7), uri: 'https://a.example/2' },
  }
  const { status } = accepts(withStatus(lists))
  assert.deepEqual(
    status.map(({ kind, source }) => [kind, source.kind, source.uri]),
    [
      ['list', 'status_list_cwt', 'https://a.example/1'],
      ['identifier', 'identifier_list_cwt', 'https://a.example/2'],
      ['crl', 'crl', 'https://iaca.example/crl'],
    ],
  )
})

test('does not ignore a revocation list that the signer names but that cannot be used', () => {
  const unusable = mintSigner(iaca, {
    extensions: [extension.keyUsage(keyUsage.digitalSignature), extension.crlAt('ldap://a')],
  })
  const { status } = accepts({ signer: unusable }, { trust: { anchors: [{ ...anchor, profile: 'generic' }] } })
  assert.deepEqual(
    status.map(({ source }) => source.uri),
    [''],
  )
})

function withTimes(changes: Record<string, unknown>): MdocPlan {
  const times = { signed: date(NOW - 3600), validFrom: date(NOW - 3600), validUntil: date(NOW + 86_400), ...changes }
  const present = Object.fromEntries(Object.entries(times).filter(([, value]) => value !== undefined))
  return { mso: (members) => ({ ...members, validityInfo: present }) }
}

function withStatus(status: unknown): MdocPlan {
  return { mso: (members) => ({ ...members, status }) }
}
