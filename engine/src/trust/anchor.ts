// Whom we trust, and for what.

import { docTypeOf, vouchedDocType } from '../formats/mdoc/name.ts'

/** A certificate that may vouch for named credential types. Without anchors no one is trusted. */
export interface Anchor {
  /**
   * ca: an authority above signers. pinned: the signer itself, by its bytes, where its key may sign. exact: the signer itself,
   * by its bytes and within its time, whatever else is wrong with it. The last two are for tests.
   */
  readonly kind: 'ca' | 'pinned' | 'exact'
  readonly certificate: Uint8Array
  readonly types: readonly VouchedType[]
  /** Certificate profile of the document signers below it. */
  readonly profile: 'iso-mdl' | 'generic'
  /** The operator's word for every key of this certificate and below it; absent: no zero-knowledge proof counts under it. */
  readonly sole?: SoleType
  /** What it vouched for while its list lasted: it vouches for no one any more, and still speaks against a mark of keys of its path. */
  readonly ended?: readonly VouchedType[]
}

/**
 * What a key signs, and nothing else. A zero-knowledge proof shows neither the type in the signed object nor the name space of an
 * element, so it says something of a type only where the key signs no other.
 */
export interface SoleType {
  readonly docType: string
  readonly nameSpace: string
  /** None of its documents ever names a status, so there is none to hide. */
  readonly withoutStatus: boolean
}

/** One type of mdoc and no other may be what it vouches for: with any more, the mark would contradict what it is trusted for. */
export function isSoleOf({ docType }: Pick<SoleType, 'docType'>, types: Iterable<VouchedType>): boolean {
  const documents = [...types].filter(isDocumentType)
  return documents.length === 1 && documents[0] === vouchedDocType(docType) && docType !== '*'
}

export const isDocumentType = (type: VouchedType) => docTypeOf(type) !== null

/**
 * A format and a vct or docType of that format: `dc+sd-jwt:urn:eudi:pid:1`. A docType that spells like a vct is another type.
 * `*` after the format means every type of it and must be written out.
 */
export type VouchedType = `${VouchedFormat}:${string}`

/** Of a credential (`formats/`); or of registration certificates and of what registers answer, whose signers vouch for no credential. */
export type VouchedFormat = string
