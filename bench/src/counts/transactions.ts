// Transactions of the service's sessions, those that only read among them, as PostgreSQL's statistics count them.

import pg from 'pg'
import type { Connection } from '../../../service/src/platform/postgres/connection.ts'
import type { Db } from '../../../service/src/platform/postgres/db.ts'

export interface TransactionCounter {
  /** The service must be idle. */
  read(): Promise<number>
  close(): Promise<void>
}

/** A session hands in its counts when it is idle for long, or at the end of a transaction that asks for it. */
const HAND_IN = { name: 'bench_hand_in', text: 'select pg_stat_force_next_flush()' }

export async function openTransactionCounter(db: Db, admin: Connection, database: string): Promise<TransactionCounter> {
  if (!('socketDir' in admin)) throw new Error('bug: the embedded server has a socket')
  const { socketDir, user } = admin
  // Another database, whose transactions do not count.
  const client = new pg.Client({ host: socketDir, port: 5432, user, database: 'postgres', password: '', ssl: false })
  await client.connect()
  let own = 0
  return {
    async read() {
      own += await handInAll(db)
      const text = 'select xact_commit::int as n from pg_stat_database where datname = $1'
      const { rows } = await client.query<{ n: number }>(text, [database])
      return (rows[0]?.n ?? Number.NaN) - own
    },
    close: () => client.end(),
  }
}

/** Every session of the pool has a transaction open before the first one ends. Resolves with their number. */
async function handInAll(db: Db): Promise<number> {
  const sessions = db.stats().total
  let left = sessions
  const { promise: allBegun, resolve } = Promise.withResolvers<void>()
  const handIn = () =>
    db.transaction(async (tx) => {
      await tx.query(HAND_IN)
      left -= 1
      if (left === 0) resolve()
      await allBegun
    })
  await Promise.all(Array.from({ length: sessions }, handIn))
  return sessions
}
