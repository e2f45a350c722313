// Queues a mail for the worker, within the limits of its kind.

import type { Deps } from '../../../deps.ts'
import { newMailId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { isMailable, MAIL_BOUNDS, type Mail } from '../domain/mail.ts'
import { insertMail } from '../store/mails.ts'

/**
 * `off`: no mail server is configured. `limited`: a limit is reached. `unsuitable`: mail cannot be sent to this
 * address.
 */
export type Queued = 'queued' | 'off' | 'limited' | 'unsuitable'

/** The last step of a transaction, see `insertMail`. */
export async function queueMail(
  deps: Pick<Deps, 'clock' | 'random' | 'config'>,
  tx: Tx,
  input: {
    readonly mail: Mail
    /** What it is about, if that can be revoked or erased while it waits. */
    readonly about?: string
    /** The tenants that send it. One of them must be within its limit. */
    readonly tenantIds: readonly string[]
    /** The mail is of no use after this time. */
    readonly expiresAt: Instant
  },
): Promise<Queued> {
  const { mail, about, tenantIds, expiresAt } = input
  if (deps.config.mail === null) return 'off'
  if (!isMailable(mail.to)) return 'unsuitable'
  const { hours, ...bounds } = MAIL_BOUNDS[mail.kind]
  const nowMs = deps.clock.now()
  const since = instantOf(nowMs - hours * 3_600_000)
  const id = newMailId(deps.random)
  const queued = { id, tenantIds, mail, about, now: instantOf(nowMs), expiresAt, since, ...bounds }
  return (await insertMail(tx, queued)) ? 'queued' : 'limited'
}
