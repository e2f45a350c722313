// Tests that a certificate that wallets would refuse for its intended use is refused when it is installed.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { type SigningPurpose, signingPurposeFault } from '../../src/trust/purposes.ts'
import {
  bytes,
  type CertificatePlan,
  extension,
  extensionOf,
  keyUsage,
  mintCertificate,
  oids,
  tlv,
} from './mint-certificate.ts'
import { mintAuthority } from './mint-pki.ts'

const authority = mintAuthority()
const signs = extension.keyUsage(keyUsage.digitalSignature)
const reads = extension.purposes([oids.readerAuth])
const METADATA_HASH = '2b06010401d6790a01'
const hashed = extensionOf(METADATA_HASH, false, tlv(0x04, new Uint8Array(32)))

function leaf(
  extensions: readonly Uint8Array[],
  key: NonNullable<CertificatePlan['key']> = onCurve('P-256'),
): Uint8Array {
  return mintCertificate({ subject: { CN: 'Invented Shop' }, extensions, key }, authority).der
}
function onCurve(namedCurve: string) {
  return generateKeyPairSync('ec', { namedCurve })
}

const READER: readonly [string, Uint8Array, RegExp | null][] = [
  ['one for reader authentication', leaf([signs, reads]), null],
  ['one on P-384', leaf([signs, reads], onCurve('P-384')), null],
  ['one on P-521', leaf([signs, reads], onCurve('P-521')), null],
  ['one that also has another purpose', leaf([signs, extension.purposes([oids.serverAuth, oids.readerAuth])]), null],
  ['one without extended key usage', leaf([signs]), /lacks the extended key usage 1\.0\.18013\.5\.1\.6/],
  ['one for another purpose', leaf([signs, extension.purposes([oids.mdlSigner])]), /lacks the extended key usage/],
  [
    'one whose purpose is not critical',
    leaf([signs, extension.purposes([oids.readerAuth], false)]),
    /must be critical/,
  ],
  ['one without key usage', leaf([reads]), /lacks the key usage digitalSignature/],
  ['one with another key usage', leaf([extension.keyUsage(keyUsage.keyAgreement), reads]), /lacks the key usage/],
  ['one with Ed25519', leaf([signs, reads], generateKeyPairSync('ed25519')), /P-256, P-384 or P-521/],
  ['one with RSA', leaf([signs, reads], generateKeyPairSync('rsa', { modulusLength: 2048 })), /P-256, P-384 or P-521/],
  ['an authority', leaf([extension.authority(), signs, reads]), /certification authority/],
  ['no certificate', bytes('3000'), /not valid DER/],
]

const GOOGLE: readonly [string, Uint8Array, RegExp | null][] = [
  ['one with the hash of its metadata', leaf([signs, hashed]), null],
  ['one whose hash is not wrapped in DER', leaf([signs, extensionOf(METADATA_HASH, false, new Uint8Array(32))]), null],
  ['one on P-384', leaf([signs, hashed], onCurve('P-384')), /must be on P-256/],
  ['one without the hash', leaf([signs, reads]), /lacks the extension 1\.3\.6\.1\.4\.1\.11129\.10\.1/],
  [
    'one whose hash is critical',
    leaf([signs, extensionOf(METADATA_HASH, true, tlv(0x04, new Uint8Array(32)))]),
    /not be critical/,
  ],
  [
    'one whose hash is of another length',
    leaf([signs, extensionOf(METADATA_HASH, false, tlv(0x04, new Uint8Array(20)))]),
    /SHA-256/,
  ],
  [
    'one whose hash is something else',
    leaf([signs, extensionOf(METADATA_HASH, false, tlv(0x0c, new Uint8Array(32)))]),
    /SHA-256/,
  ],
  ['one without key usage', leaf([hashed]), /lacks the key usage digitalSignature/],
  ['an authority', leaf([extension.authority(), signs, hashed]), /certification authority/],
]

const CASES: readonly [SigningPurpose, typeof READER][] = [
  ['iso-reader', READER],
  ['apple', READER],
  ['google', GOOGLE],
]
for (const [purpose, cases] of CASES) {
  for (const [title, der, fault] of cases) {
    test(`${purpose}: ${title} ${fault === null ? 'may' : 'may not'} sign`, () => {
      const found = signingPurposeFault(der, purpose)
      if (fault === null) assert.equal(found, null)
      else assert.match(found ?? '', fault)
    })
  }
}

test('openid4vp: requires only a key that can sign, because ecosystems have their own profiles', () => {
  assert.equal(signingPurposeFault(leaf([]), 'openid4vp'), null)
  assert.equal(signingPurposeFault(leaf([], generateKeyPairSync('ed25519')), 'openid4vp'), null)
  const rsa = leaf([], generateKeyPairSync('rsa', { modulusLength: 2048 }))
  assert.match(signingPurposeFault(rsa, 'openid4vp') ?? '', /another kind/)
})
