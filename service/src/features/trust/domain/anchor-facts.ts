// What an anchor's certificate says of itself. Read once, when it is added: parsing all of them again to show or to compare some
// would be work that whoever adds them makes for everybody.

import { hash, X509Certificate } from 'node:crypto'
import { type Instant, instantOf } from '../../../platform/world.ts'

export interface AnchorFacts {
  /** SHA-256, hex, of the public key: another certificate for it is the same authority. */
  readonly keySha256: string
  readonly subject: string
  /** null: it names no end that could be read, and counts as ended. */
  readonly validUntil: Instant | null
}

const SUBJECT_LENGTH_MAX = 500

/** null: nobody can read it. */
export function anchorFacts(certificate: Uint8Array): AnchorFacts | null {
  try {
    const parsed = new X509Certificate(certificate)
    const key = parsed.publicKey.export({ type: 'spki', format: 'der' })
    const ends = parsed.validToDate.getTime()
    return {
      keySha256: hash('sha256', key),
      subject: parsed.subject.replaceAll('\n', ', ').slice(0, SUBJECT_LENGTH_MAX),
      validUntil: ends > 0 ? instantOf(ends) : null,
    }
  } catch {
    return null
  }
}
