// Composes one statement of parts from several modules. Each provides its CTEs and the rows for their parameters.

import { type DefinedStatement, defineForOneOrMany, defineStatement, type ParameterList } from './statement.ts'

/** A typed key. Code that has the key can read and write the value under it. */
interface RowKey<T> {
  readonly name: string
  /** Never set. Carries the type. */
  readonly holds?: T
}

export const rowKey = <T>(name: string): RowKey<T> => ({ name })

/** The rows of all modules for one batch, each under its own key. */
export class KeyedRows {
  readonly #values = new Map<object, unknown>()

  put<T>(key: RowKey<T>, value: T): void {
    this.#values.set(key, value)
  }

  /** The value under a key has the type of the key, because `put` takes no other. */
  find<T>(key: RowKey<T>): T | undefined {
    return this.#values.get(key) as T | undefined
  }

  get<T>(key: RowKey<T>): T {
    if (!this.#values.has(key)) throw new Error(`bug: missing value: ${key.name}`)
    return this.find(key) as T
  }
}

/** A part of a statement. */
export interface Fragment<Rows> {
  readonly name: string
  /** One or more CTEs, separated by commas. */
  ctes(parameters: ParameterList<Rows>): string
  /** An expression for the final select, because PostgreSQL runs an unread CTE only if it writes. */
  result?(parameters: ParameterList<Rows>): string
}

/** A fragment with the source of its rows. */
export type Part = Fragment<KeyedRows>

export function partOf<Rows>(key: RowKey<Rows>, { name, ctes, result }: Fragment<Rows>): Part {
  const rowsOf = (keyedRows: KeyedRows) => keyedRows.get(key)
  return {
    name,
    ctes: (parameters) => ctes(scoped(parameters, rowsOf)),
    ...(result && { result: (parameters) => result(scoped(parameters, rowsOf)) }),
  }
}

/** Takes the parameters of a part from the input of the whole statement. */
export function scoped<Whole, Rows>(
  parameters: ParameterList<Whole>,
  rowsOf: (whole: Whole) => Rows,
): ParameterList<Rows> {
  return {
    one: (get) => parameters.one((whole) => get(rowsOf(whole))),
    ofDays: (get) => parameters.ofDays((whole) => get(rowsOf(whole))),
    rows: (columns, get, options) => parameters.rows(columns, (whole) => get(rowsOf(whole)), options),
  }
}

/** Unnests rows only if the condition is true. Otherwise a part writes nothing. */
export const onlyIf = <Whole>(condition: string, parameters: ParameterList<Whole>): ParameterList<Whole> => ({
  ...parameters,
  rows(columns, get, options) {
    const rows = parameters.rows(columns, get, options)
    return { ...rows, unnest: (alias) => `(select * from ${rows.unnest('g')} where ${condition}) as ${alias}` }
  },
})

/** The CTEs of all parts, in order. PostgreSQL writes in this order. */
export const ctesOf = <Whole>(parts: readonly Fragment<Whole>[], parameters: ParameterList<Whole>): string[] =>
  parts.map((part) => part.ctes(parameters)).filter((text) => text !== '')

/** The expressions of all parts for the final select. */
export const resultsOf = <Whole>(parts: readonly Fragment<Whole>[], parameters: ParameterList<Whole>): string[] =>
  parts.flatMap((part) => (part.result === undefined ? [] : [part.result(parameters)]))

/** All parts in one statement. */
export const defineParts = (name: string, parts: readonly Part[]): DefinedStatement<KeyedRows> =>
  defineForOneOrMany(name, (parameters) => textOf(parts, parameters))

/** One fragment as its own statement, under its own name. */
export const defineFragment = <Rows>(fragment: Fragment<Rows>): DefinedStatement<Rows> =>
  defineStatement(fragment.name, (parameters) => textOf([fragment], parameters))

function textOf<Rows>(parts: readonly Fragment<Rows>[], parameters: ParameterList<Rows>): string {
  const ctes = ctesOf(parts, parameters)
  return `${ctes.length === 0 ? '' : `with ${ctes.join(', ')} `}select ${resultsOf(parts, parameters).join(', ')}`
}
