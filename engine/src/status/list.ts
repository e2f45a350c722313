// Which status does a Token Status List give to one index? Inflates and looks up; who signed the list is for others.

import { inflate } from 'node:zlib'
import type { StatusReference } from '../examination.ts'
import { type KnownList, STATUSES_BYTES_KEPT_MAX } from './memory.ts'
import type { Standing } from './standing.ts'

/** What a list says, and the revocation lists of whoever signed it, which that rests on. */
export interface ListStanding extends Standing {
  readonly restsOn: readonly StatusReference[]
}

export function unestablished(detail: string): ListStanding {
  return { outcome: 'unknown', detail, restsOn: [] }
}

export interface StatusList {
  readonly bits: 1 | 2 | 4 | 8
  /** zlib (RFC 1950) of the packed statuses; null where it is not even bytes. */
  readonly compressed: () => Uint8Array | null
}

/** 134 million one-bit statuses. A cap on the ratio would not do: honest lists compress 700 to 1. */
const INFLATED_BYTES_MAX = 16 * 1024 * 1024

export function isStatusBits(bits: unknown): bits is StatusList['bits'] {
  return bits === 1 || bits === 2 || bits === 4 || bits === 8
}

export async function standingAt(
  list: StatusList,
  index: number,
  known: Pick<KnownList, 'statuses'>,
): Promise<Standing> {
  const statuses = known.statuses ?? (await unpacked(list))
  if (statuses !== null && statuses.length <= STATUSES_BYTES_KEPT_MAX) known.statuses = statuses
  if (statuses === null) return { outcome: 'unknown', detail: 'the status list cannot be unpacked' }
  const status = statusAt(statuses, list.bits, index)
  // Token Status List §8.3: an index outside the list rejects the credential.
  if (status === null) return { outcome: 'invalid', detail: 'the status list has no entry for the credential' }
  return standingOf(status)
}

/** Token Status List §4.1: from the least significant bits of each byte on. */
export function statusAt(statuses: Uint8Array, bits: StatusList['bits'], index: number): number | null {
  if (!Number.isSafeInteger(index) || index < 0) return null
  const perByte = 8 / bits
  const byte = statuses[Math.floor(index / perByte)]
  return byte === undefined ? null : (byte >> ((index % perByte) * bits)) & ((1 << bits) - 1)
}

/** Token Status List §7.1: all but VALID keep the credential from being accepted; two of them have a name. */
function standingOf(status: number): Standing {
  switch (status) {
    case 0:
      return { outcome: 'valid', detail: 'the issuer lists the credential as valid' }
    case 1:
      return { outcome: 'revoked', detail: 'the issuer has revoked the credential' }
    case 2:
      return { outcome: 'suspended', detail: 'the issuer has suspended the credential' }
    default:
      return { outcome: 'invalid', detail: 'the issuer gives the credential a status that is not valid' }
  }
}

async function unpacked(list: StatusList): Promise<Uint8Array | null> {
  const compressed = list.compressed()
  return compressed === null ? null : inflated(compressed)
}

interface Inflated {
  readonly buffer: Uint8Array
  readonly engine: { readonly bytesWritten: number }
}

/** Null for anything but one whole zlib stream within the cap. Off the main thread: a list may have megabytes. */
function inflated(compressed: Uint8Array): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    const options = { maxOutputLength: INFLATED_BYTES_MAX, info: true }
    inflate(compressed, options, (error, result: unknown) => {
      if (error !== null || !isInflated(result)) return resolve(null)
      // What follows the stream is not part of what anybody meant.
      resolve(result.engine.bytesWritten === compressed.length ? result.buffer : null)
    })
  })
}

function isInflated(result: unknown): result is Inflated {
  return typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result
}
