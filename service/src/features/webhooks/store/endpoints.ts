// Saved addresses of webhooks. What is here is sealed; opening it is the caller's.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Endpoint } from '../domain/endpoint.ts'

export interface SealedEndpoint extends Omit<Endpoint, 'url'> {
  readonly sealedUrl: Uint8Array
}

const COLUMNS = `id, name, url as "sealedUrl", is_default as "isDefault", created_at as "createdAt"`

/** The oldest first. */
export async function listEndpoints(tx: Tx, realm: Realm): Promise<SealedEndpoint[]> {
  return tx.query(
    {
      name: 'list_webhook_endpoints',
      text: `select ${COLUMNS} from webhook_endpoints where tenant_id = $1 and environment = $2 order by created_at, id`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** Of the tenants that are named, the oldest first. */
export async function listEndpointsAcrossTenants(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<(Realm & { readonly endpoint: SealedEndpoint })[]> {
  const rows = await tx.query<SealedEndpoint & Realm>(
    {
      name: 'list_endpoints_of_tenants',
      text: `select tenant_id as "tenantId", environment, ${COLUMNS} from webhook_endpoints
             where tenant_id = any ($1::text[]) order by created_at, id`,
    },
    [tenantIds],
  )
  return rows.map(({ tenantId, environment, ...endpoint }) => ({ tenantId, environment, endpoint }))
}

export async function findDefaultEndpoint(tx: Tx, realm: Realm): Promise<SealedEndpoint | null> {
  const [row] = await tx.query<SealedEndpoint>(
    {
      name: 'find_default_webhook_endpoint',
      text: `select ${COLUMNS} from webhook_endpoints where tenant_id = $1 and environment = $2 and is_default`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}

export async function insertEndpoint(tx: Tx, realm: Realm, endpoint: SealedEndpoint): Promise<void> {
  const { id, name, sealedUrl, isDefault, createdAt } = endpoint
  await tx.query(
    {
      name: 'insert_webhook_endpoint',
      text: `insert into webhook_endpoints (id, tenant_id, environment, name, url, is_default, created_at)
             values ($3, $1, $2, $4, $5, $6, $7)`,
    },
    [realm.tenantId, realm.environment, id, name, sealedUrl, isDefault, createdAt],
  )
}

/** False where there is none. */
export async function updateEndpoint(
  tx: Tx,
  realm: Realm,
  endpoint: Pick<SealedEndpoint, 'id' | 'name' | 'sealedUrl' | 'isDefault'>,
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'update_webhook_endpoint',
      text: `update webhook_endpoints set name = $4, url = $5, is_default = $6
             where tenant_id = $1 and environment = $2 and id = $3 returning 1 as there`,
    },
    [realm.tenantId, realm.environment, endpoint.id, endpoint.name, endpoint.sealedUrl, endpoint.isDefault],
  )
  return rows.length === 1
}

/** Before another becomes the default. */
export async function clearDefaultEndpoint(tx: Tx, realm: Realm, except: string): Promise<void> {
  await tx.query(
    {
      name: 'clear_default_webhook_endpoint',
      text: `update webhook_endpoints set is_default = false
             where tenant_id = $1 and environment = $2 and is_default and id <> $3`,
    },
    [realm.tenantId, realm.environment, except],
  )
}

export async function deleteEndpoint(tx: Tx, realm: Realm, id: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'delete_webhook_endpoint',
      text: 'delete from webhook_endpoints where tenant_id = $1 and environment = $2 and id = $3 returning 1 as gone',
    },
    [realm.tenantId, realm.environment, id],
  )
  return rows.length === 1
}
