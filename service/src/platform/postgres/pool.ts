// Provides a bounded connection pool with a bounded queue. A connection in an unknown state never returns to the pool.

import pg from 'pg'
import { StoreRefused, StoreUnavailable } from '../store-unavailable.ts'
import { classifyError } from './connection.ts'
import { type Answered, type AnswerLimits, exchange, type Sent } from './exchange.ts'
import type { Hosts } from './hosts.ts'

export interface PooledClient {
  /**
   * Sends statements in one message and returns an answer for each. Rejects with StoreUnavailable, or with the error of
   * the server.
   */
  send(sent: readonly Sent[]): Promise<readonly Answered[]>
  /** Marks the connection, so that it is not used again. */
  discard(): void
  /** Whether nothing more can be sent. */
  isLost(): boolean
}

interface BoundedPool {
  use<T>(work: (client: PooledClient) => Promise<T>): Promise<T>
  stats(): { total: number; idle: number; waiting: number }
  close(timeoutMs: number): Promise<void>
}

interface PoolLimits {
  readonly poolMax: number
  readonly waitingMax: number
  readonly answers: AnswerLimits
}

export function openPool(
  hosts: Hosts,
  limits: PoolLimits,
  report: (event: string, error: unknown) => void,
): BoundedPool {
  /** The generation of the hosts when a connection was opened. */
  const hostGenerations = new WeakMap<pg.ClientBase, number>()
  /** Connects to the current server, because the pool's own options name the server from the start of the process. */
  class ClientOfCurrentHost extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super({ ...options, ...hosts.current() })
      hostGenerations.set(this, hosts.generation())
    }
  }
  const pool = new pg.Pool({
    ...hosts.current(),
    Client: ClientOfCurrentHost,
    max: limits.poolMax,
    idleTimeoutMillis: 60_000,
    onConnect: hosts.prepare,
  })
  pool.on('error', (error) => {
    // While closing, lost connections are expected.
    if (!pool.ending) report('an idle connection to the store was lost', error)
  })
  const lost = new WeakSet<pg.PoolClient>()
  // The pool listens only while a client is idle. An unhandled error of a client in use would end the process.
  pool.on('connect', (client) => client.on('error', () => lost.add(client)))
  // If a primary has become a standby, all connections to it are as useless as the one that reported this.
  let generation = 0
  const generations = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => generations.set(client, generation))
  const busy = new Set<pg.PoolClient>()
  let isCutOff = false
  const isCurrent = (client: pg.PoolClient) =>
    generations.get(client) === generation && hostGenerations.get(client) === hosts.generation()
  // A commit on the old server would be acknowledged and then lost.
  hosts.onLeave(() => {
    for (const client of busy) if (!isCurrent(client)) client.connection.stream.destroy()
  })

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const usable = hosts.requireUsable()
      if (usable !== null) await usable
      if (pool.ending) throw new StoreUnavailable('the store is closed')
      if (pool.waitingCount >= limits.waitingMax) throw new StoreUnavailable('too many callers wait for a connection')
      const client = await connect()
      if (isCurrent(client)) return client
      client.release(true)
    }
  }

  async function connect(): Promise<pg.PoolClient> {
    try {
      return await pool.connect().catch(async (error: unknown) => {
        if (!hosts.several || isAcquireTimeout(error)) throw error
        await hosts.find()
        return pool.connect()
      })
    } catch (error) {
      if (error instanceof StoreRefused) throw error
      throw new StoreUnavailable('no connection to the store was available in time', { cause: error })
    }
  }

  async function send(client: pg.PoolClient, sent: readonly Sent[]) {
    try {
      return await exchange(client, sent, limits.answers)
    } catch (error) {
      // Replaces the stack, which leads to the socket, by one that leads to the caller.
      if (error instanceof Error) Error.captureStackTrace(error)
      const classified = classifyError(error)
      if (classified.connectionLost) lost.add(client)
      if (classified.allLost && generations.get(client) === generation) generation += 1
      throw classified.error
    }
  }

  return {
    async use(work) {
      const client = await acquire()
      if (isCutOff) {
        client.release(true)
        throw new StoreUnavailable('the store is closed')
      }
      busy.add(client)
      try {
        return await work({
          send: (sent) => send(client, sent),
          discard: () => lost.add(client),
          isLost: () => lost.has(client),
        })
      } finally {
        // False if close() has already released the client.
        if (busy.delete(client)) client.release(lost.has(client))
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close(timeoutMs) {
      const cutOff = setTimeout(() => {
        // Applies also to callers whose connection is still being opened.
        isCutOff = true
        for (const client of busy) client.release(true)
        busy.clear()
      }, timeoutMs)
      await pool.end()
      clearTimeout(cutOff)
    },
  }
}

/** All connections were busy for too long, but no server has failed. The driver reports this only by its message. */
function isAcquireTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
