// Decides for which document types zero-knowledge proofs are requested.

import type { Anchor, SoleType, VouchedType } from '@vidimus/engine'
import { AGE_DOCTYPE, EVERY_DOCUMENT, vouchedDocType } from '@vidimus/engine/formats'
import { atOnce } from '../../../platform/event-loop/slices.ts'

type TrustedAnchor = Anchor & { readonly sandbox?: boolean }

/** Cached per array, which stays the same object until anchors change. null: a type's anchors have different marks. */
const found = new WeakMap<readonly TrustedAnchor[], Map<VouchedType, SoleType | null>>()

/**
 * The type for which proofs may be requested; null: none. Every anchor for it must have the same `sole` mark, so that
 * no holder is asked for a proof that would not count.
 */
export function soleTypeAmong(anchors: readonly TrustedAnchor[], docType: string): SoleType | null {
  const soleTypes = found.get(anchors) ?? atOnce(prepareSoleTypes(anchors))
  // An anchor for all document types marks none of them as sole.
  if (soleTypes.has(EVERY_DOCUMENT)) return null
  const sole = soleTypes.get(vouchedDocType(docType)) ?? null
  return sole?.docType === docType ? sole : null
}

/** A generator, because there may be thousands of anchors. */
export function* prepareSoleTypes(
  anchors: readonly TrustedAnchor[],
): Generator<void, Map<VouchedType, SoleType | null>> {
  const soleTypes = new Map<VouchedType, SoleType | null>()
  for (const { sandbox, types, sole = null } of anchors) {
    yield
    for (const type of sandbox === true ? [] : types)
      soleTypes.set(type, isSameSoleType(soleTypes.getOrInsert(type, sole), sole) ? sole : null)
  }
  found.set(anchors, soleTypes)
  return soleTypes
}

export const isSameSoleType = (one: SoleType | null, other: SoleType | null) =>
  one === null || other === null
    ? one === other
    : one.docType === other.docType && one.nameSpace === other.nameSpace && one.withoutStatus === other.withoutStatus

/** Age attestations are for a single use, expire within months and have no status. */
export const isStatusless = (docType: string) => docType === AGE_DOCTYPE
