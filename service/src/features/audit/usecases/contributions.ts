// Adds an audit entry to each creation and each ending of a verification, and deletes the details of erased ones.

import type { AuditEvent } from '../../../core/ports/audit.ts'
import type { Registration } from '../../../core/registrations/domain/registration.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { LockMissing, type TenantLock } from '../../../core/verifications/store/tenant-lock.ts'
import {
  ENDED_AT,
  type EndedAnswer,
  type EndingContribution,
} from '../../../core/verifications/usecases/answering/contributions.ts'
import { CREATED_AT, type CreationContribution } from '../../../core/verifications/usecases/asking/contributions.ts'
import type { Draft } from '../../../core/verifications/usecases/asking/draft.ts'
import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { SINGLY } from '../../../platform/postgres/days.ts'
import { type KeyedRows, partOf, rowKey } from '../../../platform/postgres/fragments.ts'
import type { Instant } from '../../../platform/world.ts'
import type { AuditEntry } from '../domain/entry.ts'
import {
  APPENDING,
  ensureTrail,
  joinEntries,
  type LockedTrail,
  lockingTrails,
  type NewEntries,
  trailColumns,
  trailOf,
  trailsUnchanged,
} from '../store/chain.ts'
import { eraseDetails } from '../store/trail.ts'
import type { Audit } from './audit.ts'

const TRAILS = rowKey<ReadonlyMap<string, LockedTrail>>('locked audit trails')
const APPENDED = rowKey<NewEntries>('audit entries')

/** The entries of ended verifications, by the verification's id. */
export const ENTRIES = rowKey<ReadonlyMap<string, AuditEntry>>('audit entries by verification')

const LOCK_NAME = 'trails'

function lockOf({ remembered }: Audit): TenantLock {
  const lock: TenantLock = {
    name: LOCK_NAME,
    query: lockingTrails,
    columns: trailColumns(LOCK_NAME),
    read(locked, keyedRows) {
      const trails = new Map<string, LockedTrail>()
      for (const { realm, row } of locked) {
        const trail = trailOf(realm, row)
        if (trail === null) throw new LockMissing(lock)
        if (!trails.has(realmName(realm))) remembered.compare(realm, trail.head)
        trails.set(realmName(realm), trail)
      }
      keyedRows.put(TRAILS, trails)
    },
    ensure: ensureTrail,
    memory: {
      recall(realms, keyedRows) {
        const trails = new Map<string, LockedTrail>()
        for (const realm of realms) {
          const head = remembered.recall(realm)
          if (head === null) return false
          trails.set(realmName(realm), { realm, head })
        }
        keyedRows.put(TRAILS, trails)
        return true
      },
      unchanged: (parameters) =>
        trailsUnchanged(LOCK_NAME, parameters, (keyedRows) => [...keyedRows.get(TRAILS).values()]),
      remember(keyedRows) {
        for (const { last, mac } of keyedRows.get(APPENDED).heads) {
          const { seq, hash, at } = last
          remembered.remember(last.realm, { seq, hash, at, mac })
        }
      },
      forget(realms) {
        for (const realm of realms) remembered.forget(realm)
      },
    },
  }
  return lock
}

export const auditEnding = (audit: Audit): EndingContribution => ({
  name: 'audit',
  lock: lockOf(audit),
  last: partOf(APPENDED, APPENDING),
  collect(ended, { now, keyedRows }) {
    const realms = Map.groupBy(ended, ({ realm }) => realmName(realm))
    const groups = [...realms.values()].flatMap((of) => of.slice(0, 1).map(({ realm }) => ({ realm, of })))
    const entries = append(audit, { now, keyedRows }, groups, endedEvent)
    keyedRows.put(ENTRIES, new Map([...entries].map(([{ verification }, entry]) => [verification.id, entry])))
    keyedRows.put(ENDED_AT, new Map([...entries].map(([{ verification }, { at }]) => [verification.id, at])))
    return true
  },
})

export const auditCreation = (audit: Audit): CreationContribution => ({
  name: 'audit',
  lock: lockOf(audit),
  part: partOf(APPENDED, APPENDING),
  collect(admitted, { now, keyedRows }) {
    const groups = admitted.map(({ realm, drafts }) => ({ realm, of: drafts }))
    const days = new Map(admitted.flatMap(({ drafts, dayOf }) => drafts.map((draft) => [draft, dayOf(draft)])))
    const entries = append(audit, { now, keyedRows }, groups, (draft) => ({
      ...createdEvent(draft),
      day: days.get(draft) ?? SINGLY,
    }))
    keyedRows.put(CREATED_AT, new Map([...entries].map(([draft, { at }]) => [draft, at])))
  },
})

/** Adds the rows that the statement appends, and returns the entry of each item. */
function append<Item>(
  audit: Audit,
  { now, keyedRows }: { readonly now: Instant; readonly keyedRows: KeyedRows },
  groups: readonly { readonly realm: Realm; readonly of: readonly Item[] }[],
  eventOf: (item: Item) => AuditEvent,
): ReadonlyMap<Item, AuditEntry> {
  const trails = keyedRows.get(TRAILS)
  const entries = new Map<Item, AuditEntry>()
  const appended = groups.map(({ realm, of }) => {
    const trail = trails.get(realmName(realm))
    if (trail === undefined) throw new Error('bug: the audit trail of a realm is not locked')
    const prepared = audit.prepare(trail, { now, events: of.map(eventOf) })
    for (const [i, entry] of prepared.entries.entries()) {
      const item = of[i]
      if (item !== undefined) entries.set(item, entry)
    }
    return prepared
  })
  keyedRows.put(APPENDED, joinEntries(appended))
  return entries
}

const endedEvent = ({ verification, outcome }: EndedAnswer): AuditEvent => ({
  action: outcome === 'completed' ? 'verification.completed' : 'verification.failed',
  actor: { type: 'wallet', id: 'wallet' },
  object: { type: 'verification', id: verification.id },
})

/** `details` can be erased later. The action, the actor and the time stay. */
function createdEvent(draft: Draft): AuditEvent {
  return {
    action: 'verification.created',
    actor: draft.actor,
    object: { type: 'verification', id: draft.id },
    ...(draft.registration === null ? {} : { registration: draft.registration.hash }),
    details: {
      template: draft.template,
      purpose: draft.purpose,
      ...draft.actorDetails,
      ...(draft.registration === null ? {} : registrationDetails(draft.registration)),
      ...agreementIn(draft),
    },
  }
}

/** Only the types: an amount could be guessed from a hash, and details outlive forgetting. The receipt has the hash, salted. */
const agreementIn = ({ transaction }: Draft) =>
  transaction.length === 0 ? {} : { transaction: transaction.map(({ type }) => ({ type })) }

const registrationDetails = ({ intendedUse, hash }: Registration) => ({ intended_use: intendedUse, registration: hash })

/** Details of a lapsed day are dropped with its partition. */
export const auditForgetting: ForgettingContribution = {
  name: 'audit details',
  async forgetDerived(tx, realm, ids) {
    await eraseDetails(tx, realm, ids)
    return {}
  },
}
