// Deletes addresses of former staff from audit trails, and accounts that no tenant uses, some days after they left.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { isStoreGone } from '../../../platform/postgres/connection.ts'
import { type Instant, instantOf, millisecondsOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { nameEntries, WITH_ADDRESS } from '../../audit/index.ts'
import {
  deleteAccount,
  findLeftAccountsAcrossTenants,
  forgetAddresses,
  listAddressesBefore,
  listServedRealmsAcrossTenants,
  lockLeftAccount,
  type Removals,
} from '../store/former-staff.ts'
import { lockAddress } from '../store/people.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

/** Longer than an invitation is open, so `restore check` needs no address that is gone. */
const KEPT_MS = 7 * 86_400_000
/** Limits a step, and the size of an entry that names others. */
const ENTRIES_MAX = 1_000
const ACCOUNTS_MAX = 10_000
/** How many addresses a trail may name within the days. They are held in memory. */
const RECENT_MAX = 100_000

/** An error of one trail, or of the accounts, must not stop the others. The run fails after them. */
export async function forgetFormerStaff(
  deps: Needs & Pick<Deps, 'log'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const before = instantOf(deps.clock.now() - KEPT_MS)
  const failed: string[] = []
  const alone = async (what: string, fields: { readonly tenant?: string }, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      stopped.throwIfAborted()
      if (isStoreGone(error)) throw error
      deps.log.fault(`${what} were not deleted`, error, fields)
      failed.push(what)
    }
  }
  await alone('accounts of former staff', {}, () => deleteLeftAccounts(deps, { except: null, stopped }))
  for (const realm of await listServedRealmsAcrossTenants(deps.db)) {
    const forgetting = { before, end: null, actor: { type: 'system', id: 'staff' }, stopped } as const
    await alone('addresses of former staff', { tenant: realm.tenantId }, () =>
      forgetAddressesOf(deps, realm, forgetting),
    )
  }
  if (failed.length > 0) throw new Error(`${new Set(failed).values().next().value} were not deleted: see the log`)
}

interface RestoredForgetting {
  readonly end: number
  readonly actor: AuditActor
  /** When the export says that they were forgotten. */
  readonly at: string
  /** People whom the export says were removed, and when. */
  readonly removed: ReadonlyMap<string, string>
}

/**
 * For a restored store: only the entries of the backup, and of them and of accounts only those whose days had passed in
 * the export, or have passed here. Returns false if there was nothing to forget.
 */
export async function forgetRestoredStaff(
  deps: Needs,
  realm: Realm,
  { end, actor, at, removed }: RestoredForgetting,
): Promise<boolean> {
  const stopped = NEVER_STOPPED
  const due = instantOf(millisecondsOf(at) - KEPT_MS)
  const forgotten = await forgetAddressesOf(deps, realm, { before: due, end, actor, stopped })
  const people = [...removed].filter(([, since]) => since <= due).map(([id]) => id)
  const except = { tenantId: realm.tenantId, people }
  return (await deleteLeftAccounts(deps, { except, stopped })) + forgotten > 0
}

interface Forgetting {
  /** Only addresses that no later entry names. */
  readonly before: Instant
  /** Only entries before this one; null: all. */
  readonly end: number | null
  readonly actor: AuditActor
  readonly stopped: AbortSignal
}

/** Reads the trail from its end, so the later entries are known at each step. */
async function forgetAddressesOf(deps: Needs, realm: Realm, forgetting: Forgetting): Promise<number> {
  const { before, actor, stopped } = forgetting
  const recent = new Set<string>()
  let count = 0
  for (let end: number | null = forgetting.end ?? Number.MAX_SAFE_INTEGER; end !== null; ) {
    stopped.throwIfAborted()
    const step = await listAddressesBefore(deps.db, realm, end, ENTRIES_MAX)
    const due: number[] = []
    for (const { seq, email, action, at } of step) {
      if (at > before) recent.add(email)
      else if (WITH_ADDRESS.includes(action) && !recent.has(email)) due.push(seq)
    }
    if (recent.size > RECENT_MAX) throw new Error('the trail named too many addresses in the last days')
    count += due.length === 0 ? 0 : await forgetEntries(deps, realm, { entries: due, actor })
    end = step.length < ENTRIES_MAX ? null : (step.at(-1)?.seq ?? null)
  }
  return count
}

/** Returns how many of the entries had an address of former staff. */
async function forgetEntries(
  deps: Needs,
  realm: Realm,
  { entries, actor }: { readonly entries: readonly number[]; readonly actor: AuditActor },
): Promise<number> {
  const now = instantOf(deps.clock.now())
  const object = { type: 'tenant', id: realm.tenantId }
  return deps.db.transaction(async (tx) => {
    const forgotten = await forgetAddresses(tx, realm, { now, entries })
    const details = { entries: nameEntries(forgotten) }
    if (forgotten.length > 0)
      await deps.audit.record(tx, realm, { now, action: 'user.forgotten', actor, object, details })
    return forgotten.length
  })
}

async function deleteLeftAccounts(
  deps: Needs,
  { except, stopped }: { readonly except: Removals | null; readonly stopped: AbortSignal },
): Promise<number> {
  const before = instantOf(deps.clock.now() - KEPT_MS)
  const left = await findLeftAccountsAcrossTenants(deps.db, { before, except, max: ACCOUNTS_MAX })
  for (const { id, email } of left) {
    stopped.throwIfAborted()
    await deps.db.transaction(async (tx) => {
      // Lock order for all callers: the address, its links, its accounts.
      await lockAddress(tx, email)
      if (await lockLeftAccount(tx, id)) await deleteAccount(tx, id)
    })
  }
  return left.length
}
