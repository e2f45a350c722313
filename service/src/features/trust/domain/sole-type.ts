// The one document type and name space that an anchor's keys sign. A zero-knowledge proof shows neither, so the operator's word is
// what makes it count; where the word is missing, no proof is asked for and none counts.

import type { SoleType, VouchedType } from '@vidimus/engine'
import { docTypeOf, vouchedDocType } from '@vidimus/engine/formats'
import { isStatusless } from '../../../core/verifications/domain/provable.ts'
import { refuseTrust, type TrustRefusal } from './problem.ts'

export type { SoleType }

/** ISO 18013-5 names both by a reversed domain; nothing longer is used. */
const NAME_LENGTH_MAX = 255

/** As it is stored and shown. */
export interface RenderedSoleType {
  readonly doc_type: string
  readonly namespace: string
  readonly without_status: boolean
}

export const renderSoleType = ({ docType, nameSpace, withoutStatus }: SoleType): RenderedSoleType => ({
  doc_type: docType,
  namespace: nameSpace,
  without_status: withoutStatus,
})

/** What is not exactly a mark is none. */
export function readSoleType(stored: unknown): SoleType | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { doc_type: docType, namespace: nameSpace, without_status: withoutStatus } = stored as Partial<RenderedSoleType>
  if (typeof docType !== 'string' || typeof nameSpace !== 'string' || typeof withoutStatus !== 'boolean') return null
  return docType === '' || nameSpace === '' ? null : { docType, nameSpace, withoutStatus }
}

/** Why an anchor, or the anchors of a list, that vouch for these types cannot have this mark; null where they can. */
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
