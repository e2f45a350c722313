// Which public key does this COSE_Key stand for (RFC 9053 §7)? Null for anything that is not a whole, public signature
// key on a curve we know: no private part, coordinates that fit, a point on the curve.

import { ECDH } from 'node:crypto'
import { algorithmOfCoseId, SIGNATURE_ALGORITHMS } from '../algorithms.ts'
import { fullLength, type StatedKey, statedKey } from '../jose.ts'
import { type CborMap, type CborValue, isCborArray, isCborBytes, isCborMap } from './cbor.ts'

const LABEL = { kty: 1, algorithm: 3, operations: 4, curve: -1, x: -2, y: -3, d: -4 } as const
const VERIFY = 2
const KEY_TYPE = { okp: 1, ec2: 2 } as const
const EC_CURVES: ReadonlyMap<CborValue | undefined, 'ES256' | 'ES384' | 'ES512'> = new Map([
  [1, 'ES256'],
  [2, 'ES384'],
  [3, 'ES512'],
])
const ED25519 = 6

export function readCoseKey(key: CborValue | undefined): StatedKey | null {
  if (!isCborMap(key) || key.has(LABEL.d)) return null
  const type = key.get(LABEL.kty)
  const stated = type === KEY_TYPE.ec2 ? readEc(key) : type === KEY_TYPE.okp ? readOkp(key) : null
  return stated !== null && isForVerifying(key, stated) ? stated : null
}

function readEc(key: CborMap): StatedKey | null {
  const algorithm = EC_CURVES.get(key.get(LABEL.curve))
  const coordinate = key.get(LABEL.x)
  const y = key.get(LABEL.y)
  if (algorithm === undefined || !isCborBytes(coordinate)) return null
  const x = fullLength(coordinate, SIGNATURE_ALGORITHMS[algorithm].coordinateBytes)
  if (x === null) return null
  const ordinate = typeof y === 'boolean' ? decompressed(algorithm, x, y) : isCborBytes(y) ? y : null
  return statedKey(algorithm, x, ordinate)
}

/** RFC 9053 §7.1.1: a boolean y is the sign bit of a compressed point. Null where no point has this x. */
function decompressed(algorithm: 'ES256' | 'ES384' | 'ES512', x: Uint8Array, sign: boolean): Uint8Array | null {
  try {
    const compressed = Uint8Array.of(sign ? 3 : 2, ...x)
    const point = ECDH.convertKey(
      compressed,
      SIGNATURE_ALGORITHMS[algorithm].namedCurve,
      undefined,
      undefined,
      'uncompressed',
    )
    return typeof point === 'string' ? null : point.subarray(1 + x.length)
  } catch {
    return null
  }
}

function readOkp(key: CborMap): StatedKey | null {
  const x = key.get(LABEL.x)
  return key.get(LABEL.curve) === ED25519 && isCborBytes(x) ? statedKey('EdDSA', x, null) : null
}

/** RFC 9052 §7.1: what a key says of its use binds us when it is there. */
function isForVerifying(key: CborMap, stated: StatedKey): boolean {
  const algorithm = key.get(LABEL.algorithm)
  const operations = key.get(LABEL.operations)
  if (operations !== undefined && !(isCborArray(operations) && operations.includes(VERIFY))) return false
  if (algorithm === undefined) return true
  return typeof algorithm === 'number' && algorithmOfCoseId(algorithm) === stated.algorithm
}
