// What a verification holds, while it is open, for its holder to agree to.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/** null where there is nothing, or no such verification. */
export async function loadSealedTransaction(tx: Tx, realm: Realm, id: string): Promise<Buffer | null> {
  const [row] = await tx.query<{ sealed: Buffer | null }>(
    {
      name: 'load_sealed_transaction',
      text: `select transaction_data as sealed from verifications where id = $3 and tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return row?.sealed ?? null
}
