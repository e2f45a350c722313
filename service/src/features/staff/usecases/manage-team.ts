// Manages a tenant's staff: invitations, roles and removal, recorded on the audit trails of both environments.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { AuditActor, AuditEvent } from '../../../core/ports/audit.ts'
import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import { loadTenant } from '../../../core/tenants/store/tenants.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { endWaitingMails, queueMail } from '../../mail/index.ts'
import { INVITATIONS_A_DAY_MAX, INVITATIONS_MAX, type Invitation, type OpenInvitation } from '../domain/invitation.ts'
import { type Member, normalEmail, type Person, type Role } from '../domain/person.ts'
import { LINK_MS, mintToken } from '../domain/session.ts'
import { listAddressesBefore } from '../store/former-staff.ts'
import { deleteMember, listMembers, loadPerson, loadRole, lockOwners, updateRole } from '../store/people.ts'
import {
  countOpenLinks,
  deleteLinksBy,
  deleteOpenLinks,
  insertLink,
  listOpenInvitations,
} from '../store/sign-in-links.ts'

const DAY_MS = 86_400_000

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'audit'>

/** Ends an older link to the same address. Returns null if there is no such tenant. */
export async function invite(
  deps: Needs,
  input: {
    readonly tenantId: string
    readonly email: string
    /** `as_before`: the role of the open invitation that this one replaces. Without an open invitation the result is null. */
    readonly role: Role | 'as_before'
    readonly actor: AuditActor
    readonly byOperator: boolean
    /** The language of the mail with the link. If absent, no mail is sent and the link is only returned. */
    readonly mailIn?: Language
  },
): Promise<Invitation | null> {
  const email = normalEmail(input.email)
  if (email === null) throw new Refusal('invalid_request', { message: 'body.email: not an e-mail address.' })
  const nowMs = deps.clock.now()
  const token = mintToken(deps.random)
  const expiresAt = instantOf(nowMs + LINK_MS)
  const now = instantOf(nowMs)
  const { tenantId, role, byOperator, actor } = input
  return deps.db.transaction(async (tx) => {
    const tenant = await loadTenant(tx, tenantId)
    if (tenant === null) return null
    await requireOwner(tx, tenantId, actor)
    if (!byOperator) await requireInvitationsLeft(tx, tenantId, nowMs)
    const before = await deleteOpenLinks(tx, tenantId, { email, now })
    if (role === 'as_before' && before === null) return null
    const isTooMany = !byOperator && (await countOpenLinks(tx, tenantId, now)) >= INVITATIONS_MAX
    if (isTooMany) throw new Refusal('invitation_limit_reached')
    const newRole = role === 'as_before' ? (before ?? 'viewer') : role
    await insertLink(tx, {
      hash: hashSecret(token),
      email,
      tenantId,
      role: newRole,
      byOperator,
      invitedBy: actor.type === 'user' ? actor.id : null,
      now,
      expiresAt,
    })
    const object = { type: 'tenant', id: tenantId }
    await recordOnTeam(deps, tx, { tenantId, action: 'user.invited', actor, object, details: { email, role: newRole } })
    await endWaitingMails(tx, tenantId, { kind: 'invitation', to: [email] })
    // The token is in the fragment, which browsers do not send, so no log has it.
    const url = `${deps.config.baseUrl}/dashboard/link#${token}`
    if (input.mailIn === undefined) return { url, email, expiresAt, mail: 'off' }
    const values = { tenantName: tenant.name, role: newRole, url, until: expiresAt }
    const mail = { kind: 'invitation', to: email, language: input.mailIn, values } as const
    return { url, email, expiresAt, mail: await queueMail(deps, tx, { mail, tenantIds: [tenantId], expiresAt }) }
  })
}

/**
 * Requires that the actor is an owner until the transaction ends, because a removed owner must not create links or
 * owners. Changes to the team run one at a time, so counts stay valid.
 */
async function requireOwner(tx: Tx, tenantId: string, actor: AuditActor): Promise<void> {
  if (actor.type !== 'user') return
  if (!(await lockOwners(tx, tenantId)).includes(actor.id)) throw new Refusal('role_insufficient')
}

/**
 * Counts on the trail, because a link is deleted when it is withdrawn or replaced. Reads a limited number of entries: each
 * invitation leads to three at most.
 */
async function requireInvitationsLeft(tx: Tx, tenantId: string, nowMs: number): Promise<void> {
  const since = instantOf(nowMs - DAY_MS)
  const realm = { tenantId, environment: 'live' } as const
  const entries = await listAddressesBefore(tx, realm, Number.MAX_SAFE_INTEGER, 4 * INVITATIONS_A_DAY_MAX)
  const invited = entries.filter(({ action, at }) => action === 'user.invited' && at > since)
  const first = invited[INVITATIONS_A_DAY_MAX - 1]
  if (first === undefined) return
  throw new Refusal('rate_limit_exceeded', {
    message: `At most ${INVITATIONS_A_DAY_MAX} invitations can be created in 24 hours.`,
    retryAfterSeconds: Math.max(1, Math.ceil((millisecondsOf(first.at) + DAY_MS - nowMs) / 1_000)),
  })
}

