// Tests access certificates as OpenSSL and the engine read them.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto'
import test from 'node:test'
import { clientIdOf, requestChainFault, signingPurposeFault } from '@vidimus/engine'
import type { CertificatePurpose, GeneratedPurpose } from '../../src/features/trust/domain/certificate.ts'
import {
  issueAuthority,
  issueLeaf,
  newSigningKey,
  signingRequest,
} from '../../src/features/trust/outbound/certificate.ts'
import { localKey } from '../../src/platform/keys/signing-key.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const NOW = Date.UTC(2027, 5, 15, 12)
const PERIOD = { notBeforeMs: NOW - 1000, notAfterMs: NOW + 1_000_000 }
const AUTHORITY = { commonName: 'Authority Ä', organization: 'Vidimus' }
const authority = { subject: AUTHORITY, ...issueAuthority(AUTHORITY, PERIOD, random) }
const leafFor = (host: string, purpose: GeneratedPurpose = 'openid4vp') =>
  issueLeaf(authority, { subject: { commonName: host }, host, purpose, period: PERIOD }, random)

test('a leaf is issued by its authority, names its host and may sign requests', () => {
  const leaf = leafFor('verify.example.com')
  const [certificate, above] = [new X509Certificate(leaf.certificate), new X509Certificate(authority.certificate)]
  assert.ok(certificate.checkIssued(above) && certificate.verify(above.publicKey) && above.ca && !certificate.ca)
  assert.equal(certificate.subjectAltName, 'DNS:verify.example.com')
  assert.equal(requestChainFault([leaf.certificate], createPublicKey(leaf.privateKey), NOW / 1000), null)
  assert.equal(clientIdOf(leaf.certificate, 'x509_san_dns', 'verify.example.com'), 'x509_san_dns:verify.example.com')
  assert.equal(certificate.validFromDate.getTime(), NOW - 1000)
})

test('writes an address as an address', () => {
  assert.equal(new X509Certificate(leafFor('127.0.0.1').certificate).subjectAltName, 'IP Address:127.0.0.1')
  assert.equal(new X509Certificate(leafFor('::1').certificate).subjectAltName, 'IP Address:0:0:0:0:0:0:0:1')
})

test('years from 2050 on are written in full', () => {
  const period = { notBeforeMs: NOW, notAfterMs: Date.UTC(2050, 0, 1) }
  const authority = issueAuthority(AUTHORITY, period, random)
  assert.equal(new X509Certificate(authority.certificate).validToDate.getTime(), Date.UTC(2050, 0, 1))
})

test('OpenSSL verifies the chain and the signing request', async () => {
  const { privateKey } = newSigningKey()
  const subject = { commonName: 'Merchant', country: 'DE', organizationIdentifier: 'NTRDE-7' }
  const serviceUri = 'https://register.example/wrp/VATDE-1/services/shop'
  const host = 'verify.example.com'
  const request = await signingRequest(localKey(privateKey), { subject, host, purpose: 'openid4vp', serviceUri })
  const output = asOpenSslReads(request)
  assert.match(output, /URI:https:\/\/register\.example\/wrp\/VATDE-1\/services\/shop/)
  assert.match(output, /organizationIdentifier\s*=\s*NTRDE-7/)
  assert.match(output, /DNS:verify\.example\.com/)
  assert.match(output, /C\s*=\s*DE/)
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  assert.ok(Buffer.from(request).includes(spki))
})

test('a signing request has what its use requires, and for Apple and Google nothing more', async () => {
  const { privateKey } = newSigningKey()
  const subject = {
    commonName: 'shop.example.com',
    organization: 'Example GmbH',
    organizationalUnit: 'Shop',
    country: 'DE',
    state: 'Bayern',
    locality: 'München',
    email: 'certificates@example.com',
  }
  const ask = async (purpose: CertificatePurpose) =>
    asOpenSslReads(await signingRequest(localKey(privateKey), { subject, host: 'verify.example.com', purpose }))
  const reader = await ask('iso-reader')
  assert.match(reader, /X509v3 Key Usage: critical\s+Digital Signature/)
  assert.match(reader, /X509v3 Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.6/)
  assert.doesNotMatch(reader, /verify\.example\.com/)
  for (const purpose of ['apple', 'google'] as const) {
    const result = await ask(purpose)
    assert.doesNotMatch(result, /X509v3|verify\.example\.com/)
    const named = /Subject: (.*)/.exec(result)?.[1]?.replaceAll(' ', '')
    assert.equal(
      named,
      String.raw`C=DE,ST=Bayern,L=M\C3\BCnchen,O=ExampleGmbH,OU=Shop,CN=shop.example.com,emailAddress=certificates@example.com`,
    )
  }
})

test('a generated reader certificate may only authenticate a reader; a generated access certificate may not', () => {
  const reader = leafFor('verify.example.com', 'iso-reader')
  assert.equal(requestChainFault([reader.certificate], createPublicKey(reader.privateKey), NOW / 1000), null)
  assert.equal(signingPurposeFault(reader.certificate, 'iso-reader'), null)
  assert.deepEqual(new X509Certificate(reader.certificate).keyUsage, ['1.0.18013.5.1.6'])
  assert.match(
    String(signingPurposeFault(leafFor('verify.example.com').certificate, 'iso-reader')),
    /extended key usage/,
  )
})

function asOpenSslReads(request: Uint8Array): string {
  return execFileSync('openssl', ['req', '-inform', 'DER', '-verify', '-noout', '-text'], {
    input: Buffer.from(request),
    stdio: ['pipe', 'pipe', 'pipe'],
  }).toString()
}

test('a key that does not belong to the certificate is detected', () => {
  const leaf = leafFor('verify.example.com')
  assert.match(
    String(requestChainFault([leaf.certificate], createPublicKey(newSigningKey().privateKey), NOW / 1000)),
    /private key/,
  )
})
