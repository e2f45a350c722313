// Tests which records of a handshake OpenSSL gets to read, and which certificates it verifies.

import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import {
  bits,
  type Der,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  sequence,
  truth,
} from '../../../src/features/trust/outbound/der.ts'
import { certificatesFault } from '../../../src/platform/egress/certificate-cost.ts'
import { createHandshake } from '../../../src/platform/egress/handshake.ts'
import { certificate, makeCostlyChain } from './costly-chain.ts'

const length = (bytes: number, value: number) => {
  const written = Buffer.alloc(bytes)
  written.writeUIntBE(value, 0, bytes)
  return written
}
const prefixed = (bytes: number, content: Uint8Array) => Buffer.concat([length(bytes, content.length), content])
const message = (type: number, body: Uint8Array) => Buffer.concat([Buffer.of(type), prefixed(3, body)])
const record = (type: number, content: Uint8Array) => Buffer.concat([Buffer.of(type, 3, 3), prefixed(2, content)])
const listOf = (...certificates: Uint8Array[]) =>
  prefixed(3, Buffer.concat(certificates.map((der) => prefixed(3, der))))
const listOf13 = (...certificates: Uint8Array[]) =>
  Buffer.concat([
    Buffer.of(0),
    prefixed(3, Buffer.concat(certificates.flatMap((der) => [prefixed(3, der), Buffer.of(0, 0)]))),
  ])

const spkiOf = ({ publicKey }: { publicKey: KeyObject }) =>
  new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }))
const ec = (namedCurve: string) => certificate(0, spkiOf(generateKeyPairSync('ec', { namedCurve })))
const rsa = (modulusLength: number) => certificate(0, spkiOf(generateKeyPairSync('rsa', { modulusLength })))
/** Modulus and exponent of these lengths, all bytes 0x55. */
const madeUpRsa = (modulus: number, exponent: number) => {
  const key = sequence(...[modulus, exponent].map((bytes) => integer(new Uint8Array(bytes).fill(0x55))))
  return certificate(0, sequence(sequence(oid('1.2.840.113549.1.1.1')), bits(key)))
}
const P256 = ec('P-256')

const P256_KEY = spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const withExtension = (id: string, value: Der) =>
  certificate(0, P256_KEY, sequence(oid('2.5.29.19'), truth(), octets(sequence())), sequence(oid(id), octets(value)))
const dnsNames = (many: number, name: string) => Array.from({ length: many }, () => implicit(2, Buffer.from(name)))
const named = (many: number) => withExtension('2.5.29.17', sequence(...dnsNames(many, 'b')))
const constrained = (permitted: number, excluded: number) => {
  const trees = (many: number) => dnsNames(many, 'a').map((name) => sequence(name))
  return withExtension('2.5.29.30', sequence(explicit(0, ...trees(permitted)), explicit(1, ...trees(excluded))))
}

const verified: readonly (readonly [string, readonly Uint8Array[]])[] = [
  ['ten on P-256', Array(10).fill(P256)],
  ['four on P-521', Array(4).fill(ec('P-521'))],
  ['on P-384', [ec('P-384')]],
  ['of RSA', [rsa(2048), rsa(4096)]],
  ['of RSA with 8192 bits', [madeUpRsa(1024, 3)]],
  ['with 300 names below 100 constraints', [named(300), constrained(50, 50)]],
  ['with many names and no constraints', [named(3_000)]],
  ['with many constraints and few names', [constrained(1_000, 1_000)]],
  ['of Ed25519', [certificate(0, spkiOf(generateKeyPairSync('ed25519')))]],
]
const refused: readonly (readonly [string, readonly Uint8Array[]])[] = [
  ['eleven', Array(11).fill(P256)],
  ['five on P-521', Array(5).fill(ec('P-521'))],
  ['one on a binary curve below another', [P256, ec('sect571r1')]],
  ['on secp256k1', [ec('secp256k1')]],
  ['of RSA with a longer key', [madeUpRsa(2048, 3)]],
  ['of RSA with a long exponent', [madeUpRsa(256, 200)]],
  ['of Ed448', [certificate(0, spkiOf(generateKeyPairSync('ed448')))]],
  ['with many names below many constraints', [named(1_000), constrained(0, 200)]],
  ['with as many in several certificates', [named(400), named(600), constrained(100, 0), constrained(0, 100)]],
  ['with constraints that are not a list', [named(1), withExtension('2.5.29.30', octets(Buffer.of(1)))]],
  ['that are cut off', [P256.subarray(0, 60)]],
  ['that are not DER', [Buffer.concat([Buffer.of(0x30, 0x80), P256.subarray(4)])]],
  ['of no bytes', [new Uint8Array()]],
]
for (const [title, chain] of verified)
  test(`certificates ${title} are verified`, () => {
    assert.equal(certificatesFault(listOf(...chain), false), null)
    assert.equal(certificatesFault(listOf13(...chain), true), null)
  })
for (const [title, chain] of refused)
  test(`certificates ${title} are not verified`, () => {
    assert.equal(certificatesFault(listOf(...chain), false), 'certificates')
    assert.equal(certificatesFault(listOf13(...chain), true), 'certificates')
  })

