// Reads `wallet_metadata` (OpenID4VP §5.10, §10). It can narrow our query, but never what is accepted.

import { algorithmListed, type JwsAlgorithm } from '../algorithms.ts'
import { type CredentialQuery, proofsFor, queriedFormatOf } from '../formats/table.ts'
import { isJsonObject, MalformedJson, member, parseJsonObject } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import type { ClientIdPrefix } from './client-id.ts'
import type { DcqlQuery } from './dcql.ts'

/** Metadata with formats and keys takes about 2 kB and 100 values. */
export const WALLET_METADATA_MAX = { bytes: 16_384, values: 500 } as const

/** Throws MalformedJson. */
export function readWalletMetadata(text: string): JsonObject {
  const { bytes, values } = WALLET_METADATA_MAX
  if (Buffer.byteLength(text) > bytes) throw new MalformedJson('wallet_metadata is too long')
  return parseJsonObject(text, { valuesLeft: values, escapesLeft: bytes })
}

export interface Proposal {
  /** The query, with the proofs that the request may ask for. */
  readonly query: DcqlQuery
  readonly signingAlgorithm: JwsAlgorithm
  readonly responseMode: string
  /** The prefixes that our certificate allows, beginning with that of the link. */
  readonly prefixes: readonly ClientIdPrefix[]
  /** Ids of credential queries that must stay, because another part of the request names them. */
  readonly needed: ReadonlySet<string>
}

export type Agreement =
  | {
      readonly outcome: 'fits'
      readonly query: DcqlQuery
      readonly prefix: ClientIdPrefix
      /** Ids that are left out of the request, including ids of proofs. */
      readonly leftOut: readonly string[]
    }
  | { readonly outcome: 'unfit'; readonly missing: readonly MissingSupport[] }

/** A list that the wallet sent and that has none of the values that we need. */
export interface MissingSupport {
  readonly member: (typeof LISTS)[keyof typeof LISTS]
  readonly anyOf: readonly string[]
}

const LISTS = {
  prefixes: 'client_id_prefixes_supported',
  signing: 'request_object_signing_alg_values_supported',
  types: 'response_types_supported',
  modes: 'response_modes_supported',
} as const

const RESPONSE_TYPE = 'vp_token'

/** Returns the smallest request that this wallet can answer. Without metadata: no proofs, and the client id of the link. */
export function negotiate(metadata: JsonObject | null, proposal: Proposal): Agreement {
  const lists = metadata ?? {}
  const missing = missingIn(lists, proposal)
  if (missing.length > 0) return { outcome: 'unfit', missing }
  const listed = listOf(lists, LISTS.prefixes)
  const prefix = proposal.prefixes.find((one) => listed === null || listed.includes(one))
  if (prefix === undefined) throw new Error('bug: a request without a client id')
  const formats = member(lists, 'vp_formats_supported')
  const query = isJsonObject(formats) ? narrowTo(formats, proposal) : withProofs(proposal.query, null)
  const sent = new Set(idsOf(query))
  return { outcome: 'fits', query, prefix, leftOut: idsOf(proposal.query).filter((id) => !sent.has(id)) }
}

function missingIn(
  lists: JsonObject,
  { signingAlgorithm, responseMode, prefixes }: Proposal,
): readonly MissingSupport[] {
  const needs: readonly MissingSupport[] = [
    { member: LISTS.prefixes, anyOf: prefixes },
    { member: LISTS.signing, anyOf: [signingAlgorithm] },
    { member: LISTS.types, anyOf: [RESPONSE_TYPE] },
    { member: LISTS.modes, anyOf: [responseMode] },
  ]
  return needs.filter(({ member: name, anyOf }) => {
    const fits = (value: Json) => anyOf.some((one) => one === value || one === algorithmListed(value))
    return listOf(lists, name)?.some(fits) === false
  })
}

/** Returns a non-empty list; null if the wallet sends none. */
export function listOf(object: JsonObject, name: string): readonly Json[] | null {
  const list = member(object, name)
  return Array.isArray(list) && list.length > 0 ? list : null
}

function narrowTo(formats: JsonObject, { query, needed }: Proposal): DcqlQuery {
  const narrowed = withoutUnsupported(query, formats)
  const kept = new Set(narrowed.credentials.map(({ id }) => id))
  return withProofs(needed.isSubsetOf(kept) ? narrowed : query, formats)
}

/**
 * Removes options that the wallet cannot answer. If a required set would lose all options, keeps the whole query, and
 * the wallet declines.
 */
function withoutUnsupported(query: DcqlQuery, formats: JsonObject): DcqlQuery {
  const { credentials, credential_sets: sets } = query
  const answerable = new Set(credentials.filter((one) => isListed(one, formats)).map(({ id }) => id))
  if (sets === undefined || answerable.size === credentials.length) return query
  const kept = sets
    .map((set) => ({ ...set, options: set.options.filter((option) => option.every((id) => answerable.has(id))) }))
    .filter(({ options, required }) => options.length > 0 || required !== false)
  if (kept.length === 0 || kept.some(({ options }) => options.length === 0)) return query
  const named = new Set(kept.flatMap(({ options }) => options.flat()))
  return { credentials: credentials.filter(({ id }) => named.has(id)), credential_sets: kept }
}

/** Whether the wallet supports the format, and at least one of our algorithms in each list for it. */
function isListed({ format }: CredentialQuery, formats: JsonObject): boolean {
  const declared = member(formats, format)
  if (!isJsonObject(declared)) return false
  return Object.entries(queriedFormatOf(format).vpFormats).every(([name, own]) => {
    const ours = Array.isArray(own) ? own.map(algorithmListed) : []
    const fits = (value: Json) => ours.includes(algorithmListed(value))
    return listOf(declared, name)?.some(fits) ?? true
  })
}

/** Keeps only proofs that the wallet lists; null: it lists none. */
function withProofs(query: DcqlQuery, formats: JsonObject | null): DcqlQuery {
  const credentials = query.credentials.map((credential) =>
    proofsFor(credential).reduce<CredentialQuery>((limited, { format, record }) => {
      const declared = formats === null ? undefined : member(formats, format)
      return record.limitTo(limited, isJsonObject(declared) ? declared : null)
    }, credential),
  )
  return { ...query, credentials }
}

/** Returns the ids in the request. */
const idsOf = ({ credentials }: DcqlQuery): readonly string[] =>
  credentials.flatMap((credential) => [...proofsFor(credential).map(({ id }) => id), credential.id])
