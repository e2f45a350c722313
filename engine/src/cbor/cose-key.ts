// Reads the public signature key of a COSE_Key (RFC 9053 §7).

import { ECDH } from 'node:crypto'
import { algorithmOfCoseCurve, algorithmOfCoseId, type JwsAlgorithm, SIGNATURE_ALGORITHMS } from '../algorithms.ts'
import { fullLength, type StatedKey, statedKey } from '../jose.ts'
import { spendPoint, type WorkBudget } from '../limits.ts'
import { type CborMap, type CborValue, isCborArray, isCborBytes, isCborMap } from './cbor.ts'

const LABEL = { kty: 1, algorithm: 3, operations: 4, curve: -1, x: -2, y: -3, d: -4 } as const
const VERIFY = 2
const KEY_TYPES: ReadonlyMap<number, 'OKP' | 'EC'> = new Map([
  [1, 'OKP'],
  [2, 'EC'],
])

/**
 * Returns null unless it is a complete public key, without a private part, with a point on a supported curve. The
 * budget pays for computing a missing coordinate; null if it does not suffice.
 */
export function readCoseKey(key: CborValue | undefined, budget: WorkBudget): StatedKey | null {
  if (!isCborMap(key) || key.has(LABEL.d)) return null
  const keyType = key.get(LABEL.kty)
  const type = typeof keyType === 'number' ? KEY_TYPES.get(keyType) : undefined
  const algorithm = type === undefined ? null : algorithmOfCoseCurve(type, key.get(LABEL.curve))
  const stated = algorithm === null ? null : readPoint(key, algorithm, budget)
  return stated !== null && isForVerifying(key, stated) ? stated : null
}

function readPoint(key: CborMap, algorithm: JwsAlgorithm, budget: WorkBudget): StatedKey | null {
  const { crv, namedCurve, coordinateBytes } = SIGNATURE_ALGORITHMS[algorithm]
  const coordinate = key.get(LABEL.x)
  if (!isCborBytes(coordinate)) return null
  if (namedCurve === null) return statedKey(algorithm, coordinate, null)
  const x = fullLength(coordinate, coordinateBytes)
  if (x === null) return null
  const y = key.get(LABEL.y)
  const ordinate = typeof y !== 'boolean' ? y : spendPoint(budget, crv) ? decompressed(namedCurve, x, y) : null
  return statedKey(algorithm, x, ordinate instanceof Uint8Array ? ordinate : null)
}

/** RFC 9053 §7.1.1: a boolean y is the sign bit of a compressed point. Returns null if no point has this x. */
function decompressed(namedCurve: string, x: Uint8Array, sign: boolean): Uint8Array | null {
  try {
    const compressed = Uint8Array.of(sign ? 3 : 2, ...x)
    const point = ECDH.convertKey(compressed, namedCurve, undefined, undefined, 'uncompressed')
    return typeof point === 'string' ? null : point.subarray(1 + x.length)
  } catch {
    return null
  }
}

/** RFC 9052 §7.1: a key may restrict its use. */
function isForVerifying(key: CborMap, stated: StatedKey): boolean {
  const algorithm = key.get(LABEL.algorithm)
  const operations = key.get(LABEL.operations)
  if (operations !== undefined && !(isCborArray(operations) && operations.includes(VERIFY))) return false
  if (algorithm === undefined) return true
  return typeof algorithm === 'number' && algorithmOfCoseId(algorithm) === stated.algorithm
}
