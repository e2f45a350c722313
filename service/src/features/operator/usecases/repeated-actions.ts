// Repeats each audit action that takes something away, in a store that was restored to before it.

import { PAIRING_TTL_SECONDS } from '../../../../../wire/values/devices.ts'
import type { ActionThatIs, AuditAction } from '../../../core/ports/audit.ts'
import { removeResultKey } from '../../../core/result-keys/usecases/manage-result-keys.ts'
import { removeTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { setOriginProof } from '../../../core/tenants/store/origins.ts'
import { revokeKey } from '../../../core/tenants/usecases/manage-keys.ts'
import { removeType } from '../../../core/transactions/usecases/manage-types.ts'
import { cancelPending } from '../../../core/verifications/store/cancellation.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import {
  changeDevice,
  disconnectDisplay,
  endPairings,
  listDevices,
  renewPairingCode,
  revokeDevice,
} from '../../devices/index.ts'
import { takeBundle } from '../../evidence/index.ts'
import { revokeLink } from '../../links/index.ts'
import { removeClient } from '../../oidc/index.ts'
import { removeRegistration } from '../../registration/index.ts'
import {
  changeRole,
  endRestoredSignIns,
  forgetRestoredStaff,
  isRole,
  reaches,
  readTeam,
  removeMember,
  withdrawInvitation,
} from '../../staff/index.ts'
import {
  listTrustListsOf,
  removeAnchor,
  removeOrigin,
  removeTrustList,
  revokeGrant,
  withdrawOwnKey,
} from '../../trust/index.ts'
import { describeWebhookSecret, removeEndpoint, rotateSecret } from '../../webhooks/index.ts'

/** An entry of the export that the restored store does not have. */
export interface LostEntry {
  readonly realm: Realm
  readonly at: string
  /** The first entry that the store does not have. */
  readonly fork: number
  /** When the export says that people were removed, the last time. */
  readonly removed: ReadonlyMap<string, string>
  readonly action: string
  readonly id: string
  /** Empty if the entry has none, or if they were erased. */
  readonly details: Readonly<Record<string, unknown>>
}

/** `unknown`: the store has no such object. `by_hand`: the details that are needed were erased. */
export type Repetition = 'ended' | 'unknown' | 'by_hand'
type Repeat = (deps: Deps, lost: LostEntry) => Promise<Repetition>

const actor = { type: 'operator', id: 'restore-replay' } as const
type Ending = Pick<LostEntry, 'realm' | 'id'> & { readonly actor: typeof actor }

/** Calls a use case that returns false or null if there is no such object. */
const ending =
  (end: (deps: Deps, input: Ending) => Promise<object | boolean | null>): Repeat =>
  async (deps, { realm, id }) => {
    const found = await end(deps, { realm, id, actor })
    return found === false || found === null ? 'unknown' : 'ended'
  }

/** Uses a text of the entry's details. */
const endingBy =
  (detail: string, end: (deps: Deps, text: string, input: Ending) => Promise<boolean>): Repeat =>
  async (deps, { realm, id, details }) => {
    const text = details[detail]
    if (typeof text !== 'string') return 'by_hand'
    return (await end(deps, text, { realm, id, actor })) ? 'ended' : 'unknown'
  }

const endSignIns = (action: 'user.password_changed' | 'user.sign_ins_replaced') =>
  ending((deps, { realm: { tenantId }, id }) => endRestoredSignIns(deps, { tenantId, personId: id, action, actor }))

// A rolled key counts as revoked: its successor is not in the backup, so a new one is needed anyway.
const endKey = ending((deps, { realm, id }) => revokeKey(deps, { ...realm, keyId: id, actor }))

/** A pairing code that was used or replaced would pair another device; one that it has paired already is revoked. */
const endPairingCode: Repeat = async (deps, { realm, id }) => {
  const device = (await listDevices(deps, realm)).find((one) => one.id === id)
  const renewal = { realm, deviceId: id, pairingTtlSeconds: PAIRING_TTL_SECONDS.min, actor }
  if (device?.status === 'pending') await renewPairingCode(deps, renewal)
  if (device?.status === 'active') await revokeDevice(deps, { ...realm, deviceId: id, actor })
  return device === undefined ? 'unknown' : 'ended'
}

/** An invitation that was used, replaced or withdrawn. An address is forgotten days after its invitation has expired. */
const endInvitation: Repeat = async (deps, { realm: { tenantId }, details: { email } }) => {
  const isOpen = typeof email === 'string' && (await withdrawInvitation(deps, { tenantId, email, actor }))
  return isOpen ? 'ended' : 'unknown'
}

/** Creates another secret: the replaced one would be valid again, and its successor is not in the backup. */
const endWebhookSecret: Repeat = async (deps, { realm, at }) => {
  const stored = await describeWebhookSecret(deps, realm)
  if (stored === null) return 'unknown'
  if (stored.createdAt < at) await rotateSecret(deps, { realm, actor, endPrevious: true })
  return 'ended'
}

const narrowDevice: Repeat = async (deps, { realm, id, details: { name, allowed_templates: templates } }) => {
  if (typeof name !== 'string' || !Array.isArray(templates)) return 'by_hand'
  await changeDevice(deps, { realm, deviceId: id, name, allowedTemplates: templates.map(String), actor })
  return 'ended'
}

