// Finds the current names for ids in audit entries. The entries themselves contain no names.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'

/**
 * Names by id: keys, devices, OpenID clients, endpoints and templates of the realm, and email addresses of the tenant's
 * current staff. Removed objects and former staff have none.
 */
export async function nameIds(tx: Tx, realm: Realm, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; name: string }>(
    {
      name: 'name_audited_ids',
      text: `select id, name from api_keys where id = any ($3::text[]) and tenant_id = $1 and environment = $2
             union all select id::text, name from devices
               where tenant_id = $1 and environment = $2 and id::text = any ($3::text[])
             union all select id, name from oidc_clients where id = any ($3::text[]) and tenant_id = $1 and environment = $2
             union all select id, name from webhook_endpoints
               where id = any ($3::text[]) and tenant_id = $1 and environment = $2
             union all select id, title from templates where tenant_id = $1 and environment = $2 and id = any ($3::text[])
             union all select p.id, p.email from members m join people p on p.id = m.person_id
               where m.tenant_id = $1 and m.person_id = any ($3::text[])`,
    },
    [realm.tenantId, realm.environment, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
