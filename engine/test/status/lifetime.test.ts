// How long a fetched list may be kept: its own word, read cheaply from bytes that nobody has verified.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listLifetime } from '../../src/status/lifetime.ts'
import { cbor, Raw, Tagged } from '../mdoc/mint-mdoc.ts'
import { mintCrl, mintCwt, mintJwt, NOW } from './mint-status.ts'

const SAID = { ttlSeconds: 600, expiresAt: NOW + 3600, issuedAt: NOW - 60 }
const UNSAID = { ttlSeconds: null, expiresAt: null, issuedAt: null }

/** Bytes that somebody serves as a list; what `claims` says comes before what nobody needs. */
function unsigned(claims: Map<unknown, unknown>): Buffer {
  return cbor(new Tagged(18, [Buffer.alloc(0), {}, cbor(claims), Buffer.alloc(0)]))
}

function identifierList(count: number): Buffer {
  const ids = Array.from({ length: count }, (_, id) => [Buffer.from(String(id)), {}] as const)
  const claims = new Map<number, unknown>([
    [65533, undefined],
    [65530, { identifiers: new Map(ids) }],
  ])
  return mintCwt({ type: 'application/identifierlist+cwt', claims })
}

test('a list says how long it may be kept, in every form', () => {
  assert.deepEqual(listLifetime(mintJwt(), 'status_list_jwt'), SAID)
  assert.deepEqual(listLifetime(mintCwt(), 'status_list_cwt'), SAID)
  assert.deepEqual(listLifetime(identifierList(100), 'identifier_list_cwt'), SAID)
})

test('a revocation list says when it was issued', () => {
  const issuedAt = Date.UTC(2026, 1, 1) / 1000
  assert.deepEqual(listLifetime(mintCrl(), 'crl'), { ...UNSAID, issuedAt })
  assert.deepEqual(listLifetime(mintCrl().subarray(0, 40), 'crl'), UNSAID)
  assert.deepEqual(listLifetime(mintCrl({ version: null }), 'crl'), UNSAID)
})

test('a list that cannot be read, or not cheaply, says nothing', () => {
  assert.deepEqual(listLifetime(Buffer.from('not a list'), 'status_list_jwt'), UNSAID)
  assert.deepEqual(listLifetime(Buffer.from('not a list'), 'status_list_cwt'), UNSAID)
  assert.deepEqual(listLifetime(mintCwt(), 'crl'), UNSAID)
  assert.deepEqual(listLifetime(identifierList(2_000), 'identifier_list_cwt'), UNSAID)
})

test('what has more integer keys than any list is not read to its end', () => {
  const said: [unknown, unknown][] = [
    [4, NOW + 3600],
    [6, NOW - 60],
    [65534, 600],
  ]
  const keys = Array.from({ length: 510 }, (_, key): [unknown, unknown] => [(key + 1) * 16384, 0])
  assert.deepEqual(listLifetime(unsigned(new Map([...said, ...keys.slice(1)])), 'status_list_cwt'), SAID)
  assert.deepEqual(listLifetime(unsigned(new Map([...said, ...keys])), 'status_list_cwt'), UNSAID)
  const elsewhere = new Map<unknown, unknown>([...said, ['more', Array(2_000).fill(new Raw(Buffer.of(0)))]])
  assert.deepEqual(listLifetime(unsigned(elsewhere), 'status_list_cwt'), UNSAID)
})
