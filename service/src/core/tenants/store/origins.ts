// Stores the origins of tenants.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Origin } from '../domain/origin.ts'
import type { Realm } from '../domain/realm.ts'
import { isOfServedTenant } from './closed.ts'

const COLUMNS = 'id, origin, kind, token, proven_at as "provenAt", created_at as "createdAt"'

export async function listOrigins(tx: Tx, realm: Realm): Promise<Origin[]> {
  return tx.query<Origin>(
    {
      name: 'list_origins',
      text: `select ${COLUMNS} from tenant_origins where tenant_id = $1 and environment = $2 order by origin`,
    },
    [realm.tenantId, realm.environment],
  )
}

export async function loadOrigin(tx: Tx, realm: Realm, id: string): Promise<Origin | null> {
  const [row] = await tx.query<Origin>(
    {
      name: 'load_origin',
      text: `select ${COLUMNS} from tenant_origins where tenant_id = $1 and environment = $2 and id = $3`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return row ?? null
}

export async function isProvenOrigin(tx: Tx, realm: Realm, origin: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'is_proven_origin',
      text: `select 1 from tenant_origins
             where tenant_id = $1 and environment = $2 and origin = $3 and proven_at is not null`,
    },
    [realm.tenantId, realm.environment, origin],
  )
  return rows.length === 1
}

/**
 * False if the origin exists already. The caller holds a lock on the tenant's row, so that two concurrent calls cannot
 * exceed the limit.
 */
export async function insertOrigin(tx: Tx, realm: Realm, origin: Origin): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_origin',
      text: `insert into tenant_origins (tenant_id, environment, id, origin, kind, token, proven_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (tenant_id, environment, origin) do nothing
             returning id`,
    },
    [
      realm.tenantId,
      realm.environment,
      origin.id,
      origin.origin,
      origin.kind,
      origin.token,
      origin.provenAt,
      origin.createdAt,
    ],
  )
  return rows.length === 1
}

/** False if the origin was checked since `before`, so that only the first of concurrent callers checks. */
export async function leaseOriginCheck(
  tx: Tx,
  realm: Realm,
  lease: { readonly id: string; readonly now: Instant; readonly before: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'lease_origin_check',
      text: `update tenant_origins set checked_at = $4
             where tenant_id = $1 and environment = $2 and id = $3 and (checked_at is null or checked_at <= $5)
             returning id`,
    },
    [realm.tenantId, realm.environment, lease.id, lease.now, lease.before],
  )
  return rows.length === 1
}

/** False if it no longer exists. */
export async function setOriginProof(
  tx: Tx,
  realm: Realm,
  proof: { readonly id: string; readonly provenAt: Instant | null },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'set_origin_proof',
      text: `update tenant_origins set proven_at = $4, failed_checks = 0 where tenant_id = $1 and environment = $2 and id = $3
             returning id`,
    },
    [realm.tenantId, realm.environment, proof.id, proof.provenAt],
  )
  return rows.length === 1
}

/** Proven pages without a check since `before`; those that have waited longest come first. */
export async function findOriginsToCheckAcrossTenants(
  tx: Tx,
  before: Instant,
  rowsMax: number,
): Promise<(Origin & Realm)[]> {
  return tx.query<Origin & Realm>(
    {
      name: 'find_origins_to_check',
      text: `select ${COLUMNS}, tenant_id as "tenantId", environment from tenant_origins
             where kind = 'web' and proven_at is not null and checked_at <= $1 and ${isOfServedTenant('tenant_origins')}
             order by checked_at limit $2`,
    },
    [before, rowsMax],
  )
}

/** Counts a failure. The last allowed failure removes the proof. null if the origin is gone or no longer proven. */
export async function noteFailedCheck(
  tx: Tx,
  realm: Realm,
  failed: { readonly id: string; readonly failuresMax: number },
): Promise<{ readonly lapsed: boolean } | null> {
  const [row] = await tx.query<{ lapsed: boolean }>(
    {
      name: 'note_failed_origin_check',
      text: `update tenant_origins
             set failed_checks = failed_checks + 1, proven_at = case when failed_checks + 1 < $4 then proven_at end
             where tenant_id = $1 and environment = $2 and id = $3 and proven_at is not null
             returning proven_at is null as lapsed`,
    },
    [realm.tenantId, realm.environment, failed.id, failed.failuresMax],
  )
  return row ?? null
}

interface FailingOrigin {
  readonly tenantId: string
  readonly origin: string
  readonly failedChecks: number
  readonly provenAt: Instant | null
}

export async function findFailingOriginsAcrossTenants(tx: Tx, rowsMax: number): Promise<FailingOrigin[]> {
  return tx.query<FailingOrigin>(
    {
      name: 'find_failing_origins',
      text: `select tenant_id as "tenantId", origin, failed_checks as "failedChecks", proven_at as "provenAt"
             from tenant_origins where failed_checks > 0 order by tenant_id, origin limit $1`,
    },
    [rowsMax],
  )
}

/** Returns the deleted origin; null if there is none. */
export async function deleteOrigin(tx: Tx, realm: Realm, id: string): Promise<string | null> {
  const [row] = await tx.query<{ origin: string }>(
    {
      name: 'delete_origin',
      text: 'delete from tenant_origins where tenant_id = $1 and environment = $2 and id = $3 returning origin',
    },
    [realm.tenantId, realm.environment, id],
  )
  return row?.origin ?? null
}
