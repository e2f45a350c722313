// People, their passwords and their memberships.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Member, Membership, Person, Role } from '../domain/person.ts'

export interface StoredPerson extends Person {
  readonly password: string | null
  /** The tenant whose invitation created the account; null: created by the operator or the provider, or unknown. */
  readonly openedBy: string | null
}

const PERSON = 'id, email, password, opened_by as "openedBy"'

/** Returns every account with this address, oldest first. */
export async function listAccounts(tx: Tx, email: string): Promise<StoredPerson[]> {
  return tx.query<StoredPerson>(
    { name: 'list_accounts', text: `select ${PERSON} from people where email = $1 order by created_at, id` },
    [email],
  )
}

export async function loadPerson(tx: Tx, id: string): Promise<StoredPerson | null> {
  const [row] = await tx.query<StoredPerson>(
    { name: 'load_person', text: `select ${PERSON} from people where id = $1` },
    [id],
  )
  return row ?? null
}

/** Returns null if the person was deleted in the meantime. */
export async function loadPersonForNotice(tx: Tx, id: string): Promise<(Person & { createdAt: Instant }) | null> {
  const text = 'select id, email, created_at as "createdAt" from people where id = $1'
  const [row] = await tx.query<Person & { createdAt: Instant }>({ name: 'load_person_for_notice', text }, [id])
  return row ?? null
}

/** Locks the row, so that sign-ins of this person and changes of sign-in methods run one at a time. */
export async function lockPerson(tx: Tx, id: string): Promise<StoredPerson | null> {
  const [row] = await tx.query<StoredPerson>(
    { name: 'lock_person', text: `select ${PERSON} from people where id = $1 for no key update` },
    [id],
  )
  return row ?? null
}

/** Only one caller at a time can create or choose an account of this address. Lock order: before any row of these accounts. */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  const text = `select pg_advisory_xact_lock(hashtextextended('people.email|' || $1, 0))`
  await tx.query({ name: 'hold_address', text }, [email])
}

/** Returns the oldest account with this address, and creates one if there is none. Locks the address and the row. */
export async function findOrInsertPerson(tx: Tx, person: Person & { readonly now: Instant }): Promise<StoredPerson> {
  await lockAddress(tx, person.email)
  const [oldest] = await listAccounts(tx, person.email)
  const found = oldest === undefined ? null : await lockPerson(tx, oldest.id)
  return found ?? insertPerson(tx, { ...person, openedBy: null })
}

export async function insertPerson(
  tx: Tx,
  person: Person & { readonly openedBy: string | null; readonly now: Instant },
): Promise<StoredPerson> {
  const { id, email, openedBy, now } = person
  await tx.query(
    { name: 'insert_person', text: 'insert into people (id, email, opened_by, created_at) values ($1, $2, $3, $4)' },
    [id, email, openedBy, now],
  )
  return { id, email, openedBy, password: null }
}

/** Assigns an unclaimed account to this tenant. The caller has locked the row. */
export async function reopenPerson(tx: Tx, id: string, openedBy: string): Promise<void> {
  await tx.query({ name: 'reopen_person', text: 'update people set opened_by = $2 where id = $1' }, [id, openedBy])
}

export async function setPassword(tx: Tx, personId: string, password: string): Promise<void> {
  await tx.query({ name: 'set_password', text: 'update people set password = $2 where id = $1' }, [personId, password])
}

/** Whether the account already has a sign-in method. */
export async function hasOwnSignIn(tx: Tx, personId: string): Promise<boolean> {
  const [row] = await tx.query<{ own: boolean }>(
    {
      name: 'has_own_sign_in',
      text: `select p.password is not null or exists (select from passkeys k where k.person_id = p.id)
               or exists (select from oidc_identities o where o.person_id = p.id) as own
             from people p where p.id = $1`,
    },
    [personId],
  )
  return row?.own === true
}

/** Returns false if the person is already staff there. Then the role does not change. */
export async function insertMember(
  tx: Tx,
  member: { readonly tenantId: string; readonly personId: string; readonly role: Role; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_member',
      text: `insert into members (tenant_id, person_id, role, created_at) values ($1, $2, $3, $4)
             on conflict (tenant_id, person_id) do nothing returning person_id`,
    },
    [member.tenantId, member.personId, member.role, member.now],
  )
  return rows.length === 1
}

