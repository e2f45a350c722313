// Stores mandates: the newest of each realm.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Mandate, NewMandate } from '../domain/going-live/mandate.ts'

export async function loadMandate(tx: Tx, realm: Realm): Promise<Mandate | null> {
  const [row] = await tx.query<Mandate>(
    {
      name: 'load_mandate',
      text: `select kind, sha256, to_char(dated, 'YYYY-MM-DD') as dated, recorded_at as "recordedAt",
               checked_at as "checkedAt" from mandates where tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}

/** A replaced mandate has to be checked again. */
export async function saveMandate(tx: Tx, realm: Realm, mandate: NewMandate & { readonly at: Instant }): Promise<void> {
  await tx.query(
    {
      name: 'save_mandate',
      text: `insert into mandates (tenant_id, environment, kind, sha256, dated, recorded_at)
             values ($1, $2, $3, $4, $5::text::date, $6)
             on conflict (tenant_id, environment) do update
               set kind = excluded.kind, sha256 = excluded.sha256, dated = excluded.dated,
                   recorded_at = excluded.recorded_at, checked_at = null`,
    },
    [realm.tenantId, realm.environment, mandate.kind, mandate.sha256, mandate.dated, mandate.at],
  )
}

/** Returns false if the mandate was replaced in the meantime. */
export async function setMandateChecked(
  tx: Tx,
  realm: Realm,
  checked: { readonly sha256: string; readonly at: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'set_mandate_checked',
      text: `update mandates set checked_at = $4
             where tenant_id = $1 and environment = $2 and sha256 = $3 returning 1 as checked`,
    },
    [realm.tenantId, realm.environment, checked.sha256, checked.at],
  )
  return rows.length === 1
}
