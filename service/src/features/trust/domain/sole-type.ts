// Reads the operator's declaration of the one document type and name space that an anchor's keys sign.

import type { SoleType, VouchedType } from '@vidimus/engine'
import { docTypeOf, vouchedDocType } from '@vidimus/engine/formats'
import { isSameSoleType, isStatusless } from '../../../core/verifications/domain/provable.ts'
import { refuseTrust, type TrustRefusal } from './problem.ts'

export type { SoleType }

/** ISO 18013-5 names both by a reversed domain; longer names are not used. */
const NAME_LENGTH_MAX = 255

/** As stored and shown. */
interface RenderedSoleType {
  readonly doc_type: string
  readonly namespace: string
  readonly without_status: boolean
}

export const renderSoleType = ({ docType, nameSpace, withoutStatus }: SoleType): RenderedSoleType => ({
  doc_type: docType,
  namespace: nameSpace,
  without_status: withoutStatus,
})

/**
 * Anything that is not exactly a declaration is treated as none. A zero-knowledge proof shows neither, so without a
 * declaration no proof is requested or accepted.
 */
export function readSoleType(stored: unknown): SoleType | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { doc_type: docType, namespace: nameSpace, without_status: withoutStatus } = stored as Partial<RenderedSoleType>
  if (typeof docType !== 'string' || typeof nameSpace !== 'string' || typeof withoutStatus !== 'boolean') return null
  return docType === '' || nameSpace === '' ? null : { docType, nameSpace, withoutStatus }
}

/** Why an anchor or list with these types cannot have this declaration; null if it can. */
export function soleTypeProblem(sole: SoleType | null, types: readonly VouchedType[]): TrustRefusal | null {
  if (sole === null) return null
  const { docType, nameSpace, withoutStatus } = sole
  if (![docType, nameSpace].every((name) => name.length > 0 && name.length <= NAME_LENGTH_MAX))
    return refuseTrust('sole_type', 'a sole type has a document type and a name space')
  const documents = types.filter((type) => docTypeOf(type) !== null)
  if (documents.length !== 1 || documents[0] !== vouchedDocType(docType) || docType === '*')
    return refuseTrust(
      'sole_type',
      `who signs ${docType} alone may vouch for ${vouchedDocType(docType)} and no other mdoc`,
    )
  if (withoutStatus && !isStatusless(docType))
    return refuseTrust('sole_type', `documents of type ${docType} may have a status`)
  return null
}

interface Marked {
  readonly types: readonly VouchedType[]
  readonly sole?: SoleType
}

/**
 * Takes the mark from anchors whose key an ended one contradicts. Asks for each key once: owners of a tenant can have
 * thousands of ended anchors beside their marked ones.
 */
export function withoutContradictedMarks<A extends Marked>(
  anchors: readonly A[],
  ended: readonly A[],
  keyOf: (anchor: A) => string,
): (A | Omit<A, 'sole'>)[] {
  const endedOf = Map.groupBy(ended, keyOf)
  return anchors.map((anchor) => {
    const { sole, ...unmarked } = anchor
    if (sole === undefined) return anchor
    return endedOf.get(keyOf(anchor))?.some((other) => isContradicted(sole, other)) === true ? unmarked : anchor
  })
}

/** A key that a published list names, whether or not the list vouches for it. */
export interface ListedKey {
  readonly keySha256: string
  /** The only document type that the list has named for it; null: several. */
  readonly docType: string | null
}

/** The keys of an issue with the type that its entries name. `granted`: the types of entries that name none themselves. */
export function listedKeysOf(
  named: readonly { readonly keySha256: string; readonly docTypes: readonly string[] | null }[],
  granted: readonly VouchedType[],
): ListedKey[] {
  const unsaid = granted.map(docTypeOf).filter((docType) => docType !== null)
  const typesOf = Map.groupBy(named, ({ keySha256 }) => keySha256)
  return [...typesOf].flatMap(([keySha256, entries]) => {
    const [docType, ...others] = new Set(entries.flatMap(({ docTypes }) => docTypes ?? unsaid))
    if (docType === undefined) return []
    const isOne = others.length === 0 && docType !== '*' && docType.length <= NAME_LENGTH_MAX
    return [{ keySha256, docType: isOne ? docType : null }]
  })
}

/**
 * Takes the mark from anchors whose own key a list names for another type, and notes in the others for which keys below
 * them it does not hold. `listed` is null if that is not known: then no mark holds.
 */
export function withListedKeys<A extends Marked>(
  anchors: readonly A[],
  listed: readonly ListedKey[] | null,
  keyOf: (anchor: A) => string,
): (A | Omit<A, 'sole'>)[] {
  const keysOf = new Map<string, ReadonlySet<string>>()
  const contradictedOf = (sole: SoleType, known: readonly ListedKey[]) => {
    const found = keysOf.get(sole.docType)
    if (found !== undefined) return found
    const others = known.filter(({ docType }) => docType !== sole.docType)
    const keys = new Set(others.map(({ keySha256 }) => keySha256))
    keysOf.set(sole.docType, keys)
    return keys
  }
  return anchors.map((anchor) => {
    const { sole, ...unmarked } = anchor
    if (sole === undefined) return anchor
    const contradictedKeys = listed === null ? null : contradictedOf(sole, listed)
    return contradictedKeys === null || contradictedKeys.has(keyOf(anchor)) ? unmarked : { ...anchor, contradictedKeys }
  })
}

/** Whether another anchor with the same key says otherwise: it was trusted for documents, and not for this type alone. */
const isContradicted = (sole: SoleType, other: Marked): boolean =>
  other.types.some((type) => docTypeOf(type) !== null) &&
  (!isSameSoleType(sole, other.sole ?? null) || soleTypeProblem(sole, other.types) !== null)
