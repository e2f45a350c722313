// Statements with automatically numbered parameters. A column of a row type is one line of a table (name, type, get):
// the names, the `unnest` with its casts, the numbers and the values come from that line. Defined once, when the module
// loads.

import { type DayTexts, rangeOf, toDays } from './days.ts'
import type { Statement, Transaction, Tx } from './db.ts'

/** As in the table. JSON is sent as text and parsed by `selectOf`. */
type SqlType = 'text' | 'boolean' | 'timestamptz' | 'date' | 'bytea' | 'bigint' | 'integer' | 'json' | 'jsonb'

/** Never undefined: a forgotten value must not become a null. */
type SqlValue = string | number | boolean | Uint8Array | null

export interface Column<Item> {
  readonly name: string
  readonly type: SqlType
  readonly get: (item: Item) => SqlValue
}

export interface DefinedStatement<Input> extends Statement {
  readonly valuesOf: (input: Input) => unknown[]
  /** The days of all of its rows in tables with partitions; default: it has none there. */
  readonly daysOf?: (input: Input) => readonly number[]
  /** Default: any number of rows is written in the same way. */
  readonly forOne?: ForOne<Input>
}

/**
 * The same for inputs of one row, as values instead of arrays: one plan suits them all, so it is made once per
 * connection.
 */
interface ForOne<Input> extends Pick<DefinedStatement<Input>, 'daysOf' | 'valuesOf' | keyof Statement> {
  readonly fits: (input: Input) => boolean
}

/** Numbers parameters in the order of the calls, and records where each value comes from. */
export interface ParameterList<Input> {
  /** One value: its `$n`. */
  one(get: (input: Input) => unknown): string
  /** Says of which days the rows are, in tables with partitions: see `toDays`. */
  ofDays(get: (input: Input) => readonly number[]): void
  /** Rows: one array for each column. */
  rows<Item>(
    columns: readonly Column<Item>[],
    get: (input: Input) => readonly Item[],
    options?: RowOptions,
  ): RowParameters
}

interface RowOptions {
  /** In a statement for one row, an empty list becomes a row of nulls, which must match nothing. */
  readonly noneAsNulls: true
}

interface RowParameters {
  // The planner takes the rows for one and looks it up. For the ten it expects of an array it would read a small table whole.
  /** `(select * from unnest($5::text[], …) limit …) as alias (id, …)`; of one row `(values ($5::text, …)) as alias (id, …)`. */
  unnest(alias: string): string
  /** A column's own array, for an `any`. */
  arrayOf(name: string): string
}

type Write<Input> = (parameters: ParameterList<Input>) => string

export function defineStatement<Input>(name: string, write: Write<Input>): DefinedStatement<Input> {
  const getters: ((input: Input) => unknown)[] = []
  const one = (get: (input: Input) => unknown) => `$${getters.push(get)}`
  const { ofDays, daysOf } = noteDays<Input>()
  const text = write({
    one,
    ofDays,
    rows(columns, get) {
      const arrays = numbered(name, columns, (read, type) => `${one((input) => get(input).map(read))}::${type}[]`)
      return {
        unnest: (alias) =>
          `(select * from unnest(${[...arrays.values()].join(', ')}) limit (select 2147483647)) as ${alias} (${namesOf(columns)})`,
        arrayOf: (column) => arrays.get(column) ?? unknownColumn(name, column),
      }
    },
  })
  return { name, text, valuesOf: (input) => getters.map((get) => get(input)), ...daysOf() }
}

/** Each part of a statement says of which days its rows are. */
function noteDays<Input>() {
  const noted: ((input: Input) => readonly number[])[] = []
  const daysOf = (input: Input) => noted.flatMap((get) => get(input))
  return {
    ofDays: (get: (input: Input) => readonly number[]) => void noted.push(get),
    daysOf: () => (noted.length === 0 ? {} : { daysOf }),
  }
}

/** The parameters for `inDays`, in a statement for rows of these days. */
export function dayParameters<Input>(
  parameters: ParameterList<Input>,
  get: (input: Input) => readonly number[],
): Required<DayTexts> {
  parameters.ofDays(get)
  return {
    from: parameters.one((input) => rangeOf(get(input)).from),
    to: parameters.one((input) => rangeOf(get(input)).to),
    also: parameters.one((input) => rangeOf(get(input)).also),
  }
}

