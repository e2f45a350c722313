// Gives access to PostgreSQL: a bounded pool, named prepared statements, explicit transactions, notifications.

import type pg from 'pg'
import type { Sealer } from '../seal/seal.ts'
import { type StoreRefused, StoreUnavailable } from '../store-unavailable.ts'
import { type Connection, hasSqlState, READ_GRACE_MS, type ServerFacts, type SessionLimits } from './connection.ts'
import { type DayTables, findingDay, openDayTables } from './day-tables.ts'
import { withKnownDays } from './days.ts'
import type { Answered, AnswerLimits, Sent } from './exchange.ts'
import { COMPARE_EVERY_MS, type HostFindings, openHosts } from './hosts.ts'
import { openListener } from './listener.ts'
import { openPool, type PooledClient } from './pool.ts'
import { encodeValue } from './values.ts'

export type ClientBase = pg.ClientBase

/** Prepared once per connection under its name. A name has exactly one text. */
export interface Statement {
  readonly name: string
  readonly text: string
  /**
   * Plans each call for the current table sizes, which takes a millisecond or two. For batches on new tables: a plan
   * for a table of one page would later scan the whole table for each row.
   */
  readonly replanEachCall?: true
  /** The day of all of its rows in partitioned tables. The statement uses the tables of that day if they exist. */
  readonly day?: number
}

export interface Queries {
  query<R extends object>(statement: Statement, values?: readonly unknown[]): Promise<R[]>
}

export interface Tx extends Queries {
  /** Row mappers seal what they write and decrypt what they read. No other code uses the sealer. */
  readonly sealer: Sealer
}

/** What row mappers need to decrypt a value that was already read: the store, or a transaction. */
export type Sealing = Pick<Tx, 'sealer'>

/** BEGIN and the first statement are sent in one message. */
export interface Transaction extends Tx {
  /**
   * Sends the last statement and the commit in one message. Resolves with the number of rows, which are not read. The
   * transaction is committed then, so a later error in `work` does not roll it back.
   */
  finish(statement: Statement, values?: readonly unknown[]): Promise<number>
}

/** Never retries and never hides a failure: if a transaction is not committed, it rejects. */
export interface Db extends Tx {
  readonly server: ServerFacts
  /** For migrations, which need their own session. */
  readonly connection: Connection
  /** One transaction at READ COMMITTED. Commits when `work` resolves, rolls back when it rejects, never retries. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Resolves when it listens. `onGap`: messages may be missed, so drop what depends on them. */
  listen(channel: string, onMessage: (payload: string) => void, onGap?: () => void): Promise<() => Promise<void>>
  /** A separate connection for checks that must not wait behind work, such as whether the store answers at all. */
  readonly probe: Queries
  stats(): { total: number; idle: number; waiting: number }
  /** The result of comparing the servers of DATABASE_URL with each other and with earlier observations. */
  hosts(): HostFindings
  /** Stops using all existing connections. New ones open once the store is admitted again. */
  refuse(error: StoreRefused): void
  /**
   * Calls `onEnd` for every statement from now on, in the context of its caller. `onEnd` must be quick. Its errors are
   * reported.
   */
  watch(onEnd: (ended: StatementEnded) => void): void
  /** Waits for running work for at most `closeTimeoutMs`, then closes the connections. */
  close(): Promise<void>
}

/** Has only the name, because values must not be observed. */
interface StatementEnded {
  /** The name of the statement, including its begin or commit. `commit` or `rollback` if these are sent alone. */
  readonly name: string
  /** When it was sent (`performance.now()`), and how long it took. */
  readonly sentAt: number
  readonly tookMs: number
  readonly failed: boolean
}

export interface DbOptions {
  readonly connection: Connection
  readonly sealer: Sealer
  readonly poolMax: number
  /** How long a caller waits for a free or new connection. */
  readonly acquireTimeoutMs?: number
  /** How many callers may wait at the same time. Further callers are refused immediately. */
  readonly waitingMax?: number
  readonly statementTimeoutMs?: number
  /** Default: the server's statement timeout plus a grace period, for both statement and commit. */
  readonly answers?: AnswerLimits
  readonly lockTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
  readonly closeTimeoutMs?: number
  readonly applicationName?: string
  /** How often several servers are compared with each other. */
  readonly compareEveryMs?: number
  /** Called for every fresh connection. Throws if the store must not be used. */
  readonly admit?: (client: pg.ClientBase) => Promise<void>
  /** Gets errors that no caller gets: a lost idle connection, a listener that threw. */
  readonly report?: (event: string, error: unknown) => void
}

