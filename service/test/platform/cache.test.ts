// Tests the cache: lifetimes, bytes, shared loads, and invalidation while a load runs.

import assert from 'node:assert/strict'
import test from 'node:test'
import { type CacheOptions, createCache } from '../../src/platform/cache.ts'

const cacheOf = (options: Partial<CacheOptions<string | null>> = {}) =>
  createCache<string | null>({ bytesMax: 10_000, bytesOf: (text) => 2 * text.length, ttlMs: 100, ...options })

test('a value is used only for its lifetime', () => {
  const cache = cacheOf()
  cache.set('a', 'x', 0)
  assert.deepEqual([cache.get('a', 99), cache.get('a', 100)], ['x', undefined])
  const idle = cacheOf({ lifetime: 'idle' })
  idle.set('a', 'x', 0)
  assert.deepEqual([idle.get('a', 99), idle.get('a', 198), idle.get('a', 298)], ['x', 'x', undefined])
})

test('the least recently used entries are evicted, and an entry above the limit is not stored', () => {
  const cache = cacheOf({ bytesMax: 1_000 })
  for (const key of ['a', 'b', 'c']) cache.set(key, 'x'.repeat(50), 0)
  assert.equal(cache.get('a', 0), 'x'.repeat(50))
  cache.set('d', 'x'.repeat(50), 0)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].filter((key) => cache.get(key, 0) !== undefined),
    ['a', 'c', 'd'],
  )
  cache.set('e', 'x'.repeat(1_000), 0)
  assert.equal(cache.get('e', 0), undefined)
})

test('callers of one key share a load; null is answered and not stored', async () => {
  const cache = cacheOf()
  let loads = 0
  const load = (value: string | null) => async () => {
    loads += 1
    return value
  }
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => cache.find('a', 0, load('x')))), ['x', 'x', 'x'])
  assert.equal(loads, 1)
  assert.equal(await cache.find('b', 0, load(null)), null)
  assert.equal(await cache.find('b', 0, load('now')), 'now')
  assert.equal(loads, 3)
})

test('a failed load fails its callers and is tried again by the next', async () => {
  const cache = cacheOf()
  const failing = () => Promise.reject(new Error('away'))
  const results = await Promise.allSettled([cache.find('a', 0, failing), cache.find('a', 0, failing)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await cache.find('a', 0, async () => 'back'), 'back')
})

for (const invalidate of ['clear', 'expire'] as const) {
  test(`${invalidate}: a load that began before is answered, not stored, and not shared with later callers`, async () => {
    const cache = cacheOf()
    const before = Promise.withResolvers<string>()
    const first = cache.find('a', 0, () => before.promise)
    cache[invalidate]()
    const second = cache.find('a', 0, async () => 'new')
    before.resolve('old')
    assert.deepEqual([await first, await second], ['old', 'new'])
    assert.equal(cache.get('a', 0), 'new')
  })
}

test('expire passes the old value to the next load; clear and delete do not', async () => {
  const cache = cacheOf()
  const stale: (string | null | undefined)[] = []
  const find = () =>
    cache.find('a', 0, async (old) => {
      stale.push(old)
      return old ?? 'x'
    })
  await find()
  cache.expire()
  await find()
  cache.clear()
  await find()
  cache.delete('a')
  await find()
  assert.deepEqual(stale, [undefined, 'x', undefined, undefined])
})

test('purge drops expired entries', async () => {
  const cache = cacheOf()
  cache.set('a', 'x', 0)
  cache.purge(100)
  let stale: string | null | undefined = 'none'
  await cache.find('a', 0, async (old) => {
    stale = old
    return 'y'
  })
  assert.equal(stale, undefined)
})
