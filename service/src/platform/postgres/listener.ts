// Receives NOTIFY on its own connection. Reopens a lost connection and reports the gap to subscribers.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnavailable } from '../store-unavailable.ts'
import type { Hosts } from './hosts.ts'
import { READ_ONLY } from './identity.ts'

interface Subscriber {
  readonly onMessage: (payload: string) => void
  readonly onGap: () => void
}

interface Listener {
  /** Resolves when the server has accepted the LISTEN. The returned function stops listening. */
  listen(channel: string, subscriber: Subscriber): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** A connection that died silently (a firewall, a pulled cable) is noticed within this time. */
const HEARTBEAT_MS = 15_000
const RECONNECT_MS = { first: 50, most: 2_000 }

export function openListener(hosts: Hosts, report: (event: string, error: unknown) => void): Listener {
  const subscribers = new Map<string, Set<Subscriber>>()
  const closing = new AbortController()
  let client: pg.Client | undefined
  let connecting: Promise<pg.Client> | undefined

  function runSubscriber(what: () => void): void {
    try {
      what()
    } catch (error) {
      report('a listener failed', error)
    }
  }

  function notifyGap(): void {
    for (const channel of subscribers.values()) for (const subscriber of channel) runSubscriber(subscriber.onGap)
  }

  hosts.onLeave(() => client?.connection.stream.destroy())

  async function connect(): Promise<pg.Client> {
    await hosts.requireUsable()
    const { current, generation } = { current: hosts.current(), generation: hosts.generation() }
    const fresh = new pg.Client(current)
    fresh.on('error', (error) => report('the listening connection was lost', error))
    fresh.on('notification', ({ channel, payload = '' }) => {
      for (const subscriber of subscribers.get(channel) ?? []) runSubscriber(() => subscriber.onMessage(payload))
    })
    try {
      await fresh.connect()
      await hosts.prepare(fresh)
      for (const channel of subscribers.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
      if (hosts.generation() !== generation)
        throw new StoreUnavailable('the primary changed during the connection attempt')
    } catch (error) {
      await fresh.end()
      // Finds the server for the next attempt.
      if (hosts.several && !closing.signal.aborted) await hosts.find()
      throw error
    }
    const heartbeat = setInterval(() => beat(fresh), HEARTBEAT_MS).unref()
    fresh.once('end', () => {
      clearInterval(heartbeat)
      if (client !== fresh) return
      client = undefined
      void revive()
    })
    client = fresh
    return fresh
  }

  async function revive(): Promise<void> {
    notifyGap()
    for (let wait = RECONNECT_MS.first; !closing.signal.aborted; wait = Math.min(wait * 2, RECONNECT_MS.most)) {
      try {
        await connected()
        notifyGap()
        return
      } catch (error) {
        report('the listening connection could not be opened', error)
        await delay(wait, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
      }
    }
  }

  function connected(): Promise<pg.Client> {
    if (client !== undefined) return Promise.resolve(client)
    connecting ??= connect().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  return {
    async listen(channel, subscriber) {
      if (closing.signal.aborted) throw new StoreUnavailable('the store is closed')
      const name = pg.escapeIdentifier(channel)
      const known = subscribers.get(channel) ?? new Set<Subscriber>()
      subscribers.set(channel, known.add(subscriber))
      try {
        // Harmless if repeated. The connection may have been opened before this subscriber came.
        await (await connected()).query(`listen ${name}`)
      } catch (error) {
        known.delete(subscriber)
        throw new StoreUnavailable('the store cannot be listened to', { cause: error })
      }
      return async () => {
        known.delete(subscriber)
        if (known.size > 0 || !subscribers.delete(channel)) return
        // A lost connection has no channel to leave.
        await client?.query(`unlisten ${name}`).catch((error) => report('a channel could not be closed', error))
      }
    },
    async close() {
      closing.abort()
      subscribers.clear()
      const last = client ?? (await connecting?.catch(() => undefined))
      client = undefined
      await last?.end()
    },
  }
}

function beat(client: pg.Client): void {
  // Without an answer the driver's timeout rejects, and the connection is dead. A standby sends no notifications.
  client.query<{ readOnly: boolean }>({ text: `select ${READ_ONLY} as "readOnly"` }).then(
    ({ rows }) => {
      if (rows[0]?.readOnly !== false) client.connection.stream.destroy()
    },
    () => client.connection.stream.destroy(),
  )
}
