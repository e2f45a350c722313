// Reads the progress of verifications by their ids. The id is the capability.

import { inDays, SINGLY, toDays } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { findByIds, ROUTED_ID, type RoutedId } from '../../../platform/postgres/routed.ts'
import { dayParameters, defineStatement, runStatement, unnestIds } from '../../../platform/postgres/statement.ts'
import type { BoundBy } from '../domain/browser-binding.ts'
import type { StoredProgress } from '../domain/progress.ts'

export interface FoundProgress extends StoredProgress {
  readonly id: string
  readonly boundBy: BoundBy | null
}

const COLUMNS = `v.id, v.status as state, v.expires_at as "expiresAt", v.request_fetched_at as "requestFetchedAt",
  v.bound_by as "boundBy", r.error_code as "errorCode"`

const fromDays = (
  inDay: (column: string) => string,
) => `cross join lateral (select * from verifications where id = wanted.id and ${inDay('day')} offset 0) v
  left join verification_results r
    on r.verification_id = v.id and r.tenant_id = v.tenant_id and r.environment = v.environment and ${inDay('r.day')}`

const LOAD = defineStatement<readonly RoutedId[]>('load_progress', (parameters) => {
  const input = parameters.rows(ROUTED_ID, (ids) => ids)
  const days = dayParameters(parameters, (ids) => ids.map(({ day }) => day))
  const from = fromDays((column) => inDays(column, days))
  return `select ${COLUMNS} from ${input.unnest('wanted')} ${from}
    where v.tenant_id = wanted.tenant_id`
})
const LOAD_ACROSS_TENANTS = {
  name: 'load_progress_across_tenants',
  text: `select ${COLUMNS} from ${unnestIds('$1', 'wanted')} ${fromDays((column) => `${column} = ${SINGLY}`)}`,
}

/** Those of these ids that exist, in any order. */
export async function loadProgressAcrossTenants(tx: Tx, ids: readonly string[]): Promise<FoundProgress[]> {
  return findByIds<FoundProgress>(tx.sealer, ids, {
    inTenants: (routed) => runStatement(tx, LOAD, routed),
    acrossTenants: (others) => tx.query(toDays(LOAD_ACROSS_TENANTS, [SINGLY]), [others]),
  })
}
