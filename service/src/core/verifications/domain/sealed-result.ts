// Where a sealed result belongs.

export interface ResultOwner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

/** Of the salt that is kept with a result: what others publish of it can be made again with it, and with nothing else. */
export const RESULT_SALT_BYTES = 32
/** Goes with every result that is handed out, and nowhere else. */
export const RECEIPT_SALT_HEADER = 'X-Vidimus-Receipt-Salt'

export const resultSealContext = ({ tenantId, environment, id }: ResultOwner) =>
  `verification_results.sealed|${tenantId}|${environment}|${id}`
