// The seal context of a result.

export interface ResultOwner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

/**
 * The length of the salt that is kept with a result: published commitments to it can be recomputed only with the salt.
 */
export const RESULT_SALT_BYTES = 32
/** Sent with every result, and nowhere else. */
export const RECEIPT_SALT_HEADER = 'X-Vidimus-Receipt-Salt'

export const resultSealContext = ({ tenantId, environment, id }: ResultOwner) =>
  `verification_results.sealed|${tenantId}|${environment}|${id}`
