// The entry that a tenant has moved away, on the trails of the installation that it has left. A backup from before the move has the
// tenant open: an export with this entry closes it again.

import type { Deps } from '../../../../deps.ts'
import type { Tx } from '../../../../platform/postgres/db.ts'
import { instantOf } from '../../../../platform/world.ts'
import { closeAway } from '../../store/closings.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

export const MOVED_AWAY = 'tenant.moved_away'

/** The address is the entry's object: unlike details it stays. */
export function awayTo({ clock, audit }: Pick<Needs, 'clock' | 'audit'>, tenantId: string, to: string) {
  const at = instantOf(clock.now())
  const actor = { type: 'operator', id: 'cli' } as const
  const object = { type: 'installation', id: to }
  const record = (tx: Tx) => audit.recordOnBoth(tx, tenantId, { now: at, action: MOVED_AWAY, actor, object })
  return { to, at, record }
}

/** After a restore. Repeating it is safe. */
export const closeMovedAway = (deps: Needs, tenantId: string, to: string): Promise<void> =>
  closeAway(deps.db, tenantId, awayTo(deps, tenantId, to))
