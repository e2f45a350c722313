// Defines a template: a question that a merchant asks by its key. It is built in, or the tenant's own.

import type { DcqlQuery } from '@vidimus/engine'
import type { TemplateTransaction } from '../../transactions/domain/template-transaction.ts'
import type { Outputs } from './outputs.ts'

export interface Template {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly query: DcqlQuery
  /** null: the result contains the claims of the credentials unchanged. */
  readonly outputs: Outputs | null
}

/** A tenant's own. */
export interface OwnTemplate extends Template {
  /** The registered intended use; null: the caller names it, or there is only one. */
  readonly intendedUse: string | null
  /** What holders agree to; null: nothing. */
  readonly transaction: TemplateTransaction | null
}

/** The format of a template key; a key of another form names no template. */
export const TEMPLATE_KEY = '[A-Za-z0-9][A-Za-z0-9_.\\-]{0,63}'
const WHOLE_KEY = new RegExp(`^${TEMPLATE_KEY}$`)
export const isTemplateKey = (text: string) => WHOLE_KEY.test(text)

/**
 * Puts the purpose into every credential set of the wallet's query; adds a set over all credentials if the query has
 * none. (Specification part 1.8; OpenID4VP 1.0 wallets ignore the member.)
 */
export function withPurpose(query: DcqlQuery, purpose: string | null): DcqlQuery {
  if (purpose === null) return query
  const sets = query.credential_sets ?? [{ options: [query.credentials.map(({ id }) => id)] }]
  return { ...query, credential_sets: sets.map((set) => ({ ...set, purpose })) }
}