export async function openDb(options: DbOptions): Promise<Db> {
  const report = options.report ?? (() => undefined)
  const limits: SessionLimits = {
    connectTimeoutMs: options.acquireTimeoutMs ?? 3_000,
    statementTimeoutMs: options.statementTimeoutMs ?? 10_000,
    lockTimeoutMs: options.lockTimeoutMs ?? 5_000,
    idleInTransactionTimeoutMs: options.idleInTransactionTimeoutMs ?? 10_000,
  }
  const { admit, applicationName = 'vidimus' } = options
  const hosts = openHosts(options.connection, { limits, applicationName, report, ...(admit && { admit }) })
  const server = await hosts.find()
  hosts.watch(options.compareEveryMs ?? COMPARE_EVERY_MS)
  const { poolMax, waitingMax = poolMax * 20 } = options
  const answers = options.answers ?? answerLimits(limits.statementTimeoutMs + READ_GRACE_MS)
  const pool = openPool(hosts, { poolMax, waitingMax, answers }, report)
  const probe = openPool(hosts, { poolMax: 1, waitingMax: 20, answers }, report)
  const listener = openListener(hosts, report)
  const texts = new Map<string, string>()
  const watchers: ((ended: StatementEnded) => void)[] = []
  const { sealer } = options
  const days = openDayTables((day) => pool.use(async (client) => hasRows(await client.send([findingDay(day)]))))
  const context: ConnectionContext = { texts, days, watchers, report, sealer }
  let closing: Promise<unknown> | undefined
  return {
    server,
    connection: options.connection,
    sealer,
    query: (statement, values) => pool.use((client) => run(client, context, { statement, values })),
    transaction: (work) => pool.use((client) => runTransaction(client, context, work)),
    listen: (channel, onMessage, onGap = () => undefined) => listener.listen(channel, { onMessage, onGap }),
    probe: {
      query: (statement, values) => probe.use((client) => run(client, context, { statement, values })),
    },
    stats: pool.stats,
    hosts: hosts.findings,
    refuse: hosts.refuse,
    watch: (onEnd) => void watchers.push(onEnd),
    async close() {
      const timeoutMs = options.closeTimeoutMs ?? 5_000
      closing ??= Promise.all([hosts.close(), listener.close(), probe.close(timeoutMs), pool.close(timeoutMs)])
      await closing
    },
  }
}

/**
 * The server ends a slow statement, but never a commit, which may wait for a synchronous standby. A commit in one
 * message with a statement adds its own full timeout: after a timeout the outcome would be unknown.
 */
function answerLimits(statement: number): AnswerLimits {
  return { begin: 0, statement, commit: statement }
}

interface ConnectionContext {
  /** The text of every statement that was sent, by name. */
  readonly texts: Map<string, string>
  readonly days: DayTables
  readonly watchers: readonly ((ended: StatementEnded) => void)[]
  readonly report: (event: string, error: unknown) => void
  readonly sealer: Sealer
}

function prepared({ texts, days }: ConnectionContext, statement: Statement, values: readonly unknown[] = []): Sent {
  const { name, text, replanEachCall, day } = statement
  const known = texts.get(name)
  if (known === undefined) texts.set(name, text)
  else if (known !== text) throw new Error(`bug: two statements are named ${name}`)
  // The driver would send undefined as null, and a forgotten argument must not become a value.
  const missing = values.indexOf(undefined)
  if (missing >= 0) throw new Error(`bug: parameter ${missing + 1} of ${name} is undefined`)
  const sent = { name, text, values: values.map(encodeValue), ...(replanEachCall && { replanEachCall }) }
  if (day === undefined) return sent
  // A cached plan locks all partitions. A plan for this call locks only those of its day.
  return { ...sent, ...(days.sentTo(statement, day) ?? { text: withKnownDays(text), replanEachCall: true }) }
}

interface Call {
  readonly statement: Statement
  readonly values: readonly unknown[] | undefined
}

async function run<R extends object>(
  client: PooledClient,
  context: ConnectionContext,
  { statement, values }: Call,
): Promise<R[]> {
  const send = (sent: Sent) => watched(context, sent.name, () => client.send([sent]))
  const first = prepared(context, statement, values)
  const [answer] = await send(first).catch((error: unknown) => {
    if (!hasLostDay(context, first, error)) throw error
    return send(prepared(context, statement, values))
  })
  return rowsOf<R>(answer)
}

