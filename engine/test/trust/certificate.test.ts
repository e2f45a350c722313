// Tests the certificate parser: strict where readers could differ, lenient where real signers break rules.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { MalformedCertificate, parseCertificate } from '../../src/trust/certificate.ts'
import { elementAt, MalformedDer, readOid, readTime, rootElement } from '../../src/trust/der.ts'
import { issuerOf, nameAttributes } from '../../src/trust/names.ts'
import {
  bytes,
  type CertificatePlan,
  extension,
  extensionOf,
  mintCertificate,
  oid,
  sequence,
  tlv,
} from './mint-certificate.ts'

const authority = mintCertificate()

const refused: [string, CertificatePlan][] = [
  ['of version 1', { version: bytes('a003020100') }],
  ['whose two signature algorithms differ', { innerAlgorithm: sequence(oid('2a8648ce3d040303')) }],
  ['signed with SHA-1', { innerAlgorithm: sequence(oid('2a8648ce3d0401')) }],
  ['without a serial number', { serial: bytes('') }],
  ['with a serial number of 65 octets', { serial: bytes(`01${'00'.repeat(64)}`) }],
  ['with a padded serial number', { serial: bytes('0001') }],
  ['with an empty issuer', { issuer: sequence() }],
  ['with a key on a curve we do not use', { key: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }) }],
  ['with a short RSA key', { key: generateKeyPairSync('rsa', { modulusLength: 1024 }) }],
  ['that ends on the thirtieth of February', { notAfter: '20300230000000Z' }],
  ['with fractions of a second', { notAfter: '20300201000000.5Z' }],
  ['with a path length but no authority', { extensions: [extensionOf('551d13', true, sequence(bytes('020100')))] }],
  ['with an empty extended key usage', { extensions: [extension.purposes([])] }],
]
for (const [title, plan] of refused) {
  test(`refuses to read a certificate ${title}`, () => {
    const { der } = mintCertificate(plan, authority)
    assert.throws(() => parseCertificate(der), MalformedCertificate)
  })
}

test('accepts serial numbers of real signers that break the rules', () => {
  for (const hex of ['00', '80', '7f'.repeat(32)]) {
    assert.deepEqual(Buffer.from(parseCertificate(mintCertificate({ serial: bytes(hex) }).der).serial), bytes(hex))
  }
})

test('refuses every truncation of a certificate and every byte after it', () => {
  const { der } = mintCertificate({ extensions: [extension.authority(0)] })
  for (let length = 0; length < der.length; length++) {
    assert.throws(() => parseCertificate(der.subarray(0, length)), MalformedCertificate)
  }
  assert.throws(() => parseCertificate(Buffer.concat([der, bytes('00')])), MalformedCertificate)
})

test('a certificate with one changed byte is read, or refused as malformed', () => {
  const { der } = mintCertificate({ extensions: [extension.authority(0), extension.crlAt('https://a.example/crl')] })
  for (let index = 0; index < der.length; index++) {
    for (const change of [0x01, 0x80, 0xff]) {
      const spoiled = Uint8Array.from(der)
      spoiled[index] = (spoiled[index] ?? 0) ^ change
      try {
        issuerOf(parseCertificate(spoiled).subjectNames)
      } catch (error) {
        assert.ok(error instanceof MalformedCertificate)
      }
    }
  }
})

test('refuses a certificate larger than any real one', () => {
  const huge = mintCertificate({ extensions: [extensionOf('2a0304', false, Buffer.alloc(40_000))] })
  assert.throws(() => parseCertificate(huge.der), MalformedCertificate)
})

test('a parsed certificate shares no memory with the message that it was read from', () => {
  const { der } = mintCertificate()
  const message = Buffer.concat([der, Buffer.alloc(1000)])
  const certificate = parseCertificate(message.subarray(0, der.length))
  message.fill(0)
  assert.deepEqual(Buffer.from(certificate.der), der)
})

test('reads lengths in their shortest definite form only', () => {
  for (const hex of ['3080', '308100', '30817f', '30820001', '3085010000000000', '3f00', '30', '300100ff', '']) {
    assert.throws(() => rootElement(bytes(hex), 0x30), MalformedDer, hex)
  }
  assert.deepEqual(elementAt(bytes('0401aa'), 0, 3), { tag: 4, header: 0, start: 2, end: 3 })
})

test('reads object identifiers exactly', () => {
  const read = (hex: string) => readOid(oid(hex), rootElement(oid(hex), 0x06))
  assert.equal(read('28818c5d050102'), '1.0.18013.5.1.2')
  assert.equal(read('551d0f'), '2.5.29.15')
  assert.equal(read('883703'), '2.999.3')
  for (const hex of ['', '80', '2a80', '2a8001', `2a${'ff'.repeat(9)}7f`])
    assert.throws(() => read(hex), MalformedDer, hex)
})

test('reads both forms of time, and the century of two-digit years', () => {
  const read = (tag: number, text: string) => {
    const der = tlv(tag, Buffer.from(text))
    return readTime(der, rootElement(der, tag))
  }
  assert.equal(read(0x17, '500101000000Z'), Date.UTC(1950, 0, 1) / 1000)
  assert.equal(read(0x17, '491231235959Z'), Date.UTC(2049, 11, 31, 23, 59, 59) / 1000)
  assert.equal(read(0x18, '20500101000000Z'), Date.UTC(2050, 0, 1) / 1000)
  for (const text of ['20500101000000', '2050010100000Z', '20501301000000Z', '20500101250000Z', '20500101000060Z']) {
    assert.throws(() => read(0x18, text), MalformedDer, text)
  }
  assert.throws(() => read(0x17, '2601010000Z'), MalformedDer)
})

test('a malformed alternative name or distribution point is ignored, and the certificate stays valid', () => {
  const certificate = parseCertificate(
    mintCertificate({
      extensions: [extensionOf('551d11', false, bytes('0500')), extensionOf('551d1f', false, bytes('3001ff'))],
    }).der,
  )
  assert.equal(certificate.subjectAltNames, null)
  assert.equal(certificate.issuerAltNames, null)
  assert.equal(certificate.crlAddresses, null)
  assert.deepEqual(parseCertificate(mintCertificate().der).crlAddresses, [])
})

test('returns alternative names by kind', () => {
  const names = sequence(tlv(0x82, Buffer.from('issuer.example')), tlv(0x86, Buffer.from('https://issuer.example/a')))
  const certificate = parseCertificate(mintCertificate({ extensions: [extensionOf('551d11', false, names)] }).der)
  assert.deepEqual(certificate.subjectAltNames, {
    dns: ['issuer.example'],
    uris: ['https://issuer.example/a'],
    emails: [],
  })
})

test('an unreadable name is ignored', () => {
  assert.equal(nameAttributes(bytes('3003310101')), null)
  assert.deepEqual(issuerOf(nameAttributes(bytes('3003310101'))), {})
  for (const control of ['\n', '\u0000', '\u007f', '\u0085', '\u202e', '\u2066', '\u200b', '\u2028', '\u00ad']) {
    const subject = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(`a${control}b`)))))
    assert.deepEqual(issuerOf(nameAttributes(subject)), {})
  }
  const wide = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x1e, bytes('004100fc')))))
  assert.deepEqual(issuerOf(nameAttributes(wide)), { common_name: 'Aü' })
  const invalidUtf8 = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, bytes('ff')))))
  assert.deepEqual(issuerOf(nameAttributes(invalidUtf8)), {})
})
