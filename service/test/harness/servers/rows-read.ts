// Counts the rows that each statement reads, by the server's own counters, within the statement's transaction.

import type { Db, Statement, Tx } from '../../../src/platform/postgres/db.ts'

export interface CountedStatement {
  readonly name: string
  readonly isReplanned: boolean
  /** Rows of scanned tables, and entries of indexes. */
  readonly read: number
  /** Blocks of tables and indexes. An index scan that filters inside the index reads many blocks and few rows. */
  readonly blocks: number
  /** Tables that it wrote to. */
  readonly written: readonly string[]
}

type Totals = Pick<CountedStatement, 'read' | 'blocks'> & { readonly written: readonly string[] | null }

/** The counters include earlier transactions that are not in the statistics yet, so only differences count. */
const COUNT = {
  name: 'test_rows_of_transaction',
  text: `select coalesce(sum(pg_stat_get_xact_tuples_returned(oid)), 0)::int as read,
           coalesce(sum(pg_stat_get_xact_blocks_fetched(oid)), 0)::int as blocks,
           array_agg(relname::text) filter (where relkind = 'r' and
             pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid) > 0) as written
         from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'i')`,
}

/** Counts for every statement from now on, also for statements that are sent alone or with their commit. */
export function countRowsRead(db: Db, count: (statement: CountedStatement) => void): void {
  const { transaction } = db
  const counted = (tx: Tx): Tx['query'] => {
    const total = async () => (await tx.query<Totals>(COUNT))[0] ?? { read: 0, blocks: 0, written: null }
    return async (statement: Statement, values?: readonly unknown[]) => {
      const before = await total()
      const rows = await tx.query(statement, values)
      const after = await total()
      const { name, replanEachCall: isReplanned = false } = statement
      const written = (after.written ?? []).filter((table) => before.written?.includes(table) !== true)
      count({ name, isReplanned, read: after.read - before.read, blocks: after.blocks - before.blocks, written })
      return rows as never
    }
  }
  const replaced: Pick<Db, 'query' | 'transaction'> = {
    query: (statement, values) => transaction((tx) => counted(tx)(statement, values)),
    transaction: (work) =>
      transaction((tx) => {
        const query = counted(tx)
        // The commit follows separately, in its own message.
        const finish: typeof tx.finish = async (statement, values) => (await query(statement, values)).length
        return work({ sealer: tx.sealer, query, finish })
      }),
  }
  Object.assign(db, replaced)
}
