// Defines statements with numbered parameters, and rows as arrays that the statement unnests.

import { type DayTexts, rangeOf, toDays } from './days.ts'
import type { Statement, Transaction, Tx } from './db.ts'

/** The type of the column. JSON is sent as text, and `selectOf` casts it. */
type SqlType = 'text' | 'boolean' | 'timestamptz' | 'date' | 'bytea' | 'bigint' | 'integer' | 'json' | 'jsonb'

/** Never undefined, because a forgotten value must not become a null. */
type SqlValue = string | number | boolean | Uint8Array | null

/** One column of a row type: the source of its name, cast, parameter number and value. */
export interface Column<Item> {
  readonly name: string
  readonly type: SqlType
  readonly get: (item: Item) => SqlValue
}

export interface DefinedStatement<Input> extends Statement {
  readonly valuesOf: (input: Input) => unknown[]
  /** The days of all rows in partitioned tables. Default: there are no such rows. */
  readonly daysOf?: (input: Input) => readonly number[]
  /** Default: the same text for any number of rows. */
  readonly forOne?: ForOne<Input>
}

/**
 * The statement for inputs of one row, with values instead of arrays. One plan fits all, so each connection plans only
 * once.
 */
interface ForOne<Input> extends Pick<DefinedStatement<Input>, 'daysOf' | 'valuesOf' | keyof Statement> {
  readonly fits: (input: Input) => boolean
}

/** Numbers parameters in the order of the calls, and records the source of each value. */
export interface ParameterList<Input> {
  /** Returns the `$n` of one value. */
  one(get: (input: Input) => unknown): string
  /** Declares the days of the rows in partitioned tables (`toDays`). */
  ofDays(get: (input: Input) => readonly number[]): void
  /** Adds one array for each column of the rows. */
  rows<Item>(
    columns: readonly Column<Item>[],
    get: (input: Input) => readonly Item[],
    options?: RowOptions,
  ): RowParameters
}

interface RowOptions {
  /** In the statement for one row, makes an empty list a row of nulls, which must match nothing. */
  readonly noneAsNulls: true
}

interface RowParameters {
  // With the limit the planner expects one row and uses an index. For the ten rows of an array it would scan small tables.
  /** `(select * from unnest($5::text[], …) limit …) as alias (id, …)`; for one row `(values ($5::text, …)) as alias (id, …)`. */
  unnest(alias: string): string
  /** The array of one column, for an `any`. */
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

/** Collects the days that the parts of a statement declare. */
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

/** For inputs that are often a single row and often a batch. */
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

/** Sends the last statement of a transaction and the commit in one message. Resolves with the number of rows. */
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
 * Gives one row per id of an array. Hides the count from the planner, so that each connection keeps one plan. Look rows
 * up with `lateral (… where id = alias.id offset 0)` and put other conditions outside, or the planner may scan a whole
 * new table. In a join by id, compare tenants with `is not distinct from`: no index supports that, so the planner
 * cannot choose the tenant's index.
 */
export const unnestIds = (parameter: string, alias: string) => `unnest((select ${parameter}::text[])) as ${alias} (id)`

/** The names for the column list of an insert. */
export const namesOf = (columns: readonly Pick<Column<never>, 'name'>[]) => columns.map(({ name }) => name).join(', ')

/** The columns from the result of `unnest`, cast to the types of the table. */
export const selectOf = (columns: readonly Pick<Column<never>, 'name' | 'type'>[]) =>
  columns.map(({ name, type }) => (wireType(type) === type ? name : `${name}::${type}`)).join(', ')

/** Columns with the names used in the code: `v.created_at as "createdAt", …`. */
export const selectAs = (alias: string, columns: Readonly<Record<string, Pick<Column<never>, 'name'>>>) =>
  Object.entries(columns)
    .map(([property, { name }]) => `${alias}.${name} as "${property}"`)
    .join(', ')

const wireType = (type: SqlType) => (type === 'json' || type === 'jsonb' ? 'text' : type)
