// Renders a plan as lines with + ~ - for people, and as JSON for programs.

import type { SetupPath } from '../domain/setup.ts'
import type { OwnerPlan, SetupPlan } from '../usecases/plan-setup.ts'
import type { PlannedChange } from '../usecases/planned-change.ts'

/** Writes a path such as `tenants[3].test.keys[0].scopes`. */
export function shownPath(path: SetupPath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${part}`)).join('')
}

type Counts = Readonly<Record<PlannedChange['action'], number>>

export function countsOf(owners: readonly Pick<OwnerPlan, 'changes'>[]): Counts {
  const counts = { add: 0, change: 0, remove: 0 }
  for (const { changes } of owners) for (const { action } of changes) counts[action] += 1
  return counts
}

const SIGNS: Readonly<Record<PlannedChange['action'], string>> = { add: '+', change: '~', remove: '-' }

/** Writes a heading for each owner and lists its changes below. `only` limits the list to one kind of action. */
export function renderChanges(owners: readonly OwnerPlan[], only: PlannedChange['action'] | null = null): string {
  let before: string | null | undefined
  return owners
    .flatMap(({ name, tenantId, changes }) => {
      const shown = changes.filter(({ action }) => only === null || action === only)
      if (shown.length === 0) return []
      const heading = name === before ? [] : [name === null ? 'the service' : `${name} (${tenantId ?? 'new'})`]
      before = name
      return [...heading, ...shown.map(renderChange)]
    })
    .map((line) => `${line}\n`)
    .join('')
}

function renderChange({ action, what, environment, name, details }: PlannedChange): string {
  const about = what === 'tenant' || what === 'settings' ? '' : ` ${name}`
  const realm = environment === null ? '' : `${environment} `
  return `  ${SIGNS[action]} ${realm}${what}${about}${details === '' ? '' : `: ${details}`}`
}

/** `verb` is "to be " for planned changes, and empty for completed ones. */
export function renderCounts({ owners, tenants }: SetupPlan, verb: string): string {
  const { add, change, remove } = countsOf(owners)
  if (add + change + remove === 0) return `Nothing to change: ${tenants} tenants match the file.`
  return `${add} ${verb}added, ${change} ${verb}changed, ${remove} ${verb}removed; ${tenants} tenants in the file.`
}

export function renderPlan({ owners, tenants }: SetupPlan) {
  const changes = owners.flatMap(({ name, tenantId, changes: some }) =>
    some.map(({ action, what, environment, name: which, details }) => ({
      tenant: name,
      tenant_id: tenantId,
      action,
      what,
      environment,
      name: which,
      details,
    })),
  )
  return { ...countsOf(owners), tenants, changes }
}
