// Decides for which document types zero-knowledge proofs are requested.

import type { Anchor, SoleType } from '@vidimus/engine'
import { AGE_DOCTYPE, EVERY_DOCUMENT, vouchedDocType } from '@vidimus/engine/formats'

/**
 * Whether proofs of a document type may be requested: every anchor for it must have the same `sole` mark, so that no
 * holder is asked for a proof that would not count.
 */
export function soleTypeAmong(
  anchors: readonly (Anchor & { readonly sandbox?: boolean })[],
  docType: string,
): SoleType | null {
  const vouching = anchors.filter(
    ({ sandbox, types }) =>
      sandbox !== true && (types.includes(vouchedDocType(docType)) || types.includes(EVERY_DOCUMENT)),
  )
  const [first] = vouching
  const sole = first?.sole
  if (sole === undefined || sole.docType !== docType) return null
  return vouching.every((anchor) => anchor.sole !== undefined && isSameSoleType(anchor.sole, sole)) ? sole : null
}

export const isSameSoleType = (one: SoleType | null, other: SoleType | null) =>
  one === null || other === null
    ? one === other
    : one.docType === other.docType && one.nameSpace === other.nameSpace && one.withoutStatus === other.withoutStatus

/** Age attestations are for one use, expire within months and have no status. */
export const isStatusless = (docType: string) => docType === AGE_DOCTYPE
