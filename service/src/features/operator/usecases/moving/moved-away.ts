// The audit entry that a tenant has moved away. After a restore, it closes the tenant again.

import type { Deps } from '../../../../deps.ts'
import type { Tx } from '../../../../platform/postgres/db.ts'
import { instantOf } from '../../../../platform/world.ts'
import { MOVED_AWAY } from '../../../audit/index.ts'
import { repeatHandOver } from '../../store/closings.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

/** The address is the object of the entry, because details can be erased. */
export function handOverTo({ clock, audit }: Pick<Needs, 'clock' | 'audit'>, tenantId: string, to: string) {
  const at = instantOf(clock.now())
  const actor = { type: 'operator', id: 'cli' } as const
  const object = { type: 'installation', id: to }
  const record = (tx: Tx) => audit.recordOnBoth(tx, tenantId, { now: at, action: MOVED_AWAY, actor, object })
  return { to, at, record }
}

/** Closes a moved tenant again after a restore. Can be repeated. */
export const closeMovedAway = (deps: Needs, tenantId: string, to: string): Promise<void> =>
  repeatHandOver(deps.db, tenantId, handOverTo(deps, tenantId, to))
