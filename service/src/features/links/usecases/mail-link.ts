// Sends a new link to a person by mail. The person's address is only in the sealed mail, which is erased once sent.

import { createHmac } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { findTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { isMailable, queueMail } from '../../mail/index.ts'
import { readBranding } from '../../pages/index.ts'
import type { CreateLink, Link } from '../domain/link.ts'

export type MailNeeds = Pick<Deps, 'clock' | 'random' | 'config' | 'derivedKeys'>

type LinkMail = NonNullable<CreateLink['mail']>

/** A mail that could not be sent within this time is dropped, because a later one would surprise its reader. */
const SENT_WITHIN_MS = 24 * 3_600_000
const RETRY_SECONDS = 3_600

export interface LinkSender {
  readonly merchant: string
  readonly tenantName: string
}

/** The merchant's name and look on its hosted page. */
export async function readSender(deps: Pick<Deps, 'db'>, realm: Realm): Promise<LinkSender> {
  const tenant = await findTenant(deps, realm.tenantId)
  if (tenant === null) throw new Error('bug: a key without its tenant')
  const { name } = await readBranding(deps, realm)
  return { merchant: name ?? tenant.name, tenantName: tenant.name }
}

/** Refuses a mail that cannot be sent, before anything is written. */
export function requireMailable({ config }: MailNeeds, { to }: LinkMail, startsLater: boolean): void {
  if (config.mail === null)
    throw wrong('mail', 'this service sends no e-mail. Leave mail out, and send the url of the link yourself')
  if (!isMailable(to)) throw wrong('mail.to', 'must be an address that e-mail can be sent to')
  if (startsLater) throw wrong('mail', 'a link that starts later cannot be sent now. Leave out starts_at')
}

/** The last step of the transaction that creates the link. If the mail cannot be queued, no link is created. */
export async function mailLink(
  deps: MailNeeds,
  tx: Tx,
  {
    link,
    url,
    mail,
    sender,
  }: { readonly link: Link; readonly url: string; readonly mail: LinkMail; readonly sender: LinkSender },
): Promise<void> {
  const { tenantId, environment, endsAt } = link
  const values = {
    ...sender,
    purpose: link.request.purpose ?? null,
    isTest: environment === 'test',
    url,
    until: endsAt,
  }
  const letter = { kind: 'verification_link', to: mail.to, language: mail.language ?? 'en', values } as const
  const expiresAt = instantOf(Math.min(millisecondsOf(endsAt), deps.clock.now() + SENT_WITHIN_MS))
  if ((await queueMail(deps, tx, { mail: letter, about: link.id, tenantIds: [tenantId], expiresAt })) !== 'queued')
    throw new Refusal('rate_limit_exceeded', {
      retryAfterSeconds: RETRY_SECONDS,
      message: 'Too many e-mails were sent to this mailbox, or by your company, within a day. No link was created.',
    })
}

/** The body that is hashed for an Idempotency-Key. A plain hash of a mail address could be guessed. */
export function withoutAddress({ derivedKeys }: MailNeeds, body: CreateLink): object {
  if (body.mail === undefined) return body
  const to = createHmac('sha256', derivedKeys.derive('link-mail-v1', 32)).update(body.mail.to).digest('base64url')
  return { ...body, mail: { ...body.mail, to } }
}

const wrong = (name: string, why: string) => new Refusal('invalid_request', { message: `body.${name}: ${why}.` })
