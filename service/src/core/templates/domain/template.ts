// A template: a question a merchant may ask by its key. Built-in ones and the tenant's own.

import type { DcqlQuery } from '@vidimus/engine'
import type { TemplateTransaction } from '../../transactions/domain/template-transaction.ts'
import type { Outputs } from './outputs.ts'

export interface Template {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly query: DcqlQuery
  /** null: the claims of the credentials stand in the result as they are. */
  readonly outputs: Outputs | null
}

/** A tenant's own. */
export interface OwnTemplate extends Template {
  /** The registered intended use that it is asked under; null: whoever asks names it, or there is but one. */
  readonly intendedUse: string | null
  /** What its holders agree to; null: nothing. */
  readonly transaction: TemplateTransaction | null
}

/** What a tenant may name a template; a key of another shape names none. */
export const TEMPLATE_KEY = '[A-Za-z0-9][A-Za-z0-9_.\\-]{0,63}'
const WHOLE_KEY = new RegExp(`^${TEMPLATE_KEY}$`)
export const isTemplateKey = (text: string) => WHOLE_KEY.test(text)

/**
 * The purpose stands in every credential set of the query the wallet gets; a set over all credentials is made where the
 * query has none. (Specification part 1.8; OpenID4VP 1.0 wallets ignore the member.)
 */
export function withPurpose(query: DcqlQuery, purpose: string | null): DcqlQuery {
  if (purpose === null) return query
  const sets = query.credential_sets ?? [{ options: [query.credentials.map(({ id }) => id)] }]
  return { ...query, credential_sets: sets.map((set) => ({ ...set, purpose })) }
}
