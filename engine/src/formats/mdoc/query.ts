// The parts of a query that only mdocs have (OpenID4VP B.2.3, §7.2).

import type { ClaimsPath, CredentialQueryBase } from '../../openid4vp/credential-query.ts'
import { type Field, InvalidQuery, readArray, readObject, readText } from '../../openid4vp/fields.ts'
import type { ZkCircuit } from '../mdoc-zk/circuits.ts'
import { NAME_LENGTH_MAX, TYPE_LENGTH_MAX } from '../query-limits.ts'
import { MDOC } from './name.ts'

export interface MdocQuery extends CredentialQueryBase {
  readonly format: typeof MDOC
  readonly meta: { readonly doctype_value: string }
  /** The circuits that a proof may use. Added by us, and never stored. */
  readonly circuits?: readonly ZkCircuit[]
}

export const isMdocQuery = (query: CredentialQueryBase): query is MdocQuery => query.format === MDOC

export function readMdocMeta(field: Field): MdocQuery['meta'] {
  return { doctype_value: readText(readObject(field, ['doctype_value']).required('doctype_value'), TYPE_LENGTH_MAX) }
}

/** OpenID4VP §7.2: a path is the name space and the element identifier. */
export function readMdocPath(field: Field): ClaimsPath {
  const path = readArray(field, 2, (part) => readText(part, NAME_LENGTH_MAX))
  if (path.length !== 2) throw new InvalidQuery(field.path, 'must be a namespace and an element identifier')
  return path
}
