// Mails a link that replaces a lost password. Neither response nor time reveals whether an account exists.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { AuditActor } from '../../../core/ports/audit.ts'
import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf } from '../../../platform/world.ts'
import { queueMail } from '../../mail/index.ts'
import { hashPassword } from '../domain/password.ts'
import { normalEmail } from '../domain/person.ts'
import { ACCESS_LINK_MS, looksLikeToken, mintToken } from '../domain/session.ts'
import { insertAccessLink, listRecoverableAccounts, loadAccessLink, spendAccessLinks } from '../store/access-links.ts'
import { listTenantIds, lockAddress, lockPerson, setPassword } from '../store/people.ts'
import { deleteOtherSessions } from '../store/sessions.ts'
import { replaceSignIns } from '../store/sign-in-methods.ts'
import { openSession, type SignedIn } from './dashboard-sessions.ts'
import { hashNewPassword } from './sign-in-with-password.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

interface LostAccess {
  readonly email: string
  /** The token of the browser that requests the link. The link works only in that browser. */
  readonly browser: string
  readonly language: Language
}

/** Not awaited: the time would reveal whether the account exists. */
export function offerAccessLink(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'log'>,
  lost: LostAccess,
): void {
  mailAccessLinks(deps, lost).catch((error: unknown) => {
    if (!(error instanceof NotQueued)) deps.log.fault('a link for lost access was not sent', error)
  })
}

/** Rolls the links back if no mail can be sent. */
class NotQueued extends Error {}

async function mailAccessLinks(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'config'>,
  { email: text, browser, language }: LostAccess,
): Promise<void> {
  const email = normalEmail(text)
  if (email === null) return
  const accounts = await listRecoverableAccounts(deps.db, email)
  if (accounts.length === 0) return
  const expiresAt = instantOf(deps.clock.now() + ACCESS_LINK_MS)
  const withTokens = accounts.map((account) => ({ ...account, token: mintToken(deps.random) }))
  const links = withTokens.map(({ tenantNames, token }) => ({
    tenantNames,
    // The token is in the fragment, which browsers do not send, so no log has it.
    url: `${deps.config.baseUrl}/dashboard/lost-access#${token}`,
  }))
  await deps.db.transaction(async (tx) => {
    for (const { id, password, token } of withTokens) {
      const boundTo = bindingOf(browser, password)
      await insertAccessLink(tx, { hash: hashSecret(token), personId: id, boundTo, expiresAt })
    }
    const mail = { kind: 'lost_access', to: email, language, values: { links, until: expiresAt } } as const
    // The mail counts for these tenants, so that a tenant with many accounts cannot use up other tenants' mails.
    const tenantIds = [...new Set(accounts.flatMap((account) => account.tenantIds))]
    if ((await queueMail(deps, tx, { mail, tenantIds, expiresAt })) !== 'queued') throw new NotQueued()
  })
}

/** Binds a link to the browser and to the lost password. The link is invalid once the password changes. */
const bindingOf = (browser: string, password: string) => hashSecret(`${browser}|${password}`)

/**
 * The mailbox proves that the address belongs to this person. From now on only the new password opens the account, so
 * earlier users of the address lose access.
 */
export async function recoverAccess(
  deps: Needs,
  input: {
    readonly token: string
    readonly browser: string | null
    readonly password: string
    readonly replaces: string | null
  },
): Promise<SignedIn> {
  const { token, browser } = input
  if (browser === null || !looksLikeToken(browser) || !looksLikeToken(token)) throw new Refusal('link_not_valid')
  const use = { hash: hashSecret(token), now: instantOf(deps.clock.now()) }
  const link = await loadAccessLink(deps.db, use)
  if (link === null || link.password === null || !bindingOf(browser, link.password).equals(link.boundTo))
    throw new Refusal('link_not_valid')
  const { personId, email, password } = link
  const kept = await hashNewPassword(deps, input.password, email)
  return deps.db.transaction(async (tx) => {
    // Lock order for all callers: the address, its links, its accounts.
    await lockAddress(tx, email)
    if (!(await spendAccessLinks(tx, personId, use))) throw new Refusal('link_not_valid')
    await lockPerson(tx, personId)
    // In the meantime the provider may have been connected, the person removed, or the password replaced.
    const accounts = await listRecoverableAccounts(tx, email)
    const isRecoverable = accounts.some((account) => account.id === personId && account.password === password)
    if (!isRecoverable) throw new Refusal('link_not_valid')
    await replaceSignIns(tx, personId, kept)
    const events = [{ action: 'user.sign_ins_replaced' }] as const
    return openSession(deps, tx, { personId, method: 'link', replaces: input.replaces, proven: 'now', events })
  })
}

/**
 * For a store that was restored to before the person replaced the password, or all sign-ins: ends those that are back.
 * The new password is unknown to everyone, so the person needs a link. False: no such account, here or in other tenants.
 */
export async function endRestoredSignIns(
  deps: Needs,
  input: {
    readonly tenantId: string
    readonly personId: string
    readonly action: 'user.password_changed' | 'user.sign_ins_replaced'
    readonly actor: AuditActor
  },
): Promise<boolean> {
  const { tenantId, personId, action, actor } = input
  const unknown = await hashPassword(mintToken(deps.random), { random: deps.random, sender: [personId] })
  return deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (person === null) return false
    const isAll = action === 'user.sign_ins_replaced'
    if (isAll) await replaceSignIns(tx, personId, person.password === null ? null : unknown)
    else if (person.password !== null) await setPassword(tx, personId, unknown)
    await deleteOtherSessions(tx, person, '')
    const event = { now: instantOf(deps.clock.now()), action, actor, object: { type: 'user', id: personId } }
    const tenantIds = new Set([tenantId, ...(await listTenantIds(tx, personId))])
    for (const one of [...tenantIds].sort()) await deps.audit.recordOnBoth(tx, one, event)
    return true
  })
}
