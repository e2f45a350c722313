// Compares the servers of DATABASE_URL, connects to the chosen one and checks every connection to it.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StoreRefused, StoreUnavailable, StoreUnfit } from '../store-unavailable.ts'
import { type Candidate, chooseHost, type KnownCluster, refuseOtherServer } from './choose-host.ts'
import {
  type Connection,
  classifyError,
  clientConfig,
  prepareSession,
  refuseUnfitServer,
  type ServerFacts,
  type SessionLimits,
  serverFacts,
  sharedSession,
  shownHost,
  TAKES_NO_WRITES,
  withClassifiedErrors,
} from './connection.ts'
import { readIdentity } from './identity.ts'

export interface Hosts {
  /** Whether there is another server to fail over to. */
  readonly several: boolean
  /** The server that connections go to now. */
  current(): pg.ClientConfig
  /**
   * Asks all servers at the same time and compares them. Concurrent callers share the result. Throws a StoreRefused if
   * no server may be used.
   */
  find(): Promise<ServerFacts>
  /** Prepares a fresh connection to the current server. Throws if it leads to a server that is not the store. */
  prepare(client: pg.ClientBase): Promise<void>
  /** null: connections are allowed. Rejects while none may be opened, and checks again at most once a second. */
  requireUsable(): Promise<void> | null
  /** The current generation. Connections of an earlier generation must not be used. */
  generation(): number
  /** Called whenever a new generation begins. */
  onLeave(leave: () => void): void
  /** Stops using all existing connections. New ones open once the store is admitted again. */
  refuse(error: StoreRefused): void
  findings(): HostFindings
  /** Compares the servers every few seconds from now on. */
  watch(everyMs: number): void
  close(): Promise<void>
}

export interface HostFindings {
  /** Why no connections are opened; null if they are. */
  readonly refused: StoreRefused | null
  /** Servers of another cluster, by host and port. */
  readonly foreign: readonly string[]
  /** Whether the role may read system identifier and timeline of the current server. */
  readonly compared: boolean
}

interface HostsOptions {
  readonly limits: SessionLimits
  readonly applicationName: string
  /** Called for every fresh connection. Throws if the store must not be used. */
  readonly admit?: (client: pg.ClientBase) => Promise<void>
  readonly report?: (event: string, error: unknown) => void
}

/** How often the servers are compared while nothing fails. */
export const COMPARE_EVERY_MS = 5_000
/** How long the comparison waits for other servers once one server takes writes. A later answer still counts. */
const CONTRADICT_MS = 500
/** How long a refusal counts before the next check. */
const REFUSED_MS = 1_000

interface Server extends Candidate {
  readonly config: pg.ClientConfig
  readonly facts: ServerFacts
}

interface Place {
  readonly name: string
  readonly config: pg.ClientConfig
}

