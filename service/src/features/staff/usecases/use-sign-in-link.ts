// Signs in by one-time links.

import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newPersonId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import { endWaitingMails } from '../../mail/index.ts'
import type { Person } from '../domain/person.ts'
import { looksLikeToken } from '../domain/session.ts'
import {
  findOrInsertPerson,
  hasOwnSignIn,
  insertMember,
  insertPerson,
  listAccounts,
  listMemberships,
  loadRole,
  lockAddress,
  reopenPerson,
  type StoredPerson,
} from '../store/people.ts'
import { loadLink, type SignInLink, useLink } from '../store/sign-in-links.ts'
import { replaceSignIns } from '../store/sign-in-methods.ts'
import { openSession, requireSession, type SessionRef, type SignedIn } from './dashboard-sessions.ts'
import { recordOnTeam } from './manage-team.ts'
import type { OwnEvent } from './record-sign-ins.ts'
import { hashNewPassword } from './sign-in-with-password.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

/** How many accounts an address can have. A sign-in with a password tries all of them. */
const ACCOUNTS_MAX = 8

interface LinkView {
  readonly link: SignInLink
  /** The person must sign in first. Then the link adds the tenant to their account. */
  readonly needsSignIn: boolean
  readonly needsPassword: boolean
  /** Whether a person who cannot sign in to the existing account may open a second one. */
  readonly mayOpenAnother: boolean
}

/** Describes a link to the person who opened it. */
export async function describeLink(deps: Needs, token: string): Promise<LinkView> {
  const link = looksLikeToken(token) ? await loadLink(deps.db, hashSecret(token), instantOf(deps.clock.now())) : null
  if (link === null) throw new Refusal('link_not_valid')
  const opening = link.byOperator ? null : await openingOf(deps.db, link)
  const needsSignIn = opening !== null && opening.leave !== 'open'
  const mayOpenAnother = opening?.leave === 'another'
  return { link, needsSignIn, needsPassword: !link.byOperator && !needsSignIn, mayOpenAnother }
}

/**
 * A tenant's invitation can open only an account of that tenant, so it cannot sign in as staff of other tenants or lock
 * them out. A link of the operator signs in and replaces all other methods.
 */
export async function signInWithLink(
  deps: Needs,
  input: {
    readonly token: string
    readonly password: string | null
    readonly replaces: string | null
    /** Whether to open another account besides the existing one. */
    readonly another: boolean
  },
): Promise<SignedIn> {
  const { link } = await describeLink(deps, input.token)
  const kept = input.password === null ? null : await hashNewPassword(deps, input.password, link.email)
  if (kept === null && !link.byOperator) throw new Refusal('password_not_taken')
  return deps.db.transaction(async (tx) => {
    // Lock order for all callers: the address, its links, its accounts.
    await lockAddress(tx, link.email)
    const used = await spent(deps, tx, input.token)
    const person = used.byOperator
      ? await operatorsChoice(deps, tx, used)
      : await openAccount(deps, tx, { link: used, another: input.another })
    await replaceSignIns(tx, person.id, kept)
    const ofTenant = await joinAll(deps, tx, { links: [used], person })
    return openSession(deps, tx, {
      personId: person.id,
      method: 'link',
      replaces: input.replaces,
      proven: 'now',
      events: [{ action: 'user.sign_ins_replaced' }],
      ofTenant,
    })
  })
}

interface Opening {
  /** `open`: an account can be opened. `another`: only besides the existing one. `none`: the account's owner must sign in. */
  readonly leave: 'open' | 'another' | 'none'
  /** An unclaimed account to reuse; null: create a new one. */
  readonly account: StoredPerson | null
}

