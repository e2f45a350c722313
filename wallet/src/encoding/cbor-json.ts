// Converts CBOR values to JSON for the wallet's own matching (OpenID4VP 6.3: the conversion of RFC 8949 6.1).

import { toBase64url } from '../keys.ts'
import type { CborValue } from './cbor.ts'
import { Raw, Tagged } from './cbor.ts'
import type { Json } from './json.ts'

export function asJson(value: CborValue): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return toBase64url(value)
  if (value instanceof Tagged) return asJson(value.value)
  if (value instanceof Raw) throw new Error('bug: raw bytes have no JSON form')
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [String(key), asJson(member)]))
  return (value as readonly CborValue[]).map(asJson)
}
