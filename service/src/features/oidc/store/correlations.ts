// Maps correlation ids of Universal OID4VP API callers to verifications. Stores only a keyed digest of the id.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { dayOf, inDay, lockedVerification } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

/** A repeated request has the same verification. An id that is taken is refused before (`isNameTaken`). */
export async function insertCorrelation(
  tx: Tx,
  realm: Realm,
  correlation: { readonly correlation: Uint8Array; readonly verificationId: string },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_oid4vp_request',
      text: `with locked as (${lockedVerification({ tenant: '$1', id: '$4', day: '$5' })})
             insert into oid4vp_requests (tenant_id, environment, correlation, verification_id)
             select $1, $2, $3, locked.id from locked
             on conflict (tenant_id, environment, correlation) do update set verification_id = excluded.verification_id`,
      replanEachCall: true,
    },
    [
      realm.tenantId,
      realm.environment,
      correlation.correlation,
      correlation.verificationId,
      dayOf(tx.sealer, correlation.verificationId),
    ],
  )
}

/**
 * Whether the name belongs to a verification that a creation with this idempotency key would not return. `until`: how
 * long the key must still be valid.
 */
export async function isNameTaken(
  tx: Tx,
  realm: Realm,
  name: { readonly correlation: Uint8Array; readonly key: string; readonly until: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'is_oid4vp_name_taken',
      text: `select 1 as taken from oid4vp_requests r
             where r.tenant_id = $1 and r.environment = $2 and r.correlation = $3 and not exists (
               select from idempotency_keys k where k.tenant_id = $1 and k.environment = $2 and k.key = $4
                 and k.verification_id = r.verification_id and k.expires_at > $5)`,
    },
    [realm.tenantId, realm.environment, name.correlation, name.key, name.until],
  )
  return rows.length > 0
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
  const { tenantId, environment } = realm
  const [request] = await tx.query<{ id: string }>(
    {
      name: 'find_oid4vp_request',
      text: `select verification_id as id from oid4vp_requests
             where tenant_id = $1 and environment = $2 and correlation = $3`,
    },
    [tenantId, environment, key.correlation],
  )
  const id = request?.id ?? key.id
  const [row] = await tx.query<CorrelatedVerification>(
    {
      name: 'find_correlated_verification',
      text: `select id, request_fetched_at is not null as "requestFetched" from verifications
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')}`,
      replanEachCall: true,
    },
    [tenantId, environment, id, dayOf(tx.sealer, id)],
  )
  return row ?? null
}
