// Finds the issuer of each certificate of a valid path, because the issuer publishes the certificate's revocation list.

import { PRICES, spendSignature, spendWork, type WorkBudget } from '../limits.ts'
import { type AnchorSet, authoritiesOf } from './anchors.ts'
import type { Certificate } from './certificate.ts'
import { isSignedBy } from './certified-key.ts'
import type { Path } from './path.ts'

export interface Issued {
  readonly certificate: Certificate
  /** null if the issuer is unknown: a pinned certificate is trusted without it. */
  readonly issuer: Certificate | null
}

interface IssuerContext {
  readonly anchors: AnchorSet
  readonly budget: WorkBudget
}

/** Returns all certificates below the anchor, signer first. A pinned signer is the only one. */
export function issuersOf(
  { signer, intermediates, anchor }: Path,
  chain: readonly Certificate[],
  context: IssuerContext,
): readonly Issued[] {
  if (signer.fingerprint === anchor.fingerprint) {
    return [{ certificate: signer, issuer: issuerOfPinned(signer, chain, context) }]
  }
  const below = [signer, ...intermediates]
  return below.map((certificate, index) => ({ certificate, issuer: below[index + 1] ?? anchor }))
}

/**
 * Searches the anchors, then the presented chain. A presented certificate that signed the pinned one may be used only
 * to judge a revocation list.
 */
function issuerOfPinned(
  signer: Certificate,
  chain: readonly Certificate[],
  { anchors, budget }: IssuerContext,
): Certificate | null {
  for (const { certificate } of authoritiesOf(anchors, signer)) {
    if (!spendWork(budget, PRICES.anchor)) return null
    if (isIssuer(certificate, signer, budget)) return certificate
  }
  return chain.find((candidate) => isIssuer(candidate, signer, budget)) ?? null
}

const isIssuer = (candidate: Certificate, signer: Certificate, budget: WorkBudget) =>
  candidate.subjectKey === signer.issuerKey &&
  spendSignature(budget, candidate, signer.signed.bytes.length) &&
  isSignedBy(candidate, signer.signed)
