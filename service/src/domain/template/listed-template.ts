// A template among those a merchant may ask with, and how it reads: with what it asks in plain words.

import { plainQuestion } from './plain-question.ts'
import type { Template } from './template.ts'

export interface ListedTemplate extends Template {
  readonly builtIn: boolean
}

export function renderTemplate(template: ListedTemplate) {
  return {
    key: template.key,
    title: template.title,
    description: template.description,
    built_in: template.builtIn,
    query: template.query,
    outputs: template.outputs,
    question: plainQuestion(template),
  }
}
