// Remembers the browser of a sign-in, and mails the person if the browser is new.

import type { Language } from '../../../../../labels/catalogue.ts'
import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { queueMail } from '../../mail/index.ts'
import type { SignInMethod } from '../domain/session.ts'
import { noteKnownBrowser } from '../store/known-browsers.ts'
import { listTenantIds, loadPersonForNotice } from '../store/people.ts'

/** No mail is sent this soon after the account was opened, because the person knows about this sign-in. */
const OPENED_MS = 5 * 60_000
/** The mail is dropped after this time, because it would be of no use. */
const NOTICE_MS = 24 * 3_600_000

interface BrowserSignIn {
  readonly personId: string
  readonly method: SignInMethod
  /** The token in the browser's cookie. */
  readonly browser: string
  readonly language: Language
}

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config'>

/** Not awaited, so that a sign-in does not wait for the mail queue. After a failure, the next sign-in is reported. */
export function noteBrowser(deps: Needs & Pick<Deps, 'log'>, signIn: BrowserSignIn): void {
  noteAndMail(deps, signIn).catch((error: unknown) => deps.log.fault('the browser of a sign-in was not noted', error))
}

async function noteAndMail(deps: Needs, { personId, method, browser, language }: BrowserSignIn): Promise<void> {
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  await deps.db.transaction(async (tx) => {
    const person = await loadPersonForNotice(tx, personId)
    if (person === null) return
    const isNew = await noteKnownBrowser(tx, { personId, hash: hashSecret(browser), now })
    if (!isNew || nowMs - millisecondsOf(person.createdAt) < OPENED_MS) return
    const tenantIds = await listTenantIds(tx, personId)
    const values = { method, at: now, url: `${deps.config.baseUrl}/dashboard` }
    const mail = { kind: 'new_sign_in', to: person.email, language, values } as const
    await queueMail(deps, tx, { mail, tenantIds, expiresAt: instantOf(nowMs + NOTICE_MS) })
  })
}
