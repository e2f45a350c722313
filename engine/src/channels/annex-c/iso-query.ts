// Selects the parts of a query that ISO 18013-5 can express: those that can be answered with mdocs only.

import { isMdocQuery, type MdocQuery } from '../../formats/mdoc/query.ts'
import type { CredentialSetQuery, DcqlQuery } from '../../openid4vp/dcql.ts'

export type IsoQuery =
  /** In the order of the query. */
  | { readonly outcome: 'expressible'; readonly queries: readonly MdocQuery[]; readonly sets: readonly IsoSet[] }
  /** The query can be answered, but not with mdocs only. */
  | { readonly outcome: 'inexpressible'; readonly detail: string }
  /** Two queries ask for the same type, so an answer could belong to either. */
  | { readonly outcome: 'ambiguous'; readonly detail: string }

/** The options of a credential set that mdocs can answer; empty if the query has no sets. */
export type IsoSet = Pick<CredentialSetQuery, 'options'> & { readonly required: boolean }

/** Makes one document request per type, because an answer names only the type. */
export function isoQueryOf(query: DcqlQuery): IsoQuery {
  const mdocs = query.credentials.filter(isExpressible)
  const ids = new Set(mdocs.map(({ id }) => id))
  const sets = (query.credential_sets ?? []).map(({ options, required }) => ({
    options: options.filter((option) => option.every((id) => ids.has(id))),
    required: required !== false,
  }))
  const answerable =
    query.credential_sets === undefined
      ? mdocs.length === query.credentials.length
      : sets.every(({ options, required }) => options.length > 0 || !required)
  if (!answerable)
    return { outcome: 'inexpressible', detail: 'the query cannot be answered with elements of mdocs alone' }
  const askable = sets.filter(({ options }) => options.length > 0)
  const named = new Set(askable.flatMap(({ options }) => options.flat()))
  const queries = query.credential_sets === undefined ? mdocs : mdocs.filter(({ id }) => named.has(id))
  if (queries.length === 0) return { outcome: 'inexpressible', detail: 'the query asks for no mdoc' }
  const types = queries.map(({ meta }) => meta.doctype_value)
  if (new Set(types).size !== types.length)
    return { outcome: 'ambiguous', detail: 'the query asks twice for documents of one type' }
  return { outcome: 'expressible', queries, sets: askable }
}

/** ISO 18013-5 §10.2.4: a document request names at least one element. */
function isExpressible(query: DcqlQuery['credentials'][number]): query is MdocQuery {
  return isMdocQuery(query) && query.claims !== undefined
}
