// Finds the question of a template key, with the query that wallets get.

import type { DcqlQuery } from '@vidimus/engine'
import { BUILT_IN_TEMPLATES } from './built-in/built-in.ts'
import type { Outputs } from './outputs.ts'
import { type Template, withPurpose } from './template.ts'

const BY_KEY: ReadonlyMap<string, Template> = new Map(BUILT_IN_TEMPLATES.map((template) => [template.key, template]))

export const builtInTemplate = (key: string): Template | null => BY_KEY.get(key) ?? null
export const listBuiltInTemplates = (): readonly Template[] => BUILT_IN_TEMPLATES

/** A question as a verification's row stores it. The query is absent if a built-in template defines it. */
export interface StoredQuestion {
  readonly template: string | null
  readonly purpose: string | null
  readonly query: DcqlQuery | null
  readonly outputs: Outputs | null
}

/** The wallet's query, including the purpose, and the outputs of the answer. */
export function resolveQuestion(stored: StoredQuestion): {
  readonly query: DcqlQuery
  readonly outputs: Outputs | null
} {
  if (stored.query !== null) return { query: stored.query, outputs: stored.outputs }
  const template = stored.template === null ? null : builtInTemplate(stored.template)
  if (template === null) throw new Error('bug: a verification without its question')
  return { query: withPurpose(template.query, stored.purpose), outputs: template.outputs }
}
