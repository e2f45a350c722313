// Receipts: inserted in the statement that commits the audit entries of the endings, and not erased. Once signed, a
// receipt never changes.

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

/** Whether any receipt was made yet. */
export async function hasReceipts(tx: Tx): Promise<boolean> {
  const rows = await tx.query({ name: 'has_receipts', text: 'select 1 from receipts limit 1' })
  return rows.length > 0
}

/** Whether the signature is missing. By bytes: `right` reads all characters of the text to find the last one. */
export const unsignedIn = (table: string) =>
  `substr(convert_to(${table}.jws, 'UTF8'), octet_length(${table}.jws)) = '\\x2e'`

interface WaitingReceipt {
  readonly verificationId: string
  readonly jws: string
}

/**
 * Receipts whose signature is missing: their key is outside of the process. None of them is in the log yet, so the scan
 * is of the last minute's only.
 */
export async function findUnsignedReceiptsAcrossTenants(
  tx: Tx,
  { rowsMax, withoutHeaders }: { readonly rowsMax: number; readonly withoutHeaders: readonly string[] },
): Promise<WaitingReceipt[]> {
  return tx.query(
    {
      name: 'find_unsigned_receipts',
      text: `select verification_id as "verificationId", jws from receipts
             where leaf_index is null and ${unsignedIn('receipts')} and split_part(jws, '.', 1) <> all ($2::text[])
             order by verification_id limit $1`,
    },
    [rowsMax, withoutHeaders],
  )
}

/** Whether receipts of this tenant have no signature yet. */
export async function hasUnsignedReceipts(tx: Tx, tenantId: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'has_unsigned_receipts',
      text: `select 1 from receipts where tenant_id = $1 and leaf_index is null and ${unsignedIn('receipts')} limit 1`,
    },
    [tenantId],
  )
  return rows.length > 0
}

/** A receipt that was signed in the meantime stays as it is. */
export async function signStoredReceipts(tx: Tx, signed: readonly WaitingReceipt[]): Promise<void> {
  await tx.query(
    {
      name: 'sign_receipts',
      text: `update receipts set jws = s.jws
             from unnest($1::text[], $2::text[]) as s (verification_id, jws)
             where receipts.verification_id = s.verification_id and ${unsignedIn('receipts')}`,
    },
    [signed.map(({ verificationId }) => verificationId), signed.map(({ jws }) => jws)],
  )
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
