// Looks up verifications by id: first in the tenant that the id contains, then in all tenants.

import { type Route, type RouteKeys, routeOf } from '../verification-id.ts'
import type { Column } from './statement.ts'

export interface RoutedId extends Route {
  readonly id: string
}

/** The columns for the rows of such a statement. */
export const ROUTED_ID: readonly Column<RoutedId>[] = [
  { name: 'id', type: 'text', get: ({ id }) => id },
  { name: 'tenant_id', type: 'text', get: ({ tenantId }) => tenantId },
]

interface Finders<Found> {
  inTenants(ids: readonly RoutedId[]): Promise<readonly Found[]>
  acrossTenants(ids: readonly string[]): Promise<readonly Found[]>
}

/**
 * An id of an earlier release may contain a tenant by chance. So ids that are not found there are looked up in all
 * tenants. If two rows have the same id, neither is returned, because the right one is unknown.
 */
export async function findByIds<Found extends { readonly id: string }>(
  keys: RouteKeys,
  ids: readonly string[],
  finders: Finders<Found>,
): Promise<Found[]> {
  const wanted = [...new Set(ids)]
  const routed = wanted.flatMap((id) => {
    const route = routeOf(keys, id)
    return route === null ? [] : [{ id, ...route }]
  })
  const found = routed.length === 0 ? [] : await finders.inTenants(routed)
  const known = new Set(found.map(({ id }) => id))
  const others = wanted.filter((id) => !known.has(id))
  const rest = others.length === 0 ? [] : await finders.acrossTenants(others)
  const all = [...found, ...rest]
  const counts = Map.groupBy(all, ({ id }) => id)
  return all.filter(({ id }) => counts.get(id)?.length === 1)
}

/** Like `findByIds`, for one id. */
export async function findById<Found>(
  keys: RouteKeys,
  id: string,
  finders: {
    inTenant(route: Route): Promise<readonly Found[]>
    acrossTenants(): Promise<readonly Found[]>
  },
): Promise<Found | null> {
  const route = routeOf(keys, id)
  const there = route === null ? [] : await finders.inTenant(route)
  const [first, ...more] = there.length > 0 ? there : await finders.acrossTenants()
  return first === undefined || more.length > 0 ? null : first
}