export function openHosts(connection: Connection, options: HostsOptions): Hosts {
  const { limits, applicationName, admit, report = () => undefined } = options
  const places = connectionsOf(connection).map((one): Place => {
    const name = `PostgreSQL at ${'url' in one ? (shownHost(one.url) ?? 'DATABASE_URL') : one.socketDir}`
    return { name, config: clientConfig(one, limits, applicationName) }
  })
  const [first] = places
  if (first === undefined) throw new Error('bug: a connection without a server')
  let current = first
  let known: KnownCluster = { systemId: null, timeline: null }
  let foreign: readonly string[] = []
  let refused: { readonly error: StoreRefused; readonly at: number } | null = null
  let isFound = false
  let generation = 0
  let rounds = 0
  /** Servers that give each connection its own session, so no pooler is in between. */
  const ownSessions = new Set<string>()
  const leavers: (() => void)[] = []
  let finding: Promise<ServerFacts> | undefined
  const late = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  const probing = new Set<pg.Client>()

  function leave(): void {
    generation += 1
    for (const one of leavers) one()
  }

  function refuse(error: StoreRefused): void {
    if (refused?.error.refusal !== error.refusal) {
      report(`the store is refused: ${error.message}`, error)
      leave()
    }
    refused = { error, at: performance.now() }
  }

  /** Records the observations before they are used. Drops connections to another server or an older timeline. */
  function settle(servers: readonly Server[]): Server | null {
    try {
      const choice = chooseHost(servers, known)
      const { writer } = choice
      foreign = choice.foreign.map(({ name }) => name)
      const isNewer = (known.timeline ?? 0) < (choice.known.timeline ?? 0)
      // A standby alone does not show which cluster is ours.
      if (writer !== null || known.systemId !== null) known = choice.known
      if (writer === null) return null
      const moved = isFound && (writer.name !== current.name || isNewer)
      isFound = true
      current = writer
      if (refused?.error.refusal !== 'set_back') refused = null
      if (moved) leave()
      return writer
    } catch (error) {
      if (error instanceof StoreRefused) refuse(error)
      throw error
    }
  }

  async function ask(place: Place): Promise<Server> {
    const server = await probe(place, { isFirst: !ownSessions.has(place.name), probing })
    ownSessions.add(place.name)
    return server
  }

  async function find(): Promise<ServerFacts> {
    rounds += 1
    const round = rounds
    const servers: Server[] = []
    const answers = places.map(async (place) => {
      const server = await ask(place)
      servers.push(server)
      return server
    })
    const all = Promise.allSettled(answers)
    const firstWriter = Promise.any(answers.map(async (one) => requireWriter(await one))).catch(() => null)
    const patience = firstWriter.then((found) =>
      found === null ? all : delay(CONTRADICT_MS, undefined, { ref: false }),
    )
    await Promise.race([all, patience])
    const inTime = [...servers]
    const writer = settle(await confirmWriters(inTime))
    if (inTime.length < places.length) awaitLate(servers, all, () => round === rounds)
    if (writer !== null) return writer.facts
    throw mostUsefulError(await all)
  }

  /** Asks two writers again: one may have taken over in between, so they conflict only if both still take writes. */
  async function confirmWriters(servers: readonly Server[]): Promise<readonly Server[]> {
    const writers = servers.filter(isWriter)
    if (writers.length < 2) return servers
    const again = await Promise.allSettled(writers.map((one) => ask(one)))
    const still = again.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    return [...servers.filter((one) => !isWriter(one)), ...still]
  }

  /** Compares servers that answer after the choice as soon as they do, unless a newer comparison runs. */
  function awaitLate(servers: readonly Server[], all: Promise<unknown>, isNewest: () => boolean): void {
    const compared = all.then(async () => {
      const later = await confirmWriters(servers)
      if (isNewest() && later.some(isWriter)) settle(later)
    })
    const done = compared.catch(() => undefined).finally(() => late.delete(done))
    late.add(done)
  }

  const shared: Hosts['find'] = () => {
    finding ??= find().finally(() => {
      finding = undefined
    })
    return finding
  }

  return {
    several: places.length > 1,
    current: () => current.config,
    find: shared,
    async prepare(client) {
      const { name } = current
      try {
        const before = known.timeline
        known = refuseOtherServer({ name, identity: await prepareSession(client) }, known)
        // The host name now leads to a new primary. Existing connections lead to the old one.
        if (before !== null && (known.timeline ?? 0) > before) leave()
        await admit?.(client)
        if (places.length === 1 || refused?.error.refusal === 'set_back') refused = null
      } catch (error) {
        if (error instanceof StoreRefused) refuse(error)
        throw error
      }
    },
    requireUsable() {
      if (refused === null) return null
      const { error, at } = refused
      if (performance.now() - at < REFUSED_MS) return Promise.reject(error)
      // With one server, the next connection checks. With several, all are asked.
      return places.length === 1 || error.refusal === 'set_back' ? null : shared().then(() => undefined)
    },
    generation: () => generation,
    onLeave: (one) => void leavers.push(one),
    refuse,
    findings: () => ({ refused: refused?.error ?? null, foreign, compared: known.systemId !== null }),
    watch(everyMs) {
      if (places.length === 1) return
      // The result is stored. Callers that need a connection get the error.
      timer = setInterval(() => void shared().catch(() => undefined), everyMs).unref()
    },
    async close() {
      clearInterval(timer)
      for (const client of probing) client.connection.stream.destroy()
      await finding?.catch(() => undefined)
      await Promise.all(late)
    },
  }
}

function requireWriter(server: Server): Server {
  if (server.identity.readOnly) throw new StoreUnavailable(TAKES_NO_WRITES)
  return server
}

