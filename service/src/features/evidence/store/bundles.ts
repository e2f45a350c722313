// Evidence bundles that are not collected yet. The statement that hands one out also deletes it.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { dayOf, inDay, type Lapsed, lapsedOf, lapsedValues } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Fragment } from '../../../platform/postgres/fragments.ts'
import { type Column, namesOf, selectOf } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'

interface NewBundle {
  readonly realm: Realm
  readonly verificationId: string
  readonly jwe: string
}

export interface NewBundles {
  readonly bundles: readonly NewBundle[]
  readonly dropAt: Instant
}

const BUNDLE: readonly Column<NewBundle>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'verification_id', type: 'text', get: (bundle) => bundle.verificationId },
  { name: 'jwe', type: 'text', get: (bundle) => bundle.jwe },
]

/** Runs in the transaction that ends the verifications. */
export const WRITING_BUNDLES: Fragment<NewBundles> = {
  name: 'insert_evidence_bundles',
  ctes(parameters) {
    const dropAt = parameters.one((batch) => batch.dropAt)
    const inserted = parameters.rows(BUNDLE, ({ bundles }) => bundles)
    return `evidence as (
            insert into evidence_bundles (drop_at, ${namesOf(BUNDLE)})
            select ${dropAt}::timestamptz, ${selectOf(BUNDLE)} from ${inserted.unnest('b')}
          )`
  },
}

/**
 * Returns and deletes the JWE. null if there is none, or if its verification is gone: then the bundle is deleted soon.
 * Of two concurrent calls, only one gets it.
 */
export async function takeBundle(
  tx: Tx,
  realm: Realm,
  { id, now }: { readonly id: string; readonly now: Instant },
): Promise<string | null> {
  const [row] = await tx.query<{ jwe: string }>(
    {
      name: 'take_evidence_bundle',
      text: `delete from evidence_bundles
             where verification_id = $3 and tenant_id = $1 and environment = $2 and drop_at > $4 and exists (
               select from verifications v where v.id = $3 and v.tenant_id = $1 and ${inDay('v.day', '$5')})
             returning jwe`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, id, now, dayOf(tx.sealer, id)],
  )
  return row?.jwe ?? null
}

export async function destroyBundle(tx: Tx, realm: Realm, id: string): Promise<void> {
  await tx.query(
    {
      name: 'destroy_evidence_bundle',
      text: 'delete from evidence_bundles where verification_id = $3 and tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment, id],
  )
}

/** Deletes the bundles of erased verifications. */
export async function destroyBundles(tx: Tx, realm: Realm, ids: readonly string[]): Promise<void> {
  await tx.query(
    {
      name: 'destroy_evidence_bundles',
      text: 'delete from evidence_bundles where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment, ids],
  )
}

export async function dropBundlesOfLapsed(tx: Tx, lapsed: Lapsed): Promise<void> {
  await tx.query(
    {
      name: 'drop_bundles_of_lapsed',
      text: `delete from evidence_bundles e using (${lapsedOf('evidence_bundles')}) v
             where e.tenant_id = v.tenant_id and e.verification_id = v.id`,
      replanEachCall: true,
    },
    lapsedValues(lapsed),
  )
}

/** Returns how many bundles it deleted. */
export async function dropOverdueBundlesAcrossTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'drop_overdue_evidence_bundles',
      text: `with over as (
               select tenant_id, verification_id from evidence_bundles where drop_at <= $1
               order by drop_at limit $2 for update skip locked)
             delete from evidence_bundles b using over
             where b.tenant_id = over.tenant_id and b.verification_id = over.verification_id returning b.verification_id`,
    },
    [now, rowsMax],
  )
  return rows.length
}
