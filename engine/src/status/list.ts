// Which status does a list give to one credential? Who signed the list is judged elsewhere.

import type { StatusReference } from '../examination.ts'
import type { Identifiers, PackedStatuses } from './list-types.ts'
import { findRange } from './sorted-ranges.ts'
import type { Standing } from './standing.ts'

/** What a list says, and the revocation lists of its signer, on which that depends. */
export interface ListStanding extends Standing {
  readonly restsOn: readonly StatusReference[]
}

export function unestablished(detail: string): ListStanding {
  return { outcome: 'unknown', detail, restsOn: [] }
}

export function statusStanding({ statuses, bits }: PackedStatuses, index: number): Standing {
  if (statuses === null) return { outcome: 'unknown', detail: 'the status list cannot be unpacked' }
  const status = statusAt(statuses, bits, index)
  // Token Status List §8.3: an index outside the list rejects the credential.
  if (status === null) return { outcome: 'invalid', detail: 'the status list has no entry for the credential' }
  return standingOf(status)
}

/** Token Status List §4.1: from the least significant bits of each byte on. */
export function statusAt(statuses: Uint8Array, bits: PackedStatuses['bits'], index: number): number | null {
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

/** Some issuers write identifiers as text: the bytes are the same. */
export function identifierStanding({ payload, ranges }: Identifiers, id: Uint8Array): Standing {
  return findRange(payload, ranges, id) < 0
    ? { outcome: 'valid', detail: 'the issuer does not list the credential as revoked' }
    : { outcome: 'revoked', detail: 'the issuer has revoked the credential' }
}
