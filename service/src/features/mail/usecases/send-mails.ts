// The job that sends queued mails, retries them, and erases what is sent or expired. A worker that is killed between
// sending and noting it sends the mail again when its lease expires: each is sent at least once, with the same message id.

import type { Deps } from '../../../deps.ts'
import { instantOf, millisecondsOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { COUNTED_MS, nextMailAttemptMs } from '../domain/mail.ts'
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

type Needs = Pick<Deps, 'db' | 'clock' | 'config' | 'mail' | 'log' | 'metrics'>

/** The most that are sent in parallel. */
const AT_ONCE = 8
/** The most batches of one run; a batch takes a minute at most, and the job's lease is longer than all of them. */
const BATCHES_MAX = 4
/** Longer than the longest attempt. */
const LEASE_MS = 120_000

export async function sendMails(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  if (deps.mail !== null) await sendDue(deps, deps.mail, stopped)
  const nowMs = deps.clock.now()
  const expired = await expireMailsOfAllTenants(deps.db, instantOf(nowMs))
  if (expired > 0) deps.log.warn('mails expired before they could be sent', { count: expired })
  await deleteEndedMailsOfAllTenants(deps.db, instantOf(nowMs - COUNTED_MS))
}

async function sendDue(deps: Needs, mailer: Mailer, stopped: AbortSignal): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    stopped.throwIfAborted()
    const nowMs = deps.clock.now()
    const look = { now: instantOf(nowMs), leaseUntil: instantOf(nowMs + LEASE_MS), rowsMax: AT_ONCE }
    const due = await leaseDueMailsOfAllTenants(deps.db, look)
    await Promise.all(due.map((mail) => sendAlone(deps, mailer, mail, stopped)))
    if (due.length < AT_ONCE) return
  }
}

/** A fault in one must not keep the others from being sent. */
async function sendAlone(deps: Needs, mailer: Mailer, due: DueMail, stopped: AbortSignal): Promise<void> {
  try {
    const mail = openMail(deps.db, due)
    const letter = writeLetter(mail, deps.config.baseUrl)
    const result = await mailer.send({ ...letter, id: due.id, to: mail.to, sentAtMs: deps.clock.now() }, stopped)
    await noteResult(deps, due, result)
  } catch (error) {
    // It is leased: the attempt is repeated when the lease expires.
    stopped.throwIfAborted()
    deps.log.fault('a mail could not be sent', error)
  }
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
