// Stores tenants' own transaction types.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

interface StoredType {
  readonly type: string
  readonly title: string
  /** JSON Schema, as submitted. */
  readonly schema: unknown
}

export async function loadTransactionType(tx: Tx, realm: Realm, type: string): Promise<StoredType | null> {
  const [row] = await tx.query<StoredType>(
    {
      name: 'load_transaction_type',
      text: `select type, title, schema from transaction_types where tenant_id = $1 and environment = $2 and type = $3`,
    },
    [realm.tenantId, realm.environment, type],
  )
  return row ?? null
}

export async function listTransactionTypes(tx: Tx, realm: Realm): Promise<StoredType[]> {
  return tx.query<StoredType>(
    {
      name: 'list_transaction_types',
      text: `select type, title, schema from transaction_types where tenant_id = $1 and environment = $2 order by type`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** Returns whether the type is new. */
export async function saveTransactionType(
  tx: Tx,
  realm: Realm,
  { type, title, schema, now }: StoredType & { readonly now: Instant },
): Promise<boolean> {
  const [row] = await tx.query<{ created: boolean }>(
    {
      name: 'save_transaction_type',
      text: `insert into transaction_types (tenant_id, environment, type, title, schema, saved_at)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (tenant_id, environment, type) do update
               set title = excluded.title, schema = excluded.schema, saved_at = excluded.saved_at
             returning (xmax = 0) as created`,
    },
    [realm.tenantId, realm.environment, type, title, JSON.stringify(schema), now],
  )
  return row?.created === true
}

export async function countTransactionTypes(tx: Tx, realm: Realm): Promise<number> {
  const [row] = await tx.query<{ found: number }>(
    {
      name: 'count_transaction_types',
      text: 'select count(*) as found from transaction_types where tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment],
  )
  return row?.found ?? 0
}

/** False if there was none. */
export async function deleteTransactionType(tx: Tx, realm: Realm, type: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'delete_transaction_type',
      text: 'delete from transaction_types where tenant_id = $1 and environment = $2 and type = $3 returning 1 as gone',
    },
    [realm.tenantId, realm.environment, type],
  )
  return rows.length > 0
}
