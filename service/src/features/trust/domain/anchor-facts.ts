// Facts from an anchor's certificate, read once when it is added. Parsing all anchors again to show or compare some
// would let one tenant's anchors cost everyone.

import { X509Certificate } from 'node:crypto'
import { keySha256 } from '@vidimus/engine'
import { type Instant, instantOf } from '../../../platform/world.ts'

export interface AnchorFacts {
  /** SHA-256, hex, of the public key: another certificate for it is the same authority. */
  readonly keySha256: string
  readonly subject: string
  /** null: it has no readable end and counts as expired. */
  readonly validUntil: Instant | null
}

const SUBJECT_LENGTH_MAX = 500

/** null: unreadable. */
export function anchorFacts(certificate: Uint8Array): AnchorFacts | null {
  try {
    const parsed = new X509Certificate(certificate)
    const ends = parsed.validToDate.getTime()
    return {
      keySha256: keySha256(parsed.publicKey),
      subject: parsed.subject.replaceAll('\n', ', ').slice(0, SUBJECT_LENGTH_MAX),
      validUntil: ends > 0 ? instantOf(ends) : null,
    }
  } catch {
    return null
  }
}
