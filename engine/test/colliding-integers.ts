// Computes integers that V8 puts into one bucket of a map, which is possible because V8 hashes them without a secret.

/** Returns the hash of V8 (`ComputeUnseededHash`). */
function hashOf(key: number): number {
  let hash = (~key + (key << 15)) >>> 0
  hash = (hash ^ (hash >>> 12)) >>> 0
  hash = (hash + (hash << 2)) >>> 0
  hash = (hash ^ (hash >>> 4)) >>> 0
  hash = Math.imul(hash, 2057) >>> 0
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Returns integers that collide in maps of up to 131,072 entries. */
export function collidingIntegers(count: number, from: number): readonly number[] {
  const found: number[] = []
  for (let key = from; found.length < count; key++) if ((hashOf(key) & 0xffff) === 0) found.push(key)
  return found
}

/** Returns the hash of V8 (`ComputeLongHash`) for a number beyond the small integers. */
function hashOfLarge(key: number): number {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(key)
  const bits = BigInt.asUintN(64, bytes.readBigUInt64LE())
  let hash = BigInt.asUintN(64, ~bits + (bits << 18n))
  hash ^= hash >> 31n
  hash = BigInt.asUintN(64, hash * 21n)
  hash ^= hash >> 11n
  hash = BigInt.asUintN(64, hash + (hash << 6n))
  hash ^= hash >> 22n
  return Number(hash & 0x3fffffffn)
}

/** Returns integers beyond 2^40 that collide in sets of up to 64 entries. They cost more than small ones to compare. */
export function collidingLargeIntegers(count: number): readonly number[] {
  const found: number[] = []
  for (let key = 2 ** 40; found.length < count; key++) if ((hashOfLarge(key) & 31) === 7) found.push(key)
  return found
}
