// The closed table of formats. Other files look up records here by the format of our own query.

import * as FORMATS from './list.ts'
import type { ProofRecord, QueriedRecord } from './record.ts'

type Table = typeof FORMATS

/** A format that an answer can contain. */
export type PresentedFormat = keyof Table

/** A format that a query can ask for. */
export type CredentialFormat = {
  [Format in PresentedFormat]: Table[Format]['kind'] extends 'queried' ? Format : never
}[PresentedFormat]

type ProofFormat = Exclude<PresentedFormat, CredentialFormat>

type QueryOf<Format extends CredentialFormat> =
  Table[Format] extends QueriedRecord<infer Query> ? Extract<Query, { readonly format: Format }> : never

export type CredentialQuery = { [Format in CredentialFormat]: QueryOf<Format> }[CredentialFormat]

type FormatRecord = QueriedRecord<CredentialQuery> | ProofRecord<CredentialQuery>

/** Does not compile if `list.ts` lists a record by another name than its own. */
const TABLE: { readonly [Format in PresentedFormat]: FormatRecord & { readonly name: Format } } = FORMATS
const QUERIED: { readonly [Format in CredentialFormat]: QueriedRecord<CredentialQuery> } = FORMATS
const PROOFS: { readonly [Format in ProofFormat]: ProofRecord<CredentialQuery> } = FORMATS

export const FORMAT_NAMES = Object.keys(TABLE) as readonly PresentedFormat[]
export const CREDENTIAL_FORMATS: readonly CredentialFormat[] = FORMAT_NAMES.filter(isCredentialFormat)
const PROOF_FORMATS: readonly ProofFormat[] = FORMAT_NAMES.filter((name) => !isCredentialFormat(name)) as ProofFormat[]

export function isCredentialFormat(name: unknown): name is CredentialFormat {
  return FORMAT_NAMES.some((known) => known === name && TABLE[known].kind === 'queried')
}

/** Throws for an unknown format, so that it is never treated as a known format. */
export function formatOf(name: PresentedFormat): FormatRecord {
  if (!FORMAT_NAMES.includes(name)) throw new Error('bug: unknown format')
  return TABLE[name]
}

export function queriedFormatOf(name: CredentialFormat): QueriedRecord<CredentialQuery> {
  if (!isCredentialFormat(name)) throw new Error('bug: a query cannot ask for this format')
  return QUERIED[name]
}

/** Returns the format that the query asked for and that anchors vouch for. For a proof: the format that it proves. */
export function vouchedFormatOf(name: PresentedFormat): CredentialFormat {
  const record = formatOf(name)
  if (record.kind === 'proof') return record.proves
  if (!isCredentialFormat(name)) throw new Error('bug: a query cannot ask for this format')
  return name
}

/** Returns the proofs that a query asks for in addition to the credential. */
export function proofsFor(query: CredentialQuery) {
  return PROOF_FORMATS.flatMap((format) => {
    const record = PROOFS[format]
    const id = record.proves === query.format ? record.proofId(query) : null
    return id === null ? [] : [{ format, id, record }]
  })
}

/** Returns the vcts or docTypes that a query accepts. */
export const queriedTypes = (query: CredentialQuery): readonly string[] =>
  queriedFormatOf(query.format).typesOf(query.meta)