/** For input that comes alone as often as in batches. */
export function defineForOneOrMany<Input>(name: string, write: Write<Input>): DefinedStatement<Input> {
  const getters: ((input: Input) => unknown)[] = []
  const fitting: ((input: Input) => boolean)[] = []
  const one = (get: (input: Input) => unknown) => `$${getters.push(get)}`
  const { ofDays, daysOf } = noteDays<Input>()
  const text = write({
    one,
    ofDays,
    rows<Item>(columns: readonly Column<Item>[], get: (input: Input) => readonly Item[], options?: RowOptions) {
      fitting.push((input) => get(input).length === 1 || (options?.noneAsNulls === true && get(input).length === 0))
      const first = (read: (item: Item) => SqlValue) =>
        one((input) => {
          const item = get(input)[0]
          return item === undefined ? null : read(item)
        })
      const values = numbered(name, columns, (read, type) => `${first(read)}::${type}`)
      return {
        unnest: (alias) => `(values (${[...values.values()].join(', ')})) as ${alias} (${namesOf(columns)})`,
        arrayOf: (column) => `array[${values.get(column) ?? unknownColumn(name, column)}]`,
      }
    },
  })
  const forOne = {
    name: `${name}_of_one`,
    text,
    valuesOf: (input: Input) => getters.map((get) => get(input)),
    ...daysOf(),
    fits: (input: Input) => fitting.every((isFit) => isFit(input)),
  }
  return { ...defineStatement(name, write), forOne }
}

/** The parameter of each column, by name. */
function numbered<Item>(
  name: string,
  columns: readonly Column<Item>[],
  number: (read: (item: Item) => SqlValue, type: SqlType) => string,
): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const { name: column, type, get } of columns) {
    if (parameters.has(column)) throw new Error(`bug: ${name} has two columns ${column}`)
    parameters.set(
      column,
      number((item) => get(item), wireType(type)),
    )
  }
  return parameters
}

function unknownColumn(name: string, column: string): never {
  throw new Error(`bug: ${name} has no column ${column}`)
}

export function runStatement<Row extends object, Input>(
  tx: Tx,
  statement: DefinedStatement<Input>,
  input: Input,
): Promise<Row[]> {
  const fitting = fittingOf(statement, input)
  return tx.query<Row>(toDays(fitting, fitting.daysOf?.(input)), fitting.valuesOf(input))
}

/** Sends it as the last statement of its transaction, with the commit. Resolves with the number of its rows. */
export function finishStatement<Input>(
  tx: Transaction,
  statement: DefinedStatement<Input>,
  input: Input,
): Promise<number> {
  const fitting = fittingOf(statement, input)
  return tx.finish(toDays(fitting, fitting.daysOf?.(input)), fitting.valuesOf(input))
}

const fittingOf = <Input>(statement: DefinedStatement<Input>, input: Input) =>
  statement.forOne?.fits(input) === true ? statement.forOne : statement

/**
 * One row for each id of an array. The count is hidden from the planner, so that it keeps one plan per connection
 * instead of planning every call. Look rows up by `lateral (… where id = alias.id offset 0)`, by the id alone: on a
 * fresh table the planner would otherwise scan all of it, or all rows of a tenant. Every other condition, the realm's
 * above all, goes outside. Where a join finds rows by id, `tenant_id is not distinct from` names the tenant: no index serves
 * that, so the planner cannot take a tenant's index instead.
 */
export const unnestIds = (parameter: string, alias: string) => `unnest((select ${parameter}::text[])) as ${alias} (id)`

/** For the column list of an insert. */
export const namesOf = (columns: readonly Pick<Column<never>, 'name'>[]) => columns.map(({ name }) => name).join(', ')

/** The same columns from the result of `unnest`, cast to the table's types. */
export const selectOf = (columns: readonly Pick<Column<never>, 'name' | 'type'>[]) =>
  columns.map(({ name, type }) => (wireType(type) === type ? name : `${name}::${type}`)).join(', ')

/** Columns under the names used in the code: `v.created_at as "createdAt", …`. */
export const selectAs = (alias: string, columns: Readonly<Record<string, Pick<Column<never>, 'name'>>>) =>
  Object.entries(columns)
    .map(([property, { name }]) => `${alias}.${name} as "${property}"`)
    .join(', ')

const wireType = (type: SqlType) => (type === 'json' || type === 'jsonb' ? 'text' : type)
