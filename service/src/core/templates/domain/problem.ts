// Why a template is not sound: a code that pages have words for, and a sentence for whoever wrote it by hand.

import type { TEMPLATE_PROBLEMS } from '../../../../../wire/values/templates.ts'

export type TemplateProblem = (typeof TEMPLATE_PROBLEMS)[number]

export class InvalidTemplate extends Error {
  override readonly name = 'InvalidTemplate'
  /** Of what is wrong, in the document. */
  readonly path: string
  readonly code: TemplateProblem
  /** The bound that the sentence names, or what the check of the query found. */
  readonly value: string

  constructor(path: string, code: TemplateProblem, reason: string, value: string | number = '') {
    super(`${path}: ${reason}`)
    this.path = path
    this.code = code
    this.value = String(value)
  }
}
