// Which of the servers that DATABASE_URL names takes writes? Asked at start and whenever a connection fails; every connection is
// then made there. A URL with one server is the simple case of this.

import pg from 'pg'
import { StoreUnavailable, StoreUnfit } from '../../domain/store-unavailable.ts'
import {
  type Connection,
  clientConfig,
  judge,
  judged,
  refuseUnfitServer,
  type ServerFacts,
  type SessionLimits,
  serverFacts,
  sharedSession,
} from './connection.ts'

export interface Hosts {
  /** There is another one to go to. */
  readonly several: boolean
  /** Where connections are made at present. */
  current(): pg.ClientConfig
  /** Asks all of them at once; the first that takes writes is the current one from now on. Callers that meet share the answer. */
  find(): Promise<ServerFacts>
}

export function openHosts(connection: Connection, limits: SessionLimits, name: string): Hosts {
  const configs = connectionsOf(connection).map((one) => clientConfig(one, limits, name))
  const [first] = configs
  if (first === undefined) throw new Error('bug: a connection without a server')
  let current = first
  let finding: Promise<ServerFacts> | undefined

  async function find(): Promise<ServerFacts> {
    const asked = configs.map(async (config) => ({ config, facts: await probe(config) }))
    const found = await Promise.any(asked).catch(() => null)
    if (found === null) throw mostTelling(await Promise.allSettled(asked))
    current = found.config
    return found.facts
  }

  return {
    several: configs.length > 1,
    current: () => current,
    find() {
      finding ??= find().finally(() => {
        finding = undefined
      })
      return finding
    },
  }
}

/** `postgres://user@first:5432,second:5433/name`: one URL for each server. The list begins after the last @, as in shownHost. */
export function connectionsOf(connection: Connection): readonly Connection[] {
  if (!('url' in connection)) return [connection]
  const [, before, hosts, after = ''] = /^([a-z]+:\/\/(?:[^?#]*@)?)([^/?#@]+)([/?#][^@]*)?$/.exec(connection.url) ?? []
  if (before === undefined || hosts === undefined) return [connection]
  return hosts.split(',').map((host) => ({ url: `${before}${host}${after}` }))
}

async function probe(config: pg.ClientConfig): Promise<ServerFacts> {
  const client = new pg.Client(config)
  client.on('error', () => undefined) // the pending call below rejects with it
  try {
    await client.connect().catch((error: unknown) => {
      throw connectFailure(error, client)
    })
    const facts = await judged(serverFacts(client))
    refuseUnfitServer(facts)
    if (typeof config.connectionString === 'string') await refuseSharedSessions(client, config)
    return facts
  } finally {
    await client.end()
  }
}

/** Two connections at once have two sessions, unless a pooler gives both the one that is free. */
async function refuseSharedSessions(first: pg.Client, config: pg.ClientConfig): Promise<void> {
  const second = new pg.Client(config)
  second.on('error', () => undefined) // the pending call below rejects with it
  const pidOf = async (client: pg.Client) =>
    (await judged(client.query<{ pid: number }>('select pg_backend_pid() as pid'))).rows[0]?.pid
  try {
    await judged(second.connect())
    if ((await pidOf(first)) === (await pidOf(second))) throw sharedSession('one session for two connections')
  } finally {
    await second.end()
  }
}

// What a server says to who we are, by SQLSTATE; trying again says the same.
const REFUSED = new Map<string, readonly [finding: string, mend: string]>([
  ['28P01', ['refuses the password', 'correct user and password in DATABASE_URL']],
  [
    '28000',
    ['refuses the user, or an unencrypted connection', 'see its pg_hba.conf, or add ?sslmode=require to DATABASE_URL'],
  ],
  ['3D000', ['has no such database', 'create it, or correct DATABASE_URL']],
  ['42501', ['does not let the user connect', 'grant connect on the database to it']],
])

/** Names server and reason, never user or password. */
function connectFailure(error: unknown, { host, port }: pg.Client): unknown {
  const { error: judged } = judge(error)
  const server = `PostgreSQL at ${host.startsWith('/') ? host : `${host}:${port}`}`
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [finding, mend] = REFUSED.get(code) ?? []
  if (finding !== undefined && mend !== undefined)
    return new StoreUnfit(`${server} ${finding} (${code})`, mend, { cause: error })
  if (error instanceof pg.DatabaseError) return judged
  if (/CERT|TLS|SSL/.test(code)) {
    const mend = 'name its certificate authority: ?sslmode=verify-full&sslrootcert=FILE in DATABASE_URL'
    return new StoreUnfit(`${server} has a certificate that is not trusted (${code})`, mend, { cause: error })
  }
  return new StoreUnavailable(`${server} does not answer${code === '' ? '' : ` (${code})`}`, { cause: error })
}

/** A server that answers and is unfit says more than one that does not answer. */
function mostTelling(outcomes: readonly PromiseSettledResult<unknown>[]): unknown {
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const unfit = reasons.find((reason) => !(reason instanceof StoreUnavailable))
  const answered = reasons.find((reason) => reason instanceof StoreUnavailable && reason.cause === undefined)
  return unfit ?? answered ?? reasons[0]
}
