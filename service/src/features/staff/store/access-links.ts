// Mailed links for people who lost their password. Stored as hashes, bound to a browser, used once.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

interface RecoverableAccount {
  readonly id: string
  readonly password: string
  readonly tenantIds: readonly string[]
  readonly tenantNames: readonly string[]
}

/**
 * Returns accounts that a mail can recover: staff with a password. A person who uses only the provider or passkeys
 * chose something stronger than a mailbox.
 */
export async function listRecoverableAccounts(tx: Tx, email: string): Promise<RecoverableAccount[]> {
  return tx.query<RecoverableAccount>(
    {
      name: 'list_recoverable_accounts',
      text: `select p.id, p.password, array(select m.tenant_id from members m where m.person_id = p.id) as "tenantIds",
               array(select t.name from members m join tenants t on t.id = m.tenant_id
                                where m.person_id = p.id order by t.name limit 3) as "tenantNames"
             from people p where p.email = $1 and p.password is not null
               and not exists (select from oidc_identities o where o.person_id = p.id)
               and exists (select from members m where m.person_id = p.id)
             order by p.created_at, p.id`,
    },
    [email],
  )
}

export async function insertAccessLink(
  tx: Tx,
  link: { readonly hash: Buffer; readonly personId: string; readonly boundTo: Buffer; readonly expiresAt: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_access_link',
      text: 'insert into access_links (hash, person_id, browser_hash, expires_at) values ($1, $2, $3, $4)',
    },
    [link.hash, link.personId, link.boundTo, link.expiresAt],
  )
}

interface AccessLinkUse {
  readonly hash: Buffer
  readonly now: Instant
}

interface StoredAccessLink {
  readonly personId: string
  readonly email: string
  readonly password: string | null
  readonly boundTo: Buffer
}

/** Returns null if the link is unknown, used or expired. */
export async function loadAccessLink(tx: Tx, use: AccessLinkUse): Promise<StoredAccessLink | null> {
  const [row] = await tx.query<StoredAccessLink>(
    {
      name: 'load_access_link',
      text: `select l.person_id as "personId", p.email, p.password, l.browser_hash as "boundTo"
             from access_links l join people p on p.id = l.person_id where l.hash = $1 and l.expires_at > $2`,
    },
    [use.hash, use.now],
  )
  return row ?? null
}

/**
 * Ends all links of the person. Returns false if the link had already ended, so that only one of two concurrent callers
 * succeeds.
 */
export async function spendAccessLinks(tx: Tx, personId: string, { hash, now }: AccessLinkUse): Promise<boolean> {
  const rows = await tx.query<{ isUsed: boolean }>(
    {
      name: 'spend_access_links',
      text: 'delete from access_links where person_id = $1 returning hash = $2 and expires_at > $3 as "isUsed"',
    },
    [personId, hash, now],
  )
  return rows.some(({ isUsed }) => isUsed)
}

export async function deleteDeadAccessLinks(tx: Tx, now: Instant): Promise<void> {
  await tx.query({ name: 'delete_dead_access_links', text: 'delete from access_links where expires_at < $1' }, [now])
}
