// Why a template is not sound: a code that pages have words for, and a sentence for whoever wrote it by hand.

export const TEMPLATE_PROBLEMS = [
  'key_form',
  'key_built_in',
  'query_missing',
  'query',
  'transaction',
  'intended_use',
  'outputs_count',
  'output_name',
  'output_kind',
  'output_form',
  'empty',
  'age_sources',
  'no_credential',
  'name',
  'no_claim',
  'unknown_member',
  'object',
  'list',
  'age',
  'text',
] as const

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
