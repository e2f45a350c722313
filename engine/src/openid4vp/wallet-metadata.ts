// What does a wallet say it can do? `wallet_metadata` (OpenID4VP §5.10, §10): hints of a stranger. They choose among what our
// query already allows, and never change what is accepted.

import { algorithmListed, type JwsAlgorithm } from '../algorithms.ts'
import { askedFormatOf, type CredentialQuery, proofsFor } from '../formats/table.ts'
import { isJsonObject, MalformedJson, member, parseJsonObject } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import type { ClientIdPrefix } from './client-id.ts'
import type { DcqlQuery } from './dcql.ts'

/** The metadata of a wallet with its formats and keys takes about 2 kB and 100 values. */
export const WALLET_METADATA_MAX = { bytes: 16_384, values: 500 } as const

/** Throws MalformedJson. */
export function readWalletMetadata(text: string): JsonObject {
  const { bytes, values } = WALLET_METADATA_MAX
  if (Buffer.byteLength(text) > bytes) throw new MalformedJson('wallet_metadata is too long')
  return parseJsonObject(text, { valuesLeft: values, escapesLeft: bytes })
}

export interface Proposal {
  /** With the proofs that may be asked for. */
  readonly query: DcqlQuery
  readonly signingAlgorithm: JwsAlgorithm
  readonly responseMode: string
  /** Those that our certificate allows, the one of the link first. */
  readonly prefixes: readonly ClientIdPrefix[]
  /** Ids of credential queries that must stay, because something else in the request names them. */
  readonly needed: ReadonlySet<string>
}

export type Agreement =
  | {
      readonly outcome: 'fits'
      readonly query: DcqlQuery
      readonly prefix: ClientIdPrefix
      /** Ids of the request that were not sent, proofs included. */
      readonly leftOut: readonly string[]
    }
  | { readonly outcome: 'unfit'; readonly missing: readonly MissingSupport[] }

/** A list of the wallet that has none of these. */
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

/** The smallest request that this wallet can answer. Without metadata: the query without proofs, under the client id of the link. */
export function negotiate(metadata: JsonObject | null, proposal: Proposal): Agreement {
  const said = metadata ?? {}
  const missing = missingIn(said, proposal)
  if (missing.length > 0) return { outcome: 'unfit', missing }
  const listed = listOf(said, LISTS.prefixes)
  const prefix = proposal.prefixes.find((one) => listed === null || listed.includes(one))
  if (prefix === undefined) throw new Error('bug: a request without a client id')
  const formats = member(said, 'vp_formats_supported')
  const query = isJsonObject(formats) ? narrowTo(formats, proposal) : withProofs(proposal.query, null)
  const sent = new Set(idsOf(query))
  return { outcome: 'fits', query, prefix, leftOut: idsOf(proposal.query).filter((id) => !sent.has(id)) }
}

function missingIn(
  said: JsonObject,
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
    return listOf(said, name)?.some(fits) === false
  })
}

/** A list with something in it; null: the wallet does not say. */
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
 * Without the options that the wallet cannot answer. The whole query if a required set would be left without an option: the
 * wallet then says no, which is the truth.
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

/** By its format and, where the wallet lists algorithms for it, by one of ours in each list. */
function isListed({ format }: CredentialQuery, formats: JsonObject): boolean {
  const declared = member(formats, format)
  if (!isJsonObject(declared)) return false
  return Object.entries(askedFormatOf(format).vpFormats).every(([name, own]) => {
    const ours = Array.isArray(own) ? own.map(algorithmListed) : []
    const fits = (value: Json) => ours.includes(algorithmListed(value))
    return listOf(declared, name)?.some(fits) ?? true
  })
}

/** Proofs that the wallet lists; null: it lists nothing. */
function withProofs(query: DcqlQuery, formats: JsonObject | null): DcqlQuery {
  const credentials = query.credentials.map((credential) =>
    proofsFor(credential).reduce<CredentialQuery>((limited, { format, record }) => {
      const declared = formats === null ? undefined : member(formats, format)
      return record.limitTo(limited, isJsonObject(declared) ? declared : null)
    }, credential),
  )
  return { ...query, credentials }
}

/** As wallets read them. */
const idsOf = ({ credentials }: DcqlQuery): readonly string[] =>
  credentials.flatMap((credential) => [...proofsFor(credential).map(({ id }) => id), credential.id])
