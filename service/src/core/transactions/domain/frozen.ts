// Defines the exact texts that a holder is asked to agree to, sealed in the row while the verification is open.

export interface FrozenTransaction {
  /** base64url, as sent. Never encoded again, because wallets hash exactly this text. */
  readonly text: string
  readonly type: string
  /** base64url of the SHA-256 of the text. */
  readonly hash: string
  /** The title of the type when the verification was created. */
  readonly title: string
}

export interface TransactionOwner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

export const transactionSealContext = ({ tenantId, environment, id }: TransactionOwner) =>
  `verifications.transaction_data|${tenantId}|${environment}|${id}`
