// Defines why a template is invalid: a code that pages have texts for, and a sentence for an author who wrote the template by hand.

import type { TEMPLATE_PROBLEMS } from '../../../../../wire/values/templates.ts'

export type TemplateProblem = (typeof TEMPLATE_PROBLEMS)[number]

export class InvalidTemplate extends Error {
  override readonly name = 'InvalidTemplate'
  /** The path of the fault in the document. */
  readonly path: string
  readonly code: TemplateProblem
  /** The limit that the sentence names, or the finding of the query check. */
  readonly value: string

  constructor(path: string, code: TemplateProblem, reason: string, value: string | number = '') {
    super(`${path}: ${reason}`)
    this.path = path
    this.code = code
    this.value = String(value)
  }
}