/** Ends the link. Returns false if there is no open invitation to this address. */
export async function withdrawInvitation(
  deps: Needs,
  input: { readonly tenantId: string; readonly email: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { tenantId, actor } = input
  const email = normalEmail(input.email)
  if (email === null) return false
  return deps.db.transaction(async (tx) => {
    await requireOwner(tx, tenantId, actor)
    const role = await deleteOpenLinks(tx, tenantId, { email, now: instantOf(deps.clock.now()) })
    if (role === null) return false
    const object = { type: 'tenant', id: tenantId }
    await recordOnTeam(deps, tx, {
      tenantId,
      action: 'user.invitation_withdrawn',
      actor,
      object,
      details: { email, role },
    })
    await endWaitingMails(tx, tenantId, { kind: 'invitation', to: [email] })
    return true
  })
}

export interface Team {
  readonly members: readonly Member[]
  readonly invitations: readonly OpenInvitation[]
}

export async function readTeam(deps: Pick<Deps, 'db' | 'clock'>, tenantId: string): Promise<Team> {
  return {
    members: await listMembers(deps.db, tenantId),
    invitations: await listOpenInvitations(deps.db, tenantId, instantOf(deps.clock.now())),
  }
}

/** Returns false if the person is not staff here. */
export async function changeRole(
  deps: Needs,
  input: { readonly tenantId: string; readonly personId: string; readonly role: Role; readonly actor: AuditActor },
): Promise<boolean> {
  const { tenantId, personId, role, actor } = input
  return deps.db.transaction(async (tx) => {
    await requireAnotherOwner(tx, { tenantId, personId, staysOwner: role === 'owner' })
    await requireOwner(tx, tenantId, actor)
    if (!(await updateRole(tx, tenantId, { personId, role }))) return false
    const ended = role === 'owner' ? [] : await deleteLinksBy(tx, tenantId, personId)
    await endWaitingMails(tx, tenantId, { kind: 'invitation', to: ended })
    const object = { type: 'user', id: personId }
    await recordOnTeam(deps, tx, { tenantId, action: 'user.role_changed', actor, object, details: { role } })
    return true
  })
}

/** The person loses access with the next request. Returns false if the person is not staff here. */
export async function removeMember(
  deps: Needs,
  input: { readonly tenantId: string; readonly personId: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { tenantId, personId, actor } = input
  return deps.db.transaction(async (tx) => {
    await requireAnotherOwner(tx, { tenantId, personId, staysOwner: false })
    await requireOwner(tx, tenantId, actor)
    const person = await loadPerson(tx, personId)
    return person !== null && endMembership(deps, tx, { tenantId, person, actor })
  })
}

/** Also ends links to the person's address and links that the person created for others. */
async function endMembership(
  deps: Pick<Deps, 'clock' | 'random' | 'audit'>,
  tx: Tx,
  ended: { readonly tenantId: string; readonly person: Person; readonly actor: AuditActor },
): Promise<boolean> {
  const { tenantId, person, actor } = ended
  if (!(await deleteMember(tx, tenantId, person.id))) return false
  await deleteOpenLinks(tx, tenantId, { email: person.email, now: instantOf(deps.clock.now()) })
  const others = await deleteLinksBy(tx, tenantId, person.id)
  await endWaitingMails(tx, tenantId, { kind: 'invitation', to: [person.email, ...others] })
  await endWaitingMails(tx, tenantId, { kind: 'alert', to: [person.email] })
  const object = { type: 'user', id: person.id }
  const details = { email: person.email }
  await recordOnTeam(deps, tx, { tenantId, action: 'user.removed', actor, object, details })
  return true
}

async function requireAnotherOwner(
  tx: Tx,
  change: { tenantId: string; personId: string; staysOwner: boolean },
): Promise<void> {
  const owners = await lockOwners(tx, change.tenantId)
  if ((await loadRole(tx, change.tenantId, change.personId)) !== 'owner' || change.staysOwner) return
  if (owners.every((id) => id === change.personId)) throw new Refusal('last_owner')
}

export async function recordOnTeam(
  deps: Pick<Deps, 'clock' | 'random' | 'audit'>,
  tx: Tx,
  event: AuditEvent & { readonly tenantId: string },
): Promise<void> {
  const { tenantId, ...entry } = event
  await deps.audit.recordOnBoth(tx, tenantId, { ...entry, now: instantOf(deps.clock.now()) })
}
