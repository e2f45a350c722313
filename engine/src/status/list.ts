// Looks up the status of a credential in a list whose signature is already verified.

import type { StatusReference } from '../examination.ts'
import type { Identifiers, PackedStatuses } from './list-types.ts'
import type { RevocationStatus } from './revocation-status.ts'
import { findRange } from './sorted-ranges.ts'

/** A status that counts only if the signer of the list is not revoked. `dependsOn`: where to check that. */
export interface ListStatus extends RevocationStatus {
  readonly dependsOn: readonly StatusReference[]
}

export function unknownStatus(detail: string): ListStatus {
  return { outcome: 'unknown', detail, dependsOn: [] }
}

export function lookUpIndex({ statuses, bits }: PackedStatuses, index: number): RevocationStatus {
  if (statuses === null) return { outcome: 'unknown', detail: 'the status list cannot be unpacked' }
  const status = statusAt(statuses, bits, index)
  // Token Status List §8.3: an index beyond the list rejects the credential.
  if (status === null) return { outcome: 'invalid', detail: 'the status list has no entry for the credential' }
  return statusOf(status)
}

/** Token Status List §4.1: the statuses of a byte start at its least significant bits. */
export function statusAt(statuses: Uint8Array, bits: PackedStatuses['bits'], index: number): number | null {
  if (!Number.isSafeInteger(index) || index < 0) return null
  const perByte = 8 / bits
  const byte = statuses[Math.floor(index / perByte)]
  return byte === undefined ? null : (byte >> ((index % perByte) * bits)) & ((1 << bits) - 1)
}

/** Token Status List §7.1: only VALID is accepted. Two other values have names. */
function statusOf(status: number): RevocationStatus {
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

/** Some issuers write identifiers as text, which has the same bytes. */
export function lookUpIdentifier({ payload, ranges }: Identifiers, id: Uint8Array): RevocationStatus {
  return findRange(payload, ranges, id) < 0
    ? { outcome: 'valid', detail: 'the issuer does not list the credential as revoked' }
    : { outcome: 'revoked', detail: 'the issuer has revoked the credential' }
}
