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
