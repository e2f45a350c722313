// Reads and writes API keys. A row has only the SHA-256 and the first twelve characters of the key.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { Closed } from '../domain/closed.ts'
import type { Realm } from '../domain/realm.ts'
import { closedColumn } from './closed.ts'

/** Replicas clear their key cache on a notification of this channel. */
export const KEY_CHANNEL = 'api_keys'

const COLUMNS = `id, tenant_id as "tenantId", environment, name, prefix, scopes, created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`

export async function insertApiKey(tx: Tx, key: ApiKey, hash: Uint8Array): Promise<void> {
  await tx.query(
    {
      name: 'insert_api_key',
      text: `insert into api_keys (id, tenant_id, environment, name, hash, prefix, scopes, created_at, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    },
    [key.id, key.tenantId, key.environment, key.name, hash, key.prefix, key.scopes, key.createdAt, key.expiresAt],
  )
}

export interface KnownKey extends ApiKey {
  /** Whether its tenant is closed. */
  readonly closed: Closed
}

/** Returns one result per hash, in order. A hash that two tenants have counts as unknown. */
export async function findApiKeysByHash(tx: Tx, hashes: readonly Buffer[]): Promise<(KnownKey | null)[]> {
  const rows = await tx.query<KnownKey & { hash: Buffer }>(
    {
      name: 'find_api_keys',
      text: `select ${COLUMNS}, hash, (select ${closedColumn('t')} from tenants t where t.id = api_keys.tenant_id) as closed
             from api_keys where hash = any ($1::bytea[])`,
    },
    [hashes],
  )
  return hashes.map((hash) => {
    const [key, ...others] = rows.flatMap(({ hash: stored, ...one }) => (stored.equals(hash) ? [one] : []))
    return key === undefined || others.length > 0 ? null : key
  })
}

export async function listApiKeys(tx: Tx, tenantId: string): Promise<ApiKey[]> {
  return tx.query<ApiKey>(
    { name: 'list_api_keys', text: `select ${COLUMNS} from api_keys where tenant_id = $1 order by created_at, id` },
    [tenantId],
  )
}

/** Neither revoked nor expired. */
const isActiveAt = (now: string) => `revoked_at is null and (expires_at is null or expires_at > ${now})`

export async function countActiveApiKeys(tx: Tx, realm: Realm, now: Instant): Promise<number> {
  const [row] = await tx.query<{ active: number }>(
    {
      name: 'count_active_api_keys',
      text: `select count(*)::int as active from api_keys where tenant_id = $1 and environment = $2 and ${isActiveAt('$3')}`,
    },
    [realm.tenantId, realm.environment, now],
  )
  if (row === undefined) throw new Error('bug: count returned no row')
  return row.active
}

/** The active keys of these tenants, oldest first. */
export async function listActiveKeysAcrossTenants(
  tx: Tx,
  tenantIds: readonly string[],
  now: Instant,
): Promise<ApiKey[]> {
  return tx.query<ApiKey>(
    {
      name: 'list_active_keys_of_tenants',
      text: `select ${COLUMNS} from api_keys where tenant_id = any ($1::text[]) and ${isActiveAt('$2')} order by created_at, id`,
    },
    [tenantIds, now],
  )
}

/**
 * Returns active keys and keys that ended after `endedSince`, oldest first. Above `rowsMax`, leaves out those that
 * ended earliest.
 */
export async function listRecentApiKeys(
  tx: Tx,
  realm: Realm,
  which: { readonly now: Instant; readonly endedSince: Instant; readonly rowsMax: number },
): Promise<ApiKey[]> {
  return tx.query<ApiKey>(
    {
      name: 'list_recent_api_keys',
      text: `with chosen as (
               select ${COLUMNS} from api_keys
               where tenant_id = $1 and environment = $2 and (${isActiveAt('$3')} or least(revoked_at, expires_at) > $4)
               order by (${isActiveAt('$3')}) desc, least(revoked_at, expires_at) desc nulls first, created_at desc limit $5
             )
             select * from chosen order by "createdAt", id`,
    },
    [realm.tenantId, realm.environment, which.now, which.endedSince, which.rowsMax],
  )
}

/** Names of existing keys, by id. */
export async function loadKeyNames(tx: Tx, realm: Realm, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ id: string; name: string }>(
    {
      name: 'load_key_names',
      text: 'select id, name from api_keys where id = any ($3::text[]) and tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Returns the key before the change; null if there is none. A second call keeps the first `revoked_at`. */
export async function revokeApiKey(
  tx: Tx,
  tenantId: string,
  revoke: { id: string; environment: Environment | null; at: Instant },
): Promise<ApiKey | null> {
  const [row] = await tx.query<ApiKey>(
    {
      name: 'revoke_api_key',
      text: `with before as (select * from api_keys where tenant_id = $1 and id = $2
                               and environment = coalesce($4, environment) for update),
                  done as (update api_keys k set revoked_at = coalesce(k.revoked_at, $3) from before
                           where k.id = before.id and k.tenant_id = $1
                           returning pg_notify('${KEY_CHANNEL}', encode(k.hash, 'hex')))
             select ${COLUMNS} from before left join done on true`,
    },
    [tenantId, revoke.id, revoke.at, revoke.environment],
  )
  return row ?? null
}

/** Returns the key before the change; null if there is none or it has ended. Keeps an earlier expiry. */
export async function endApiKeyAt(
  tx: Tx,
  realm: Realm,
  end: { readonly id: string; readonly at: Instant; readonly now: Instant },
): Promise<ApiKey | null> {
  const [row] = await tx.query<ApiKey>(
    {
      name: 'end_api_key_at',
      text: `with before as (select * from api_keys where tenant_id = $1 and environment = $2 and id = $3
                               and revoked_at is null and (expires_at is null or expires_at > $5) for update),
                  done as (update api_keys k set expires_at = least(k.expires_at, $4) from before
                           where k.id = before.id and k.tenant_id = $1
                           returning pg_notify('${KEY_CHANNEL}', encode(k.hash, 'hex')))
             select ${COLUMNS} from before left join done on true`,
    },
    [realm.tenantId, realm.environment, end.id, end.at, end.now],
  )
  return row ?? null
}
