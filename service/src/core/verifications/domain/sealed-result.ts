// Where a sealed result belongs.

export interface ResultOwner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

export const resultSealContext = ({ tenantId, environment, id }: ResultOwner) =>
  `verification_results.sealed|${tenantId}|${environment}|${id}`
