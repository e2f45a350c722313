// Queued mails. The address and the content are sealed; addresses are counted by their MAC.

import { createHmac } from 'node:crypto'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import { unnestIds } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import { type Mail, type MailKind, mailboxOf, mailSealContext } from '../domain/mail.ts'

const MAC_LABEL = 'mail-address-v1'
const ABOUT_LABEL = 'mail-about-v1'
const MAC_BYTES = 16

/** Returns the MACs of mailbox and address, for each readable master key; the key that seals comes first. */
const macsOf = ({ sealer }: Sealing, address: string): { readonly mailbox: Buffer; readonly whole: Buffer }[] =>
  sealer.deriveReadable(MAC_LABEL, 32).map((key) => {
    const mailbox = macOf(key, mailboxOf(address))
    return { mailbox, whole: Buffer.concat([mailbox, macOf(key, address)]) }
  })

const macOf = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES)

const aboutMacsOf = ({ sealer }: Sealing, about: string) =>
  sealer.deriveReadable(ABOUT_LABEL, 32).map((key) => macOf(key, about))

interface NewMail {
  readonly id: string
  /** The tenants that send the mail. The mail counts for the tenant with the fewest mails. */
  readonly tenantIds: readonly string[]
  readonly mail: Mail
  /** For `endMailsAbout`. */
  readonly about?: string | undefined
  readonly now: Instant
  readonly expiresAt: Instant
  /** Only mails of this kind that were queued since then count. */
  readonly since: Instant
  readonly perMailbox: number
  readonly perTenant: number
  readonly total: number
}

/**
 * Inserts a mail that is due immediately. Returns false if a limit is reached or the id exists. Serialized per kind
 * until the caller commits, so that concurrent calls cannot exceed a limit: call it last.
 */
export async function insertMail(tx: Tx, queued: NewMail): Promise<boolean> {
  const { id, tenantIds, mail, about, now, expiresAt, since, perMailbox, perTenant, total } = queued
  const lock = `select pg_advisory_xact_lock(hashtextextended('mails|' || $1, 0))`
  await tx.query({ name: 'lock_mails_of_kind', text: lock }, [mail.kind])
  const macs = macsOf(tx, mail.to)
  const whole = macs[0]?.whole
  const mailboxes = macs.map(({ mailbox }) => mailbox)
  const aboutMac = about === undefined ? null : (aboutMacsOf(tx, about)[0] ?? null)
  const sealed = tx.sealer.seal(Buffer.from(JSON.stringify(mail), 'utf8'), mailSealContext(id))
  const rows = await tx.query(
    {
      name: 'insert_mail',
      text: `with recent as materialized (
               select tenant_id, substring(address_mac for ${MAC_BYTES}) as mailbox from mails where kind = $2 and created_at > $8
             ), counted as (
               select count(*) filter (where mailbox = any ($12::bytea[])) as mailbox, count(*) as total from recent
             ), chosen as (
               select t.id, count(r.tenant_id) as found from ${unnestIds('$3', 't')}
               left join recent r on r.tenant_id = t.id group by t.id order by found, t.id limit 1
             )
             insert into mails (id, kind, tenant_id, address_mac, sealed, created_at, expires_at, next_at, about_mac)
             select $1, $2, chosen.id, $4, $5, $6, $7, $6, $13 from counted left join chosen on true
             where mailbox < $9 and coalesce(found, 0) < case mailbox when 0 then $10::integer else $10 / 2 end
               and total < case mailbox when 0 then $11::integer else $11 / 2 end
             on conflict (id) do nothing returning id`,
    },
    [id, mail.kind, tenantIds, whole, sealed, now, expiresAt, since, perMailbox, perTenant, total, mailboxes, aboutMac],
  )
  return rows.length > 0
}

/** Ends mails that are no longer wanted. */
export async function endWaitingMails(
  tx: Tx,
  tenantId: string,
  ended: { readonly kind: MailKind; readonly to: readonly string[] },
): Promise<void> {
  await tx.query(
    {
      name: 'end_waiting_mails',
      text: `update mails set sealed = null, next_at = null, outcome = 'withdrawn'
             where kind = $2 and tenant_id = $1 and address_mac = any ($3::bytea[]) and next_at is not null`,
    },
    [tenantId, ended.kind, ended.to.flatMap((address) => macsOf(tx, address)).map(({ whole }) => whole)],
  )
}

/** Ends mails about something that is revoked or erased. */
export async function endMailsAbout(tx: Tx, tenantId: string, about: string): Promise<void> {
  await tx.query(
    {
      name: 'end_mails_about',
      text: `update mails set sealed = null, next_at = null, outcome = 'withdrawn'
             where tenant_id = $1 and about_mac = any ($2::bytea[]) and next_at is not null`,
    },
    [tenantId, aboutMacsOf(tx, about)],
  )
}

export interface DueMail {
  readonly id: string
  readonly kind: MailKind
  /** null if it counts for no tenant. */
  readonly tenantId: string | null
  readonly expiresAt: Instant
  /** The number of attempts, including this one. */
  readonly attempts: number
  readonly sealed: Buffer
}

/** Decrypted when it is sent, so that a mail that cannot be decrypted does not block others. */
export const openMail = ({ sealer }: Sealing, { id, sealed }: DueMail): Mail =>
  JSON.parse(sealer.open(sealed, mailSealContext(id)).toString('utf8'))

/** Records the attempt before it is made. If the worker dies, another one sends the mail when the lease expires. */
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
             returning id, kind, tenant_id as "tenantId", expires_at as "expiresAt", attempts, sealed`,
    },
    [look.now, look.leaseUntil, look.rowsMax],
  )
}

/**
 * `nextAt` null ends the mail and erases address and content. Changes nothing if another worker has taken over the
 * lease.
 */
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
      // Skips locked mails: the worker that locked them ends them, or the next run does.
      text: `update mails set sealed = null, next_at = null, outcome = 'expired'
             where id = any (array(select id from mails where next_at is not null and expires_at <= $1
                                   for update skip locked)) returning id`,
    },
    [now],
  )
  return rows.length
}

export async function deleteEndedMailsOfAllTenants(tx: Tx, before: Instant): Promise<void> {
  await tx.query({ name: 'delete_ended_mails', text: 'delete from mails where next_at is null and created_at < $1' }, [
    before,
  ])
}
