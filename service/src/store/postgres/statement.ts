// Statements whose parameters number themselves. A column of a family of rows is one line of a table (name, type, get): the
// names, the `unnest` with its casts, the numbers and the values all come out of that line. Made once, as its module loads.

import type { Statement, Tx } from './db.ts'

/** As the table has it. JSON travels as text and is read as JSON by `selectOf`. */
export type SqlType = 'text' | 'boolean' | 'timestamptz' | 'date' | 'bytea' | 'bigint' | 'integer' | 'json' | 'jsonb'

/** Never undefined: a forgotten value must not become a null. */
export type SqlValue = string | number | boolean | Uint8Array | null

export interface Column<Item> {
  readonly name: string
  readonly type: SqlType
  readonly get: (item: Item) => SqlValue
}

export interface DefinedStatement<Input> extends Statement {
  readonly valuesOf: (input: Input) => unknown[]
}

/** Hands out numbers in the order in which it is asked, and remembers where each value comes from. */
export interface ParameterList<Input> {
  /** One value: its `$n`. */
  one(get: (input: Input) => unknown): string
  /** Rows: one array for each column. */
  rows<Item>(columns: readonly Column<Item>[], get: (input: Input) => readonly Item[]): RowParameters
}

export interface RowParameters {
  /** `unnest($5::text[], …) as alias (id, …)` */
  unnest(alias: string): string
  /** The same for a plan that is kept, however many they are (see `eachId`). */
  unnestAnyNumber(alias: string): string
  /** A column's own array, for an `any`. */
  arrayOf(name: string): string
}

export function defineStatement<Input>(
  name: string,
  write: (parameters: ParameterList<Input>) => string,
): DefinedStatement<Input> {
  const getters: ((input: Input) => unknown)[] = []
  const one = (get: (input: Input) => unknown) => `$${getters.push(get)}`
  const text = write({
    one,
    rows(columns, get) {
      const arrays = new Map<string, string>()
      for (const { name: column, type, get: read } of columns) {
        if (arrays.has(column)) throw new Error(`bug: ${name} has two columns ${column}`)
        arrays.set(column, `${one((input) => get(input).map((item) => read(item)))}::${wireType(type)}[]`)
      }
      return {
        unnest: (alias) => `unnest(${[...arrays.values()].join(', ')}) as ${alias} (${namesOf(columns)})`,
        unnestAnyNumber(alias) {
          const hidden = [...arrays.values()].map((array) => `(select ${array})`)
          return `unnest(${hidden.join(', ')}) as ${alias} (${namesOf(columns)})`
        },
        arrayOf(column) {
          const array = arrays.get(column)
          if (array === undefined) throw new Error(`bug: ${name} has no column ${column}`)
          return array
        },
      }
    },
  })
  return { name, text, valuesOf: (input) => getters.map((get) => get(input)) }
}

export function runStatement<Row extends object, Input>(
  tx: Tx,
  statement: DefinedStatement<Input>,
  input: Input,
): Promise<Row[]> {
  return tx.query<Row>(statement, statement.valuesOf(input))
}

/**
 * One row for each of an array's ids. How many they are is hidden from the planner: so what it thinks of one call it thinks of all, and
 * keeps one plan a connection instead of making one at every call. Rows are looked up by `lateral (… where id = alias.id offset 0)`,
 * by the id alone, whatever the planner knows of the table: on a fresh one it would read all of it, or all rows of a tenant. Every
 * other condition, the realm's before all, stands outside.
 */
export const eachId = (parameter: string, alias: string) => `unnest((select ${parameter}::text[])) as ${alias} (id)`

/** For the column list of an insert. */
export const namesOf = (columns: readonly Pick<Column<never>, 'name'>[]) => columns.map(({ name }) => name).join(', ')

/** The same columns out of what `unnest` made, as the table wants them. */
export const selectOf = (columns: readonly Pick<Column<never>, 'name' | 'type'>[]) =>
  columns.map(({ name, type }) => (wireType(type) === type ? name : `${name}::${type}`)).join(', ')

/** Columns under the names that the program has for them: `v.created_at as "createdAt", …`. */
export const selectAs = (alias: string, columns: Readonly<Record<string, Pick<Column<never>, 'name'>>>) =>
  Object.entries(columns)
    .map(([property, { name }]) => `${alias}.${name} as "${property}"`)
    .join(', ')

const wireType = (type: SqlType) => (type === 'json' || type === 'jsonb' ? 'text' : type)
