// Lists allowed values and limits of bodies about result keys.

/** Characters of a JWK in a request. */
export const JWK_LENGTH_MAX = 2_000

export const RESULT_KEY_PROBLEMS = [
  'not_a_jwk',
  'private_key',
  'not_p256',
  'not_for_encryption',
  'unknown_member',
  'not_on_curve',
  'there_already',
  'too_many',
  'no_tenant',
] as const

export const KEY_PROOFS = ['proven', 'wrong', 'lapsed', 'not_found'] as const
