// A template among those a merchant may ask with, and how it reads: with what it asks in plain words.

import { type Concern, renderConcern } from '../../registrations/domain/choose.ts'
import { plainQuestion } from './plain-question.ts'
import type { OwnTemplate } from './template.ts'

export interface ListedTemplate extends OwnTemplate {
  readonly builtIn: boolean
  /** What live refuses it for, and test warns of. */
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
    question: plainQuestion(template),
  }
}
