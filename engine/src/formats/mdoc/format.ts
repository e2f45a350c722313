// The record of the format mdoc (ISO 18013-5, OpenID4VP B.2).

import { COSE_IDS } from '../../algorithms.ts'
import type { QueriedRecord } from '../record.ts'
import { examineMdoc, listMdoc } from './checks.ts'
import { MDOC } from './name.ts'
import { namedElements } from './named-elements.ts'
import { type MdocQuery, readMdocMeta, readMdocPath } from './query.ts'

export const mdoc: QueriedRecord<MdocQuery> = {
  kind: 'queried',
  name: MDOC,
  label: 'mdoc',
  examine: examineMdoc,
  list: listMdoc,
  contentChecks: ['digests_valid'],
  otherChecks: ['device_claims_authorised'],
  statusNotProvable: null,
  namedClaims: namedElements,
  typeName: 'docType',
  readMeta: readMdocMeta,
  typesOf: ({ doctype_value: type }) => [type],
  metaOf: ([type]) => ({ doctype_value: type }),
  readPath: readMdocPath,
  claimMembers: ['intent_to_retain'],
  // Leaves out the name space, which people do not understand.
  claimNames: (path) => path.slice(1).filter((part) => typeof part === 'string'),
  vpFormats: { issuerauth_alg_values: COSE_IDS, deviceauth_alg_values: COSE_IDS },
  wireQuery: ({ circuits: _, ...query }) => query,
  // Only for types that define device-signed elements, and only one item per name space.
  confirms: ({ deviceSigned }) => deviceSigned,
  confirmsOnce: () => true,
}
