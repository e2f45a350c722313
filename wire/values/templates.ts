// Lists the problems and warnings in bodies about templates.

export const QUESTION_WARNINGS = [
  'no_claims',
  'unused_claims',
  'birth_date_for_age',
  'many_claims',
  'portrait',
] as const

export const TEMPLATE_PROBLEMS = [
  'key_form',
  'key_built_in',
  'query_missing',
  'query',
  'transaction',
  'intended_use',
  'outputs_count',
  'sources_count',
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
  'too_long',
] as const
