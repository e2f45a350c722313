// Addresses on audit trails of people who are not staff any more, and accounts that no tenant uses.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOpen } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Person } from '../domain/person.ts'
import { replaceSignIns } from './sign-in-methods.ts'

const ADDRESS = `d.day = 0 and d.details ? 'email'`

/** The address is neither of a member nor of an open invitation. */
const isFormer = (now: string) => `not exists (select from members m join people p on p.id = m.person_id
    where m.tenant_id = d.tenant_id and p.email = d.details ->> 'email')
  and not exists (select from sign_in_links l where l.tenant_id = d.tenant_id and l.email = d.details ->> 'email'
    and l.used_at is null and l.expires_at > ${now})`

export async function listServedRealmsAcrossTenants(tx: Tx): Promise<Realm[]> {
  return tx.query<Realm>({
    name: 'list_served_realms',
    text: `select t.id as "tenantId", of.name as environment from tenants t cross join (values ('live'), ('test')) of (name)
           where ${isOpen('t')} order by 1, 2`,
  })
}

export interface NamedAddress {
  readonly seq: number
  readonly email: string
  readonly action: string
  readonly at: Instant
}

/** Entries with an address before this one, the newest first. The limit applies before anything is parsed. */
export async function listAddressesBefore(tx: Tx, realm: Realm, end: number, rowsMax: number): Promise<NamedAddress[]> {
  return tx.query<NamedAddress>(
    {
      name: 'list_addresses_on_trail',
      text: `with step as materialized (
               select d.seq, d.details ->> 'email' as email from audit_details d
               where d.tenant_id = $1 and d.environment = $2 and ${ADDRESS} and d.seq < $3 order by d.seq desc limit $4
             ), named as materialized (
               select step.seq, step.email, convert_from(e.bytes, 'UTF8')::jsonb as said
               from step join audit_entries e on e.tenant_id = $1 and e.environment = $2 and e.seq = step.seq
             )
             select seq, email, said ->> 'action' as action, said ->> 'at' as at from named order by seq desc`,
    },
    [realm.tenantId, realm.environment, end, rowsMax],
  )
}

/**
 * Deletes the details of those of the entries whose address is of former staff. Returns these entries, in order: the
 * caller must record them.
 */
export async function forgetAddresses(
  tx: Tx,
  realm: Realm,
  { now, entries }: { readonly now: Instant; readonly entries: readonly number[] },
): Promise<number[]> {
  const rows = await tx.query<{ seq: number }>(
    {
      name: 'forget_addresses_of_former_staff',
      text: `delete from audit_details d where d.tenant_id = $1 and d.environment = $2 and ${ADDRESS}
               and d.seq = any ($4::bigint[]) and ${isFormer('$3')} returning d.seq`,
    },
    [realm.tenantId, realm.environment, now, entries],
  )
  return rows.map(({ seq }) => seq).sort((a, b) => a - b)
}

/** Without accounts that came with a copy: the move deletes them. */
const IS_LEFT = 'p.came_with is null and not exists (select from members m where m.person_id = p.id)'

/**
 * Accounts of people whom no trail names after `before`. Of those `except`, the trails of that tenant do not count. Not an
 * anti-join, which may read all entries of all tenants.
 */
export async function findLeftAccountsAcrossTenants(
  tx: Tx,
  { before, except, max }: { readonly before: Instant; readonly except: Removals | null; readonly max: number },
): Promise<Person[]> {
  return tx.query<Person>(
    {
      name: 'find_left_accounts',
      text: `select p.id, p.email from people p where ${IS_LEFT} and p.created_at <= $1::text::timestamptz
               and (select true from audit_details d
                 join audit_entries e on e.tenant_id = d.tenant_id and e.environment = d.environment and e.seq = d.seq
                 where ${ADDRESS} and d.object_id = p.id and convert_from(e.bytes, 'UTF8')::jsonb ->> 'at' > $1
                   and (d.tenant_id <> $3 or p.id <> all ($4::text[])) limit 1) is null
             order by p.id limit $2`,
    },
    [before, max, except?.tenantId ?? '', except?.people ?? []],
  )
}

/** People whom an export of this tenant says were removed. */
export interface Removals {
  readonly tenantId: string
  readonly people: readonly string[]
}

/** Whether no tenant uses the account. The caller has locked the address, so that none begins to. */
export async function lockLeftAccount(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    { name: 'lock_left_account', text: `select from people p where p.id = $1 and ${IS_LEFT} for update` },
    [id],
  )
  return rows.length === 1
}

/** Also deletes the rows that refer to the account. */
export async function deleteAccount(tx: Tx, id: string): Promise<void> {
  await replaceSignIns(tx, id, null)
  await tx.query({ name: 'delete_access_links', text: 'delete from access_links where person_id = $1' }, [id])
  await tx.query({ name: 'forget_inviter', text: 'update sign_in_links set invited_by = null where invited_by = $1' }, [
    id,
  ])
  await tx.query({ name: 'delete_subscriptions', text: 'delete from alert_subscriptions where person_id = $1' }, [id])
  await tx.query({ name: 'delete_account', text: 'delete from people where id = $1' }, [id])
}