/** Decides what a tenant's invitation may do for its address. */
async function openingOf(tx: Tx, link: SignInLink): Promise<Opening> {
  const accounts = await listAccounts(tx, link.email)
  let [free, taken]: [StoredPerson | null, boolean] = [null, false]
  for (const account of accounts) {
    const isOwn = account.openedBy === link.tenantId
    const isStaff = (await listMemberships(tx, account.id)).length > 0
    if (isOwn && isStaff) return { leave: 'none', account: null }
    // An account of this tenant is not staff anywhere at this point, so an earlier user of the link loses nothing.
    if (isOwn || !(isStaff || (await hasOwnSignIn(tx, account.id)))) free = isOwn ? account : (free ?? account)
    else taken = true
  }
  if (!taken) return { leave: 'open', account: free }
  return { leave: free !== null || accounts.length < ACCOUNTS_MAX ? 'another' : 'none', account: free }
}

async function openAccount(
  deps: Needs,
  tx: Tx,
  { link, another }: { link: SignInLink; another: boolean },
): Promise<Person> {
  const { email, tenantId } = link
  const { leave, account } = await openingOf(tx, link)
  if (leave === 'none' || (leave === 'another' && !another)) throw new Refusal('link_needs_sign_in')
  if (account === null) {
    const now = instantOf(deps.clock.now())
    return insertPerson(tx, { id: newPersonId(deps.random), email, openedBy: tenantId, now })
  }
  if (account.openedBy !== tenantId) await reopenPerson(tx, account.id, tenantId)
  return account
}

/** If the address has several accounts, chooses one that is staff of the tenant, otherwise the oldest. */
async function operatorsChoice(deps: Needs, tx: Tx, { email, tenantId }: SignInLink): Promise<Person> {
  for (const account of await listAccounts(tx, email)) {
    if ((await loadRole(tx, tenantId, account.id)) !== null) return account
  }
  return findOrInsertPerson(tx, { id: newPersonId(deps.random), email, now: instantOf(deps.clock.now()) })
}

/** Adds the tenant to the account of a signed-in person. */
export async function acceptInvitation(
  deps: Needs,
  input: { readonly token: string; readonly session: SessionRef },
): Promise<string> {
  const { link } = await describeLink(deps, input.token)
  return deps.db.transaction(async (tx) => {
    // An account that is opened for this address at the same time either sees this membership or was opened before.
    await lockAddress(tx, link.email)
    const used = await spent(deps, tx, input.token)
    const person = await requireSession(tx, input.session)
    if (used.email !== person.email) throw new Refusal('link_not_valid')
    const [joined] = (await joinAll(deps, tx, { links: [used], person })).values()
    const about = { actor: { type: 'user', id: person.id }, object: { type: 'user', id: person.id } } as const
    for (const event of joined ?? []) await recordOnTeam(deps, tx, { tenantId: used.tenantId, ...event, ...about })
    return used.tenantId
  })
}

async function spent(deps: Needs, tx: Tx, token: string): Promise<SignInLink> {
  const link = await useLink(tx, hashSecret(token), instantOf(deps.clock.now()))
  if (link === null) throw new Refusal('link_not_valid')
  return link
}

/** Whether the account has a sign-in method or is staff anywhere. If so, a stranger's invitation must not act for its owner. */
export async function isAccountInUse(tx: Tx, personId: string): Promise<boolean> {
  return (await hasOwnSignIn(tx, personId)) || (await listMemberships(tx, personId)).length > 0
}

/** Adds the person to the tenants of the links. Returns the audit event for each new tenant. */
export async function joinAll(
  deps: Pick<Deps, 'clock'>,
  tx: Tx,
  { links, person }: { readonly links: readonly SignInLink[]; readonly person: Person },
): Promise<Map<string, OwnEvent[]>> {
  const now = instantOf(deps.clock.now())
  const events = new Map<string, OwnEvent[]>()
  for (const { tenantId, role, email } of links) {
    await endWaitingMails(tx, tenantId, { kind: 'invitation', to: [email] })
    if (!(await insertMember(tx, { tenantId, personId: person.id, role, now }))) continue
    events.set(tenantId, [{ action: 'user.joined', details: { email: person.email, role } }])
  }
  return events
}
