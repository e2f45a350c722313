// Tests the requirements of ISO/IEC 18013-5 Annex B.1.4 for a document signer under an IACA.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainCache } from '../../src/trust/cache.ts'
import { type ChainAnswer, judgeChain } from '../../src/trust/chain.ts'
import { bytes, extension, extensionOf, keyUsage, type Minted, oids, sequence, tlv } from './mint-certificate.ts'
import { type ExtensionPlan, mintAuthority, mintDocumentSigner, mintIaca, NOW } from './mint-pki.ts'

const MDL = 'org.iso.18013.5.1.mDL'
const iaca = mintIaca()

test('trusts a document signer of the profile directly under its IACA', () => {
  assert.equal(judge([mintDocumentSigner(iaca)], iaca).outcome, 'trusted')
})

test('checks signers of status lists by the generic profile', () => {
  const plain = mintDocumentSigner(iaca, { purposes: null, issuerAltName: null, crl: null })
  assert.equal(judge([plain], iaca, { use: 'status' }).outcome, 'trusted')
})

const spoiled: [string, ExtensionPlan, RegExp][] = [
  ['no extended key usage', { purposes: null }, /extended key usage/],
  ['an extended key usage that is not critical', { purposes: extension.purposes([oids.mdlSigner], false) }, /extended/],
  ['the extended key usage of TLS servers', { purposes: extension.purposes([oids.serverAuth]) }, /another purpose/],
  ['the extended key usage of readers', { purposes: extension.purposes([oids.readerAuth]) }, /another purpose/],
  ['the purpose of other documents', { purposes: extension.purposes([oids.mdocSigner]) }, /extended key usage/],
  ['no key usage', { keyUsage: null }, /key usage/],
  ['a key usage that is not critical', { keyUsage: extension.keyUsage(keyUsage.digitalSignature, false) }, /key usage/],
  ['a second key usage', { keyUsage: extension.keyUsage('06c0') }, /key usage/],
  ['no authority key identifier', { authorityKeyId: null }, /key identifier/],
  ['no subject key identifier', { subjectKeyId: null }, /key identifier/],
  ['no contact', { issuerAltName: null }, /contact/],
  ['a malformed contact', { issuerAltName: extensionOf('551d12', false, bytes('3003020101')) }, /contact/],
  ['no revocation list', { crl: null }, /revocation list/],
  ['a revocation list of another issuer', { crl: foreignCrl() }, /revocation list/],
  ['a freshest CRL', { freshest: extensionOf('551d2e', false, sequence()) }, /forbids/],
  ['policy mappings', { mappings: extensionOf('551d21', false, sequence()) }, /forbids/],
]
for (const [title, changes, reason] of spoiled) {
  test(`refuses a document signer with ${title}`, () => {
    refuses(judge([mintDocumentSigner(iaca, changes)], iaca), reason)
  })
}

test('accepts the purpose of other documents for those documents', () => {
  const signer = mintDocumentSigner(iaca, { purposes: extension.purposes([oids.mdocSigner]) })
  assert.equal(judge([signer], iaca, { type: 'eu.europa.ec.eudi.pid.1' }).outcome, 'trusted')
})

const names: [string, Record<string, string>, RegExp][] = [
  ['another country', { CN: 'Signer', C: 'UX', ST: 'UT-A' }, /different countries/],
  ['no country', { CN: 'Signer', ST: 'UT-A' }, /one country/],
  ['a country in small letters', { CN: 'Signer', C: 'ut', ST: 'UT-A' }, /one country/],
  ['another state', { CN: 'Signer', C: 'UT', ST: 'UT-B' }, /different states/],
  ['no state although its IACA has one', { CN: 'Signer', C: 'UT' }, /different states/],
]
for (const [title, subject, reason] of names) {
  test(`refuses a document signer with ${title}`, () => {
    refuses(judge([mintDocumentSigner(iaca, {}, { subject })], iaca), reason)
  })
}

const authorities: [string, ExtensionPlan, RegExp][] = [
  ['without a path length', { authority: extension.authority() }, /limit/],
  ['with a path length of one', { authority: extension.authority(1) }, /limit/],
  ['that is not an authority', { authority: extension.noAuthority() }, /./],
  ['without key usage', { keyUsage: null }, /key usage of the IACA/],
  ['without a key identifier', { subjectKeyId: null }, /key identifier/],
]
for (const [title, changes, reason] of authorities) {
  test(`refuses an IACA ${title}`, () => {
    const other = mintIaca(changes)
    refuses(judge([mintDocumentSigner(other)], other), reason)
  })
}

test('refuses the IACA itself as a document signer', () => refuses(judge([iaca], iaca), /./))

test('refuses a document signer below an intermediate, whatever the IACA allows', () => {
  const top = mintIaca({ authority: extension.authority(1) })
  const middle = mintAuthority({ subject: { CN: 'Middle', C: 'UT', ST: 'UT-A' } }, top)
  refuses(judge([mintDocumentSigner(middle), middle], top), /./)
})

function foreignCrl(): Uint8Array {
  const address = tlv(0xa0, tlv(0xa0, tlv(0x86, Buffer.from('https://iaca.example/crl'))))
  return extensionOf('551d1f', false, sequence(sequence(address, tlv(0xa2, tlv(0x82, Buffer.from('other'))))))
}

function judge(
  chain: readonly Minted[],
  anchor: Minted,
  { type = MDL, use = 'credential' }: { type?: string; use?: 'credential' | 'status' } = {},
): ChainAnswer {
  const anchors = [{ kind: 'ca', certificate: anchor.der, types: ['mso_mdoc:*'], profile: 'iso-mdl' }] as const
  const question = { chain: chain.map(({ der }) => der), format: 'mso_mdoc', type, at: NOW, use } as const
  return judgeChain(question, { anchors, cache: createChainCache(10), haip: true })
}

function refuses(answer: ChainAnswer, reason: RegExp): void {
  assert.ok(answer.outcome === 'untrusted')
  assert.match(answer.detail, reason)
}
