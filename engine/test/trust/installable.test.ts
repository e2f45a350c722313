// Tests that an anchor that could never vouch for a credential is refused when it is installed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anchorFault } from '../../src/trust/installable.ts'
import { bytes, extension, extensionOf, keyUsage, type Minted, sequence } from './mint-certificate.ts'
import { mintAuthority, mintIaca, mintSigner } from './mint-pki.ts'

const loose = extensionOf('551d13', false, sequence(bytes('0101ff')))
const withExtensions = (...extensions: readonly Uint8Array[]): Minted => mintAuthority({ extensions })

const GENERIC: readonly [string, Minted, RegExp | null][] = [
  ['an authority', mintAuthority(), null],
  ['one whose constraints are not critical', withExtensions(loose, extension.keyUsage(keyUsage.authority)), null],
  ['one that does not say what its key is for', withExtensions(extension.authority()), null],
  ['no authority', mintSigner(mintAuthority()), /not a certification authority/],
  [
    'one that may not sign certificates',
    withExtensions(extension.authority(), extension.keyUsage(keyUsage.crlOnly)),
    /may not sign/,
  ],
  [
    'one with name constraints',
    withExtensions(extension.authority(), extensionOf('551d1e', false, sequence())),
    /constraints/,
  ],
  [
    'one with an unknown critical extension',
    withExtensions(extension.authority(), extensionOf('2a0304', true, bytes('0500'))),
    /critical/,
  ],
]
for (const [title, { der }, fault] of GENERIC) {
  test(`generic: ${title} ${fault === null ? 'can be' : 'cannot be'} an anchor`, () => {
    const found = anchorFault({ kind: 'ca', certificate: der, profile: 'generic' })
    if (fault === null) assert.equal(found, null)
    else assert.match(found ?? '', fault)
  })
}

const IACAS: readonly [string, Minted, RegExp | null][] = [
  ['an IACA', mintIaca(), null],
  [
    'one whose constraints are not critical',
    mintIaca({ authority: extensionOf('551d13', false, sequence(bytes('0101ff'), bytes('020100'))) }),
    /critical/,
  ],
  ['one without a path length', mintIaca({ authority: extension.authority() }), /limit its paths/],
  ['one without a key identifier', mintIaca({ subjectKeyId: null }), /key identifier/],
  ['one without a country', mintIaca({}, { subject: { CN: 'Nowhere' } }), /country/],
  ['one with a country in lower case', mintIaca({}, { subject: { CN: 'Nowhere', C: 'ut' } }), /country/],
  ['one with policy mappings', mintIaca({ mappings: extensionOf('551d21', false, sequence()) }), /forbids/],
]
for (const [title, { der }, fault] of IACAS) {
  test(`iso-mdl: ${title} ${fault === null ? 'can be' : 'cannot be'} an anchor`, () => {
    const found = anchorFault({ kind: 'ca', certificate: der, profile: 'iso-mdl' })
    if (fault === null) assert.equal(found, null)
    else assert.match(found ?? '', fault)
  })
}

test('a pinned certificate must be one that may sign data', () => {
  const pin = (bits: string) => {
    const { der } = mintSigner(mintAuthority(), { extensions: [extension.keyUsage(bits)] })
    return anchorFault({ kind: 'pinned', certificate: der, profile: 'generic' })
  }
  assert.equal(pin(keyUsage.digitalSignature), null)
  assert.match(pin(keyUsage.keyAgreement) ?? '', /may not sign data/)
})

test('an unreadable certificate is not an anchor', () => {
  assert.match(anchorFault({ kind: 'ca', certificate: Buffer.of(1, 2, 3), profile: 'generic' }) ?? '', /DER/)
})

test('any readable certificate can be an exact anchor', () => {
  const signer = mintSigner(mintAuthority())
  assert.equal(anchorFault({ kind: 'exact', certificate: signer.der, profile: 'generic' }), null)
  assert.notEqual(anchorFault({ kind: 'exact', certificate: bytes('3000'), profile: 'generic' }), null)
})
