// Which document types zero-knowledge proofs are asked for.

import type { TrustAnchor } from './anchor.ts'
import { isSameSoleType, type SoleType } from './sole-type.ts'

/**
 * Whether proofs of a document type may be asked for: every anchor that vouches for it has the mark, so that no holder is asked for
 * a proof that would not count.
 */
export function soleTypeAmong(anchors: readonly TrustAnchor[], docType: string): SoleType | null {
  const vouching = anchors.filter(
    ({ sandbox, types }) =>
      sandbox !== true && types.some((type) => type === `mso_mdoc:${docType}` || type === 'mso_mdoc:*'),
  )
  const [first] = vouching
  const sole = first?.sole
  if (sole === undefined || sole.docType !== docType) return null
  return vouching.every((anchor) => anchor.sole !== undefined && isSameSoleType(anchor.sole, sole)) ? sole : null
}
