// After a restore: takes away again what was taken away since the backup, from the lost entries of a newer audit export.

import { AFTER_RESTORE, type AuditAction } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type RecordedEntry, readTrailFrom } from '../../audit/index.ts'
import { readTeam } from '../../staff/index.ts'
import { type LostEntry, REPEATS, type Repetition } from './repeated-actions.ts'

export interface ReadEntry extends Pick<LostEntry, 'at' | 'action'> {
  readonly actor: { readonly type: string; readonly id: string }
  readonly object: { readonly type: string; readonly id: string }
  /** null if the entry has none. */
  readonly details: string | null
}

/** How much is taken away now, also before; how much is not in the backup; devices to pair again; what is left to a person. */
export type RevocationCounts = Readonly<
  Record<'revoked' | 'unknown' | 'unpaired', number> & { byHand: readonly string[] }
>

/** Actions that end the same thing: one of them in the store's own trail accounts for the others. */
const SAME: Readonly<Record<string, AuditAction>> = {
  'device.display_connected': 'device.display_disconnected',
  'device.enrolled': 'device.code_renewed',
  'user.invited': 'user.invitation_withdrawn',
  'user.joined': 'user.invitation_withdrawn',
}

/** Actions that allow again what others took away. A type or member that was removed and made again has the same id. */
const RENEWED: Readonly<Record<string, readonly AuditAction[]>> = {
  'origin.proven': ['origin.unproven'],
  'transaction_type.saved': ['transaction_type.removed'],
  'user.joined': ['user.removed', 'user.role_changed'],
}

/** Invitations have no id: the address names them. */
function keyOf(action: string, id: string, details: LostEntry['details']): string {
  const same = SAME[action] ?? action
  return `${same} ${same === 'user.invitation_withdrawn' ? details.email : id}`
}

export function createRevocations(deps: Deps, realm: Realm) {
  const kept = new Set<string>()
  const noted = new Map<string, LostEntry>()
  const removed = new Map<string, string>()
  /** The first entry that the store does not have. */
  let fork = 1
  function note(lost: LostEntry): void {
    const key = keyOf(lost.action, lost.id, lost.details)
    // At the end: the newest is repeated last.
    noted.delete(key)
    noted.set(key, lost)
  }
  return {
    /** Notes an entry that the store has. */
    noteKept({ at, action, object }: ReadEntry): void {
      fork += 1
      if (action === 'user.removed') removed.set(object.id, at)
      if (object.type !== 'verification') kept.add(object.id)
    },
    /** Notes an entry that the store does not have. */
    noteLost({ at, action, object: { id } }: ReadEntry, { details }: RecordedEntry): void {
      const lost = { realm, at, fork, removed, action, id, details: detailsOf(details) }
      if (action === 'user.removed') removed.set(id, at)
      if (takesAway(action)) note(lost)
      for (const renewed of RENEWED[action] ?? []) noted.delete(`${renewed} ${id}`)
      // The person was invited again since, maybe with a lower role. Without details, the person has left.
      if (action === 'user.joined' && lost.details.role !== undefined) note({ ...lost, action: 'user.role_changed' })
    },
    /** Can be repeated. Without the devices to pair again. */
    async replay(): Promise<Omit<RevocationCounts, 'unpaired'>> {
      const counts = { revoked: 0, unknown: 0, byHand: [] as string[] }
      if (fork === 1 && noted.size === 0) return counts
      const before = await readSince(deps.db, realm, fork)
      for (const { id, email } of (await readTeam(deps, realm.tenantId)).members) {
        const invitation = keyOf('user.joined', id, { email })
        const lost = noted.get(invitation)
        // A link of the operator replaces the sign-ins of a member.
        const isReplaced = before.own.has(`user.sign_ins_replaced ${id}`) && !before.done.has(invitation)
        if (lost !== undefined && isReplaced) note({ ...lost, action: 'user.sign_ins_replaced', id })
        if (lost !== undefined && before.joined.has(id)) note({ ...lost, action: 'user.removed', id })
      }
      for (const [key, lost] of noted) {
        const outcome = before.done.has(key) ? 'ended' : await repeat(deps, lost)
        if (outcome === 'ended') counts.revoked += 1
        else if (outcome === 'unknown') counts.unknown += 1
        else if (outcome !== 'left') counts.byHand.push(`${lost.action} of ${lost.id}: ${outcome}`)
      }
      const after = await readSince(deps.db, realm, fork)
      for (const [key, { action, id }] of noted) {
        if (isRepeated(action) || after.done.has(key)) continue
        const ends = [`${action.split('.')[0]}.removed`, 'device.revoked', 'user.sign_ins_replaced']
        const isEnded = ends.some((end) => [noted, after.done, after.own].some((keys) => keys.has(`${end} ${id}`)))
        // Without a key that was proven since, results are readable here again.
        const isOfLost = !kept.has(id) && afterRestore.has(action) && action !== 'result_key.proven'
        if (!isEnded && !isOfLost) counts.byHand.push(`${action} of ${id}`)
      }
      return counts
    },
  }
}

/** A text says why it is left to a person; `left`: the entry does not say enough to repeat it. */
async function repeat(deps: Deps, lost: LostEntry): Promise<Repetition | string> {
  if (!isRepeated(lost.action)) return 'left'
  try {
    const outcome = await REPEATS[lost.action](deps, lost)
    return outcome === 'by_hand' ? 'the details were erased' : outcome
  } catch (error) {
    if (error instanceof Refusal && ['device_not_found', 'link_not_found'].includes(error.code)) return 'unknown'
    if (error instanceof Refusal && error.code === 'last_owner') return 'there is no other owner here'
    throw error
  }
}

/** What the store recorded since: repeated or done by hand; by people for themselves; joined with a restored invitation. */
async function readSince(tx: Tx, realm: Realm, fork: number) {
  const [done, own, joined] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for await (const { entry, details } of readTrailFrom(tx, realm, fork)) {
    const { action, actor: by, object }: ReadEntry = JSON.parse(entry)
    const key = keyOf(action, object.id, detailsOf(details))
    // Each invitation ends the older ones to its address.
    if (action === 'user.joined' && !done.has(key)) joined.add(object.id)
    else for (const renewed of RENEWED[action] ?? []) done.add(`${renewed} ${object.id}`)
    // With a code, an invitation or a password that the backup brought back, a stranger may have done it. The job that
    // forgets addresses did not know yet who was removed.
    const isByJob = action === 'user.forgotten' && by.type === 'system'
    const isOwn =
      action === 'device.enrolled' || isByJob || (isRepeated(action) && by.id === object.id && by.type === 'user')
    if (takesAway(action)) (isOwn ? own : done).add(key)
  }
  return { done, own, joined }
}

/** What this release does not know is left to a person. */
const takesAway = (action: string) => isRepeated(action) || (afterRestore.get(action) ?? 'by_hand') === 'by_hand'
const afterRestore: ReadonlyMap<string, string> = new Map(Object.entries(AFTER_RESTORE))
const isRepeated = (action: string): action is keyof typeof REPEATS => Object.hasOwn(REPEATS, action)
const detailsOf = (details: unknown): LostEntry['details'] => ({ ...(details as object | null) })
