// Tests that `iss` must not contradict the certificate, in any spelling.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { extension, extensionOf, keyUsage, sequence, tlv } from '../trust/mint-certificate.ts'
import { mintSigner } from '../trust/mint-pki.ts'
import { authority, base64, examine, failedChecks, mintPresentation } from './mint-presentation.ts'

const names = sequence(
  tlv(0x82, Buffer.from('small-issuer.example')),
  tlv(0x86, Buffer.from('https://small-issuer.other/tenant/1')),
)
const named = mintSigner(authority, {
  extensions: [
    extension.noAuthority(),
    extension.keyUsage(keyUsage.digitalSignature),
    extensionOf('551d11', false, names),
  ],
})

function failures(iss: unknown, signWith = named.privateKey): readonly string[] {
  const presented = mintPresentation({
    header: (header) => ({ ...header, x5c: [base64(named.der)] }),
    signWith,
    payload: (payload) => ({ ...payload, iss }),
  })
  return failedChecks(examine(presented))
}

for (const iss of [
  'https://small-issuer.example',
  'https://SMALL-issuer.example:8443/path',
  'HTTPS://small-issuer.example',
  'http://small-issuer.example',
  'https://small-issuer.other/tenant/1',
  'did:example:123',
  'urn:example:issuer',
  'Small Issuer',
  'Kleiner Aussteller für Österreich',
]) {
  test(`accepts ${iss}`, () => assert.deepEqual(failures(iss), []))
}

for (const iss of [
  'https://bank.example',
  'HTTPS://bank.example',
  'hTTps://bank.example',
  'http://bank.example',
  ' https://bank.example',
  'https:bank.example',
  'https:\\\\bank.example',
  'https://',
  'http://[bank',
  'https://small-issuer.other/tenant/2',
  'https://bank.example@small-issuer.example',
  'https://bank.example:x@small-issuer.example/',
  'https://small-issuer.example@bank.example',
  'https://sub.small-issuer.example',
  'https://small-issuer.example.',
  // A name beyond ASCII is refused, even if a URL parser would turn it into ASCII.
  'https://ｓmall-issuer.example',
  'https://small-issuer.example/ü',
  'ftp://㌖㌖㌖',
  'h\nttps://bank.example',
  '\u0001https://bank.example',
  7,
  null,
]) {
  test(`refuses ${JSON.stringify(iss)}`, () => assert.deepEqual(failures(iss), ['issuer_trusted']))
}

test('accepts a name of the length of the longest address, and not one character more', () => {
  assert.deepEqual(failures(`did:${'a'.repeat(2044)}`), [])
  assert.deepEqual(failures(`did:${'a'.repeat(2045)}`), ['issuer_trusted'])
})

test('reads the name only after the signature was verified', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  for (const iss of ['https://bank.example', `https://${'㌖'.repeat(5_000)}`])
    assert.deepEqual(failures(iss, privateKey), ['issuer_signature_valid'])
})
