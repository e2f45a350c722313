// What a holder is asked to agree to: the very texts that are sent. While the verification is open they are in its row, sealed;
// what is left of them after that is in its result.

export interface FrozenTransaction {
  /** base64url, as it is sent: never made again. */
  readonly text: string
  readonly type: string
  /** base64url of the SHA-256 of the text. */
  readonly hash: string
  /** Of the type, as it was called then. */
  readonly title: string
}

export interface TransactionOwner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

export const transactionSealContext = ({ tenantId, environment, id }: TransactionOwner) =>
  `verifications.transaction_data|${tenantId}|${environment}|${id}`
