// Lists allowed values and limits of bodies about origins.

/** `web`: proven by its host. `local`: the developer's own machine, in test. `app`: an opaque text, approved by the operator. */
export const ORIGIN_KINDS = ['web', 'local', 'app'] as const

export const ORIGIN_LENGTH_MAX = 300

/** Why an origin is refused. Faults of its text come first. */
export const ORIGIN_PROBLEMS = [
  'not_an_origin',
  'not_https',
  'local_in_test_only',
  'app_by_operator',
  'there_already',
  'too_many',
  'no_tenant',
] as const

export const PROOFS = [
  'proven',
  /** The host answered without the token, so an earlier proof is void. */
  'not_shown',
  /** The host did not answer, so an earlier proof remains valid. */
  'not_reached',
  /** The origin was checked a moment ago. */
  'too_soon',
] as const
