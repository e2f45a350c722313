// The audit trail's interface for use cases. Recording is the last step of a transaction.

import type { AuditEvent } from '../../../core/ports/audit.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { SecretKeys } from '../../../platform/seal/seal.ts'
import { ENVIRONMENTS, type Environment, type Instant, type Random } from '../../../platform/world.ts'
import { createHeadMacs, type HeadMacs, headKey } from '../domain/head-macs.ts'
import { createRememberedHeads, type RememberedHeads } from '../domain/remembered-heads.ts'
import {
  beginTrail,
  insertEntries,
  joinEntries,
  type LockedTrail,
  lockTrail,
  lockTrails,
  makeEntries,
  type NewEntries,
} from '../store/chain.ts'

type TimedEvent = AuditEvent & { readonly now: Instant }

interface NewEvents {
  readonly now: Instant
  readonly events: readonly AuditEvent[]
}

export interface Audit {
  /** Records one entry. Events without a tenant are the operator's own and are not recorded. */
  record(tx: Tx, owner: EventOwner, event: TimedEvent): Promise<void>
  /** Records several entries of one realm. Returns the time of each, in order. */
  recordAll(tx: Tx, realm: Realm, input: NewEvents): Promise<Instant[]>
  /** Records one entry in each of these realms, which must be distinct. */
  recordEach<Owner extends Realm>(
    tx: Tx,
    realms: readonly Owner[],
    input: { readonly now: Instant; readonly eventOf: (realm: Owner) => AuditEvent },
  ): Promise<void>
  /** Records an event of the tenant as a whole in both of its environments. */
  recordOnBoth(tx: Tx, tenantId: string, event: TimedEvent): Promise<void>
  /** Records the first entry of a new tenant, in both of its environments. */
  begin(tx: Tx, tenantId: string, event: TimedEvent): Promise<void>
  /** Blocks other writers of this realm until the transaction ends, so that no count becomes outdated. */
  lock(tx: Tx, realm: Realm, now: Instant): Promise<LockedTrail>
  /** Creates the entries for `write`. */
  prepare(trail: LockedTrail, input: NewEvents): NewEntries
  write(tx: Tx, entries: NewEntries): Promise<void>
  /** Only for use inside `features/audit`. */
  readonly macs: HeadMacs
  /** Only for use inside `features/audit`. */
  readonly remembered: RememberedHeads
}

interface EventOwner {
  readonly tenantId: string | null
  readonly environment: Environment
}

interface AuditNeeds {
  readonly random: Random
  readonly derivedKeys: Pick<SecretKeys, 'derive'>
}

export function createAudit({ random, derivedKeys }: AuditNeeds): Audit {
  const macs = createHeadMacs(headKey(derivedKeys))
  const prepare: Audit['prepare'] = (trail, input) => makeEntries(trail, { ...input, random, macs })
  const recordAll: Audit['recordAll'] = async (tx, realm, input) => {
    const appended = prepare(await lockTrail(tx, realm, input.now), input)
    await insertEntries(tx, appended)
    return appended.entries.map(({ at }) => at)
  }
  const record: Audit['record'] = async (tx, { tenantId, environment }, { now, ...event }) => {
    if (tenantId !== null) await recordAll(tx, { tenantId, environment }, { now, events: [event] })
  }
  return {
    record,
    recordAll,
    prepare,
    macs,
    remembered: createRememberedHeads(),
    async recordEach(tx, realms, { now, eventOf }) {
      const trails = await lockTrails(tx, realms, now)
      const added = realms.map((realm) => {
        const trail = trails.get(realmName(realm))
        if (trail === undefined) throw new Error('bug: the audit trail of a realm is not locked')
        return prepare(trail, { now, events: [eventOf(realm)] })
      })
      await insertEntries(tx, joinEntries(added))
    },
    async recordOnBoth(tx, tenantId, event) {
      for (const environment of ENVIRONMENTS) await record(tx, { tenantId, environment }, event)
    },
    async begin(tx, tenantId, { now, ...event }) {
      for (const environment of ENVIRONMENTS)
        await beginTrail(tx, { tenantId, environment }, { now, events: [event], random, macs })
    },
    lock: lockTrail,
    write: insertEntries,
  }
}
