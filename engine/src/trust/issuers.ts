// Finds the issuer of each certificate of a valid path. The issuer publishes the revocation list.

import { type ChainBudget, spendSignature } from '../limits.ts'
import { type AnchorSet, authoritiesNamed } from './anchors.ts'
import type { Certificate } from './certificate.ts'
import { isSignedBy } from './certified-key.ts'
import type { Path } from './path.ts'

export interface Issued {
  readonly certificate: Certificate
  /** Null where it is not at hand: a pinned certificate is trusted without it. */
  readonly issuer: Certificate | null
}

interface Grounds {
  readonly anchors: AnchorSet
  readonly budget: ChainBudget
}

/** Everything below the anchor, the signer first; for a pinned signer, itself. */
export function issuersOf(
  { signer, intermediates, anchor }: Path,
  chain: readonly Certificate[],
  grounds: Grounds,
): readonly Issued[] {
  if (signer.fingerprint === anchor.fingerprint) {
    return [{ certificate: signer, issuer: issuerOfPinned(signer, chain, grounds) }]
  }
  const below = [signer, ...intermediates]
  return below.map((certificate, index) => ({ certificate, issuer: below[index + 1] ?? anchor }))
}

/**
 * Among the anchors, then among what was presented. That the pinned certificate's own signature holds under its key makes a
 * presented one good enough to judge a revocation list by, and for nothing else.
 */
function issuerOfPinned(
  signer: Certificate,
  chain: readonly Certificate[],
  { anchors, budget }: Grounds,
): Certificate | null {
  const candidates = [...authoritiesNamed(anchors, signer).map(({ certificate }) => certificate), ...chain]
  const issuer = candidates.find(
    (candidate) =>
      candidate.subjectKey === signer.issuerKey &&
      spendSignature(budget, candidate.kind) &&
      isSignedBy(candidate, signer.signed),
  )
  return issuer ?? null
}
