// Measures a realm's registration certificates before they are loaded.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'

/** Characters of the certificates in use. */
export async function measureRegistrations(tx: Tx, realm: Realm): Promise<number> {
  const [row] = await tx.query<{ length: number }>(
    {
      name: 'measure_registrations',
      text: `select coalesce(sum(octet_length(jwt)), 0)::int as length from registration_certificates
             where tenant_id = $1 and environment = $2 and removed_at is null`,
    },
    [realm.tenantId, realm.environment],
  )
  return row?.length ?? 0
}
