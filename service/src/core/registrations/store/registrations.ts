// Stores registration certificates. Only their check results and their removal change.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { isOfServedTenant } from '../../tenants/store/closed.ts'
import type { Registration } from '../domain/registration.ts'

/** Replicas clear their registration cache on a notification of this channel. */
export const REGISTRATION_CHANNEL = 'registrations'

/** A wallet may fetch a request for up to an hour, even if its certificate was removed in the meantime. */
const REMOVED_USABLE = "interval '2 hours'"

const COLUMNS = `id, tenant_id as "tenantId", environment, intended_use as "intendedUse", jwt, content, hash, unverified, status,
                 checked_at as "checkedAt", created_at as "createdAt", removed_at as "removedAt"`

type Row = Omit<Registration, 'certificate' | 'verdict'> &
  Registration['verdict'] & { readonly jwt: string; readonly content: Omit<Registration['certificate'], 'raw'> }

/** Returns for each tenant, in order, whether it has registrations or had some recently. */
export async function haveRegistrations(
  tx: Tx,
  { tenantIds, environment }: { readonly tenantIds: readonly string[]; readonly environment: Environment },
): Promise<boolean[]> {
  const rows = await tx.query<{ id: string }>(
    {
      name: 'have_registrations',
      text: `select distinct tenant_id as id from registration_certificates
             where tenant_id = any ($1::text[]) and environment = $2`,
    },
    [tenantIds, environment],
  )
  const found = new Set(rows.map(({ id }) => id))
  return tenantIds.map((id) => found.has(id))
}

/** Lists registrations in use, and removed ones that a verification may still need. */
export async function listRegistrations(tx: Tx, realm: Realm, now: Instant): Promise<Registration[]> {
  const rows = await tx.query<Row>(
    {
      name: 'list_registrations',
      text: `select ${COLUMNS} from registration_certificates
             where tenant_id = $1 and environment = $2
               and (removed_at is null or removed_at > $3::timestamptz - ${REMOVED_USABLE})
             order by created_at, id`,
    },
    [realm.tenantId, realm.environment, now],
  )
  return rows.map(toRegistration)
}

export async function loadRegistration(tx: Tx, realm: Realm, id: string): Promise<Registration | null> {
  const [row] = await tx.query<Row>(
    {
      name: 'load_registration',
      text: `select ${COLUMNS} from registration_certificates where tenant_id = $1 and environment = $2 and id = $3`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return row === undefined ? null : toRegistration(row)
}

/** Lists the registrations in use of all tenants that are served here, for the job and the operator. */
export async function listRegistrationsAcrossTenants(tx: Tx): Promise<Registration[]> {
  const rows = await tx.query<Row>({
    name: 'list_registrations_across_tenants',
    text: `select ${COLUMNS} from registration_certificates r where removed_at is null and ${isOfServedTenant('r')}
           order by tenant_id, environment, created_at, id`,
  })
  return rows.map(toRegistration)
}

/** The earliest expiry in use by environment, in unix seconds. `->>` would fail for all if one text holds U+0000. */
export async function findFirstEndsAcrossTenants(tx: Tx): Promise<{ environment: string; expiresAt: number }[]> {
  return tx.query<{ environment: string; expiresAt: number }>({
    name: 'find_first_ends_of_registrations',
    text: `select environment, min(at[1]::float8) as "expiresAt" from registration_certificates r, regexp_match(content::text, '"expiresAt":([0-9.e+-]+)') as at
           where removed_at is null and at is not null and ${isOfServedTenant('r')} group by environment`,
  })
}

/** False if the same certificate exists already. */
export async function insertRegistration(tx: Tx, registration: Registration): Promise<boolean> {
  const { id, tenantId, environment, intendedUse, hash, verdict, checkedAt, createdAt } = registration
  const { raw, ...certificate } = registration.certificate
  const { unverified, status } = verdict
  const content = JSON.stringify(certificate)
  const rows = await tx.query(
    {
      name: 'insert_registration',
      text: `insert into registration_certificates
               (id, tenant_id, environment, intended_use, jwt, content, hash, unverified, status, checked_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
             on conflict (tenant_id, environment, hash) where removed_at is null do nothing
             returning pg_notify('${REGISTRATION_CHANNEL}', '')`,
    },
    [id, tenantId, environment, intendedUse, raw, content, hash, unverified, status, checkedAt, createdAt],
  )
  return rows.length === 1
}

export async function updateVerdict(
  tx: Tx,
  realm: Realm,
  judged: { readonly id: string; readonly verdict: Registration['verdict']; readonly at: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'update_registration_verdict',
      text: `update registration_certificates set unverified = $4, status = $5, checked_at = $6
             where tenant_id = $1 and environment = $2 and id = $3
             returning pg_notify('${REGISTRATION_CHANNEL}', '')`,
    },
    [realm.tenantId, realm.environment, judged.id, judged.verdict.unverified, judged.verdict.status, judged.at],
  )
}

/** Marks a registration as removed and returns it; null if none with this id is in use. */
export async function removeRegistrationRow(
  tx: Tx,
  realm: Realm,
  removed: { readonly id: string; readonly at: Instant },
): Promise<Pick<Registration, 'id' | 'intendedUse' | 'hash'> | null> {
  const [row] = await tx.query<Pick<Registration, 'id' | 'intendedUse' | 'hash'>>(
    {
      name: 'remove_registration',
      text: `update registration_certificates set removed_at = $4
             where tenant_id = $1 and environment = $2 and id = $3 and removed_at is null
             returning id, intended_use as "intendedUse", hash, pg_notify('${REGISTRATION_CHANNEL}', '')`,
    },
    [realm.tenantId, realm.environment, removed.id, removed.at],
  )
  return row === undefined ? null : { id: row.id, intendedUse: row.intendedUse, hash: row.hash }
}

/** Deletes removed registrations that no verification can need. */
export async function forgetRemovedAcrossTenants(tx: Tx, now: Instant): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_removed_registrations',
      text: `delete from registration_certificates where removed_at <= $1::timestamptz - ${REMOVED_USABLE} returning id`,
    },
    [now],
  )
  return rows.length
}

const toRegistration = ({ jwt, content, unverified, status, ...row }: Row): Registration => ({
  ...row,
  certificate: { ...content, raw: jwt },
  verdict: { unverified, status },
})
