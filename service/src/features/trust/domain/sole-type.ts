// Reads the operator's declaration that the keys of an anchor sign only one document type and one name space.

import type { ListedKeys, SoleType, VouchedType } from '@vidimus/engine'
import { docTypeOf, vouchedDocType } from '@vidimus/engine/formats'
import { isSameSoleType, isStatusless } from '../../../core/verifications/domain/provable.ts'
import { refuseTrust, type TrustRefusal } from './problem.ts'

export type { ListedKeys, SoleType }

/** ISO 18013-5 uses reversed domain names, which are never longer. */
const NAME_LENGTH_MAX = 255

/** The declaration as stored and shown. */
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
 * Returns null for anything but a complete declaration. A zero-knowledge proof reveals neither type nor name space, so
 * without a declaration no proof is requested or accepted.
 */
export function readSoleType(stored: unknown): SoleType | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { doc_type: docType, namespace: nameSpace, without_status: withoutStatus } = stored as Partial<RenderedSoleType>
  if (typeof docType !== 'string' || typeof nameSpace !== 'string' || typeof withoutStatus !== 'boolean') return null
  return docType === '' || nameSpace === '' ? null : { docType, nameSpace, withoutStatus }
}

/** Returns why an anchor or list with these types cannot have this declaration; null if it can. */
export function soleTypeProblem(sole: SoleType | null, types: readonly VouchedType[]): TrustRefusal | null {
  if (sole === null) return null
  const { docType, nameSpace, withoutStatus } = sole
  if (![docType, nameSpace].every((name) => name.length > 0 && name.length <= NAME_LENGTH_MAX))
    return refuseTrust('sole_type', 'a sole type has a document type and a name space')
  const documents = types.filter((type) => docTypeOf(type) !== null)
  if (documents.length !== 1 || documents[0] !== vouchedDocType(docType) || docType === '*')
    return refuseTrust(
      'sole_type',
      `a signer of ${docType} only may vouch for ${vouchedDocType(docType)} and no other mdoc`,
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
 * Removes the mark of an anchor if an expired anchor with the same key contradicts it. Groups by key, because owners of
 * a tenant can have thousands of expired anchors.
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

/** A key that a published list names, even if the list does not vouch for it. */
export interface ListedKey {
  readonly keySha256: string
  /** The only document type for which the list has named the key; null: several types, or the list does not name the type. */
  readonly docType: string | null
}

const UNKNOWN_TYPE = '*'
/** A pattern for SQL. */
export const ANY_DOCUMENT_TYPE = vouchedDocType('%')

/** Returns the keys that a list names, each with its document type. `granted`: the types of entries that name no type. */
export function listedKeysOf(
  named: readonly { readonly keySha256: string; readonly docTypes: readonly string[] | null }[],
  granted: readonly VouchedType[],
): ListedKey[] {
  const documentTypes = granted.map(docTypeOf).filter((docType) => docType !== null)
  // A list that is granted no documents still names keys, for unknown types.
  const defaultTypes = documentTypes.length === 0 ? [UNKNOWN_TYPE] : documentTypes
  const typesOf = Map.groupBy(named, ({ keySha256 }) => keySha256)
  return [...typesOf].flatMap(([keySha256, entries]) => {
    const [docType, ...others] = new Set(entries.flatMap(({ docTypes }) => docTypes ?? defaultTypes))
    if (docType === undefined) return []
    const isOne = others.length === 0 && docType !== UNKNOWN_TYPE && docType.length <= NAME_LENGTH_MAX
    return [{ keySha256, docType: isOne ? docType : null }]
  })
}

/**
 * Removes the mark of an anchor if a list names the anchor's key for another type. Other marked anchors get the listed
 * keys, because keys below them may also be listed. If `listedKeys` is null (unknown), all marks are removed.
 */
export function withListedKeys<A extends Marked>(
  anchors: readonly A[],
  listedKeys: ListedKeys | null,
  keyOf: (anchor: A) => string,
): (A | Omit<A, 'sole'>)[] {
  return anchors.map((anchor) => {
    const { sole, ...unmarked } = anchor
    if (sole === undefined) return anchor
    if (listedKeys === null) return unmarked
    const docType = listedKeys.get(keyOf(anchor))
    return docType === undefined || docType === sole.docType ? { ...anchor, listedKeys } : unmarked
  })
}

/** Builds one map for all marks, because owners can mark many types. Yields often, because lists can name many keys. */
export function* typesByKey(listed: readonly ListedKey[]): Generator<void, ListedKeys> {
  const types = new Map<string, string | null>()
  for (const { keySha256, docType } of listed) {
    yield
    const before = types.get(keySha256)
    types.set(keySha256, before === undefined || before === docType ? docType : null)
  }
  return types
}

/** Whether another anchor with the same key is trusted for documents, but not for this type only. */
const isContradicted = (sole: SoleType, other: Marked): boolean =>
  other.types.some((type) => docTypeOf(type) !== null) &&
  (!isSameSoleType(sole, other.sole ?? null) || soleTypeProblem(sole, other.types) !== null)
