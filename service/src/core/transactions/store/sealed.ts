// Seals, loads and opens the transaction of an open verification.

import { inDay, keyOf } from '../../../platform/postgres/days.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Realm, RealmRow } from '../../tenants/domain/realm.ts'
import { type FrozenTransaction, transactionSealContext } from '../domain/frozen.ts'

/** null if the verification has no transaction or does not exist. */
export async function loadSealedTransaction(tx: Tx, realm: Realm, id: string): Promise<Buffer | null> {
  const [row] = await tx.query<{ sealed: Buffer | null }>(
    {
      name: 'load_sealed_transaction',
      text: `select transaction_data as sealed from verifications
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')}`,
      replanEachCall: true,
    },
    keyOf(tx.sealer, realm, id),
  )
  return row?.sealed ?? null
}

/** null if there is nothing to agree to. */
export function sealTransaction(
  { sealer }: Sealing,
  row: RealmRow,
  frozen: readonly FrozenTransaction[],
): Buffer | null {
  if (frozen.length === 0) return null
  return sealer.seal(Buffer.from(JSON.stringify(frozen), 'utf8'), transactionSealContext(row))
}

export function openTransaction(
  { sealer }: Sealing,
  row: RealmRow & { readonly sealedTransaction: Uint8Array | null },
): readonly FrozenTransaction[] {
  if (row.sealedTransaction === null) return []
  return JSON.parse(sealer.open(row.sealedTransaction, transactionSealContext(row)).toString('utf8'))
}