test('a list with inconsistent lengths is refused', () => {
  for (const list of [Buffer.alloc(0), Buffer.of(0, 0), Buffer.concat([listOf(P256), Buffer.of(0)]), listOf13(P256)])
    assert.equal(certificatesFault(list, false), 'certificates')
})

const serverHello = (isTls13: boolean) => {
  const extensions = isTls13 ? Buffer.of(0, 43, 0, 2, 3, 4) : Buffer.alloc(0)
  const body = [Buffer.of(3, 3), Buffer.alloc(32), Buffer.of(0), Buffer.of(0x13, 0x01), Buffer.of(0)]
  return message(2, Buffer.concat([...body, prefixed(2, extensions)]))
}
const [HELLO_12, HELLO_13] = [serverHello(false), serverHello(true)]
const GOOD = message(11, listOf(P256))
const BAD = message(11, listOf(ec('sect571r1')))
const FINISHED = message(20, Buffer.alloc(12))
const CHANGE_CIPHER = record(20, Buffer.of(1))
const SECRET = `SERVER_HANDSHAKE_TRAFFIC_SECRET 00 ${'11'.repeat(32)}`
const plain = (...messages: Uint8Array[]) => record(22, Buffer.concat(messages))

/** Returns the decision on the last of these records, after the records before it passed. */
function lastOf(records: readonly Uint8Array[], secret?: string) {
  const handshake = createHandshake()
  for (const one of records.slice(0, -1)) assert.equal(handshake.check(one), null)
  if (secret !== undefined) handshake.noteSecret(secret)
  return handshake.check(records.at(-1) ?? Buffer.alloc(0))
}

test('certificates of TLS 1.2 are found in any division into records', () => {
  assert.equal(lastOf([plain(HELLO_12, GOOD)]), null)
  assert.equal(lastOf([plain(HELLO_12, BAD)]), 'certificates')
  assert.equal(lastOf([plain(HELLO_12), plain(BAD)]), 'certificates')
  const [first, second] = [BAD.subarray(0, 3), BAD.subarray(3)]
  assert.equal(lastOf([plain(HELLO_12, first), plain(second)]), 'certificates', 'the header in two records')
  const parts = [...BAD].map((byte) => plain(Buffer.of(byte)))
  assert.equal(lastOf([plain(HELLO_12), ...parts]), 'certificates', 'one byte in a record')
})

test('the check for certificates does not end before they have arrived', () => {
  assert.equal(lastOf([CHANGE_CIPHER]), 'handshake')
  assert.equal(lastOf([plain(HELLO_12), CHANGE_CIPHER]), 'handshake')
  assert.equal(lastOf([plain(HELLO_12), plain(FINISHED)]), 'handshake')
  assert.equal(lastOf([plain(HELLO_12), plain(message(25, GOOD))]), 'handshake', 'compressed')
  assert.equal(lastOf([plain(HELLO_12, GOOD), plain(BAD)]), 'certificates', 'a second time')
  assert.equal(
    lastOf([plain(HELLO_12, GOOD), CHANGE_CIPHER, plain(BAD)]),
    null,
    'OpenSSL treats the record as encrypted',
  )
})

test('in TLS 1.3 no record passes that cannot be decrypted, or that is unencrypted after the key', () => {
  const encrypted = record(23, Buffer.alloc(60))
  assert.equal(lastOf([plain(HELLO_13), encrypted]), 'handshake', 'no key')
  assert.equal(lastOf([plain(HELLO_13), CHANGE_CIPHER, encrypted], SECRET), 'handshake', 'another key')
  assert.equal(lastOf([plain(HELLO_13), record(23, Buffer.alloc(3))], SECRET), 'handshake', 'too short')
  assert.equal(lastOf([plain(HELLO_13), plain(GOOD)], SECRET), 'handshake', 'in plain')
  assert.equal(lastOf([plain(HELLO_12), encrypted], SECRET), 'handshake', 'TLS 1.2 has no such encryption')
})

test('a text that is not a TLS record is refused', () => {
  for (const bytes of ['HTTP/1.1 400 Bad Request', '', 'SSH-2.0-x'].map((text) => Buffer.from(text)))
    assert.equal(createHandshake().check(bytes), 'handshake')
  assert.equal(createHandshake().check(record(24, Buffer.alloc(3))), 'handshake', 'a heartbeat')
  assert.equal(createHandshake().check(record(22, Buffer.alloc(30_000))), 'handshake', 'too long')
})

test('the generated chain consists of readable certificates', () => {
  const ders = makeCostlyChain(3)
    .cert.split('-----END CERTIFICATE-----\n')
    .slice(0, -1)
    .map((pem) => Buffer.from(pem.replace('-----BEGIN CERTIFICATE-----\n', ''), 'base64'))
  assert.equal(certificatesFault(listOf(...ders), false), 'certificates')
  assert.equal(certificatesFault(listOf(...ders.slice(0, 1)), false), null)
})
