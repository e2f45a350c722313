// Stores one-time links, of tenants and of the operator, as hashes.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { OpenInvitation } from '../domain/invitation.ts'
import type { Role } from '../domain/person.ts'

export interface SignInLink {
  readonly email: string
  readonly tenantId: string
  readonly tenantName: string
  readonly role: Role
  readonly byOperator: boolean
  readonly expiresAt: Instant
}

const COLUMNS = `l.email, l.tenant_id as "tenantId", t.name as "tenantName", l.role, l.by_operator as "byOperator",
  l.expires_at as "expiresAt"`

export async function insertLink(
  tx: Tx,
  link: Omit<SignInLink, 'tenantName'> & {
    readonly hash: Buffer
    readonly now: Instant
    readonly invitedBy: string | null
  },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_sign_in_link',
      text: `insert into sign_in_links (hash, email, tenant_id, role, by_operator, created_at, expires_at, invited_by)
             values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    },
    [link.hash, link.email, link.tenantId, link.role, link.byOperator, link.now, link.expiresAt, link.invitedBy],
  )
}

/** A hash that occurs in two rows does not identify an invitation. */
const IS_UNIQUE = '1 = (select count(*) from sign_in_links o where o.hash = $1)'

/** Returns null if the link is unknown, used or expired. */
export async function loadLink(tx: Tx, hash: Buffer, now: Instant): Promise<SignInLink | null> {
  const [row] = await tx.query<SignInLink>(
    {
      name: 'load_sign_in_link',
      text: `select ${COLUMNS} from sign_in_links l join tenants t on t.id = l.tenant_id
             where l.hash = $1 and l.used_at is null and l.expires_at > $2 and ${IS_UNIQUE}`,
    },
    [hash, now],
  )
  return row ?? null
}

/** Marks a link as used. Only one of two concurrent callers gets the link. */
export async function useLink(tx: Tx, hash: Buffer, now: Instant): Promise<SignInLink | null> {
  const [row] = await tx.query<SignInLink>(
    {
      name: 'use_sign_in_link',
      text: `update sign_in_links l set used_at = $2 from tenants t
             where t.id = l.tenant_id and l.hash = $1 and l.used_at is null and l.expires_at > $2 and ${IS_UNIQUE}
             returning ${COLUMNS}`,
    },
    [hash, now],
  )
  return row ?? null
}

/** Marks all open links to an address as used. The person has proven to own the address. */
export async function useLinksTo(tx: Tx, email: string, now: Instant): Promise<SignInLink[]> {
  const rows = await tx.query<SignInLink>(
    {
      name: 'use_sign_in_links_to',
      text: `update sign_in_links l set used_at = $2 from tenants t
             where t.id = l.tenant_id and l.email = $1 and l.used_at is null and l.expires_at > $2 returning ${COLUMNS}`,
    },
    [email, now],
  )
  // All callers use the same order, because each link leads to the audit trail of its tenant.
  return rows.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
}

export async function listOpenInvitations(tx: Tx, tenantId: string, now: Instant): Promise<OpenInvitation[]> {
  return tx.query<OpenInvitation>(
    {
      name: 'list_open_invitations',
      text: `select l.email, l.role, l.expires_at as "expiresAt", p.email as "invitedBy"
             from sign_in_links l left join people p on p.id = l.invited_by
             where l.tenant_id = $1 and l.used_at is null and l.expires_at > $2 order by l.created_at`,
    },
    [tenantId, now],
  )
}

export async function countOpenLinks(tx: Tx, tenantId: string, now: Instant): Promise<number> {
  const [row] = await tx.query<{ found: number }>(
    {
      name: 'count_open_links',
      text: `select count(*)::integer as found from sign_in_links
             where tenant_id = $1 and used_at is null and expires_at > $2`,
    },
    [tenantId, now],
  )
  return row?.found ?? 0
}

/** Deletes older links of a person who is removed or invited again. Returns the role of the newest open link. */
export async function deleteOpenLinks(
  tx: Tx,
  tenantId: string,
  ended: { readonly email: string; readonly now: Instant },
): Promise<Role | null> {
  const rows = await tx.query<{ role: Role; createdAt: Instant; open: boolean }>(
    {
      name: 'delete_open_links',
      text: `delete from sign_in_links where tenant_id = $1 and email = $2 and used_at is null
             returning role, created_at as "createdAt", expires_at > $3 as open`,
    },
    [tenantId, ended.email, ended.now],
  )
  const [newest] = rows.filter(({ open }) => open).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  return newest?.role ?? null
}

/** Deletes open invitations by a former owner. Returns the invited addresses. */
export async function deleteLinksBy(tx: Tx, tenantId: string, personId: string): Promise<string[]> {
  const rows = await tx.query<{ email: string }>(
    {
      name: 'delete_links_by_inviter',
      text: 'delete from sign_in_links where tenant_id = $1 and invited_by = $2 and used_at is null returning email',
    },
    [tenantId, personId],
  )
  return rows.map(({ email }) => email)
}
