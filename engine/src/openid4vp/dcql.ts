// Parses and validates a DCQL query in its wire form (OpenID4VP §6).

import { decodeBase64url, isArrayIndex } from '../bytes.ts'
import {
  CREDENTIAL_FORMATS,
  type CredentialFormat,
  type CredentialQuery,
  isCredentialFormat,
  queriedFormatOf,
} from '../formats/table.ts'
import type { CredentialQueryBase, TrustedAuthority } from './credential-query.ts'
import { readClaimSets, readClaims } from './dcql-claims.ts'
import {
  type Field,
  InvalidQuery,
  type Members,
  readArray,
  readFlag,
  readId,
  readObject,
  readText,
  requireUnique,
} from './fields.ts'

export type { CredentialQuery }

export interface CredentialSetQuery {
  readonly options: readonly (readonly string[])[]
  /** Default: true. */
  readonly required?: boolean
  /** Our extension: the purpose, for wallets that show it. OpenID4VP 1.0 wallets ignore it. */
  readonly purpose?: string
}

export interface DcqlQuery {
  readonly credentials: readonly CredentialQuery[]
  readonly credential_sets?: readonly CredentialSetQuery[]
}

// Limits on the size of a request object and on the cost of matching. Real queries are far smaller.
const LIMITS = { credentials: 20, sets: 20, options: 20, authorities: 20, values: 50 }
/** Without a total, a query could have 20 × 100 claims of 16 parts each, all compared with each other. */
const VALUES_TOTAL_MAX = 10_000
/** Claims and characters that a page lists for a query. They count again for each claim set and option that names them. */
const LISTED_MAX = { claims: 3_000, length: 300_000 }
/** A result has a member for each claim, and many that are named like array indices are expensive (see engine limits). */
const INDEX_NAMES_MAX = 256
const TEXT_MAX = 1024
const PURPOSE_MAX = 300

/** Checks a query completely, and returns only its known members. Throws InvalidQuery with the path of the fault. */
export function parseQuery(json: unknown): DcqlQuery {
  if (!hasAtMost(json, VALUES_TOTAL_MAX))
    throw new InvalidQuery('', `must have at most ${VALUES_TOTAL_MAX} values in all`)
  const query = readObject({ value: json, path: '' }, ['credentials', 'credential_sets'])
  const credentials = readArray(query.required('credentials'), LIMITS.credentials, readCredential)
  const ids = credentials.map((credential) => credential.id)
  requireUnique(ids, (i) => `credentials[${i}].id`)
  const sets = query.optional('credential_sets')
  if (sets === undefined) return requireShort({ credentials })
  const credentialSets = readArray(sets, LIMITS.sets, (set) => readCredentialSet(set, ids))
  // OpenID4VP §6.4.2: wallets ignore a credential that no option names, so such a query is a mistake.
  const named = new Set(credentialSets.flatMap((set) => set.options.flat()))
  const forgotten = ids.findIndex((id) => !named.has(id))
  if (forgotten >= 0) throw new InvalidQuery(`credentials[${forgotten}]`, 'is named by no option of credential_sets')
  return requireShort({ credentials, credential_sets: credentialSets })
}

function requireShort(query: DcqlQuery): DcqlQuery {
  const options = query.credential_sets?.flatMap((set) => set.options).flat()
  const listed = { claims: 0, length: 0 }
  for (const { id, meta, claims = [], claim_sets: sets } of query.credentials) {
    const times = options === undefined ? 1 : options.filter((named) => named === id).length
    const lengths = new Map(claims.map((claim) => [claim, JSON.stringify(claim).length]))
    const byId = new Map(claims.map((claim) => [claim.id, claim]))
    const listedClaims = sets === undefined ? claims : sets.flat().flatMap((one) => byId.get(one) ?? [])
    listed.claims += times * Math.max(1, listedClaims.length)
    listed.length += times * JSON.stringify(meta).length
    for (const claim of listedClaims) listed.length += times * (lengths.get(claim) ?? 0)
  }
  if (listed.claims > LISTED_MAX.claims || listed.length > LISTED_MAX.length)
    throw new InvalidQuery('credentials', 'are asked for the same claims in too many claim_sets and options')
  const paths = query.credentials.flatMap(({ claims = [] }) => claims.flatMap(({ path }) => path))
  if (paths.filter((part) => typeof part === 'string' && isArrayIndex(part)).length > INDEX_NAMES_MAX)
    throw new InvalidQuery('credentials', 'are asked for too many claims whose names are numbers')
  return query
}

