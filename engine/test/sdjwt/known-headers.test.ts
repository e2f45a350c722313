// Tests the cache of issuers' parsed headers: what it keeps, and that a cached header proves nothing.

import assert from 'node:assert/strict'
import { memoryUsage } from 'node:process'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createChainCache } from '../../src/trust/cache.ts'
import { examine, type Members, mintPresentation, trust } from './mint-presentation.ts'

const memory = (entriesMax = 10) => ({ ...trust, cache: createChainCache(entriesMax) })

test('caches the header of a credential that a trusted issuer signed, once', () => {
  const known = memory()
  for (let count = 0; count < 3; count++) assert.equal(examine(mintPresentation(), { trust: known }).failure, null)
  assert.equal(known.cache.headers.size(), 1)
})

test('a cached header keeps no part of the presentation it came with', () => {
  const known = memory(100)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = memoryUsage().heapUsed
  for (let count = 0; count < 40; count++) {
    const header = (members: Members) => ({ ...members, kid: String(count) })
    const presented = mintPresentation({ header, concealed: { portrait: 'A'.repeat(200_000) } })
    assert.equal(examine(presented, { trust: known }).failure, null)
  }
  assert.equal(known.cache.headers.size(), 40)
  collect()
  // Forty presentations take some ten million bytes.
  assert.ok(memoryUsage().heapUsed - before < 2_000_000)
})

test('caches no header of an untrusted issuer, nor one with an invalid signature', () => {
  const known = memory()
  const strangers = { ...known, anchors: [] }
  assert.equal(examine(mintPresentation(), { trust: strangers }).failure?.code, 'issuer_untrusted')
  const [header = '', ...rest] = mintPresentation().split('.')
  const [payload = '', signature = '', ...others] = rest
  const spoilt = [header, payload, `${'A'.repeat(86)}${signature.slice(86)}`, ...others].join('.')
  assert.notEqual(examine(spoilt, { trust: known }).failure, null)
  assert.equal(known.cache.headers.size(), 0)
})

test('a presentation that fails without a cached header also fails with it', () => {
  const known = memory()
  assert.equal(examine(mintPresentation(), { trust: known }).failure, null)
  const [header = '', payload = '', ...others] = mintPresentation().split('.')
  const changed = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('"exp":', '"exp":9')).toString(
    'base64url',
  )
  const forged = [header, changed, ...others].join('.')
  assert.equal(known.cache.headers.size(), 1)
  assert.equal(examine(forged, { trust: known }).failure?.code, 'credential_invalid')
  assert.deepEqual(examine(forged, { trust: known }).checks, examine(forged, { trust: memory() }).checks)
})

test('the number of cached headers has the limit of cached certificates', () => {
  const known = memory(4)
  for (let count = 0; count < 12; count++) {
    const header = (members: Members) => ({ ...members, kid: String(count) })
    assert.equal(examine(mintPresentation({ header }), { trust: known }).failure, null)
  }
  assert.ok(known.cache.headers.size() <= 4)
})

test('a header with many parts is not cached, because its text does not show how much memory it takes', () => {
  const known = memory(100)
  const many = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`m${at}`, 0]))
  for (const more of [many, { nested: [[], []] }, { nothing: null }]) {
    const header = (members: Members) => ({ ...members, ...more })
    assert.equal(examine(mintPresentation({ header }), { trust: known }).failure, null)
  }
  assert.equal(known.cache.headers.size(), 0)
})
