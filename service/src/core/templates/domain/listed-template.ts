// Renders a template of the merchant's list, with a plain description of what it asks for.

import { type Concern, renderConcern } from '../../registrations/domain/choose.ts'
import { describeTemplate } from './question-warnings.ts'
import type { OwnTemplate } from './template.ts'

export interface ListedTemplate extends OwnTemplate {
  readonly builtIn: boolean
  /** The reasons for which live refuses the template, and test warns. */
  readonly concerns: readonly Concern[]
}

export function renderTemplate(template: ListedTemplate) {
  return {
    key: template.key,
    title: template.title,
    description: template.description,
    built_in: template.builtIn,
    query: template.query,
    outputs: template.outputs,
    intended_use: template.intendedUse,
    transaction: template.transaction,
    concerns: template.concerns.map(renderConcern),
    question: describeTemplate(template),
  }
}
