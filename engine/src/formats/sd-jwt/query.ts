// The parts of a query that only SD-JWT VCs have (OpenID4VP B.3.5, §7.1).

import type { ClaimsPath, CredentialQueryBase, PathPart } from '../../openid4vp/credential-query.ts'
import { type Field, InvalidQuery, readArray, readObject, readText } from '../../openid4vp/fields.ts'
import { NAME_LENGTH_MAX, TYPE_LENGTH_MAX, TYPES_MAX } from '../query-limits.ts'
import type { SD_JWT } from './name.ts'

export interface SdJwtQuery extends CredentialQueryBase {
  readonly format: typeof SD_JWT
  readonly meta: { readonly vct_values: readonly string[] }
}

const PATH_PARTS_MAX = 16

export function readSdJwtMeta(field: Field): SdJwtQuery['meta'] {
  const types = readObject(field, ['vct_values']).required('vct_values')
  return { vct_values: readArray(types, TYPES_MAX, (type) => readText(type, TYPE_LENGTH_MAX)) }
}

export function readJsonPath(field: Field): ClaimsPath {
  const path = readArray(field, PATH_PARTS_MAX, readPathPart)
  // OpenID4VP §7.1.1: a path starts at the credential, which is an object. So its first part is a name.
  if (typeof path[0] !== 'string') throw new InvalidQuery(`${field.path}[0]`, 'must be the name of a claim')
  return path
}

function readPathPart(field: Field): PathPart {
  const { value } = field
  if (typeof value === 'string') return readText(field, NAME_LENGTH_MAX)
  if (value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return value
  throw new InvalidQuery(field.path, 'must be a name, null or a non-negative integer')
}
