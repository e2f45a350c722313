// Trust anchors: which certificates we trust, and for which types.

import { docTypeOf, vouchedDocType } from '../formats/mdoc/name.ts'

/** A certificate that vouches for named types. Without anchors, no credential is trusted. */
export interface Anchor {
  /**
   * ca: an authority that issues certificates of signers. pinned: the signer's own certificate, if its key may sign.
   * exact: the signer's own certificate, of which only the time is checked. The last two are for tests.
   */
  readonly kind: 'ca' | 'pinned' | 'exact'
  readonly certificate: Uint8Array
  readonly types: readonly VouchedType[]
  /** The profile of signers' certificates below the anchor. */
  readonly profile: 'iso-mdl' | 'generic'
  /** The operator's declaration about every key of the anchor and below it. Absent: no zero-knowledge proof is accepted. */
  readonly sole?: SoleType
  /** The same map for all anchors. If a list names a key of a path for another type, the sole type does not apply to that path. */
  readonly listedKeys?: ListedKeys
  /** The types before the anchor's list expired. The anchor vouches for nothing now, but can contradict a sole type of keys in its path. */
  readonly ended?: readonly VouchedType[]
}

/**
 * Keys that published lists name, as `keySha256`. The value is the only document type that they are named for; null:
 * several or unknown.
 */
export type ListedKeys = ReadonlyMap<string, string | null>

/**
 * The only type that a key signs. A zero-knowledge proof hides the type and the name space of the signed object, so it
 * proves a type only if the key signs no other type.
 */
export interface SoleType {
  readonly docType: string
  readonly nameSpace: string
  /** Whether its documents never name a status, which a proof would hide. */
  readonly withoutStatus: boolean
}

/** An anchor with a sole type must vouch for exactly one mdoc type. */
export function isSoleOf({ docType }: Pick<SoleType, 'docType'>, types: Iterable<VouchedType>): boolean {
  const documents = [...types].filter(isDocumentType)
  return documents.length === 1 && documents[0] === vouchedDocType(docType) && docType !== '*'
}

export const isDocumentType = (type: VouchedType) => docTypeOf(type) !== null

/**
 * A format and a vct or docType of that format, such as `dc+sd-jwt:urn:eudi:pid:1`. The same name in two formats is two
 * types. `*` after the format means every type of the format.
 */
export type VouchedType = `${VouchedFormat}:${string}`

/** A format of credentials (`formats/`), or the kind of registration certificates or of answers of registers. */
export type VouchedFormat = string
