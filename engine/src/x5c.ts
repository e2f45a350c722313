// Reads the certificates in `x5c` of a JOSE header (RFC 7515 §4.1.6). Does not judge them.

import { decodeBase64 } from './bytes.ts'
import { member } from './json.ts'
import { LIMITS } from './limits.ts'
import type { Json, JsonObject } from './verdict.ts'

type CarriedChain =
  /** DER, signer first. */
  | { readonly outcome: 'carried'; readonly chain: readonly Uint8Array[] }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'malformed' }

/** Ignores `jwk`, `jku`, `x5u` and `kid`, because the sender chooses them. */
export function readX5c(header: JsonObject): CarriedChain {
  const x5c = member(header, 'x5c')
  if (x5c === undefined) return { outcome: 'absent' }
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > LIMITS.x5cLength) return { outcome: 'malformed' }
  const chain = x5c.map(certificateOf)
  return chain.every((der) => der !== null) ? { outcome: 'carried', chain } : { outcome: 'malformed' }
}

function certificateOf(text: Json): Uint8Array | null {
  const der = typeof text === 'string' ? decodeBase64(text) : null
  return der === null || der.length === 0 ? null : der
}
