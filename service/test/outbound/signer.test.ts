// Access certificates as OpenSSL and the engine see them.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto'
import test from 'node:test'
import { clientIdOf, requestChainFault } from '@vidimus/engine'
import { issueAuthority, issueLeaf, newSigningKey, signingRequest } from '../../src/outbound/signer/certificate.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const NOW = Date.UTC(2027, 5, 15, 12)
const PERIOD = { notBeforeMs: NOW - 1000, notAfterMs: NOW + 1_000_000 }
const AUTHORITY = { commonName: 'Authority Ä', organization: 'Vidimus' }
const authority = { subject: AUTHORITY, ...issueAuthority(AUTHORITY, PERIOD, random) }
const leafFor = (host: string) => issueLeaf(authority, { subject: { commonName: host }, host, period: PERIOD }, random)

test('a leaf is issued by its authority, names its host and may sign requests', () => {
  const leaf = leafFor('verify.example.com')
  const [certificate, above] = [new X509Certificate(leaf.certificate), new X509Certificate(authority.certificate)]
  assert.ok(certificate.checkIssued(above) && certificate.verify(above.publicKey) && above.ca && !certificate.ca)
  assert.equal(certificate.subjectAltName, 'DNS:verify.example.com')
  assert.equal(requestChainFault([leaf.certificate], leaf.privateKey, NOW / 1000), null)
  assert.equal(clientIdOf(leaf.certificate, 'x509_san_dns', 'verify.example.com'), 'x509_san_dns:verify.example.com')
  assert.equal(certificate.validFromDate.getTime(), NOW - 1000)
})

test('an address stands as an address', () => {
  assert.equal(new X509Certificate(leafFor('127.0.0.1').certificate).subjectAltName, 'IP Address:127.0.0.1')
  assert.equal(new X509Certificate(leafFor('::1').certificate).subjectAltName, 'IP Address:0:0:0:0:0:0:0:1')
})

test('years from 2050 on are written in full', () => {
  const period = { notBeforeMs: NOW, notAfterMs: Date.UTC(2050, 0, 1) }
  const made = issueAuthority(AUTHORITY, period, random)
  assert.equal(new X509Certificate(made.certificate).validToDate.getTime(), Date.UTC(2050, 0, 1))
})

test('OpenSSL verifies the chain and the signing request', () => {
  const { privateKey } = newSigningKey()
  const request = signingRequest(privateKey, { commonName: 'Merchant', country: 'DE' }, 'verify.example.com')
  const said = execFileSync('openssl', ['req', '-inform', 'DER', '-verify', '-noout', '-text'], {
    input: Buffer.from(request),
    stdio: ['pipe', 'pipe', 'pipe'],
  }).toString()
  assert.match(said, /DNS:verify\.example\.com/)
  assert.match(said, /C\s*=\s*DE/)
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  assert.ok(Buffer.from(request).includes(spki))
})

test('a key that does not belong to the certificate is found', () => {
  const leaf = leafFor('verify.example.com')
  assert.match(String(requestChainFault([leaf.certificate], newSigningKey().privateKey, NOW / 1000)), /private key/)
})
