// Deletes sign-ins and correlation ids of erased verifications.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { type Lapsed, lapsedOf, lapsedValues } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'

export async function forgetRequestsOf(tx: Tx, realm: Realm, ids: readonly string[]): Promise<void> {
  await tx.query(
    {
      name: 'forget_requests_of_erased',
      text: `with correlated as (
               delete from oid4vp_requests where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2)
             delete from oidc_authorizations where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment, ids],
  )
}

export async function forgetRequestsOfLapsed(tx: Tx, lapsed: Lapsed): Promise<void> {
  await tx.query(
    {
      name: 'forget_requests_of_lapsed',
      text: `with lapsed as materialized (${lapsedOf('oid4vp_requests', 'oidc_authorizations')}), correlated as (
               delete from oid4vp_requests r using lapsed v where r.verification_id = v.id and r.tenant_id = v.tenant_id)
             delete from oidc_authorizations a using lapsed v where a.verification_id = v.id and a.tenant_id = v.tenant_id`,
      replanEachCall: true,
    },
    lapsedValues(lapsed),
  )
}
