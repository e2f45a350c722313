// Compares the signers of published lists by their keys, because certificates are renewed.

import { hash } from 'node:crypto'
import type { TrustList } from './anchor.ts'
import { anchorFacts } from './anchor-facts.ts'

type Signed = Pick<TrustList, 'source' | 'signer' | 'signerChain'>

/**
 * Whether the same key signed both lists. At one address, also whether the same key is configured for both: it may belong
 * to the authority of a VICAL, whose signers change.
 */
export function isOfSameSigner(one: Signed, other: Signed): boolean {
  const [key, otherKey] = [one, other].map(({ signerChain, signer }) => keyOf(signerChain?.[0] ?? signer))
  return key === otherKey || (one.source === other.source && keyOf(one.signer) === keyOf(other.signer))
}

/** Of a certificate that cannot be read here, the hash of the certificate. */
const keyOf = (der: Uint8Array | null) => der && (anchorFacts(der)?.keySha256 ?? hash('sha256', der))
