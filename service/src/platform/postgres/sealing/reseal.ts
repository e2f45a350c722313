// Reads and replaces sealed values when the master key changes. Takes small steps and skips locked or changed rows.

import type { SealedColumn, SealedRowFacts } from '../../seal/sealed-column.ts'
import type { Tx } from '../db.ts'

export interface FoundValue {
  readonly facts: SealedRowFacts
  /** null if there is no value, or the right key has already sealed it. */
  readonly value: Buffer | null
  readonly isCurrent: boolean
}

/** Reads at most `rowsMax` rows after the key `after` (null: from the start), sealed with any key. */
export async function readSealedRows(
  tx: Tx,
  from: SealedColumn,
  range: { readonly after: readonly string[] | null; readonly header: Uint8Array; readonly rowsMax: number },
): Promise<FoundValue[]> {
  const { table, column, key } = from
  const names = [...new Set([...key, ...from.contextColumns])]
  const keyList = key.join(', ')
  const bounds = key.map((_, at) => `$${at + 3}`).join(', ')
  const head = `substring(${column} from ${from.prefixBytes + 1} for ${range.header.length})`
  const rows = await tx.query<Record<string, string | null> & { value: Buffer | null; isCurrent: boolean }>(
    {
      name: `read_sealed_${table}_${column}_${range.after === null ? 'first' : 'next'}`,
      text: `select ${names.join(', ')}, coalesce(${head} = $1, false) as "isCurrent",
               case when ${head} <> $1 then ${column} end as value
             from ${table} ${range.after === null ? '' : `where (${keyList}) > (${bounds})`} order by ${keyList} limit $2`,
    },
    [range.header, range.rowsMax, ...(range.after ?? [])],
  )
  return rows.map(({ value, isCurrent, ...facts }) => ({ facts, value, isCurrent }))
}

export interface ResealedValue {
  readonly facts: SealedRowFacts
  readonly seen: Uint8Array
  readonly fresh: Uint8Array
  /** The value of the derived column, if there is one. */
  readonly derived: Uint8Array | null
}

/** Replaces values that are still the same as when they were read. Returns how many. */
export async function replaceSealedValues(
  tx: Tx,
  where: SealedColumn,
  values: readonly ResealedValue[],
): Promise<number> {
  const { table, column, key, derived } = where
  const arrays = key.map((_, at) => `$${at + 4}::text[]`).join(', ')
  const sameKey = (a: string, b: string) => key.map((name) => `${a}.${name} = ${b}.${name}`).join(' and ')
  const rows = await tx.query(
    {
      name: `replace_sealed_${table}_${column}`,
      text: `with input as (
               select * from unnest($1::bytea[], $2::bytea[], $3::bytea[], ${arrays}) as g (seen, fresh, derived, ${key.join(', ')})
             ), locked as (
               select ${key.map((name) => `t.${name}`).join(', ')} from ${table} t join input g on ${sameKey('t', 'g')}
               where t.${column} = g.seen order by ${key.map((name) => `t.${name}`).join(', ')} for update of t skip locked
             )
             update ${table} t set ${column} = g.fresh${derived === null ? '' : `, ${derived.column} = g.derived`}
             from input g join locked l on ${sameKey('l', 'g')} where ${sameKey('t', 'g')}
             returning 1 as done`,
    },
    [
      values.map(({ seen }) => seen),
      values.map(({ fresh }) => fresh),
      values.map((value) => value.derived),
      ...key.map((name) => values.map(({ facts }) => facts[name])),
    ],
  )
  return rows.length
}
