// What are the parts of this SD-JWT? Structure and bounds only (RFC 9901 §4); nothing here is believed yet.

import { Malformed } from '../bytes.ts'
import { type CompactJws, type KnownHeaders, parseCompactJws } from '../jose.ts'

export interface SdJwt {
  readonly issuerJwt: CompactJws
  /** As received: digests are over this text, never over anything decoded and encoded again. */
  readonly disclosures: readonly string[]
  /** null when the presentation ends in "~": whether that is allowed is not the sender's decision. */
  readonly keyBindingJwt: CompactJws | null
  /** Everything up to and including the last "~", which sd_hash covers (RFC 9901 §4.3.1). */
  readonly covered: string
}

const LENGTH_MAX = 1_000_000
const DISCLOSURES_MAX = 500
// A portrait fits; RFC 9901 names no bound.
const DISCLOSURE_LENGTH_MAX = 350_000

/** Throws Malformed. */
export function parseSdJwt(text: string, known?: KnownHeaders): SdJwt {
  if (text.length > LENGTH_MAX) throw new Malformed('the SD-JWT is too long')
  const parts = text.split('~', DISCLOSURES_MAX + 3)
  if (parts.length > DISCLOSURES_MAX + 2) throw new Malformed('the SD-JWT has too many disclosures')
  const issuerJwt = parts.shift()
  const keyBindingJwt = parts.pop()
  if (issuerJwt === undefined || keyBindingJwt === undefined) throw new Malformed('an SD-JWT has at least one "~"')
  for (const { length } of parts) {
    if (length === 0) throw new Malformed('the SD-JWT has an empty disclosure')
    if (length > DISCLOSURE_LENGTH_MAX) throw new Malformed('the SD-JWT has a disclosure that is too long')
  }
  return {
    issuerJwt: parseCompactJws(issuerJwt, known),
    disclosures: parts,
    keyBindingJwt: keyBindingJwt === '' ? null : parseCompactJws(keyBindingJwt),
    covered: text.slice(0, text.length - keyBindingJwt.length),
  }
}
