// Tests the limits of single texts: a text of exactly the limit is accepted, and one character more is refused.

import assert from 'node:assert/strict'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { encodeCbor } from '../src/cbor/canonical.ts'
import { type CborMap, type CborValue, cborBudget, decodeCbor, MalformedCbor } from '../src/cbor/cbor.ts'
import { parseMdoc } from '../src/formats/mdoc/parse.ts'
import { readStatus } from '../src/formats/mdoc/status.ts'
import { parseSdJwt } from '../src/formats/sd-jwt/parse.ts'
import { LIMITS } from '../src/limits.ts'
import { MalformedCertificate, parseCertificate } from '../src/trust/certificate.ts'
import { leastCpuMs } from './cpu-time.ts'
import { examine as examineMdoc } from './mdoc/examine.ts'
import { ELEMENTS, MDL_SPACE, type MdocPlan, mintMdoc } from './mdoc/mint-mdoc.ts'
import { examine, failedChecks, mintPresentation, VCT } from './sdjwt/mint-presentation.ts'
import { mintCertificate } from './trust/mint-certificate.ts'

const examineMdocOf = (elements: NonNullable<MdocPlan['elements']>) => examineMdoc(mintMdoc({ elements }))
const mapOf = (members: Record<string, CborValue>): CborMap =>
  new Map<string | number, CborValue>(Object.entries(members))
const address = (length: number) => 'https://a/'.padEnd(length, 'x')

test('limits the length of an SD-JWT, and of each of its disclosures', () => {
  const bare = mintPresentation({ concealed: {}, bindingJwt: () => '' })
  const lengths = (...disclosures: number[]) =>
    [bare, ...disclosures.map((length) => `${'A'.repeat(length)}~`)].join('')
  assert.equal(parseSdJwt(lengths(LIMITS.disclosureLength)).disclosures.length, 1)
  assert.throws(() => parseSdJwt(lengths(LIMITS.disclosureLength + 1)), /a disclosure that is too long/)
  const third = LIMITS.sdJwtLength - bare.length - 2 * 350_000 - 3
  assert.equal(lengths(350_000, 350_000, third).length, LIMITS.sdJwtLength)
  assert.equal(parseSdJwt(lengths(350_000, 350_000, third)).disclosures.length, 3)
  assert.throws(() => parseSdJwt(lengths(350_000, 350_000, third + 1)), /the SD-JWT is too long/)
})

test("limits the length of the address of an SD-JWT's status", () => {
  const examined = (length: number) =>
    examine(
      mintPresentation({
        payload: (payload) => ({ ...payload, status: { status_list: { uri: address(length), idx: 7 } } }),
      }),
    )
  assert.equal(examined(LIMITS.statusUriLength).status.length, 1)
  assert.deepEqual(failedChecks(examined(LIMITS.statusUriLength + 1)), ['not_revoked'])
})

test('limits the number of other types that a credential claims', () => {
  const known = (count: number) => {
    const others = [...Array.from({ length: count - 1 }, (_, index) => `urn:other:${index}`), VCT]
    const change = { vct: 'urn:example:identity:national', aka_vcts: others }
    return failedChecks(examine(mintPresentation({ payload: (payload) => ({ ...payload, ...change }) })))
  }
  // No anchor vouches for the national type here, so the two differ only in whether they answer the query.
  assert.notDeepEqual(known(LIMITS.otherTypes), known(LIMITS.otherTypes + 1))
})

test('limits the length of an mdoc, and of the addresses and identifiers of its status', () => {
  const parse = (length: number) => () => parseMdoc('A'.repeat(length), cborBudget())
  assert.throws(parse(LIMITS.presentedLength), (error: Error) => !/too large/.test(error.message))
  assert.throws(parse(LIMITS.presentedLength + 1), /the mdoc is too large/)
  const list = (length: number) => readStatus(mapOf({ status_list: mapOf({ uri: address(length), idx: 7 }) }))
  assert.equal(list(LIMITS.statusUriLength).length, 1)
  assert.throws(() => list(LIMITS.statusUriLength + 1), MalformedCbor)
  const identifier = (bytes: number) =>
    readStatus(mapOf({ identifier_list: mapOf({ uri: address(20), id: Buffer.alloc(bytes, 1) }) }))
  assert.equal(identifier(LIMITS.statusIdBytes).length, 1)
  assert.throws(() => identifier(LIMITS.statusIdBytes + 1), MalformedCbor)
})

const rsaKey = (n: Buffer, e: Buffer) =>
  createPublicKey({ key: { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') }, format: 'jwk' })
const certificateOf = (publicKey: KeyObject) => {
  const signing = mintCertificate()
  return mintCertificate({ key: { publicKey, privateKey: signing.privateKey } }, signing).der
}

test('limits the length of the modulus of an RSA key', () => {
  const ofBits = (bits: number) => {
    const n = Buffer.alloc(Math.ceil(bits / 8), 0xff)
    n[0] = 0xff >> ((8 - (bits % 8)) % 8)
    return certificateOf(rsaKey(n, Buffer.from([1, 0, 1])))
  }
  assert.equal(parseCertificate(ofBits(LIMITS.rsaBits)).kind, 'RSA')
  assert.throws(() => parseCertificate(ofBits(LIMITS.rsaBits + 1)), MalformedCertificate)
})

// Anyone can send a response with such certificates. Each took 200 ms.
test('a very long exponent of an RSA key costs no more than its bytes', () => {
  const der = certificateOf(rsaKey(Buffer.alloc(256, 0xd7), Buffer.alloc(30_000, 0xb3)))
  assert.ok(der.length < LIMITS.certificateBytes)
  const cost = leastCpuMs(20, () => assert.throws(() => parseCertificate(der), MalformedCertificate))
  assert.ok(cost < 20, `${cost} ms`)
})

test('limits the length of name spaces and elements of an mdoc', () => {
  const checked = (length: number) => {
    const name = 'n'.repeat(length)
    return failedChecks(examineMdocOf({ [MDL_SPACE]: { ...ELEMENTS[MDL_SPACE], [name]: 'x' }, [name]: { x: 'x' } }))
  }
  assert.deepEqual(checked(LIMITS.mdocNameLength), [])
  assert.deepEqual(checked(LIMITS.mdocNameLength + 1), ['well_formed'])
})

test('a text of CBOR counts as more items the longer it is', () => {
  const itemsOf = (length: number) => {
    const budget = cborBudget()
    const before = budget.itemsLeft
    decodeCbor(encodeCbor('x'.repeat(length)), budget)
    return before - budget.itemsLeft
  }
  assert.deepEqual([1, LIMITS.cborTextBytes - 1, LIMITS.cborTextBytes].map(itemsOf), [2, 2, 3])
  assert.throws(() => itemsOf(LIMITS.cborTextBytes * LIMITS.cborItems * 2), /too many items/)
})
