// What a holder is asked to agree to, at rest: the very texts that are sent, sealed. While the verification is open they stand in
// its row; what is left of them after that is in its result.

import type { Sealer } from '../../../platform/seal/seal.ts'

export interface FrozenTransaction {
  /** base64url, as it is sent: never made again. */
  readonly text: string
  readonly type: string
  /** base64url of the SHA-256 of the text. */
  readonly hash: string
  /** Of the type, as it was called then. */
  readonly title: string
}

interface Owner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

/** null where there is nothing to agree to. */
export function sealTransaction(sealer: Sealer, owner: Owner, frozen: readonly FrozenTransaction[]): Buffer | null {
  if (frozen.length === 0) return null
  return sealer.seal(Buffer.from(JSON.stringify(frozen), 'utf8'), transactionSealContext(owner))
}

export function openTransaction(
  sealer: Pick<Sealer, 'open'>,
  owner: Owner & { readonly sealedTransaction: Uint8Array | null },
): readonly FrozenTransaction[] {
  if (owner.sealedTransaction === null) return []
  return JSON.parse(sealer.open(owner.sealedTransaction, transactionSealContext(owner)).toString('utf8'))
}

export const transactionSealContext = ({ tenantId, environment, id }: Owner) =>
  `verifications.transaction_data|${tenantId}|${environment}|${id}`