/** Whether the day was dropped since this process last used its tables. The retry uses the partitioned tables. */
function hasLostDay({ days }: ConnectionContext, { day }: Sent, error: unknown): boolean {
  return day !== undefined && hasSqlState(error, UNDEFINED_TABLE) && days.forget(day)
}

const UNDEFINED_TABLE = '42P01'

const hasRows = ([answer]: readonly Answered[]) => rowsOf(answer).length > 0

/** The text of a statement determines the row type, so the author of the text declares it. */
const rowsOf = <R extends object>(answer: Answered | undefined) => (answer?.rows ?? []) as R[]

async function watched<T>(context: ConnectionContext, name: string, send: () => Promise<T>): Promise<T> {
  const sentAt = performance.now()
  let failed = true
  try {
    const result = await send()
    failed = false
    return result
  } finally {
    const tookMs = performance.now() - sentAt
    notifyWatchers(context, { name, sentAt, tookMs, failed })
  }
}

/** The statement is done: its caller gets the result even if a watcher throws. The other watchers are still called. */
function notifyWatchers({ watchers, report }: ConnectionContext, ended: StatementEnded): void {
  for (const notify of watchers) {
    try {
      notify(ended)
    } catch (error) {
      report('a watcher of statements threw', error)
    }
  }
}

const controlStatement = (name: string, text = name): Sent => ({ name, text, values: [] })
const BEGIN: Sent = { ...controlStatement('begin', 'begin isolation level read committed read write'), part: 'begin' }
const COMMIT: Sent = { ...controlStatement('commit'), part: 'commit' }
const ROLLBACK = controlStatement('rollback')

async function runTransaction<T>(
  client: PooledClient,
  context: ConnectionContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let begun = false
  let over = false
  let committed = false
  let last: Promise<Answered | undefined> = Promise.resolve(undefined)

  /** Sends in order and stops after a failure: without its begin, a statement runs outside of the transaction. */
  async function sendAfter(before: Promise<unknown>, sent: Sent, end: readonly Sent[]): Promise<Answered | undefined> {
    await before
    const begin = begun ? [] : [BEGIN]
    begun = true
    const answers = await watched(context, sent.name, () => client.send([...begin, sent, ...end])).catch(
      (error: unknown) => {
        if (!hasLostDay(context, sent, error)) throw error
        throw new StoreUnavailable('the partition of a day was dropped during the transaction', { cause: error })
      },
    )
    if (end.length > 0) requireCommit(answers)
    return answers[begin.length]
  }

  const tx: Transaction = {
    sealer: context.sealer,
    query<R extends object>(statement: Statement, values?: readonly unknown[]) {
      if (over) throw new Error(AFTER_ITS_END)
      last = sendAfter(last, prepared(context, statement, values), [])
      return last.then((answer) => rowsOf<R>(answer))
    },
    async finish(statement, values) {
      if (over) throw new Error(AFTER_ITS_END)
      const sent = { ...prepared(context, statement, values), unread: true }
      over = true
      last = sendAfter(last, sent, [COMMIT])
      const answer = await last
      committed = true
      return Number(answer?.command.split(' ').at(-1))
    },
  }
  let result: T
  try {
    result = await work(tx)
  } catch (error) {
    over = true
    // The caller already has the result.
    await last.catch(() => undefined)
    if (begun && !committed) await rollBack(client, context)
    throw error
  }
  over = true
  try {
    await last
  } catch (error) {
    await rollBack(client, context)
    if (error instanceof StoreUnavailable) throw error
    throw new Error('bug: the transaction had failed and was rolled back', { cause: error })
  }
  if (begun && !committed) await commitAlone(client, context)
  return result
}

async function commitAlone(client: PooledClient, context: ConnectionContext): Promise<void> {
  try {
    requireCommit(await watched(context, 'commit', () => client.send([COMMIT])))
  } catch (error) {
    // If the commit was refused before it ran, a pooled connection would keep the transaction open.
    await rollBack(client, context)
    throw error
  }
}

const AFTER_ITS_END = 'bug: a statement after the end of its transaction'

/** PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and without an error. */
function requireCommit(answers: readonly Answered[]): void {
  if (answers.at(-1)?.command !== 'COMMIT') throw new Error('bug: the transaction had failed and was rolled back')
}

async function rollBack(client: PooledClient, context: ConnectionContext): Promise<void> {
  if (client.isLost()) return
  try {
    await watched(context, 'rollback', () => client.send([ROLLBACK]))
  } catch {
    // The caller gets the first failure. The server rolls back when the connection closes.
    client.discard()
  }
}
