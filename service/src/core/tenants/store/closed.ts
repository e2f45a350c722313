// Provides parts of statements that say whether this installation serves a tenant, by the store's clock.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Closed } from '../domain/closed.ts'

/** A column for `requireServed`, from a row of `tenants`. */
export const closedColumn = (alias: string) =>
  `case when ${alias}.closed_until > clock_timestamp() then coalesce(${alias}.moved_to, '') end`

/** A condition on a row of `tenants` or of its trails. */
export const isOpen = (alias: string) => `(${alias}.closed_until is null or ${alias}.closed_until <= clock_timestamp())`

/** A condition for jobs, which skip tenants that are not served here. */
export const isOfServedTenant = (alias: string) =>
  `not exists (select from tenants closed where closed.id = ${alias}.tenant_id and closed.closed_until > clock_timestamp())`

export async function loadClosed(tx: Tx, tenantId: string): Promise<Closed> {
  const [row] = await tx.query<{ closed: Closed }>(
    { name: 'load_closed', text: `select ${closedColumn('t')} as closed from tenants t where t.id = $1` },
    [tenantId],
  )
  return row?.closed ?? null
}
