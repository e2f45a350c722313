// Which claims of a credential did we ask for? The claims and claim_sets of one credential query (OpenID4VP §6.3, §7).

import type { CredentialFormat } from '../verdict.ts'
import { demandUnique, type Field, InvalidQuery, readArray, readFlag, readId, readObject, readText } from './fields.ts'

export type PathPart = string | number | null
export type ClaimsPath = readonly PathPart[]
export type ClaimValue = string | number | boolean

export interface ClaimsQuery {
  readonly id?: string
  readonly path: ClaimsPath
  readonly values?: readonly ClaimValue[]
  /** mso_mdoc only. */
  readonly intent_to_retain?: boolean
}

const CLAIMS_MAX = 100
const CLAIM_SETS_MAX = 50
const PATH_PARTS_MAX = 16
const VALUES_MAX = 50
const NAME_LENGTH_MAX = 256
const VALUE_LENGTH_MAX = 1024

type Format = CredentialFormat

export function readClaims(field: Field, format: Format): readonly ClaimsQuery[] {
  const claims = readArray(field, CLAIMS_MAX, (claim) => readClaim(claim, format))
  demandUnique(
    claims.map((claim) => claim.id),
    (i) => `${field.path}[${i}].id`,
  )
  // OpenID4VP §7: one query must not point to the same claim twice. `null` points to every element an index points to.
  claims.forEach((claim, i) => {
    if (claims.slice(0, i).some((earlier) => isSamePath(earlier.path, claim.path))) {
      throw new InvalidQuery(`${field.path}[${i}].path`, 'points to a claim that an earlier path already points to')
    }
  })
  return claims
}

export function readClaimSets(field: Field, claims: readonly ClaimsQuery[]): readonly (readonly string[])[] {
  const nameless = claims.findIndex((claim) => claim.id === undefined)
  if (nameless >= 0) {
    const path = field.path.replace(/claim_sets$/, `claims[${nameless}].id`)
    throw new InvalidQuery(path, 'is required where claim_sets are given')
  }
  const known = new Set(claims.map((claim) => claim.id))
  return readArray(field, CLAIM_SETS_MAX, (set) => {
    const ids = readArray(set, CLAIMS_MAX, readId)
    const unknown = ids.findIndex((id) => !known.has(id))
    if (unknown >= 0) throw new InvalidQuery(`${set.path}[${unknown}]`, 'names no claim of this credential')
    demandUnique(ids, (i) => `${set.path}[${i}]`)
    return ids
  })
}

function readClaim(field: Field, format: Format): ClaimsQuery {
  const known = format === 'mso_mdoc' ? ['id', 'path', 'values', 'intent_to_retain'] : ['id', 'path', 'values']
  const members = readObject(field, known)
  const id = members.optional('id')
  const path = members.required('path')
  const values = members.optional('values')
  const retain = members.optional('intent_to_retain')
  return {
    ...(id && { id: readId(id) }),
    path: format === 'mso_mdoc' ? readMdocPath(path) : readJsonPath(path),
    ...(values && { values: readArray(values, VALUES_MAX, readValue) }),
    ...(retain && { intent_to_retain: readFlag(retain) }),
  }
}

/** OpenID4VP §7.2: the namespace and the element identifier, nothing else. */
function readMdocPath(field: Field): ClaimsPath {
  const path = readArray(field, 2, (part) => readText(part, NAME_LENGTH_MAX))
  if (path.length !== 2) throw new InvalidQuery(field.path, 'must be a namespace and an element identifier')
  return path
}

function readJsonPath(field: Field): ClaimsPath {
  const path = readArray(field, PATH_PARTS_MAX, readPathPart)
  // OpenID4VP §7.1.1: a path starts at the credential itself, an object; anything but a name could never select.
  if (typeof path[0] !== 'string') throw new InvalidQuery(`${field.path}[0]`, 'must be the name of a claim')
  return path
}

function readPathPart(field: Field): PathPart {
  const { value } = field
  if (typeof value === 'string') return readText(field, NAME_LENGTH_MAX)
  if (value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return value
  throw new InvalidQuery(field.path, 'must be a name, null or a non-negative integer')
}

function readValue(field: Field): ClaimValue {
  const { value } = field
  if (typeof value === 'string') return readText(field, VALUE_LENGTH_MAX)
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) return value
  throw new InvalidQuery(field.path, 'must be a string, an integer or a boolean')
}

function isSamePath(a: ClaimsPath, b: ClaimsPath): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i] || isElement(part, b[i]))
}

function isElement(a: PathPart, b: PathPart | undefined): boolean {
  return (a === null && typeof b === 'number') || (typeof a === 'number' && b === null)
}
