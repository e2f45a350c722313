// Receipts: inserted in the statement that commits the audit entries of the endings; never changed, and not erased.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Fragment } from '../../../platform/postgres/fragments.ts'
import { type Column, namesOf, selectOf } from '../../../platform/postgres/statement.ts'

export interface NewReceipt {
  readonly realm: Realm
  readonly verificationId: string
  readonly jws: string
}

const RECEIPT: readonly Column<NewReceipt>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'verification_id', type: 'text', get: (receipt) => receipt.verificationId },
  { name: 'jws', type: 'text', get: (receipt) => receipt.jws },
]

export const WRITING_RECEIPTS: Fragment<readonly NewReceipt[]> = {
  name: 'write_receipts',
  ctes(parameters) {
    const rows = parameters.rows(RECEIPT, (receipts) => receipts)
    return `receipted as (
            insert into receipts (${namesOf(RECEIPT)})
            select ${selectOf(RECEIPT)} from ${rows.unnest('r')}
          )`
  },
}

export interface StoredReceipt {
  readonly jws: string
  /** null: not in the log yet. */
  readonly leafIndex: number | null
}

/** Works whether or not the verification still exists. */
export async function loadReceipt(tx: Tx, realm: Realm, verificationId: string): Promise<StoredReceipt | null> {
  const [row] = await tx.query<StoredReceipt>(
    {
      name: 'load_receipt',
      text: `select jws, leaf_index as "leafIndex" from receipts
             where verification_id = $3 and tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment, verificationId],
  )
  return row ?? null
}
