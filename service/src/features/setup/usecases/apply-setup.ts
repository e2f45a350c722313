// Applies a plan. After a failure, completed changes stay, and a second run makes the remaining ones.

import type { OwnerPlan } from './plan-setup.ts'
import type { NewKey, PlannedChange, SetupDeps } from './planned-change.ts'

/** Tenants are changed in parallel, but the changes of one tenant run in order. */
const TENANTS_AT_ONCE = 4

export interface Applied {
  readonly owner: string | null
  readonly tenantId: string | null
  readonly change: PlannedChange
}

export interface Application {
  readonly done: readonly Applied[]
  /** The problem that stopped the run; null if there was none. */
  readonly failure: (Pick<Applied, 'owner' | 'change'> & { readonly error: unknown }) | null
}

/** `onKey` is awaited for each key before the next change, because a key cannot be read again. */
export async function applySetup(
  deps: SetupDeps,
  owners: readonly OwnerPlan[],
  onKey: (key: NewKey & { readonly owner: string }) => Promise<void>,
): Promise<Application> {
  const state: { done: Applied[]; failure: Application['failure'] } = { done: [], failure: null }
  const applyAll = async (waiting: Iterator<OwnerPlan>) => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const { name: owner, changes } = next.value
      let { tenantId } = next.value
      for (const change of changes) {
        if (state.failure !== null) return
        try {
          const carried = await change.carryOut(deps, tenantId)
          tenantId = carried.tenantId ?? tenantId
          state.done.push({ owner, tenantId, change })
          if (carried.newKey !== undefined) await onKey({ ...carried.newKey, owner: owner ?? '' })
        } catch (error) {
          state.failure ??= { owner, change, error }
        }
      }
    }
  }
  // The operator's changes come first, because they decide what tenants can trust.
  await applyAll(owners.filter(({ name }) => name === null).values())
  const tenants = owners.filter(({ name }) => name !== null).values()
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, () => applyAll(tenants)))
  return state
}
