// Accounts of a tenant's staff, for its move to another installation.

import type { Queries, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { deleteAccount, replaceSignIns } from '../../staff/index.ts'

export interface Account {
  readonly id: string
  readonly email: string
  readonly openedBy: string | null
  readonly createdAt: Instant
  readonly password: string | null
  /** Identities at OpenID providers. */
  readonly identities: readonly Identity[]
}

interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly at: string
}

const ACCOUNT = `p.id, p.email, p.opened_by as "openedBy", p.created_at as "createdAt", p.password,
  (select coalesce(json_agg(json_build_object('issuer', i.issuer, 'subject', i.subject, 'at', i.created_at)
     order by i.issuer, i.subject), '[]'::json) from oidc_identities i where i.person_id = p.id) as identities`

/** The person is a member of a tenant that is served here. Such an account is never overwritten. */
const IS_USED = `exists (select from members m join tenants t on t.id = m.tenant_id
  where m.person_id = p.id and t.closed_until is distinct from 'infinity')`

/** The accounts of the tenant's staff. */
export async function readStaff(tx: Queries, tenantId: string): Promise<Account[]> {
  return tx.query<Account>(
    {
      name: 'move_read_staff',
      text: `select ${ACCOUNT} from members s join people p on p.id = s.person_id where s.tenant_id = $1 order by p.id`,
    },
    [tenantId],
  )
}

/** The accounts that came with the tenant's copy and that no served tenant uses. */
export async function readCopiedAccounts(tx: Queries, tenantId: string): Promise<Account[]> {
  return tx.query<Account>(
    {
      name: 'move_read_copied_accounts',
      text: `select ${ACCOUNT} from people p where p.came_with = $1 and not ${IS_USED} order by p.id`,
    },
    [tenantId],
  )
}

export interface AccountThere {
  readonly id: string
  readonly isUsed: boolean
}

/** Finds and locks the account with this id, or else an account with this address. */
export async function lockAccountThere(tx: Tx, account: Account): Promise<AccountThere | null> {
  const [row] = await tx.query<AccountThere>(
    {
      name: 'move_lock_account',
      text: `select p.id, ${IS_USED} as "isUsed" from people p
             where p.id = $1 or (p.email = $2 and p.opened_by is not distinct from $3)
             order by p.id = $1 desc limit 1 for no key update`,
    },
    [account.id, account.email, account.openedBy],
  )
  return row ?? null
}

/** Inserts the account without password and identities. Leaves an existing account as it is. */
export async function writeBareAccount(tx: Tx, account: Account, tenantId: string): Promise<void> {
  await tx.query(
    {
      name: 'move_write_bare_account',
      text: `insert into people (id, email, opened_by, created_at, came_with) values ($1, $2, $3, $4, $5)
             on conflict (id) do nothing`,
    },
    [account.id, account.email, account.openedBy, account.createdAt, tenantId],
  )
}

/**
 * Writes the account as in the other installation. Ends sessions, passkeys and sign-ins that were begun with it here.
 */
export async function writeAccount(tx: Tx, account: Account, tenantId: string): Promise<void> {
  const { id, email, openedBy, createdAt, password, identities } = account
  await tx.query(
    {
      name: 'move_write_account',
      text: `insert into people (id, email, opened_by, created_at, came_with) values ($1, $2, $3, $4, $5)
             on conflict (id) do update set email = excluded.email, opened_by = excluded.opened_by,
               created_at = excluded.created_at, came_with = excluded.came_with`,
    },
    [id, email, openedBy, createdAt, tenantId],
  )
  await replaceSignIns(tx, id, password)
  await tx.query(
    {
      name: 'move_write_identities',
      // If another account here has the identity, it keeps it.
      text: `insert into oidc_identities (issuer, subject, person_id, created_at)
             select i.issuer, i.subject, $1, i.at::timestamptz from unnest($2::text[], $3::text[], $4::text[]) as i (issuer, subject, at)
             on conflict do nothing`,
    },
    [
      id,
      identities.map(({ issuer }) => issuer),
      identities.map(({ subject }) => subject),
      identities.map(({ at }) => at),
    ],
  )
}

/** Removes passwords and identities of the copied accounts, until the tenant moves. */
export async function withdrawSignIns(tx: Tx, tenantId: string): Promise<void> {
  for (const { id } of await readCopiedAccounts(tx, tenantId)) await replaceSignIns(tx, id, null)
}

/** Turns the copied accounts into accounts of this installation. */
export async function settleAccounts(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(
    {
      name: 'move_settle_accounts',
      text: `update people p set came_with = null from members m
             where m.tenant_id = $1 and m.person_id = p.id and p.came_with is not null`,
    },
    [tenantId],
  )
}

/** Deletes the accounts that came with this tenant's copy, except `but`. Keeps accounts that another tenant uses. */
export async function deleteCopiedAccounts(tx: Tx, tenantId: string, but: readonly string[]): Promise<void> {
  const rows = await tx.query<{ id: string; other: string | null }>(
    {
      name: 'move_find_copied_accounts',
      text: `select p.id, (select min(m.tenant_id) from members m where m.person_id = p.id and m.tenant_id <> $1) as other
             from people p where p.came_with = $1 and p.id <> all ($2) for no key update`,
    },
    [tenantId, but],
  )
  const text = 'update people set came_with = $2 where id = $1'
  for (const { id, other } of rows)
    await (other === null ? deleteAccount(tx, id) : tx.query({ name: 'move_hand_account_on', text }, [id, other]))
}

/** Deletes the team of a tenant that has moved away, with the accounts that no other tenant uses. */
export async function deleteTeam(tx: Tx, tenantId: string): Promise<void> {
  const members = await tx.query<{ id: string }>(
    { name: 'move_delete_team', text: 'delete from members where tenant_id = $1 returning person_id as id' },
    [tenantId],
  )
  const rows = await tx.query<{ id: string }>(
    {
      name: 'move_find_left_accounts',
      text: `select p.id from people p
             where ((p.opened_by is null and p.id = any ($2)) or p.opened_by = $1)
               and not exists (select from members m where m.person_id = p.id) for no key update`,
    },
    [tenantId, members.map(({ id }) => id)],
  )
  for (const { id } of rows) await deleteAccount(tx, id)
}
