// Tests what is read from a list: how long it may be cached, its cost, and its memory.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { deflateSync } from 'node:zlib'
import { LIMITS } from '../../src/limits.ts'
import { costOf, costOfUnreadable, lifetimeOf, memoryOf, readList } from '../../src/status/content.ts'
import { findRange, sortRanges } from '../../src/status/sorted-ranges.ts'
import { cbor, head, Raw, Tagged } from '../mdoc/mint-mdoc.ts'
import { mintCrl, mintCwt, mintJwt, NOW } from './mint-status.ts'

const SAID = { ttlSeconds: 600, expiresAt: NOW + 3600, issuedAt: NOW - 60 }
const OPTIONAL_DEFAULTS = { ttlSeconds: null, expiresAt: null, issuedAt: null }

function lifetime(bytes: Uint8Array, kind: Parameters<typeof readList>[1]) {
  const content = readList(bytes, kind)
  return content === null ? null : lifetimeOf(content)
}

function identifierList(ids: Uint8Array, count: number): Buffer {
  const identifiers = new Raw(Buffer.concat([head(5, count), ids]))
  const claims = new Map<number, unknown>([
    [65533, undefined],
    [65530, { identifiers }],
  ])
  return mintCwt({ type: 'application/identifierlist+cwt', claims })
}

/** `count` different identifiers of `idBytes` bytes each. */
function shortIdentifiers(count: number, idBytes = 4): Buffer {
  const ids = Buffer.alloc(count * (idBytes + 2))
  for (let at = 0; at < count; at++) {
    const offset = at * (idBytes + 2)
    ids[offset] = 0x40 + idBytes
    ids.writeUIntBE(
      (at * 7919) % 256 ** Math.min(idBytes, 3),
      offset + 1 + Math.max(0, idBytes - 3),
      Math.min(idBytes, 3),
    )
    ids[offset + 1 + idBytes] = 0xa0
  }
  return ids
}

test('reads from a list of every form how long it may be cached', () => {
  assert.deepEqual(lifetime(mintJwt(), 'status_list_jwt'), SAID)
  assert.deepEqual(lifetime(mintCwt(), 'status_list_cwt'), SAID)
  assert.deepEqual(lifetime(identifierList(shortIdentifiers(100), 100), 'identifier_list_cwt'), SAID)
  assert.deepEqual(lifetime(mintCrl(), 'crl'), { ...OPTIONAL_DEFAULTS, issuedAt: Date.UTC(2026, 1, 1) / 1000 })
})

test('times that are not numbers are ignored', () => {
  assert.deepEqual(lifetime(mintJwt({ claims: { exp: '9', ttl: -1, iat: {} } }), 'status_list_jwt'), OPTIONAL_DEFAULTS)
  const claims = new Map<number, unknown>([
    [4, 'soon'],
    [6, 0],
    [65534, 1.5],
  ])
  assert.deepEqual(lifetime(mintCwt({ claims }), 'status_list_cwt'), OPTIONAL_DEFAULTS)
})

test('an unreadable list is refused', () => {
  assert.equal(readList(Buffer.from('not a list'), 'status_list_jwt'), null)
  assert.equal(readList(Buffer.from('not a list'), 'status_list_cwt'), null)
  assert.equal(readList(mintCwt(), 'crl'), null)
  assert.equal(readList(mintCrl(), 'status_list_cwt'), null)
  assert.equal(readList(mintCrl().subarray(0, 40), 'crl'), null)
  assert.equal(readList(mintCwt({ wrap: (parts) => new Tagged(18, parts.with(2, null)) }), 'status_list_cwt'), null)
})

