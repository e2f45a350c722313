// Stores saved webhook addresses.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import { type Endpoint, endpointSealContext } from '../domain/endpoint.ts'

interface SealedEndpoint extends Omit<Endpoint, 'url'> {
  /** Decrypted by `openEndpoint`. */
  readonly sealedUrl: Uint8Array
}

export function openEndpoint({ sealer }: Sealing, realm: Realm, { sealedUrl, ...rest }: SealedEndpoint): Endpoint {
  return { ...rest, url: sealer.open(sealedUrl, endpointSealContext(realm, rest.id)).toString('utf8') }
}

const sealUrl = ({ sealer }: Sealing, realm: Realm, { id, url }: Pick<Endpoint, 'id' | 'url'>) =>
  sealer.seal(Buffer.from(url, 'utf8'), endpointSealContext(realm, id))

const COLUMNS = `id, name, url as "sealedUrl", is_default as "isDefault", created_at as "createdAt"`

/** Lists the endpoints of a realm, oldest first. */
export async function listEndpoints(tx: Tx, realm: Realm): Promise<SealedEndpoint[]> {
  return tx.query(
    {
      name: 'list_webhook_endpoints',
      text: `select ${COLUMNS} from webhook_endpoints where tenant_id = $1 and environment = $2 order by created_at, id`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** Lists the endpoints of these tenants, oldest first. */
export async function listEndpointsAcrossTenants(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<(Realm & { readonly endpoint: Endpoint })[]> {
  const rows = await tx.query<SealedEndpoint & Realm>(
    {
      name: 'list_endpoints_of_tenants',
      text: `select tenant_id as "tenantId", environment, ${COLUMNS} from webhook_endpoints
             where tenant_id = any ($1::text[]) order by created_at, id`,
    },
    [tenantIds],
  )
  return rows.map(({ tenantId, environment, ...sealed }) => {
    const realm = { tenantId, environment }
    return { ...realm, endpoint: openEndpoint(tx, realm, sealed) }
  })
}

export async function findDefaultEndpoint(tx: Tx, realm: Realm): Promise<Endpoint | null> {
  const [row] = await tx.query<SealedEndpoint>(
    {
      name: 'find_default_webhook_endpoint',
      text: `select ${COLUMNS} from webhook_endpoints where tenant_id = $1 and environment = $2 and is_default`,
    },
    [realm.tenantId, realm.environment],
  )
  return row === undefined ? null : openEndpoint(tx, realm, row)
}

export async function insertEndpoint(tx: Tx, realm: Realm, endpoint: Endpoint): Promise<void> {
  const { id, name, isDefault, createdAt } = endpoint
  await tx.query(
    {
      name: 'insert_webhook_endpoint',
      text: `insert into webhook_endpoints (id, tenant_id, environment, name, url, is_default, created_at)
             values ($3, $1, $2, $4, $5, $6, $7)`,
    },
    [realm.tenantId, realm.environment, id, name, sealUrl(tx, realm, endpoint), isDefault, createdAt],
  )
}

/** Returns false if the endpoint does not exist. */
export async function updateEndpoint(
  tx: Tx,
  realm: Realm,
  endpoint: Pick<Endpoint, 'id' | 'name' | 'url' | 'isDefault'>,
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'update_webhook_endpoint',
      text: `update webhook_endpoints set name = $4, url = $5, is_default = $6
             where tenant_id = $1 and environment = $2 and id = $3 returning 1 as there`,
    },
    [realm.tenantId, realm.environment, endpoint.id, endpoint.name, sealUrl(tx, realm, endpoint), endpoint.isDefault],
  )
  return rows.length === 1
}

/** Clears the default. Called before another endpoint becomes the default. */
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
