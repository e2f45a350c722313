// A template: a question a merchant may ask by its key. Built-in ones and the tenant's own.

import type { DcqlQuery } from '@vidimus/engine'
import { BUILT_IN_TEMPLATES } from './built-in/built-in.ts'
import type { Outputs } from './outputs.ts'

export interface Template {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly query: DcqlQuery
  /** null: the claims of the credentials stand in the result as they are. */
  readonly outputs: Outputs | null
}

/** What a tenant may name a template; a key of another shape names none. */
export const isTemplateKey = (text: string) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text)

const BY_KEY: ReadonlyMap<string, Template> = new Map(BUILT_IN_TEMPLATES.map((template) => [template.key, template]))

export const builtInTemplate = (key: string): Template | null => BY_KEY.get(key) ?? null
export const listBuiltInTemplates = (): readonly Template[] => BUILT_IN_TEMPLATES

/**
 * The purpose stands in every credential set of the query the wallet gets; a set over all credentials is made where the
 * query has none. (Specification part 1.8; OpenID4VP 1.0 wallets ignore the member.)
 */
export function withPurpose(query: DcqlQuery, purpose: string | null): DcqlQuery {
  if (purpose === null) return query
  const sets = query.credential_sets ?? [{ options: [query.credentials.map(({ id }) => id)] }]
  return { ...query, credential_sets: sets.map((set) => ({ ...set, purpose })) }
}

/** A question as the row of a verification holds it: no query where a built-in template says it all. */
export interface StoredQuestion {
  readonly template: string | null
  readonly purpose: string | null
  readonly query: DcqlQuery | null
  readonly outputs: Outputs | null
}

/** What the wallet is asked, purpose included, and what the answer is made into. */
export function askedBy(stored: StoredQuestion): { readonly query: DcqlQuery; readonly outputs: Outputs | null } {
  if (stored.query !== null) return { query: stored.query, outputs: stored.outputs }
  const template = stored.template === null ? null : builtInTemplate(stored.template)
  if (template === null) throw new Error('bug: a verification without its question')
  return { query: withPurpose(template.query, stored.purpose), outputs: template.outputs }
}
