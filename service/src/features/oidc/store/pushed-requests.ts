// Stores pushed authorization requests (RFC 9126) until a browser uses them or they expire.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { type PUSHED_BOUNDS, type PushedRequest, pushedSealContext } from '../domain/pushed-request.ts'

interface NewPushedRequest {
  readonly clientId: string
  /** The hash of the secret in the request's address. */
  readonly id: string
  readonly request: PushedRequest
  readonly now: Instant
  readonly expiresAt: Instant
  readonly bounds: typeof PUSHED_BOUNDS
}

/** Returns false if the maximum number of requests is already waiting. */
export async function insertPushedRequest(tx: Tx, realm: Realm, pushed: NewPushedRequest): Promise<boolean> {
  const context = pushedSealContext({ tenantId: realm.tenantId, environment: realm.environment, id: pushed.id })
  const sealed = tx.sealer.seal(Buffer.from(JSON.stringify(pushed.request), 'utf8'), context)
  const rows = await tx.query(
    {
      name: 'insert_oidc_pushed_request',
      text: `with waiting as (
               select count(*) filter (where client_id = $3) as of_client, count(*) as of_tenant
               from oidc_pushed_requests where tenant_id = $1 and expires_at > $6),
             everywhere as (
               select count(*) as count from (select 1 from oidc_pushed_requests where expires_at > $6 limit $10::int + $11::int) one)
             insert into oidc_pushed_requests (tenant_id, environment, client_id, id, request, expires_at)
             select $1, $2, $3, $4, $5, $7 from waiting, everywhere
             where waiting.of_client < $8 and waiting.of_tenant < $9
               and (everywhere.count < $10::int or everywhere.count < $10::int + $11::int and waiting.of_tenant < $12)
             returning client_id`,
    },
    [
      ...[realm.tenantId, realm.environment, pushed.clientId, pushed.id, sealed, pushed.now, pushed.expiresAt],
      ...[pushed.bounds.client, pushed.bounds.tenant, pushed.bounds.total],
      ...[pushed.bounds.reserve, pushed.bounds.reservePerTenant],
    ],
  )
  return rows.length === 1
}

/** null if the request is unknown, expired, used, or another client's. */
export async function loadPushedRequest(
  tx: Tx,
  realm: Realm,
  key: { readonly clientId: string; readonly id: string; readonly now: Instant },
): Promise<PushedRequest | null> {
  const [row] = await tx.query<{ request: Buffer }>(
    {
      name: 'load_oidc_pushed_request',
      text: `select request from oidc_pushed_requests
             where id = $4 and tenant_id = $1 and environment = $2 and client_id = $3 and expires_at > $5`,
    },
    [realm.tenantId, realm.environment, key.clientId, key.id, key.now],
  )
  if (row === undefined) return null
  const context = pushedSealContext({ tenantId: realm.tenantId, environment: realm.environment, id: key.id })
  return JSON.parse(tx.sealer.open(row.request, context).toString('utf8'))
}

/** Ends a used request: no other sign-in can begin with it. */
export async function endPushedRequest(tx: Tx, realm: Realm, id: string): Promise<void> {
  await tx.query(
    {
      name: 'end_oidc_pushed_request',
      text: 'delete from oidc_pushed_requests where id = $3 and tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment, id],
  )
}

/** Returns how many it deleted, at most `rowsMax`. */
export async function forgetPushedRequestsAcrossTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_oidc_pushed_requests',
      text: `delete from oidc_pushed_requests where (tenant_id, id) in (
               select tenant_id, id from oidc_pushed_requests where expires_at <= $1 order by expires_at limit $2)
             returning client_id`,
    },
    [now, rowsMax],
  )
  return rows.length
}