/** Counts the value and all values inside of it, at any depth. */
function hasAtMost(json: unknown, valuesMax: number): boolean {
  const values = [json]
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    for (const within of Object.values(value)) if (values.push(within) > valuesMax) return false
  }
  return true
}

const CREDENTIAL_MEMBERS = [
  'id',
  'format',
  'meta',
  'multiple',
  'trusted_authorities',
  'require_cryptographic_holder_binding',
  'claims',
  'claim_sets',
]

function readCredential(field: Field): CredentialQuery {
  const members = readObject(field, CREDENTIAL_MEMBERS)
  const id = readId(members.required('id'))
  const format = readFormat(members.required('format'))
  const common = { id, ...readCommon(members, format) }
  const meta = members.required('meta')
  // The record of a format reads the `meta` of its own queries.
  return { ...common, format, meta: queriedFormatOf(format).readMeta(meta) } as CredentialQuery
}

function readFormat(field: Field): CredentialFormat {
  if (isCredentialFormat(field.value)) return field.value
  const known = CREDENTIAL_FORMATS.map((name) => `"${name}"`).join(' and ')
  throw new InvalidQuery(field.path, `only the formats ${known} are supported`)
}

function readCommon(members: Members, format: CredentialFormat): Omit<CredentialQueryBase, 'id' | 'format' | 'meta'> {
  const multiple = members.optional('multiple')
  const authorities = members.optional('trusted_authorities')
  const binding = members.optional('require_cryptographic_holder_binding')
  const claims = members.optional('claims')
  const claimSets = members.optional('claim_sets')
  if (claimSets !== undefined && claims === undefined)
    throw new InvalidQuery(claimSets.path, 'needs claims to choose from')
  const claimsQueries = claims && readClaims(claims, format)
  return {
    ...(multiple && { multiple: readFlag(multiple) }),
    ...(authorities && { trusted_authorities: readArray(authorities, LIMITS.authorities, readAuthority) }),
    ...(binding && { require_cryptographic_holder_binding: readBinding(binding) }),
    ...(claimsQueries && { claims: claimsQueries }),
    ...(claimSets && claimsQueries && { claim_sets: readClaimSets(claimSets, claimsQueries) }),
  }
}

// Without a binding to holder and request, anyone could replay a presentation.
function readBinding(field: Field): true {
  if (!readFlag(field))
    throw new InvalidQuery(field.path, 'must not be false: only presentations bound to their holder are accepted')
  return true
}

function readAuthority(field: Field): TrustedAuthority {
  const members = readObject(field, ['type', 'values'])
  const type = members.required('type')
  // Other types name lists that the engine does not have, so it could not check the answer.
  if (type.value !== 'aki') throw new InvalidQuery(type.path, 'only the type "aki" is supported')
  const values = readArray(members.required('values'), LIMITS.values, (value) => {
    const text = readText(value, TEXT_MAX)
    if (decodeBase64url(text) === null)
      throw new InvalidQuery(value.path, 'must be a key identifier in unpadded base64url')
    return text
  })
  return { type: 'aki', values }
}

function readCredentialSet(field: Field, ids: readonly string[]): CredentialSetQuery {
  const members = readObject(field, ['options', 'required', 'purpose'])
  const options = readArray(members.required('options'), LIMITS.options, (option) => {
    const named = readArray(option, LIMITS.credentials, readId)
    const unknown = named.findIndex((id) => !ids.includes(id))
    if (unknown >= 0) throw new InvalidQuery(`${option.path}[${unknown}]`, 'names no credential of this query')
    requireUnique(named, (i) => `${option.path}[${i}]`)
    return named
  })
  const required = members.optional('required')
  const purpose = members.optional('purpose')
  return {
    options,
    ...(required && { required: readFlag(required) }),
    ...(purpose && { purpose: readText(purpose, PURPOSE_MAX) }),
  }
}
