// After a restore: repeats revocations since the backup, from the entries of a newer audit export.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { revokeKey } from '../../../core/tenants/usecases/manage-keys.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { revokeDevice } from '../../devices/index.ts'
import { revokeLink } from '../../links/index.ts'
import { removeClient } from '../../oidc/index.ts'
import { removeMember } from '../../staff/index.ts'
import { describeWebhookSecret, rotateSecret } from '../../webhooks/index.ts'

const REPLAY = { type: 'operator', id: 'restore-replay' } as const

export interface ReadEntry {
  readonly at: string
  readonly action: string
  readonly object: { readonly type: string; readonly id: string }
  /** null if the entry has none. */
  readonly details: string | null
}

interface Revocations {
  note(entry: ReadEntry): void
  /** Repeats all revocations. Can be repeated. */
  replay(realm: Realm): Promise<RevocationCounts>
}

export interface RevocationCounts {
  /** How many are revoked now, including those that were revoked before. */
  readonly revoked: number
  /** How many are not in the backup: created and revoked after it. */
  readonly unknown: number
  /** Decisions that are left to a person. */
  readonly byHand: readonly string[]
}

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'config' | 'clients' | 'keys'>

// A rolled key counts as revoked: its successor is not in the backup, so a new one is needed anyway.
const REVOKING_ACTIONS = new Set([
  'key.revoked',
  'key.rolled',
  'device.revoked',
  'link.revoked',
  'client.removed',
  'user.removed',
  'webhook_secret.rotated',
  'webhook_secret.old_ended',
])

export function createRevocations(deps: Needs): Revocations {
  const noted = new Map<string, ReadEntry>()
  return {
    note(entry) {
      const { action, object } = entry
      const about = `${action.split('.')[0]}:${object.id}`
      if (REVOKING_ACTIONS.has(action)) noted.set(about, entry)
      // The person was invited again since.
      if (action === 'user.joined') noted.delete(about)
    },
    async replay(realm) {
      const counts = { revoked: 0, unknown: 0, byHand: [] as string[] }
      for (const entry of noted.values()) {
        const outcome = await replayOne(deps, realm, entry)
        if (outcome === 'last_owner') counts.byHand.push(`${entry.object.id} was removed, and is the last owner here`)
        else counts[outcome] += 1
      }
      return counts
    },
  }
}

async function replayOne(
  deps: Needs,
  realm: Realm,
  { at, action, object: { id } }: ReadEntry,
): Promise<'revoked' | 'unknown' | 'last_owner'> {
  const done = (found: boolean) => (found ? 'revoked' : 'unknown')
  try {
    switch (action.split('.')[0]) {
      case 'key':
        return done((await revokeKey(deps, { ...realm, keyId: id, actor: REPLAY })) !== null)
      case 'device':
        return done((await revokeDevice(deps, { ...realm, deviceId: id, actor: REPLAY })) !== null)
      case 'link':
        return done((await revokeLink(deps, { realm, id, actor: REPLAY })) !== null)
      case 'client':
        return done(await removeClient(deps, { realm, id, actor: REPLAY }))
      case 'user':
        return done(await removeMember(deps, { tenantId: realm.tenantId, personId: id, actor: REPLAY }))
      default:
        return done(await replaceSecret(deps, realm, at))
    }
  } catch (error) {
    if (error instanceof Refusal && ['device_not_found', 'link_not_found'].includes(error.code)) return 'unknown'
    if (error instanceof Refusal && error.code === 'last_owner') return 'last_owner'
    throw error
  }
}

/** Creates another secret: the replaced one would be valid again, and its successor is not in the backup. */
async function replaceSecret(deps: Needs, realm: Realm, replacedAt: string): Promise<boolean> {
  const stored = await describeWebhookSecret(deps, realm)
  if (stored === null) return false
  if (stored.createdAt < replacedAt) await rotateSecret(deps, { realm, actor: REPLAY, endPrevious: true })
  return true
}
