// A tenant's staff: invited by link, given a role, removed. Each change stands on the audit chains of both environments.

import type { Deps } from '../../deps.ts'
import type { AuditActor, AuditEvent } from '../../domain/audit/entry.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Member, normalEmail, type Role } from '../../domain/staff/person.ts'
import { LINK_MS, mintToken } from '../../domain/staff/session.ts'
import { hashSecret } from '../../domain/tenant/api-key.ts'
import { ENVIRONMENTS, type Instant, instantOf } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import type { Tx } from '../../store/postgres/db.ts'
import { deleteMember, listMembers, loadPerson, loadRole, lockOwners, updateRole } from '../../store/staff/people.ts'
import {
  deleteOpenLinks,
  insertLink,
  listOpenInvitations,
  type OpenInvitation,
} from '../../store/staff/sign-in-links.ts'
import { loadTenant } from '../../store/tenants/tenants.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'auditSeal'>

export interface Invitation {
  /** Shown once; whoever has it may use it. */
  readonly url: string
  readonly email: string
  readonly expiresAt: Instant
}

/** null when there is no such tenant. An older link to the same address ends. */
export async function invite(
  deps: Needs,
  input: {
    readonly tenantId: string
    readonly email: string
    readonly role: Role
    readonly actor: AuditActor
    readonly byOperator: boolean
  },
): Promise<Invitation | null> {
  const email = normalEmail(input.email)
  if (email === null) throw new Refusal('invalid_request', { message: 'body.email: not an e-mail address.' })
  const nowMs = deps.clock.now()
  const token = mintToken(deps.random)
  const expiresAt = instantOf(nowMs + LINK_MS)
  const { tenantId, role, byOperator, actor } = input
  return deps.db.transaction(async (tx) => {
    if ((await loadTenant(tx, tenantId)) === null) return null
    await deleteOpenLinks(tx, tenantId, email)
    await insertLink(tx, {
      hash: hashSecret(token),
      email,
      tenantId,
      role,
      byOperator,
      now: instantOf(nowMs),
      expiresAt,
    })
    const object = { type: 'tenant', id: tenantId }
    await recordOnTeam(deps, tx, { tenantId, action: 'user.invited', actor, object, details: { email, role } })
    // Behind the #: it is sent to no server and stands in no log.
    return { url: `${deps.config.baseUrl}/dashboard/link#${token}`, email, expiresAt }
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

/** False when that person is not staff here. */
export async function changeRole(
  deps: Needs,
  input: { readonly tenantId: string; readonly personId: string; readonly role: Role; readonly actor: AuditActor },
): Promise<boolean> {
  const { tenantId, personId, role, actor } = input
  return deps.db.transaction(async (tx) => {
    await demandAnotherOwner(tx, { tenantId, personId, staysOwner: role === 'owner' })
    if (!(await updateRole(tx, tenantId, { personId, role }))) return false
    const object = { type: 'user', id: personId }
    await recordOnTeam(deps, tx, { tenantId, action: 'user.role_changed', actor, object, details: { role } })
    return true
  })
}

/** From the next request on they see nothing of this tenant. False when that person is not staff here. */
export async function removeMember(
  deps: Needs,
  input: { readonly tenantId: string; readonly personId: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { tenantId, personId, actor } = input
  return deps.db.transaction(async (tx) => {
    await demandAnotherOwner(tx, { tenantId, personId, staysOwner: false })
    const person = await loadPerson(tx, personId)
    if (person === null || !(await deleteMember(tx, tenantId, personId))) return false
    await deleteOpenLinks(tx, tenantId, person.email)
    const object = { type: 'user', id: personId }
    await recordOnTeam(deps, tx, { tenantId, action: 'user.removed', actor, object })
    return true
  })
}

async function demandAnotherOwner(
  tx: Tx,
  change: { tenantId: string; personId: string; staysOwner: boolean },
): Promise<void> {
  const owners = await lockOwners(tx, change.tenantId)
  if ((await loadRole(tx, change.tenantId, change.personId)) !== 'owner' || change.staysOwner) return
  if (owners.every((id) => id === change.personId)) throw new Refusal('last_owner')
}

export async function recordOnTeam(
  deps: Pick<Deps, 'clock' | 'random' | 'auditSeal'>,
  tx: Tx,
  event: AuditEvent & { readonly tenantId: string },
): Promise<void> {
  const { tenantId, ...entry } = event
  const now = instantOf(deps.clock.now())
  for (const environment of ENVIRONMENTS) {
    await appendAudit(
      tx,
      { tenantId, environment },
      { now, random: deps.random, seal: deps.auditSeal, events: [entry] },
    )
  }
}