test('each part of a list has a length limit for its kind', () => {
  const long = Buffer.alloc(LIMITS.certificateBytes + 1)
  const jwt = readList(mintJwt({ header: { x5c: [long.toString('base64')] } }), 'status_list_jwt')
  assert.ok(jwt?.list.kind === 'status_list_jwt' && jwt.list.chain === 'malformed')
  const cwt = readList(mintCwt({ headers: new Map([[33, long]]) }), 'status_list_cwt')
  assert.ok(cwt?.list.kind === 'status_list_cwt' && cwt.list.chain === 'malformed')
  const subject = 'x'.repeat(LIMITS.statusUriLength + 1)
  const list = readList(mintJwt({ claims: { sub: subject } }), 'status_list_jwt')
  assert.ok(list?.list.kind === 'status_list_jwt' && list.list.claims.sub === null)
  const header = { more: 'x'.repeat(LIMITS.listHeaderLength) }
  assert.equal(readList(mintJwt({ header }), 'status_list_jwt'), null)
  const signature = Buffer.alloc(LIMITS.listSignatureBytes + 1)
  assert.equal(
    readList(mintCwt({ wrap: (parts) => new Tagged(18, parts.with(3, signature)) }), 'status_list_cwt'),
    null,
  )
  const keys = Array.from({ length: LIMITS.integerKeys + 1 }, (_, key): [number, unknown] => [key + 100, 0])
  assert.equal(readList(mintCwt({ claims: new Map(keys) }), 'status_list_cwt'), null)
  assert.equal(readList(Buffer.alloc(LIMITS.oneListBytes + 1), 'crl'), null)
})

test('repeated identifiers, and identifiers that are neither text nor bytes, make the list invalid', () => {
  const entry = (key: unknown) => Buffer.concat([cbor(key), Buffer.of(0xa0)])
  const isRead = (...keys: readonly unknown[]) =>
    readList(identifierList(Buffer.concat(keys.map(entry)), keys.length), 'identifier_list_cwt') !== null
  const id = Buffer.from('abcdefgh')
  assert.equal(isRead(id, Buffer.from('abcdefgi')), true)
  assert.equal(isRead(id, 'abcdefgh'), true)
  assert.equal(isRead(id, Buffer.from('abcd'), id), false)
  assert.equal(isRead('abcdefgh', id, 'abcdefgh'), false)
  assert.equal(isRead(id, 'abcdefgh', id), false)
  assert.equal(isRead(7), false)
  const twice = new Map<number, unknown>([[65533, undefined]])
  const list = { identifiers: {} }
  const doubled = Buffer.concat([head(5, 2), cbor(65530), cbor(list), cbor(65530), cbor(list)])
  const covered = mintCwt({ claims: twice, wrap: (parts) => new Tagged(18, parts.with(2, doubled)) })
  assert.equal(readList(covered, 'identifier_list_cwt'), null)
})

test('the number of identifiers is limited', () => {
  const most = LIMITS.oneListItems
  const content = readList(identifierList(shortIdentifiers(most), most), 'identifier_list_cwt')
  assert.ok(content !== null)
  const bytes = identifierList(shortIdentifiers(most + 1), most + 1)
  assert.ok(bytes.length < LIMITS.oneListBytes)
  assert.equal(readList(bytes, 'identifier_list_cwt'), null)
})

test('counts cost and memory by the content of a list', () => {
  const statuses = Buffer.alloc(1_000_000)
  const packed = mintCwt({ claims: new Map([[65533, { bits: 1, lst: deflateSync(statuses) }]]) })
  const status = readList(packed, 'status_list_cwt')
  assert.ok(status !== null)
  assert.deepEqual(costOf(packed, status), { bytes: packed.length + 1_000_000, items: 0 })
  assert.ok(memoryOf(packed, status) >= packed.length + 1_000_000)
  const ids = identifierList(shortIdentifiers(10_000), 10_000)
  const listed = readList(ids, 'identifier_list_cwt')
  assert.ok(listed !== null)
  assert.deepEqual(costOf(ids, listed), { bytes: ids.length, items: 10_000 })
  assert.ok(memoryOf(ids, listed) >= ids.length + 80_000)
  const x5c = Array.from({ length: 4 }, () => Buffer.alloc(LIMITS.certificateBytes).toString('base64'))
  const signed = mintJwt({ header: { x5c } })
  const withChain = readList(signed, 'status_list_jwt')
  assert.ok(withChain !== null)
  assert.ok(memoryOf(signed, withChain) >= signed.length + 4 * LIMITS.certificateBytes, 'certificates are copies')
  const crl = mintCrl({ revoked: [{ serial: Buffer.of(1) }, { serial: Buffer.of(2) }] })
  const revoked = readList(crl, 'crl')
  assert.ok(revoked !== null)
  assert.deepEqual(costOf(crl, revoked), { bytes: crl.length, items: 2 })
})

