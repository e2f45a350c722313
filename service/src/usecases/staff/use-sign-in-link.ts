// One-time links. A tenant's invitation opens an account only where there is none: else whoever invites an address could
// sign in as its owner elsewhere. The operator's links do sign in, and replace every other way in.
// An account that nobody came back to since an invitation opened it may be a squatter's, who invited the address and used
// the link: whoever is invited next may start over, and everything that account had ends.

import type { Deps } from '../../deps.ts'
import type { AuditActor } from '../../domain/audit/entry.ts'
import { Refusal } from '../../domain/errors.ts'
import { newPersonId } from '../../domain/ids.ts'
import type { Person } from '../../domain/staff/person.ts'
import { looksLikeToken } from '../../domain/staff/session.ts'
import { hashSecret } from '../../domain/tenant/api-key.ts'
import { instantOf } from '../../domain/world.ts'
import type { Tx } from '../../store/postgres/db.ts'
import {
  findOrInsertPerson,
  hasOwnSignIn,
  hasSignedIn,
  insertMember,
  listMemberships,
  loadPersonByEmail,
} from '../../store/staff/people.ts'
import { loadLink, type SignInLink, useLink } from '../../store/staff/sign-in-links.ts'
import { replaceSignIns } from '../../store/staff/sign-in-ways.ts'
import { demandSession, openSession, type SignedIn, type Standing } from './dashboard-sessions.ts'
import { demandAnotherOwner, endMembership, recordOnTeam } from './manage-team.ts'
import { keptPassword } from './sign-in-with-password.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal'>

export interface LinkView {
  readonly link: SignInLink
  /** Sign in as that person first; then the link adds the tenant. */
  readonly needsSignIn: boolean
  readonly needsPassword: boolean
  /** The account was opened by an invitation, and nobody has signed in to it since: it need not be theirs. */
  readonly mayStartOver: boolean
}

/** What a link is about, for the one who holds it. */
export async function lookAtLink(deps: Needs, token: string): Promise<LinkView> {
  const link = looksLikeToken(token) ? await loadLink(deps.db, hashSecret(token), instantOf(deps.clock.now())) : null
  if (link === null) throw new Refusal('link_not_valid')
  const person = await loadPersonByEmail(deps.db, link.email)
  const needsSignIn = !link.byOperator && person !== null && (await isSomebody(deps.db, person.id))
  const mayStartOver = needsSignIn && !(await hasSignedIn(deps.db, person.id))
  return { link, needsSignIn, needsPassword: !link.byOperator && !needsSignIn, mayStartOver }
}

export async function signInWithLink(
  deps: Needs,
  input: {
    readonly token: string
    readonly password: string | null
    readonly replaces: string | null
    readonly startOver: boolean
  },
): Promise<SignedIn> {
  const { link } = await lookAtLink(deps, input.token)
  const kept = input.password === null ? null : await keptPassword(deps, input.password, link.email)
  if (kept === null && !link.byOperator) throw new Refusal('password_not_taken')
  return deps.db.transaction(async (tx) => {
    const used = await spent(deps, tx, input.token)
    const now = instantOf(deps.clock.now())
    const person = await findOrInsertPerson(tx, { id: newPersonId(deps.random), email: used.email, now })
    const taken = !used.byOperator && (await isSomebody(tx, person.id))
    if (taken && !(input.startOver && !(await hasSignedIn(tx, person.id)))) throw new Refusal('link_needs_sign_in')
    await replaceSignIns(tx, person.id, kept)
    const { replaces } = input
    const counts = used.byOperator
    const session = await openSession(deps, tx, {
      personId: person.id,
      method: 'link',
      replaces,
      proven: 'now',
      counts,
    })
    await (taken ? startOver : join)(deps, tx, { link: used, person })
    return session
  })
}

/** For somebody who is signed in: the tenant is added to theirs. */
export async function acceptInvitation(
  deps: Needs,
  input: { readonly token: string; readonly session: Standing },
): Promise<string> {
  if (!looksLikeToken(input.token)) throw new Refusal('link_not_valid')
  return deps.db.transaction(async (tx) => {
    const used = await spent(deps, tx, input.token)
    const person = await demandSession(tx, input.session)
    if (used.email !== person.email) throw new Refusal('link_not_valid')
    await join(deps, tx, { link: used, person })
    return used.tenantId
  })
}

/** In one order for everybody: each leads to the chains of its tenant. */
async function startOver(deps: Needs, tx: Tx, joining: { link: SignInLink; person: Person }): Promise<void> {
  const { link, person } = joining
  const actor: AuditActor = { type: 'system', id: 'address_claimed' }
  const left = (await listMemberships(tx, person.id)).map(({ tenantId }) => tenantId)
  for (const tenantId of [...new Set([...left, link.tenantId])].sort()) {
    if (left.includes(tenantId)) {
      // A tenant elsewhere never loses its only owner by somebody else's invitation.
      await demandAnotherOwner(tx, { tenantId, personId: person.id, staysOwner: false })
      await endMembership(deps, tx, { tenantId, person, actor })
    }
    if (tenantId === link.tenantId) await join(deps, tx, joining)
  }
}

async function spent(deps: Needs, tx: Tx, token: string): Promise<SignInLink> {
  const link = await useLink(tx, hashSecret(token), instantOf(deps.clock.now()))
  if (link === null) throw new Refusal('link_not_valid')
  return link
}

/** Has a way in of their own, or is staff somewhere: then a stranger's invitation may not speak for them. */
export async function isSomebody(tx: Tx, personId: string): Promise<boolean> {
  return (await hasOwnSignIn(tx, personId)) || (await listMemberships(tx, personId)).length > 0
}

export async function join(deps: Needs, tx: Tx, joining: { link: SignInLink; person: Person }): Promise<void> {
  const { link, person } = joining
  const now = instantOf(deps.clock.now())
  const joined = await insertMember(tx, { tenantId: link.tenantId, personId: person.id, role: link.role, now })
  if (!joined) return
  const actor: AuditActor = { type: 'user', id: person.id }
  await recordOnTeam(deps, tx, {
    tenantId: link.tenantId,
    action: 'user.joined',
    actor,
    object: { type: 'user', id: person.id },
    details: { email: person.email, role: link.role },
  })
}
