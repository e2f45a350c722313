// Chooses the daily partitions that a statement reads. The id of a verification contains its day.

import { type RouteKeys, routeOf } from '../verification-id.ts'

/** For rows that are deleted one by one: with long retention, from earlier releases or other installations. */
export const SINGLY = 0

/** Rows that are kept for more days go to SINGLY. Each day is a partition, and lists and jobs read all partitions. */
export const DAYS_KEPT_MAX = 45

export const DAY_MS = 86_400_000

/** In days since 1970 (UTC). */
export const dayAt = (ms: number): number => Math.floor(ms / DAY_MS)

export interface Days {
  readonly from: number
  readonly to: number
  /** A further day: SINGLY, or `from` again. */
  readonly also: number
}

/** In days since 1970 (UTC); SINGLY if the id contains no day. The row is in the partition of its day or of SINGLY. */
export const dayOf = (keys: RouteKeys, id: string): number => routeOf(keys, id)?.day ?? SINGLY

/** The day of a new row. SINGLY if the id does not contain the tenant, because such ids are looked up there. */
export function dayForTenant(keys: RouteKeys, tenantId: string, id: string): number {
  const route = routeOf(keys, id)
  return route?.tenantId === tenantId ? route.day : SINGLY
}

/** All partitions that rows with these ids can be in. */
export const daysOf = (keys: RouteKeys, ids: readonly string[]): number[] => [
  ...ids.map((id) => dayOf(keys, id)),
  SINGLY,
]

/** The possible days of verifications that began within the last hours, by the clock of any process. */
export const daysAround = (nowMs: number): number[] => [dayAt(nowMs) - 1, dayAt(nowMs) + 1, SINGLY]

/** The statement for rows of these days. If all have the same day, the statement uses the tables of that day. */
export function toDays<Statement extends object>(
  statement: Statement,
  days: readonly number[] | undefined,
): Statement & { readonly day?: number } {
  if (days === undefined) return statement
  const [day = SINGLY] = days
  return days.every((one) => one === day) ? { ...statement, day } : statement
}

/** The range from the first to the last of these days. */
export function rangeOf(days: readonly number[]): Days {
  const named = days.filter((day) => day !== SINGLY)
  const [from, to] = named.length === 0 ? [SINGLY, SINGLY] : [Math.min(...named), Math.max(...named)]
  return { from, to, also: named.length === days.length ? from : SINGLY }
}

export interface DayTexts {
  readonly from: string
  readonly to: string
  readonly also?: string
}

/**
 * A condition that makes PostgreSQL open only the partitions of these days. Compares the column with parameters: values
 * that are computed while the statement runs come too late, because all partitions are open then.
 */
export const inDays = (column: string, { from, to, also }: DayTexts): string =>
  `(${column} = ${also === undefined ? SINGLY : hidden(also)} or ${column} between ${hidden(from)} and ${hidden(to)})`

/** Like `inDays`, for a statement that is planned at each call. */
export const inKnownDays = (column: string, { from, to }: Pick<DayTexts, 'from' | 'to'>): string =>
  `(${column} = ${SINGLY} or ${column} between ${from}::int and ${to}::int)`

/** For SINGLY and one day, in a statement that is planned at each call. A cached plan would lock all partitions. */
export const inDay = (column: string, parameter: string): string =>
  `(${column} = ${SINGLY} or ${column} = ${parameter}::int)`

/** The first four parameters of a statement for one verification: its realm, its id, and its day for `inDay`. */
export const keyOf = (
  keys: RouteKeys,
  { tenantId, environment }: { readonly tenantId: string; readonly environment: string },
  id: string,
): readonly [string, string, string, number] => [tenantId, environment, id, dayOf(keys, id)]

/** For one day without SINGLY. */
export const isDay = (column: string, parameter: string): string => `${column} = ${hidden(parameter)}`

/**
 * Hides the value from the planner. A plan for known days would look cheaper than a generic plan, so PostgreSQL would
 * plan every call.
 */
const hidden = (parameter: string) => `${parameter}::int${HIDING}`
const HIDING = ' + (now() is null)::int'

/** The text of a statement that is planned for the days of one call. */
export const withKnownDays = (text: string): string => text.replaceAll(HIDING, '')

/**
 * Selects and locks one verification, for a statement that inserts a row for it and is planned at each call. So an
 * erasure waits for the row, or the row is not inserted. Tables whose partitions are dropped allow no foreign key.
 */
export const lockedVerification = (named: {
  readonly tenant: string
  readonly id: string
  readonly day: string
}): string =>
  `select v.id from verifications v where v.id = ${named.id} and v.tenant_id = ${named.tenant} and ${inDay('v.day', named.day)} for key share`

/** Verifications of a lapsed day whose derived rows are deleted. Such a day's table no longer changes. */
export interface Lapsed {
  readonly day: number
  /** A page of the day's table: its first block, and its last plus one. null: all verifications with derived rows. */
  readonly blocks: readonly [number, number] | null
}

/**
 * Selects `tenant_id`, `id` and `status` for the parameters $1 to $3, from tables with `tenant_id` and
 * `verification_id`. For statements that are planned at each call: the plan then leaves out one of the two parts.
 */
export const lapsedOf = (...derivedTables: readonly string[]): string =>
  `select * from (
     select tenant_id, id, status from lapsed_verifications where day = $1 and ctid >= $2::tid and ctid < $3::tid
     union all
     select v.* from (${derivedTables.map((table) => `select tenant_id, verification_id from ${table}`).join(' union ')}) named
     cross join lateral (
       select l.tenant_id, l.id, l.status from lapsed_verifications l
       where l.day = $1 and l.id = named.verification_id and l.tenant_id = named.tenant_id limit 1) v
     where $2::tid is null) lapsed offset 0`

export const lapsedValues = ({ day, blocks }: Lapsed): [number, string | null, string | null] => [
  day,
  blocks && `(${blocks[0]},0)`,
  blocks && `(${blocks[1]},0)`,
]