const isWriter = ({ identity }: Server) => !identity.readOnly

/** `postgres://user@first:5432,second:5433/name` gives a URL per server. The list begins after the last @. */
export function connectionsOf(connection: Connection): readonly Connection[] {
  if (!('url' in connection)) return [connection]
  const [, before, hosts, after = ''] = /^([a-z]+:\/\/(?:[^?#]*@)?)([^/?#@]+)([/?#][^@]*)?$/.exec(connection.url) ?? []
  if (before === undefined || hosts === undefined) return [connection]
  return hosts.split(',').map((host) => ({ url: `${before}${host}${after}` }))
}

interface Probing {
  readonly isFirst: boolean
  /** The pending probes, for a caller that must not wait for them. */
  readonly probing: Set<pg.Client>
}

async function probe({ name, config }: Place, { isFirst, probing }: Probing): Promise<Server> {
  const client = new pg.Client(config)
  probing.add(client)
  client.on('error', () => undefined) // the pending call below rejects with it
  try {
    await client.connect().catch((error: unknown) => {
      throw connectFailure(error, client)
    })
    const facts = await withClassifiedErrors(serverFacts(client))
    const identity = await withClassifiedErrors(readIdentity(client))
    refuseUnfitServer(facts)
    if (isFirst && typeof config.connectionString === 'string') await refuseSharedSessions(client, config)
    return { name, config, facts, identity }
  } finally {
    probing.delete(client)
    await client.end()
  }
}

/** Two simultaneous connections have two sessions, unless a pooler gives them the same session. */
async function refuseSharedSessions(first: pg.Client, config: pg.ClientConfig): Promise<void> {
  const second = new pg.Client(config)
  second.on('error', () => undefined) // the pending call below rejects with it
  const pidOf = async (client: pg.Client) =>
    (await withClassifiedErrors(client.query<{ pid: number }>('select pg_backend_pid() as pid'))).rows[0]?.pid
  try {
    await withClassifiedErrors(second.connect())
    if ((await pidOf(first)) === (await pidOf(second))) throw sharedSession('one session for two connections')
  } finally {
    await second.end()
  }
}

// SQLSTATEs with which the server refuses our credentials. A retry gets the same answer.
const REFUSED = new Map<string, readonly [finding: string, remedy: string]>([
  ['28P01', ['refuses the password', 'correct user and password in DATABASE_URL']],
  [
    '28000',
    ['refuses the user, or an unencrypted connection', 'see its pg_hba.conf, or add ?sslmode=require to DATABASE_URL'],
  ],
  ['3D000', ['has no such database', 'create it, or correct DATABASE_URL']],
  ['42501', ['refuses the user', 'grant connect on the database to it']],
])

/** Names the server and the reason, but never user or password. */
function connectFailure(error: unknown, { host, port }: pg.Client): unknown {
  const { error: classified } = classifyError(error)
  const server = `PostgreSQL at ${host.startsWith('/') ? host : `${host}:${port}`}`
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [finding, remedy] = REFUSED.get(code) ?? []
  if (finding !== undefined && remedy !== undefined)
    return new StoreUnfit(`${server} ${finding} (${code})`, remedy, { cause: error })
  if (error instanceof pg.DatabaseError) return classified
  if (/CERT|TLS|SSL/.test(code)) {
    const remedy = 'name its certificate authority: ?sslmode=verify-full&sslrootcert=FILE in DATABASE_URL'
    return new StoreUnfit(`${server} has a certificate that is not trusted (${code})`, remedy, { cause: error })
  }
  return new StoreUnavailable(`${server} does not answer${code === '' ? '' : ` (${code})`}`, { cause: error })
}

/** Prefers the error of an unfit server over that of a standby, and both over a server that does not answer. */
function mostUsefulError(outcomes: readonly PromiseSettledResult<unknown>[]): unknown {
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const unfit = reasons.find((reason) => !(reason instanceof StoreUnavailable))
  const standby = reasons.length < outcomes.length ? new StoreUnavailable(TAKES_NO_WRITES) : undefined
  return unfit ?? standby ?? reasons.find((reason) => reason.cause === undefined) ?? reasons[0]
}
