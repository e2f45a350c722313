// Queued mails. The address and the content are sealed; an address is counted by its MAC.

import { createHmac } from 'node:crypto'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { type Mail, type MailKind, mailSealContext } from '../domain/mail.ts'

const macOf = ({ sealer }: Sealing, address: string) =>
  createHmac('sha256', sealer.derive('mail-address-v1', 32)).update(address).digest()

interface NewMail {
  readonly id: string
  readonly tenantId: string | null
  readonly mail: Mail
  readonly now: Instant
  readonly expiresAt: Instant
  /** Mails of this kind since then count. */
  readonly since: Instant
  readonly perAddress: number
  readonly perTenant: number
  readonly total: number
}

/**
 * Due at once. False if a bound is reached or the id exists. Queueing of one kind is serialized until the caller
 * commits, so that concurrent calls cannot exceed a bound: the last statement of its transaction.
 */
export async function insertMail(tx: Tx, queued: NewMail): Promise<boolean> {
  const { id, tenantId, mail, now, expiresAt, since, perAddress, perTenant, total } = queued
  const lock = `select pg_advisory_xact_lock(hashtextextended('mails|' || $1, 0))`
  await tx.query({ name: 'lock_mails_of_kind', text: lock }, [mail.kind])
  const sealed = tx.sealer.seal(Buffer.from(JSON.stringify(mail), 'utf8'), mailSealContext(id))
  const rows = await tx.query(
    {
      name: 'insert_mail',
      text: `with counted as (
               select count(*) filter (where address_mac = $4) as address, count(*) filter (where tenant_id = $3) as tenant,
                 count(*) as total
               from mails where kind = $2 and created_at > $8
             )
             insert into mails (id, kind, tenant_id, address_mac, sealed, created_at, expires_at, next_at)
             select $1, $2, $3, $4, $5, $6, $7, $6 from counted where address < $9 and tenant < $10 and total < $11
             on conflict (id) do nothing returning id`,
    },
    [id, mail.kind, tenantId, macOf(tx, mail.to), sealed, now, expiresAt, since, perAddress, perTenant, total],
  )
  return rows.length > 0
}

/** Ends mails that are no longer wanted. */
export async function endWaitingMails(
  tx: Tx,
  tenantId: string,
  ended: { readonly kind: MailKind; readonly to: string },
): Promise<void> {
  await tx.query(
    {
      name: 'end_waiting_mails',
      text: `update mails set sealed = null, next_at = null, outcome = 'withdrawn'
             where kind = $2 and tenant_id = $1 and address_mac = $3 and next_at is not null`,
    },
    [tenantId, ended.kind, macOf(tx, ended.to)],
  )
}

export interface DueMail {
  readonly id: string
  readonly kind: MailKind
  readonly expiresAt: Instant
  /** Including this one. */
  readonly attempts: number
  readonly sealed: Buffer
}

/** Decrypted when it is sent: one that cannot be decrypted does not block the others. */
export const openMail = ({ sealer }: Sealing, { id, sealed }: DueMail): Mail =>
  JSON.parse(sealer.open(sealed, mailSealContext(id)).toString('utf8'))

/** The attempt is in the store before it is made. If its worker vanishes, another sends the mail when the lease expires. */
export async function leaseDueMailsOfAllTenants(
  tx: Tx,
  look: { readonly now: Instant; readonly leaseUntil: Instant; readonly rowsMax: number },
): Promise<DueMail[]> {
  return tx.query<DueMail>(
    {
      name: 'lease_due_mails',
      text: `update mails set attempts = attempts + 1, next_at = $2
             where id = any (array(select id from mails where next_at <= $1 and expires_at > $1
                                   order by next_at limit $3 for update skip locked))
             returning id, kind, expires_at as "expiresAt", attempts, sealed`,
    },
    [look.now, look.leaseUntil, look.rowsMax],
  )
}

/** `nextAt` null: the end of the mail; address and content are erased. An attempt whose lease another worker took over changes nothing. */
export async function endMailAttempt(
  tx: Tx,
  ended: { readonly id: string; readonly attempts: number; readonly outcome: string; readonly nextAt: Instant | null },
): Promise<void> {
  await tx.query(
    {
      name: 'end_mail_attempt',
      text: `update mails set outcome = $3, next_at = $4, sealed = case when $4::timestamptz is null then null else sealed end
             where id = $1 and attempts = $2 and next_at is not null`,
    },
    [ended.id, ended.attempts, ended.outcome, ended.nextAt],
  )
}

/** Erases address and content of expired mails. Returns how many. */
export async function expireMailsOfAllTenants(tx: Tx, now: Instant): Promise<number> {
  const rows = await tx.query(
    {
      name: 'expire_mails',
      text: `update mails set sealed = null, next_at = null, outcome = 'expired'
             where next_at is not null and expires_at <= $1 returning id`,
    },
    [now],
  )
  return rows.length
}

export async function deleteEndedMailsOfAllTenants(tx: Tx, before: Instant): Promise<void> {
  const text = 'delete from mails where next_at is null and created_at < $1'
  await tx.query({ name: 'delete_ended_mails', text }, [before])
}
