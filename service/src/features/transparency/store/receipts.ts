// Stores receipts in the transaction that writes the audit entries of endings. A signed receipt never changes.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Fragment } from '../../../platform/postgres/fragments.ts'
import { inForce, LATE } from '../../../platform/postgres/late-migrations.ts'
import { type Column, namesOf, selectOf } from '../../../platform/postgres/statement.ts'
import { leafOf, UNLOGGED, unsignedIn } from './receipt-places.ts'

export interface NewReceipt {
  readonly realm: Realm
  readonly verificationId: string
  readonly jws: string
  /** The number of its audit entry. */
  readonly seq: number
}

const RECEIPT: readonly Column<NewReceipt>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'verification_id', type: 'text', get: (receipt) => receipt.verificationId },
  { name: 'jws', type: 'text', get: (receipt) => receipt.jws },
]
const SEQ: Column<NewReceipt> = { name: 'seq', type: 'bigint', get: (receipt) => receipt.seq }

export const WRITING_RECEIPTS: Fragment<readonly NewReceipt[]> = {
  name: 'write_receipts',
  ctes(parameters) {
    const rows = parameters.rows([...RECEIPT, SEQ], (receipts) => receipts)
    return `receipted as (
            insert into receipts (${namesOf([...RECEIPT, SEQ])})
            select ${selectOf(RECEIPT)}, case when ${inForce(LATE.rowsPerBatch)} then seq end from ${rows.unnest('r')}
            returning tenant_id, environment, seq
          ), unlogged as (
            insert into unlogged_receipts (tenant_id, environment, seqs)
            select tenant_id, environment, array_agg(seq) from receipted where seq is not null
            group by tenant_id, environment
          )`
  },
}

/** Whether there is any receipt. */
export async function hasReceipts(tx: Tx): Promise<boolean> {
  const rows = await tx.query({ name: 'has_receipts', text: 'select 1 from receipts limit 1' })
  return rows.length > 0
}

interface WaitingReceipt {
  readonly verificationId: string
  readonly jws: string
}

/** Finds receipts that a remote key has not signed yet. They are not in the log, so this scans only receipts of the last minute. */
export async function findUnsignedReceiptsAcrossTenants(
  tx: Tx,
  { rowsMax, withoutHeaders }: { readonly rowsMax: number; readonly withoutHeaders: readonly string[] },
): Promise<WaitingReceipt[]> {
  return tx.query(
    {
      name: 'find_unsigned_receipts',
      text: `select u.verification_id as "verificationId", u.jws from ${UNLOGGED} u
             where ${unsignedIn('u')} and split_part(u.jws, '.', 1) <> all ($2::text[])
             order by u.verification_id limit $1`,
    },
    [rowsMax, withoutHeaders],
  )
}

/** Whether the tenant has receipts without a signature. */
export async function hasUnsignedReceipts(tx: Tx, tenantId: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'has_unsigned_receipts',
      text: `select 1 from ${UNLOGGED} u where u.tenant_id = $1 and ${unsignedIn('u')} limit 1`,
    },
    [tenantId],
  )
  return rows.length > 0
}

/** Stores signatures. A receipt that was signed in the meantime does not change. */
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
  /** null: the leaf has no salt. */
  readonly leafSalt: Buffer | null
  /** Whether the receipt came with its tenant from another installation. Such receipts may enter the log days later. */
  readonly hasArrived: boolean
}

/** Also finds the receipt of a verification that was deleted. */
export async function loadReceipt(tx: Tx, realm: Realm, verificationId: string): Promise<StoredReceipt | null> {
  const [row] = await tx.query<StoredReceipt>(
    {
      name: 'load_receipt',
      text: `select r.jws, ${leafOf('r')} as "leafIndex", r.leaf_salt as "leafSalt", r.arrived is true as "hasArrived" from receipts r
             where r.verification_id = $3 and r.tenant_id = $1 and r.environment = $2`,
    },
    [realm.tenantId, realm.environment, verificationId],
  )
  return row ?? null
}
