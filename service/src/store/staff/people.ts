// People, their passwords and where they are staff.

import type { Member, Membership, Person, Role } from '../../domain/staff/person.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

export interface StoredPerson extends Person {
  readonly password: string | null
}

export async function loadPersonByEmail(tx: Tx, email: string): Promise<StoredPerson | null> {
  const [row] = await tx.query<StoredPerson>(
    { name: 'load_person_by_email', text: 'select id, email, password from people where email = $1' },
    [email],
  )
  return row ?? null
}

export async function loadPerson(tx: Tx, id: string): Promise<StoredPerson | null> {
  const [row] = await tx.query<StoredPerson>(
    { name: 'load_person', text: 'select id, email, password from people where id = $1' },
    [id],
  )
  return row ?? null
}

/** Holds the row: whoever changes how this person signs in, or signs in as them, comes one after the other. */
export async function lockPerson(tx: Tx, id: string): Promise<StoredPerson | null> {
  const [row] = await tx.query<StoredPerson>(
    { name: 'lock_person', text: 'select id, email, password from people where id = $1 for no key update' },
    [id],
  )
  return row ?? null
}

/** The one who has this address, made where there is none. Holds the row: two invitations used at once are judged one after the other. */
export async function findOrInsertPerson(tx: Tx, person: Person & { readonly now: Instant }): Promise<StoredPerson> {
  await tx.query(
    {
      name: 'insert_person',
      text: 'insert into people (id, email, created_at) values ($1, $2, $3) on conflict (email) do update set email = people.email',
    },
    [person.id, person.email, person.now],
  )
  const found = await loadPersonByEmail(tx, person.email)
  if (found === null) throw new Error('bug: a person vanished')
  return found
}

export async function setPassword(tx: Tx, personId: string, password: string): Promise<void> {
  await tx.query({ name: 'set_password', text: 'update people set password = $2 where id = $1' }, [personId, password])
}

/** Somebody could sign in as this person already. */
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

/** Noted once: the account is somebody's who came back to it. */
export async function noteSignIn(tx: Tx, personId: string, now: Instant): Promise<void> {
  await tx.query(
    {
      name: 'note_sign_in',
      text: 'update people set signed_in_at = $2 where id = $1 and signed_in_at is null',
    },
    [personId, now],
  )
}

export async function hasSignedIn(tx: Tx, personId: string): Promise<boolean> {
  const rows = await tx.query(
    { name: 'has_signed_in', text: 'select from people where id = $1 and signed_in_at is not null' },
    [personId],
  )
  return rows.length === 1
}

/** Until the transaction ends, nobody changes or removes this member. */
export async function holdRole(tx: Tx, tenantId: string, personId: string): Promise<Role | null> {
  const [row] = await tx.query<{ role: Role }>(
    { name: 'hold_member_role', text: 'select role from members where tenant_id = $1 and person_id = $2 for share' },
    [tenantId, personId],
  )
  return row?.role ?? null
}

/** False when they are staff there already; their role stays as it is. */
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

/** Locks the tenant's owners, so that two changes at once cannot remove the last of them. */
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
