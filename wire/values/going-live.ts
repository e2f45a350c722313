// Lists allowed values and limits of bodies about going live.

export const STEP_NAMES = [
  'identity',
  'mandate',
  'registration',
  'access_certificate',
  'trusted_lists',
  'live_key',
  'webhook',
] as const

export const STEP_STATES = ['done', 'open', 'not_needed'] as const

export const STEP_REASONS = [
  'missing',
  'operator_unknown',
  'unchecked',
  'not_good',
  'over_asking',
  'generated',
  'not_own',
  'ended',
  'outdated',
  'failing',
] as const

/** A closed list: free text could contain names of people. */
export const MANDATE_KINDS = ['contract', 'power_of_attorney', 'order', 'other'] as const

/** What staff can ask the operator for with a button. */
export const REQUESTABLE_KINDS = ['identity', 'registration_provider', 'access_certificate', 'trusted_list'] as const

/** Recording a mandate creates a request to check it. */
export const REQUEST_KINDS = [...REQUESTABLE_KINDS, 'mandate'] as const

export const REQUEST_STATES = ['open', 'done', 'declined'] as const