test('a list that exceeds a limit, or cannot be read, costs what was read of it', () => {
  const bomb = mintCwt({
    claims: new Map([[65533, { bits: 1, lst: deflateSync(Buffer.alloc(LIMITS.unpackedListBytes + 1)) }]]),
  })
  const packed = readList(bomb, 'status_list_cwt')
  assert.ok(packed !== null && costOf(bomb, packed).bytes > LIMITS.unpackedListBytes)
  assert.ok(memoryOf(bomb, packed) < 1_000_000, 'the unpacked list takes memory')
  assert.deepEqual(costOfUnreadable(1_000_000, 'identifier_list_cwt'), { bytes: 1_000_000, items: 500_000 })
  assert.deepEqual(costOfUnreadable(5_000_000, 'crl'), { bytes: 5_000_000, items: LIMITS.oneListItems })
  assert.deepEqual(costOfUnreadable(1_000, 'status_list_jwt'), { bytes: 1_000, items: 0 })
})

test('refuses a list with many values outside its entries', () => {
  const long = Array.from({ length: 30_000 }, () => 0)
  const other = new Map<number, unknown>([[1000, long]])
  assert.equal(readList(mintCwt({ claims: other }), 'status_list_cwt'), null)
  const count = 30_000
  const ids = new Raw(Buffer.concat([head(5, count), shortIdentifiers(count)]))
  const both = new Map<number, unknown>([[65530, { identifiers: ids }]])
  assert.equal(readList(mintCwt({ claims: both }), 'status_list_cwt'), null, 'identifiers outside the count')
  const entry = Buffer.concat([cbor(Buffer.from('id')), cbor(long)])
  assert.equal(readList(identifierList(entry, 1), 'identifier_list_cwt'), null)
  const identifiers = Buffer.concat(
    Array.from({ length: count }, (_, at) => Buffer.concat([cbor(`id ${at}`), cbor({ 1: 1, 2: 2, 3: [1, 2, 3] })])),
  )
  assert.ok(
    readList(identifierList(identifiers, count), 'identifier_list_cwt') !== null,
    'an issuer may add members to each entry',
  )
})

test('counts approximately the memory that a list occupies', () => {
  const count = 200_000
  const bytes = Uint8Array.from(identifierList(shortIdentifiers(count), count))
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  // The median of several reads, because other allocations of the process affect only one of them.
  const kept = [readList(bytes, 'identifier_list_cwt')]
  const readings = Array.from({ length: 7 }, () => {
    const before = used()
    kept.push(readList(bytes, 'identifier_list_cwt'))
    return used() - before
  })
  const content = kept[0] ?? null
  assert.ok(content !== null && kept.every((list) => list !== null))
  const grown = readings.sort((a, b) => a - b)[3] ?? Number.POSITIVE_INFINITY
  const counted = memoryOf(bytes, content) - bytes.length
  // A map of strings takes thirty megabytes for these identifiers.
  assert.ok(grown < counted * 3, `${grown} bytes for ${counted}`)
})

test('returns the hash of the bytes of the list', () => {
  const bytes = mintJwt()
  assert.equal(readList(bytes, 'status_list_jwt')?.sha256, hash('sha256', bytes, 'base64url'))
})

test('sorted ranges find the same strings as a set, also strings with equal beginnings', () => {
  const texts = ['', 'a', 'aa', 'aaaa', 'aaaaa', 'aaaab', 'aaaa\0', 'b', '\xff\xff\xff\xff\xff', '\0', '\0\0']
  const strings = texts.map((text) => Buffer.from(text, 'latin1'))
  const bytes = Buffer.concat(strings)
  const starts = new Uint32Array(strings.length)
  const ends = new Uint32Array(strings.length)
  let at = 0
  for (const [i, text] of strings.entries()) {
    starts[i] = at
    at += text.length
    ends[i] = at
  }
  const order = sortRanges(bytes, { starts, ends })
  const sorted = { starts: order.map((i) => starts[i] ?? 0), ends: order.map((i) => ends[i] ?? 0) }
  const found = (text: Buffer) => findRange(bytes, sorted, text)
  assert.deepEqual(
    [...strings].sort(Buffer.compare).map(found),
    strings.map((_, i) => i),
  )
  for (const other of ['c', 'ab', 'aaaac', '\0\0\0', '\xff']) assert.equal(found(Buffer.from(other, 'latin1')), -1)
})
