// Defines the seal context of a result.

export interface ResultOwner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

/** The length of a result's salt. Published commitments to the result can be recomputed only with the salt. */
export const RESULT_SALT_BYTES = 32
/** The header of the salt, which is sent with every result and nowhere else. */
export const RECEIPT_SALT_HEADER = 'X-Vidimus-Receipt-Salt'

export const resultSealContext = ({ tenantId, environment, id }: ResultOwner) =>
  `verification_results.sealed|${tenantId}|${environment}|${id}`
