// Addresses on audit trails of people who are not staff any more, and accounts that no tenant uses.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
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

export async function findRealmsWithFormerStaffAcrossTenants(tx: Tx, now: Instant): Promise<Realm[]> {
  return tx.query<Realm>(
    {
      name: 'find_realms_with_former_staff',
      text: `select distinct d.tenant_id as "tenantId", d.environment from audit_details d
             where ${ADDRESS} and ${isFormer('$1')} and ${isOfServedTenant('d')} order by 1, 2`,
    },
    [now],
  )
}

export interface Forgetting {
  readonly now: Instant
  /** Only addresses that no later entry names; null: all. */
  readonly before: Instant | null
  /** Only entries before this one; null: all. */
  readonly end: number | null
  /** The actions whose details have the address of a team member. */
  readonly actions: readonly string[]
  readonly rowsMax: number
}

/** Deletes details with addresses of former staff. Returns their entries, in order: the caller must record them. */
export async function forgetAddresses(tx: Tx, realm: Realm, forgetting: Forgetting): Promise<number[]> {
  const { now, before, end, actions, rowsMax } = forgetting
  const rows = await tx.query<{ seq: number }>(
    {
      name: 'forget_addresses_of_former_staff',
      text: `with named as (
               select d.seq, d.details ->> 'email' as email, convert_from(e.bytes, 'UTF8')::jsonb as said
               from audit_details d join audit_entries e on e.tenant_id = $1 and e.environment = $2 and e.seq = d.seq
               where d.tenant_id = $1 and d.environment = $2 and ${ADDRESS} and ${isFormer('$3')}
             ), ended as (
               select n.seq from named n where n.said ->> 'action' = any ($5::text[]) and ($7::bigint is null or n.seq < $7)
                 and ($4::text is null or not exists (select from named o where o.email = n.email and o.said ->> 'at' > $4))
               order by n.seq limit $6
             )
             delete from audit_details d using ended
             where d.tenant_id = $1 and d.environment = $2 and d.day = 0 and d.seq = ended.seq returning d.seq`,
    },
    [realm.tenantId, realm.environment, now, before, actions, rowsMax, end],
  )
  return rows.map(({ seq }) => seq).sort((a, b) => a - b)
}

/** Without accounts that came with a copy: the move deletes them. */
const IS_LEFT = 'p.came_with is null and not exists (select from members m where m.person_id = p.id)'

/** Accounts of people whom no trail names after `before`; null: all that no tenant uses. */
export async function findLeftAccountsAcrossTenants(tx: Tx, before: Instant | null, max: number): Promise<Person[]> {
  return tx.query<Person>(
    {
      name: 'find_left_accounts',
      text: `select p.id, p.email from people p where ${IS_LEFT} and ($1::text is null or (p.created_at <= $1::text::timestamptz
               and not exists (select from audit_details d
                 join audit_entries e on e.tenant_id = d.tenant_id and e.environment = d.environment and e.seq = d.seq
                 where ${ADDRESS} and d.object_id = p.id and convert_from(e.bytes, 'UTF8')::jsonb ->> 'at' > $1)))
             order by p.id limit $2`,
    },
    [before, max],
  )
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
