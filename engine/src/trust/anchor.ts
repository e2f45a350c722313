// Trust anchors: which certificates we trust, and for which types.

import { docTypeOf, vouchedDocType } from '../formats/mdoc/name.ts'

/** A certificate that vouches for named types. Without anchors, nothing is trusted. */
export interface Anchor {
  /**
   * ca: an authority above signers. pinned: the signer's own certificate, if its key may sign. exact: the signer's own certificate, with
   * no check but its time. The last two are for tests.
   */
  readonly kind: 'ca' | 'pinned' | 'exact'
  readonly certificate: Uint8Array
  readonly types: readonly VouchedType[]
  /** The certificate profile of signers below it. */
  readonly profile: 'iso-mdl' | 'generic'
  /** The operator's statement about every key of this certificate and below it. Absent: it accepts no zero-knowledge proof. */
  readonly sole?: SoleType
  /** One map for all anchors. Its sole type does not hold for a path with a key that a published list names for another type. */
  readonly listedKeys?: ListedKeys
  /** The types from before its list expired. It vouches for nothing now, but still contradicts a sole type of keys in its path. */
  readonly ended?: readonly VouchedType[]
}

/** Keys that published lists name, as `keySha256`, with the only document type that they are named for; null: several, or unknown. */
export type ListedKeys = ReadonlyMap<string, string | null>

/**
 * The only type that a key signs. A zero-knowledge proof hides the type and the name space of the signed object, so it proves a type
 * only if the key signs no other.
 */
export interface SoleType {
  readonly docType: string
  readonly nameSpace: string
  /** Whether its documents never name a status, so that a proof cannot hide one. */
  readonly withoutStatus: boolean
}

/** An anchor with a sole type must vouch for exactly one mdoc type. */
export function isSoleOf({ docType }: Pick<SoleType, 'docType'>, types: Iterable<VouchedType>): boolean {
  const documents = [...types].filter(isDocumentType)
  return documents.length === 1 && documents[0] === vouchedDocType(docType) && docType !== '*'
}

export const isDocumentType = (type: VouchedType) => docTypeOf(type) !== null

/**
 * A format and a vct or docType of that format: `dc+sd-jwt:urn:eudi:pid:1`. Equal names in two formats are different types. `*` after
 * the format means every type of it.
 */
export type VouchedType = `${VouchedFormat}:${string}`

/** A type of credentials (`formats/`), of registration certificates, or of answers of registers. */
export type VouchedFormat = string
