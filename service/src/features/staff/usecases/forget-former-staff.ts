// Deletes addresses of former staff from audit trails, and accounts that no tenant uses, some days after they left.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { type Instant, instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { nameEntries, WITH_ADDRESS } from '../../audit/index.ts'
import {
  deleteAccount,
  type Forgetting,
  findLeftAccountsAcrossTenants,
  findRealmsWithFormerStaffAcrossTenants,
  forgetAddresses,
  lockLeftAccount,
} from '../store/former-staff.ts'
import { lockAddress } from '../store/people.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

/** Longer than an invitation is open, so `restore check` needs no address that is gone. */
const KEPT_MS = 7 * 86_400_000
/** Limits the size of an entry that names others. */
const ENTRIES_MAX = 1_000
const ACCOUNTS_MAX = 10_000

export async function forgetFormerStaff(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  const nowMs = deps.clock.now()
  const before = instantOf(nowMs - KEPT_MS)
  for (const realm of await findRealmsWithFormerStaffAcrossTenants(deps.db, instantOf(nowMs))) {
    stopped.throwIfAborted()
    await forgetAddressesOf(deps, realm, { before, end: null, actor: { type: 'system', id: 'staff' } })
  }
  await deleteLeftAccounts(deps, before, stopped)
}

/**
 * For a restored store: at once, because the days have passed, but only the entries of the backup. Returns false if there
 * was nothing to forget.
 */
export async function forgetRestoredStaff(
  deps: Needs,
  realm: Realm,
  { end, actor }: { readonly end: number; readonly actor: AuditActor },
): Promise<boolean> {
  const forgotten = await forgetAddressesOf(deps, realm, { before: null, end, actor })
  return (await deleteLeftAccounts(deps, null, NEVER_STOPPED)) + forgotten > 0
}

async function forgetAddressesOf(
  deps: Needs,
  realm: Realm,
  { actor, ...bounds }: Pick<Forgetting, 'before' | 'end'> & { readonly actor: AuditActor },
): Promise<number> {
  const now = instantOf(deps.clock.now())
  const forgetting = { now, ...bounds, actions: WITH_ADDRESS, rowsMax: ENTRIES_MAX }
  const object = { type: 'tenant', id: realm.tenantId }
  const forgotten = await deps.db.transaction(async (tx) => {
    const entries = await forgetAddresses(tx, realm, forgetting)
    const details = { entries: nameEntries(entries) }
    if (entries.length > 0)
      await deps.audit.record(tx, realm, { now, action: 'user.forgotten', actor, object, details })
    return entries.length
  })
  return forgotten < ENTRIES_MAX ? forgotten : forgotten + (await forgetAddressesOf(deps, realm, { actor, ...bounds }))
}

async function deleteLeftAccounts(deps: Needs, before: Instant | null, stopped: AbortSignal): Promise<number> {
  const left = await findLeftAccountsAcrossTenants(deps.db, before, ACCOUNTS_MAX)
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
