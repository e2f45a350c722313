// Tables with a partition per day: which of them a statement reads. The id of a verification names its day.

import { type RouteKeys, routeOf } from '../verification-id.ts'

/** Rows that are deleted one by one: of earlier releases, of another installation, or kept for long. */
export const SINGLY = 0

/** Longer ones are deleted one by one: each day kept is a partition, and lists and jobs look at all of them. */
export const DAYS_KEPT_MAX = 45

export const DAY_MS = 86_400_000

/** In days since 1970 (UTC). */
export const dayAt = (ms: number): number => Math.floor(ms / DAY_MS)

export interface Days {
  readonly from: number
  readonly to: number
  /** SINGLY, or one of the others. */
  readonly also: number
}

/** In days since 1970 (UTC); SINGLY if the id names none. A row is in the partition of its day or in that of SINGLY. */
export const dayOf = (keys: RouteKeys, id: string): number => routeOf(keys, id)?.day ?? SINGLY

/** For a new row: one whose id does not name its tenant is where ids without a route are looked up. */
export function dayForTenant(keys: RouteKeys, tenantId: string, id: string): number {
  const route = routeOf(keys, id)
  return route?.tenantId === tenantId ? route.day : SINGLY
}

/** All partitions that rows with these ids can be in. */
export const daysOf = (keys: RouteKeys, ids: readonly string[]): number[] => [
  ...ids.map((id) => dayOf(keys, id)),
  SINGLY,
]

/** Of verifications that began a few hours before at most, by any process's clock. */
export const daysAround = (nowMs: number): number[] => [dayAt(nowMs) - 1, dayAt(nowMs) + 1, SINGLY]

/** The statement for rows of these days: if they are one, it is sent to the tables of that day. */
export function toDays<Statement extends object>(
  statement: Statement,
  days: readonly number[] | undefined,
): Statement & { readonly day?: number } {
  if (days === undefined) return statement
  const [day = SINGLY] = days
  return days.every((one) => one === day) ? { ...statement, day } : statement
}

/** Exactly these, and days between them. */
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
 * A condition by which PostgreSQL opens only the partitions of these days. It must compare the column with parameters: what it
 * finds out while the statement runs is too late, as all partitions are open by then.
 */
export const inDays = (column: string, { from, to, also }: DayTexts): string =>
  `(${column} = ${also === undefined ? SINGLY : hidden(also)} or ${column} between ${hidden(from)} and ${hidden(to)})`

/** The same for SINGLY and the others in a statement that is planned at each call. */
export const inKnownDays = (column: string, { from, to }: Pick<DayTexts, 'from' | 'to'>): string =>
  `(${column} = ${SINGLY} or ${column} between ${from}::int and ${to}::int)`

/** The same for one day, in a statement that is planned at each call: a plan that is kept locks all partitions. */
export const inDay = (column: string, parameter: string): string =>
  `(${column} = ${SINGLY} or ${column} = ${parameter}::int)`

/** Exactly that day. */
export const isDay = (column: string, parameter: string): string => `${column} = ${hidden(parameter)}`

/**
 * Evaluated when the statement starts, not when it is planned. A plan for known days would look cheaper than the one for any, and
 * PostgreSQL would plan every call.
 */
const hidden = (parameter: string) => `${parameter}::int${HIDING}`
const HIDING = ' + (now() is null)::int'

/** The text for a plan that is made for the days of one call. */
export const withKnownDays = (text: string): string => text.replaceAll(HIDING, '')

/**
 * A query of one verification, for a statement that inserts a row for it and is planned at each call: an erasure waits for the row, or the row is not inserted. No
 * foreign key can refer to tables whose partitions are dropped.
 */
export const lockedVerification = (named: {
  readonly tenant: string
  readonly id: string
  readonly day: string
}): string =>
  `select v.id from verifications v where v.id = ${named.id} and v.tenant_id = ${named.tenant} and ${inDay('v.day', named.day)} for key share`

/** Verifications of a lapsed day, whose table no longer changes: what is derived from them is deleted. */
export interface Lapsed {
  readonly day: number
  /** A page of the day's table, from its first block to the one after its last; null: all that the tables of derived rows name. */
  readonly blocks: readonly [number, number] | null
}

/**
 * A query of `tenant_id`, `id` and `status`; its parameters are the first three. For a statement that deletes rows of these tables, each
 * with `tenant_id` and `verification_id`, and is planned at each call: one of the two parts is left out then.
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
