// Receipts: written with the audit entries that record the endings, in the statement that commits and announces these;
// never changed, and not erased.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import {
  type AnnouncedEnding,
  announcementOf,
  announcing,
} from '../../../core/verifications/store/ended-announcements.ts'
import type { Transaction, Tx } from '../../../platform/postgres/db.ts'
import {
  type Column,
  defineForOneOrMany,
  finishStatement,
  namesOf,
  selectOf,
} from '../../../platform/postgres/statement.ts'
import { appendingParts, type NewEntries } from '../../audit/store/chain.ts'

export interface NewReceipt {
  readonly realm: Realm
  readonly verificationId: string
  readonly jws: string
}

interface AppendedWithReceipts extends NewEntries {
  readonly receipts: readonly NewReceipt[]
  readonly announced: readonly AnnouncedEnding[]
}

const RECEIPT: readonly Column<NewReceipt>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'verification_id', type: 'text', get: (receipt) => receipt.verificationId },
  { name: 'jws', type: 'text', get: (receipt) => receipt.jws },
]

const APPEND = defineForOneOrMany<AppendedWithReceipts>('append_audit_and_receipts', (parameters) => {
  const appending = appendingParts(parameters)
  const given = parameters.rows(RECEIPT, ({ receipts }) => receipts)
  return `with ${appending}, receipted as (
            insert into receipts (${namesOf(RECEIPT)})
            select ${selectOf(RECEIPT)} from ${given.unnest('r')}
          ) ${announcing(parameters.one(({ announced }) => announced.map(announcementOf)))}`
})

/** The last of a transaction, which it commits. */
export async function appendWithReceipts(tx: Transaction, appended: AppendedWithReceipts): Promise<void> {
  await finishStatement(tx, APPEND, appended)
}

export interface StoredReceipt {
  readonly jws: string
  /** null: it is not in the log yet. */
  readonly leafIndex: number | null
}

/** Whether the verification is still there or not. */
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
