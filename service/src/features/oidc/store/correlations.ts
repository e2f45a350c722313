// Maps the correlation id of a Universal OID4VP API caller to a verification. It stores a keyed digest, never the id itself.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'

/** A correlation id means the latest verification requested under it: an earlier result must not pass for this one's. */
export async function insertCorrelation(
  tx: Tx,
  realm: Realm,
  correlation: { readonly correlation: Uint8Array; readonly verificationId: string },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_oid4vp_request',
      text: `insert into oid4vp_requests (tenant_id, environment, correlation, verification_id)
             values ($1, $2, $3, $4)
             on conflict (tenant_id, environment, correlation) do update set verification_id = excluded.verification_id`,
    },
    [realm.tenantId, realm.environment, correlation.correlation, correlation.verificationId],
  )
}

interface CorrelatedVerification {
  readonly id: string
  readonly requestFetched: boolean
}

/** By correlation id, or by verification id if the caller gave none. */
export async function findCorrelated(
  tx: Tx,
  realm: Realm,
  key: { readonly correlation: Uint8Array; readonly id: string },
): Promise<CorrelatedVerification | null> {
  const [row] = await tx.query<CorrelatedVerification>(
    {
      name: 'find_oid4vp_request',
      text: `select v.id, v.request_fetched_at is not null as "requestFetched" from verifications v
             where v.tenant_id = $1 and v.environment = $2 and v.id = coalesce((
               select r.verification_id from oid4vp_requests r
               where r.tenant_id = $1 and r.environment = $2 and r.correlation = $3), $4)`,
    },
    [realm.tenantId, realm.environment, key.correlation, key.id],
  )
  return row ?? null
}
