// Copies the tenant's own row and its keys, for a move to another installation.

import type { Queries, Tx } from '../../../platform/postgres/db.ts'
import { insertKeptKey, KEPT_KEYS_CHANNEL } from '../../../platform/postgres/sealing/kept-keys.ts'
import { tenantKeyLabel } from '../../../platform/seal/seal.ts'
import type { Instant } from '../../../platform/world.ts'
import { receiptKeySealContext } from '../../transparency/index.ts'

/** The applied migrations: both installations must have the same. */
export async function readMigrationsOf(tx: Queries): Promise<string> {
  const [row] = await tx.query<{ applied: string }>({
    name: 'move_read_migrations',
    text: `select string_agg(number || ' ' || checksum, ',' order by number) as applied from schema_migrations`,
  })
  return row?.applied ?? ''
}

/** Identifies the store, because a tenant cannot move to the store that it is in. */
export async function readStoreId(tx: Queries): Promise<string> {
  const [row] = await tx.query<{ id: string }>({
    name: 'move_read_store',
    text: `select extract(epoch from pg_postmaster_start_time()) || '/' || d.oid as id from pg_database d
           where d.datname = current_database()`,
  })
  return row?.id ?? ''
}

/** Copies the tenant's row as closed, so that the other installation does not serve the tenant yet. */
export async function copyTenantRow(source: Queries, target: Tx, tenantId: string, movedFrom: string): Promise<void> {
  const [row] = await source.query<{ tenant: string }>(
    { name: 'move_read_tenant', text: 'select to_json(t)::text as tenant from tenants t where t.id = $1' },
    [tenantId],
  )
  if (row === undefined) throw new Error('bug: a tenant vanished')
  await target.query(
    {
      name: 'move_write_tenant',
      text: `insert into tenants select (json_populate_record(null::tenants, ($1::text::jsonb ||
               jsonb_build_object('closed_until', 'infinity', 'moved_from', $2::text, 'moved_to', null, 'arrived_at', null,
               'copy_since', null, 'opened_there_at', null))::json)).*
             on conflict (id) do nothing`,
    },
    [row.tenant, movedFrom],
  )
}

/** Copies settings that have changed since the last copy. Columns that the other installation sets itself stay. */
export async function refreshTenantRow(source: Queries, target: Tx, tenantId: string): Promise<void> {
  const [row] = await source.query<{ tenant: string; columns: string[] }>(
    {
      name: 'move_read_settings',
      text: `select (to_jsonb(t) - array['id', 'closed_until', 'moved_from', 'moved_to', 'arrived_at', 'copy_since',
                 'opened_there_at'])::text as tenant,
               array(select jsonb_object_keys(to_jsonb(t)) except select unnest(array['id', 'closed_until', 'moved_from', 'moved_to',
                 'arrived_at', 'copy_since', 'opened_there_at']) order by 1) as columns from tenants t where t.id = $1`,
    },
    [tenantId],
  )
  if (row === undefined) throw new Error('bug: a tenant vanished')
  await target.query(
    {
      name: 'move_write_settings',
      text: `update tenants t set (${row.columns.join(', ')}) =
               (select ${row.columns.map((name) => `n.${name}`).join(', ')} from json_populate_record(null::tenants, $2::text::json) n)
             where t.id = $1`,
    },
    [tenantId, row.tenant],
  )
}

/** Copies the public keys of receipts. The other installation publishes them, but never signs with them. */
export async function copyReceiptKeys(source: Queries, target: Tx, tenantId: string): Promise<void> {
  const keys = await source.query<{ kid: string; jwk: string; at: Instant }>({
    name: 'move_read_receipt_keys',
    text: 'select kid, public_jwk::text as jwk, created_at as at from receipt_keys',
  })
  for (const { kid, jwk, at } of keys)
    await target.query(
      {
        name: 'move_write_receipt_key',
        // Dated before all keys of the other installation, so that it never signs.
        text: `insert into receipt_keys (kid, public_jwk, private_key, created_at, active_at, came_with)
               values ($1, $2::text::jsonb, $3, $4, '1970-01-01T00:00:00Z', array[$5])
               on conflict (kid) do update set came_with = array_append(receipt_keys.came_with, $5)
               where $5 <> all (receipt_keys.came_with)`,
      },
      [kid, jwk, target.sealer.seal(new Uint8Array(0), receiptKeySealContext(kid)), at, tenantId],
    )
}

/** Deletes the keys that came with this tenant alone. */
export async function forgetReceiptKeys(tx: Tx, tenantId: string): Promise<void> {
  const text = 'update receipt_keys set came_with = array_remove(came_with, $1) where $1 = any (came_with)'
  await tx.query({ name: 'move_release_receipt_keys', text }, [tenantId])
  await tx.query({ name: 'move_forget_receipt_keys', text: `delete from receipt_keys where came_with = '{}'` })
}

/**
 * Stores a key that only this tenant's rows need. Notifies the processes, which need the key before they serve the
 * tenant.
 */
export async function keepTenantKey(
  tx: Tx,
  tenantId: string,
  { label, key, at }: { readonly label: string; readonly key: Buffer; readonly at: Instant },
): Promise<void> {
  await insertKeptKey(tx, { label: tenantKeyLabel(label, tenantId), key, at })
  await tx.query({ name: 'move_tell_kept_key', text: `select pg_notify($1, '')` }, [KEPT_KEYS_CHANNEL])
}

export async function forgetTenantKeys(tx: Tx, tenantId: string, labels: readonly string[]): Promise<void> {
  await tx.query({ name: 'move_forget_kept_keys', text: 'delete from kept_keys where label = any($1)' }, [
    labels.map((label) => tenantKeyLabel(label, tenantId)),
  ])
  await tx.query({ name: 'move_tell_kept_key', text: `select pg_notify($1, '')` }, [KEPT_KEYS_CHANNEL])
}

/** When the last pending verification ends; null if none is pending. */
export async function findLastPending(tx: Queries, tenantId: string, now: Instant): Promise<Instant | null> {
  const [row] = await tx.query<{ until: Instant | null }>(
    {
      name: 'move_find_last_pending',
      text: `select max(expires_at) as until from verifications where tenant_id = $1 and status = 'pending' and expires_at > $2`,
    },
    [tenantId, now],
  )
  return row?.until ?? null
}
