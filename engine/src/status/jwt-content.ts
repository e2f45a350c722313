// Reads a status list in JWT form (Token Status List §5.1).

import { inflateSync } from 'node:zlib'
import { algorithmNamed } from '../algorithms.ts'
import { decodeBase64url, decodeUtf8, Malformed } from '../bytes.ts'
import { parseCompactJws } from '../jose.ts'
import { isJsonObject, member } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { readX5c } from '../x5c.ts'
import type { PackedStatuses, TokenContent, UncheckedToken } from './list-types.ts'

/** Throws Malformed. */
export function readJwtList(bytes: Uint8Array): UncheckedToken {
  const dot = bytes.indexOf(DOT)
  if (dot < 0 || dot > LIMITS.listHeaderLength) throw new Malformed('a list has no header of usual size')
  const { header, payload, data, signature } = parseCompactJws(decodeUtf8(bytes) ?? '')
  const carried = readX5c(header)
  return {
    kind: 'status_list_jwt',
    isTyped: member(header, 'typ') === 'statuslist+jwt',
    algorithm: algorithmNamed(member(header, 'alg')),
    chain:
      carried.outcome === 'carried' ? boundedChain(carried.chain) : carried.outcome === 'absent' ? null : 'malformed',
    signed: signedOf([bytes.subarray(0, data.length)], signature),
    claims: {
      sub: textOf(member(payload, 'sub')),
      iat: numberOf(payload, 'iat'),
      exp: numberOf(payload, 'exp'),
      ttl: numberOf(payload, 'ttl'),
    },
    entries: readStatuses(member(payload, 'status_list')),
  }
}

const DOT = 0x2e

function numberOf(payload: JsonObject, name: string): number | null | undefined {
  const value = member(payload, name)
  return value === undefined || typeof value === 'number' ? value : null
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.length <= LIMITS.statusUriLength ? value : null
}

/** Drops certificates that would never be parsed. */
export function boundedChain(chain: readonly Uint8Array[]): readonly Uint8Array[] | 'malformed' {
  const isUsual = chain.length <= LIMITS.x5cLength && chain.every(({ length }) => length <= LIMITS.certificateBytes)
  return isUsual ? chain.map((der) => new Uint8Array(der)) : 'malformed'
}

/** Refuses a signature that is longer than any of our algorithms writes. */
export function signedOf(parts: readonly Uint8Array[], signature: Uint8Array): TokenContent['signed'] {
  if (signature.length > LIMITS.listSignatureBytes) throw new Malformed('a list has a signature of unusual length')
  return { parts, signature: new Uint8Array(signature) }
}

function readStatuses(value: Json | undefined): PackedStatuses | null {
  if (!isJsonObject(value)) return null
  const lst = member(value, 'lst')
  return typeof lst === 'string' ? unpackStatuses(member(value, 'bits'), decodeBase64url(lst)) : null
}

/** `compressed` is zlib (RFC 1950). Returns null if it is not a byte string. */
export function unpackStatuses(bits: unknown, compressed: Uint8Array | null): PackedStatuses | null {
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) return null
  return { kind: 'statuses', bits, statuses: compressed === null ? null : inflated(compressed) }
}

/** Returns null unless it is exactly one zlib stream within the limit. */
function inflated(compressed: Uint8Array): Uint8Array | null {
  try {
    const options = { maxOutputLength: LIMITS.unpackedListBytes, info: true }
    const result: unknown = inflateSync(compressed, options)
    // Refuses bytes after the stream, which are not part of the list.
    return isInflated(result) && result.engine.bytesWritten === compressed.length ? ownBytes(result.buffer) : null
  } catch {
    return null
  }
}

interface Inflated {
  readonly buffer: Uint8Array
  readonly engine: { readonly bytesWritten: number }
}

function isInflated(result: unknown): result is Inflated {
  return typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result
}

/** Copies a small part of a buffer, because a view would keep the whole buffer in memory. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
