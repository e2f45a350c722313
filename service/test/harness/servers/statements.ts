// Records the statements that tests send, if a runner asks for it: the older server must be able to plan each of them, too.

import { appendFileSync } from 'node:fs'
import pg from 'pg'
import type { Db, Statement, Tx } from '../../../src/platform/postgres/db.ts'

/** The file that records them, one line of JSON each. */
const NOTED_IN = 'VIDIMUS_TEST_STATEMENTS'

export const noteStatementsIn = (path: string) => ({ [NOTED_IN]: path })

/** The recorded lines of every database of this process. */
const lines = new Set<string>()
let isNoting = false

export function noteStatements(db: Db): void {
  const path = process.env[NOTED_IN]
  if (path === undefined) return
  if (!isNoting) process.once('exit', () => appendFileSync(path, [...lines].join('')))
  isNoting = true
  const postgres = process.env.VIDIMUS_TEST_POSTGRES ?? null
  noteEach(db, ({ name, text }) => void lines.add(`${JSON.stringify({ name, text, postgres })}\n`))
}

/** Does not record a statement that the server refused, because some tests send invalid ones. */
export function noteEach(db: Db, note: (statement: Statement) => void): void {
  const noting =
    (query: Tx['query']): Tx['query'] =>
    async (statement, values) => {
      const rows = await query(statement, values)
      note(statement)
      return rows as never
    }
  const { transaction } = db
  const noted: Pick<Db, 'query' | 'transaction' | 'probe'> = {
    query: noting(db.query),
    transaction: (work) =>
      transaction((tx) =>
        work({
          sealer: tx.sealer,
          query: noting(tx.query),
          async finish(statement, values) {
            const count = await tx.finish(statement, values)
            note(statement)
            return count
          },
        }),
      ),
    probe: { query: noting(db.probe.query) },
  }
  Object.assign(db, noted)
}

export interface NotedStatement extends Statement {
  /** The version of the machine's own server; null: ours. */
  readonly postgres: string | null
}

export function notedStatements(text: string): NotedStatement[] {
  const distinct = new Set(text.split('\n').filter((line) => line !== ''))
  return [...distinct].map((line) => JSON.parse(line))
}

/** Problems with statements that this server cannot parse or plan. */
export async function unplannable(databaseUrl: string, statements: readonly Statement[]): Promise<string[]> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const problems: { readonly name: string; readonly problem: string; readonly isOther: boolean }[] = []
  const planned = new Set<string>()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    for (const { name, text } of statements) {
      try {
        await plan(client, text)
        planned.add(name)
      } catch (error) {
        const { message, code } = error as Error & { code?: string }
        problems.push({ name, problem: `${name}: ${message}`, isOther: OF_ANOTHER_SCHEMA.has(code ?? '') })
      }
    }
  } finally {
    await client.end()
  }
  return problems.filter(({ name, isOther }) => !(isOther && planned.has(name))).map(({ problem }) => problem)
}

/** undefined_column, undefined_table: tests send some of our statements again with a column or table that they added. */
const OF_ANOTHER_SCHEMA: ReadonlySet<string> = new Set(['42703', '42P01'])

/** Plans a statement without values, because a generic plan depends on none. */
async function plan(client: pg.Client, text: string): Promise<void> {
  await client.query('deallocate all')
  await client.query(`prepare planned as ${text}`)
  const { rows } = await client.query(`select cardinality(parameter_types) as count from pg_prepared_statements`)
  const values = Array(rows[0].count).fill('null')
  await client.query(`explain execute planned${values.length > 0 ? `(${values.join()})` : ''}`)
}
