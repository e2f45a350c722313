// Job: sends queued mails, retries them, and erases sent and expired ones.

import type { Deps } from '../../../deps.ts'
import { type Environment, instantOf, millisecondsOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { COUNTED_MS, type Mail, nextMailAttemptMs } from '../domain/mail.ts'
import type { MailBrand } from '../domain/mail-look.ts'
import { writeLetter } from '../domain/write-letter.ts'
import type { Mailer, SmtpResult } from '../outbound/smtp.ts'
import {
  type DueMail,
  deleteEndedMailsOfAllTenants,
  endMailAttempt,
  expireMailsOfAllTenants,
  leaseDueMailsOfAllTenants,
  openMail,
} from '../store/mails.ts'

/** Loads the brand of the first of these environments that has one. */
type ReadBrand = (tenantId: string, environments: readonly Environment[]) => Promise<MailBrand | null>

type Needs = Pick<Deps, 'db' | 'clock' | 'config' | 'mail' | 'log' | 'metrics'>

/** How many mails are sent in parallel. */
const AT_ONCE = 8
/** How many batches one run sends. A batch takes at most a minute, and the job's lease is longer than all batches. */
const BATCHES_MAX = 4
/** Longer than the longest attempt. */
const LEASE_MS = 120_000

/**
 * Sends each mail at least once. A worker that dies before it records a sent mail sends it again, with the same message
 * id.
 */
export async function sendMails(
  deps: Needs,
  readBrand: ReadBrand,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  if (deps.mail !== null) await sendDue(deps, { mailer: deps.mail, readBrand }, stopped)
  const nowMs = deps.clock.now()
  const expired = await expireMailsOfAllTenants(deps.db, instantOf(nowMs))
  if (expired > 0) deps.log.warn('mails expired before they could be sent', { count: expired })
  await deleteEndedMailsOfAllTenants(deps.db, instantOf(nowMs - COUNTED_MS))
}

interface Sending {
  readonly mailer: Mailer
  readonly readBrand: ReadBrand
}

async function sendDue(deps: Needs, sending: Sending, stopped: AbortSignal): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    stopped.throwIfAborted()
    const nowMs = deps.clock.now()
    const look = { now: instantOf(nowMs), leaseUntil: instantOf(nowMs + LEASE_MS), rowsMax: AT_ONCE }
    const due = await leaseDueMailsOfAllTenants(deps.db, look)
    await Promise.all(due.map((mail) => sendAlone(deps, sending, mail, stopped)))
    if (due.length < AT_ONCE) return
  }
}

/** An error of one mail must not stop the others. */
async function sendAlone(
  deps: Needs,
  { mailer, readBrand }: Sending,
  due: DueMail,
  stopped: AbortSignal,
): Promise<void> {
  try {
    const mail = openMail(deps.db, due)
    const brand = due.tenantId === null ? null : await brandOf(mail, due.tenantId, readBrand)
    const letter = writeLetter(mail, deps.config.baseUrl, brand)
    const result = await mailer.send({ ...letter, id: due.id, to: mail.to, sentAtMs: deps.clock.now() }, stopped)
    await noteResult(deps, due, result)
  } catch (error) {
    // The mail is leased: it is retried when the lease expires.
    stopped.throwIfAborted()
    deps.log.fault('a mail could not be sent', error)
  }
}

/** Mails that a tenant sends have its brand; all others have the service's. */
async function brandOf(mail: Mail, tenantId: string, readBrand: ReadBrand): Promise<MailBrand | null> {
  if (mail.kind === 'verification_link') return readBrand(tenantId, [mail.values.isTest ? 'test' : 'live'])
  // A team belongs to both environments. The brand of live comes first.
  return mail.kind === 'invitation' ? readBrand(tenantId, ['live', 'test']) : null
}

async function noteResult(deps: Needs, due: DueMail, { outcome, code }: SmtpResult): Promise<void> {
  const { id, attempts } = due
  const isFinal = outcome === 'sent' || outcome === 'refused'
  const nextMs = isFinal ? null : nextMailAttemptMs(attempts, deps.clock.now(), millisecondsOf(due.expiresAt))
  deps.metrics.mailAttempts.inc({ outcome })
  if (outcome !== 'sent') {
    const fields = { outcome, ...(code === null ? {} : { code: String(code) }), count: attempts }
    deps.log.warn(nextMs === null ? 'a mail was given up' : 'a mail was not sent and is retried', fields)
  }
  await endMailAttempt(deps.db, { id, attempts, outcome, nextAt: nextMs === null ? null : instantOf(nextMs) })
}
