// Parses `claims` and `claim_sets` of a credential query (OpenID4VP §6.3, §7).

import { type CredentialFormat, queriedFormatOf } from '../formats/table.ts'
import type { ClaimsPath, ClaimsQuery, ClaimValue, PathPart } from './credential-query.ts'
import { type Field, InvalidQuery, readArray, readFlag, readId, readObject, readText, requireUnique } from './fields.ts'

const CLAIMS_MAX = 100
const CLAIM_SETS_MAX = 100
const VALUES_MAX = 50
const VALUE_LENGTH_MAX = 1024

type Format = CredentialFormat

export function readClaims(field: Field, format: Format): readonly ClaimsQuery[] {
  const claims = readArray(field, CLAIMS_MAX, (claim) => readClaim(claim, format))
  requireUnique(
    claims.map((claim) => claim.id),
    (i) => `${field.path}[${i}].id`,
  )
  // OpenID4VP §7: a query must not point to one claim twice. `null` points to every element, also to those named by index.
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
    requireUnique(ids, (i) => `${set.path}[${i}]`)
    return ids
  })
}

function readClaim(field: Field, format: Format): ClaimsQuery {
  const record = queriedFormatOf(format)
  const members = readObject(field, ['id', 'path', 'values', ...record.claimMembers])
  const id = members.optional('id')
  const path = members.required('path')
  const values = members.optional('values')
  const retain = members.optional('intent_to_retain')
  return {
    ...(id && { id: readId(id) }),
    path: record.readPath(path),
    ...(values && { values: readArray(values, VALUES_MAX, readValue) }),
    ...(retain && { intent_to_retain: readFlag(retain) }),
  }
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