/** A replaced list stays without a grant: the list that took over the keys which it had named is not in the backup. */
const endList: Repeat = async (deps, { realm, id, details: { successor } }) => {
  if (typeof successor !== 'string') return (await removeTrustList(deps, id, { realm, actor })) ? 'ended' : 'unknown'
  const list = (await listTrustListsOf(deps.db, realm)).find((one) => one.id === id && one.tenantId !== null)
  if (list === undefined) return 'unknown'
  await revokeGrant(deps, list, { actor, failure: 'it was replaced before the restore: apply the set-up file again' })
  return 'ended'
}

/** Leaves a role that is lower than the later one. */
const lowerRole: Repeat = async (deps, { realm: { tenantId }, id, details: { role } }) => {
  const member = (await readTeam(deps, tenantId)).members.find((one) => one.id === id)
  if (member === undefined) return 'unknown'
  if (typeof role !== 'string' || !isRole(role)) return 'by_hand'
  if (!reaches(role, member.role)) await changeRole(deps, { tenantId, personId: id, role, actor })
  return 'ended'
}

type Change = (tx: Tx, lost: Pick<LostEntry, 'realm' | 'id'> & { now: Instant }) => Promise<number | boolean | null>

/** For changes that no use case makes for the operator. A number is the day of the object. */
const changing =
  (action: AuditAction, type: string, change: Change): Repeat =>
  ({ db, clock, audit }, { realm, id }) =>
    db.transaction(async (tx) => {
      const now = instantOf(clock.now())
      const changed = await change(tx, { realm, id, now })
      if (changed === false || changed === null) return 'unknown'
      const day = changed === true ? {} : { day: changed }
      await audit.record(tx, realm, { now, action, actor, object: { type, id }, ...day })
      return 'ended'
    })

const cancel = changing('verification.cancelled', 'verification', (tx, { realm, id, now }) =>
  cancelPending(tx, realm, { id, deviceId: null, at: now }),
)
const endDisplay = changing('device.display_disconnected', 'device', (tx, { realm, id }) =>
  disconnectDisplay(tx, { ...realm, deviceId: id }),
)
const destroyBundle = changing(
  'evidence.delivered',
  'verification',
  async (tx, { realm, ...of }) => (await takeBundle(tx, realm, of)) !== null,
)
const endOriginProof = changing('origin.unproven', 'origin', (tx, { realm, id }) =>
  setOriginProof(tx, realm, { id, provenAt: null }),
)

/**
 * Ends the tokens of devices that were paired before this time: refresh tokens that were spent since the backup would
 * work again. Returns the number of devices.
 */
export const unpairDevices = ({ db, clock, audit }: Deps, realm: Realm, before: Instant): Promise<number> =>
  db.transaction(async (tx) => {
    const now = instantOf(clock.now())
    const ids = await endPairings(tx, realm, { before, now })
    const events = ids.map((id) => ({ action: 'device.code_renewed', actor, object: { type: 'device', id } }) as const)
    if (events.length > 0) await audit.recordAll(tx, realm, { now, events })
    return events.length
  })

/** Repeated by `replayErasures` and `closeMovedAway`. */
type RepeatedElsewhere = 'tenant.moved_away' | 'verification.erased' | 'verification.forgotten' | 'verifications.lapsed'

export const REPEATS: Readonly<Record<Exclude<ActionThatIs<'repeated'>, RepeatedElsewhere>, Repeat>> = {
  'key.revoked': endKey,
  'key.rolled': endKey,
  'verification.cancelled': cancel,
  'device.changed': narrowDevice,
  'device.code_renewed': endPairingCode,
  'device.enrolled': endPairingCode,
  'device.revoked': ending((deps, { realm, id }) => revokeDevice(deps, { ...realm, deviceId: id, actor })),
  'device.display_connected': endDisplay,
  'device.display_disconnected': endDisplay,
  'link.revoked': ending(revokeLink),
  'template.removed': endingBy('key', (deps, key, input) => removeTemplate(deps, { key, ...input })),
  'transaction_type.removed': endingBy('type', (deps, type, { realm }) => removeType(deps, { realm, type, actor })),
  'webhook_secret.rotated': endWebhookSecret,
  'webhook_secret.old_ended': endWebhookSecret,
  'endpoint.removed': ending(removeEndpoint),
  'anchor.removed': ending(removeAnchor),
  'trust_list.removed': endList,
  'certificate.withdrawn': ending(withdrawOwnKey),
  'registration.removed': ending(removeRegistration),
  'origin.unproven': endOriginProof,
  'origin.removed': ending(removeOrigin),
  'result_key.removed': ending(removeResultKey),
  'evidence.delivered': destroyBundle,
  'client.removed': ending(removeClient),
  'user.invited': endInvitation,
  'user.invitation_withdrawn': endInvitation,
  'user.joined': endInvitation,
  'user.role_changed': lowerRole,
  'user.removed': ending((deps, { realm, id }) => removeMember(deps, { ...realm, personId: id, actor })),
  'user.forgotten': async (deps, { realm, at, removed, fork: end }) =>
    (await forgetRestoredStaff(deps, realm, { end, actor, at, removed })) ? 'ended' : 'unknown',
  'user.password_changed': endSignIns('user.password_changed'),
  'user.sign_ins_replaced': endSignIns('user.sign_ins_replaced'),
}
