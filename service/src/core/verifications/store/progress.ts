// The progress of verifications by their ids, which are the capability.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { StoredProgress } from '../domain/progress.ts'

interface FoundProgress extends StoredProgress {
  readonly id: string
}

/** The existing ones of these ids, in any order. */
export async function loadProgressAcrossTenants(tx: Tx, ids: readonly string[]): Promise<FoundProgress[]> {
  return tx.query<FoundProgress>(
    {
      name: 'load_progress_across_tenants',
      text: `select v.id, v.status as state, v.expires_at as "expiresAt", v.request_fetched_at as "requestFetchedAt",
               r.error_code as "errorCode"
             from verifications v
             left join verification_results r
               on r.verification_id = v.id and r.tenant_id = v.tenant_id and r.environment = v.environment
             where v.id = any ($1::text[])`,
    },
    [ids],
  )
}