export async function listMemberships(tx: Tx, personId: string): Promise<Membership[]> {
  return tx.query<Membership>(
    {
      name: 'list_memberships_of_person',
      text: `select m.tenant_id as "tenantId", t.name as "tenantName", m.role from members m
             join tenants t on t.id = m.tenant_id where m.person_id = $1 order by t.name, t.id`,
    },
    [personId],
  )
}

/**
 * Returns the person's tenants in the order in which batches lock audit trails. Omits tenants that moved away or are
 * only copies, unless the person has no others.
 */
export async function listTenantIds(tx: Tx, personId: string): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string; isElsewhere: boolean }>(
    {
      name: 'list_tenants_of_person',
      text: `select m.tenant_id as "tenantId", coalesce(t.closed_until = 'infinity', false) as "isElsewhere"
             from members m join tenants t on t.id = m.tenant_id where m.person_id = $1 order by m.tenant_id`,
    },
    [personId],
  )
  const here = rows.filter(({ isElsewhere }) => !isElsewhere)
  return (here.length > 0 ? here : rows).map(({ tenantId }) => tenantId)
}

/**
 * Counts a failed sign-in; null: no such person. `isDue`: none was recorded since `dueBefore`, so the caller records
 * `failures`, and the count restarts.
 */
export async function countFailedSignIn(
  tx: Tx,
  failure: { readonly personId: string; readonly now: Instant; readonly dueBefore: Instant },
): Promise<{ readonly isDue: boolean; readonly failures: number } | null> {
  const [row] = await tx.query<{ isDue: boolean; failures: number }>(
    {
      name: 'count_failed_sign_in',
      // A time in the future counts as due.
      text: `with before as (
               select id, failed_sign_ins + 1 as failures,
                 coalesce(failures_recorded_at <= $3 or failures_recorded_at > $2, true) as is_due
               from people where id = $1 for no key update
             )
             update people p set failed_sign_ins = case when is_due then 0 else failures end,
               failures_recorded_at = case when is_due then $2 else failures_recorded_at end
             from before where p.id = before.id returning is_due as "isDue", failures`,
    },
    [failure.personId, failure.now, failure.dueBefore],
  )
  return row ?? null
}

/** Returns the number of failures that no audit entry has counted yet, and restarts the count. */
export async function takeFailedSignIns(tx: Tx, personId: string): Promise<number> {
  const [row] = await tx.query<{ failures: number }>(
    {
      name: 'take_failed_sign_ins',
      text: `with before as (
               select id, failed_sign_ins as failures from people where id = $1 and failed_sign_ins > 0 for no key update
             )
             update people p set failed_sign_ins = 0 from before where p.id = before.id returning failures`,
    },
    [personId],
  )
  return row?.failures ?? 0
}

export async function loadRole(tx: Tx, tenantId: string, personId: string): Promise<Role | null> {
  const [row] = await tx.query<{ role: Role }>(
    { name: 'load_member_role', text: 'select role from members where tenant_id = $1 and person_id = $2' },
    [tenantId, personId],
  )
  return row?.role ?? null
}

export async function listMembers(tx: Tx, tenantId: string): Promise<Member[]> {
  return tx.query<Member>(
    {
      name: 'list_members',
      text: `select p.id, p.email, m.role, m.created_at as "joinedAt",
               exists (select from passkeys k where k.person_id = p.id) as "hasPasskey",
               (select max(s.seen_at) from dashboard_sessions s where s.person_id = p.id) as "lastSeenAt"
             from members m join people p on p.id = m.person_id where m.tenant_id = $1 order by m.created_at, p.id`,
    },
    [tenantId],
  )
}

/** Locks the rows of the tenant's owners, so that two concurrent changes cannot remove the last owner. */
export async function lockOwners(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    {
      name: 'lock_owners',
      text: `select person_id as id from members where tenant_id = $1 and role = 'owner' order by person_id for update`,
    },
    [tenantId],
  )
  return rows.map(({ id }) => id)
}

export async function updateRole(tx: Tx, tenantId: string, change: { personId: string; role: Role }): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'update_member_role',
      text: 'update members set role = $3 where tenant_id = $1 and person_id = $2 returning role',
    },
    [tenantId, change.personId, change.role],
  )
  return rows.length === 1
}

export async function deleteMember(tx: Tx, tenantId: string, personId: string): Promise<boolean> {
  const rows = await tx.query(
    { name: 'delete_member', text: 'delete from members where tenant_id = $1 and person_id = $2 returning role' },
    [tenantId, personId],
  )
  return rows.length === 1
}
