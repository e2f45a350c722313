// Parses an SD-JWT (RFC 9901 §4). Checks structure and bounds only.

import { Malformed } from '../../bytes.ts'
import { type CompactJws, type KnownHeaders, parseCompactJws } from '../../jose.ts'
import { type Budget, LIMITS, newBudget, spend } from '../../limits.ts'

export interface SdJwt {
  readonly issuerJwt: CompactJws
  /** As received. Digests cover this text, so it is never encoded again. */
  readonly disclosures: readonly string[]
  /** null if the presentation ends with "~". Our policy decides whether that is accepted. */
  readonly keyBindingJwt: CompactJws | null
  /** Everything up to the last "~" and including it, which sd_hash covers (RFC 9901 §4.3.1). */
  readonly covered: string
}

/** Throws Malformed. */
export function parseSdJwt(text: string, known?: KnownHeaders, budget: Budget = newBudget()): SdJwt {
  if (text.length > LIMITS.sdJwtLength) throw new Malformed('the SD-JWT is too long')
  const parts = text.split('~', budget.disclosuresLeft + 3)
  if (!spend(budget, 'disclosuresLeft', Math.max(0, parts.length - 2))) {
    throw new Malformed('the SD-JWT has too many disclosures')
  }
  const issuerJwt = parts.shift()
  const keyBindingJwt = parts.pop()
  if (issuerJwt === undefined || keyBindingJwt === undefined) throw new Malformed('an SD-JWT has at least one "~"')
  for (const { length } of parts) {
    if (length === 0) throw new Malformed('the SD-JWT has an empty disclosure')
    if (length > LIMITS.disclosureLength) throw new Malformed('the SD-JWT has a disclosure that is too long')
  }
  return {
    issuerJwt: parseCompactJws(issuerJwt, known, budget),
    disclosures: parts,
    keyBindingJwt: keyBindingJwt === '' ? null : parseCompactJws(keyBindingJwt, undefined, budget),
    covered: text.slice(0, text.length - keyBindingJwt.length),
  }
}
