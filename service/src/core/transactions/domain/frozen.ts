// Defines the exact texts that a holder is asked to agree to, sealed in the row while the verification is open.

import type { RealmRow } from '../../tenants/domain/realm.ts'

export interface FrozenTransaction {
  /** base64url, as sent. Never encoded again, because wallets hash exactly this text. */
  readonly text: string
  readonly type: string
  /** base64url of the SHA-256 of the text. */
  readonly hash: string
  /** The title of the type when the verification was created. */
  readonly title: string
}

export const transactionSealContext = ({ tenantId, environment, id }: RealmRow) =>
  `verifications.transaction_data|${tenantId}|${environment}|${id}`
