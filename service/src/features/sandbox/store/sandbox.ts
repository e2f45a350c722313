// Finds verifications of the test environment across tenants, for the test wallet on the command line.

import type { RealmRow } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export async function findTestVerificationAcrossTenants(tx: Tx, id: string): Promise<RealmRow | null> {
  const [row] = await tx.query<RealmRow>(
    {
      name: 'find_test_verification',
      text: `select id, tenant_id as "tenantId", environment from verifications where id = $1 and environment = 'test'`,
    },
    [id],
  )
  return row ?? null
}

/** The newest pending verification. */
export async function findLatestTestVerificationAcrossTenants(tx: Tx, now: Instant): Promise<RealmRow | null> {
  const [row] = await tx.query<RealmRow>(
    {
      name: 'find_latest_test_verification',
      text: `select id, tenant_id as "tenantId", environment from verifications
             where environment = 'test' and status = 'pending' and expires_at > $1 order by created_at desc limit 1`,
    },
    [now],
  )
  return row ?? null
}
