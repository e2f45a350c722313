// Parses DCQL strictly, as a wallet (OpenID4VP 6), and selects claims by path (section 7).

import type { Json } from './encoding/json.ts'
import { isObject, member } from './encoding/json.ts'
import type { ClaimPath } from './present.ts'
import { demand } from './refusal.ts'

type ClaimValue = string | number | boolean

export interface ClaimQuery {
  readonly id: string | null
  readonly path: ClaimPath
  readonly values: readonly ClaimValue[] | null
}

export interface CredentialQuery {
  readonly id: string
  readonly format: string
  /** vct values or the one docType. */
  readonly types: readonly string[]
  /** Key identifiers of acceptable authorities; null if every authority is acceptable. */
  readonly authorityKeyIds: readonly string[] | null
  /** Several credentials may answer. This wallet presents one. */
  readonly multiple: boolean
  readonly claims: readonly ClaimQuery[]
  readonly claimSets: readonly (readonly string[])[] | null
  /** Sets that can replace an element. Only a DeviceRequest has them, which a wallet answers with the elements it has. */
  readonly alternatives?: readonly Alternatives[]
}

export interface Alternatives {
  readonly requested: ClaimPath
  readonly sets: readonly (readonly ClaimPath[])[]
}

interface CredentialSet {
  readonly options: readonly (readonly string[])[]
  readonly required: boolean
  readonly purpose: string | null
}

export interface DcqlQuery {
  readonly credentials: readonly CredentialQuery[]
  readonly sets: readonly CredentialSet[] | null
}

const ID = /^[A-Za-z0-9_-]+$/

export function parseDcql(query: unknown): DcqlQuery {
  const credentials = list(member(query, 'credentials'), 'credentials').map(parseCredential)
  const ids = credentials.map((credential) => credential.id)
  demand(new Set(ids).size === ids.length, 'dcql_query_invalid', 'credential ids repeat')
  const sets = member(query, 'credential_sets')
  return {
    credentials,
    sets: sets === undefined ? null : list(sets, 'credential_sets').map((set) => parseSet(set, ids)),
  }
}

function parseCredential(query: unknown): CredentialQuery {
  const id = member(query, 'id')
  const format = member(query, 'format')
  demand(typeof id === 'string' && ID.test(id), 'dcql_query_invalid', 'credentials[].id')
  demand(typeof format === 'string', 'dcql_query_invalid', 'credentials[].format')
  const claims = member(query, 'claims')
  const parsed = claims === undefined ? [] : list(claims, 'claims').map((claim) => parseClaim(claim, format))
  return {
    id,
    format,
    types: typesOf(member(query, 'meta'), format),
    authorityKeyIds: authoritiesOf(member(query, 'trusted_authorities')),
    multiple: member(query, 'multiple') === true,
    claims: parsed,
    claimSets: parseClaimSets(member(query, 'claim_sets'), parsed),
  }
}

function typesOf(meta: unknown, format: string): readonly string[] {
  demand(isObject(meta), 'dcql_query_invalid', 'credentials[].meta')
  if (format === 'mso_mdoc' || format === 'mso_mdoc_zk')
    return texts([member(meta, 'doctype_value')], 'meta.doctype_value')
  if (format === 'dc+sd-jwt') return texts(list(member(meta, 'vct_values'), 'meta.vct_values'), 'meta.vct_values')
  return []
}

function authoritiesOf(authorities: unknown): readonly string[] | null {
  if (authorities === undefined) return null
  const entries = list(authorities, 'trusted_authorities')
  return entries
    .filter((entry) => member(entry, 'type') === 'aki')
    .flatMap((entry) =>
      texts(list(member(entry, 'values'), 'trusted_authorities[].values'), 'trusted_authorities[].values'),
    )
}

function parseClaim(claim: unknown, format: string): ClaimQuery {
  const id = member(claim, 'id')
  demand(id === undefined || (typeof id === 'string' && ID.test(id)), 'dcql_query_invalid', 'claims[].id')
  const path = list(member(claim, 'path'), 'claims[].path')
  const isSound = path.every(
    (part) => part === null || typeof part === 'string' || (Number.isInteger(part) && Number(part) >= 0),
  )
  demand(isSound, 'dcql_query_invalid', 'claims[].path')
  const isMdocPath = path.length === 2 && path.every((part) => typeof part === 'string')
  demand(format !== 'mso_mdoc' || isMdocPath, 'dcql_query_invalid', 'claims[].path of an mdoc has two strings')
  const values = member(claim, 'values')
  return {
    id: id ?? null,
    path: path as ClaimPath,
    values: values === undefined ? null : plainValues(list(values, 'claims[].values')),
  }
}

/** OpenID4VP 6.3: strings, integers and booleans. */
function plainValues(values: readonly unknown[]): readonly ClaimValue[] {
  const isSound = values.every(
    (value): value is ClaimValue =>
      typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value),
  )
  demand(isSound, 'dcql_query_invalid', 'claims[].values')
  return values as readonly ClaimValue[]
}

function parseClaimSets(sets: unknown, claims: readonly ClaimQuery[]): CredentialQuery['claimSets'] {
  if (sets === undefined) return null
  const ids = claims.map((claim) => claim.id)
  demand(claims.length > 0 && !ids.includes(null), 'dcql_query_invalid', 'claim_sets need claims with ids')
  return list(sets, 'claim_sets').map((set) => {
    const names = texts(list(set, 'claim_sets[]'), 'claim_sets[]')
    demand(
      names.every((name) => ids.includes(name)),
      'dcql_query_invalid',
      'claim_sets name an unknown claim',
    )
    return names
  })
}

function parseSet(set: unknown, ids: readonly string[]): CredentialSet {
  const options = list(member(set, 'options'), 'credential_sets[].options').map((option) => {
    const names = texts(list(option, 'credential_sets[].options[]'), 'credential_sets[].options[]')
    demand(
      names.every((name) => ids.includes(name)),
      'dcql_query_invalid',
      'an option names an unknown credential',
    )
    return names
  })
  const required = member(set, 'required') ?? true
  demand(typeof required === 'boolean', 'dcql_query_invalid', 'credential_sets[].required')
  const purpose = member(set, 'purpose')
  return { options, required, purpose: typeof purpose === 'string' ? purpose : null }
}

function list(value: unknown, jsonPath: string): readonly unknown[] {
  demand(Array.isArray(value) && value.length > 0, 'dcql_query_invalid', `${jsonPath} is a non-empty array`)
  return value
}

function texts(values: readonly unknown[], jsonPath: string): readonly string[] {
  const isSound = values.every((value): value is string => typeof value === 'string')
  demand(isSound, 'dcql_query_invalid', `${jsonPath} holds strings`)
  return values as readonly string[]
}

/** The selected elements, or none if the path does not match (OpenID4VP 7.1.1). */
export function select(root: Json, path: ClaimPath): readonly Json[] {
  let current: readonly Json[] = [root]
  for (const part of path) {
    const next: Json[] = []
    for (const element of current) {
      if (typeof part === 'string' ? !isObject(element) : !Array.isArray(element)) return []
      const found = typeof part === 'string' ? member(element, part) : undefined
      if (typeof part === 'string' && found !== undefined) next.push(found as Json)
      if (Array.isArray(element))
        next.push(...(part === null ? element : element.slice(Number(part), Number(part) + 1)))
    }
    current = next
  }
  return current
}
