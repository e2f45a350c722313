// Injects faults during the soak test: replaces processes, and stops Redis and the primary of the store.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { reservePort } from '../../service/src/platform/reserved-port.ts'
import { type OwnPostgres, ownServers } from '../../service/test/harness/servers/own-postgres.ts'
import type { Ledger } from './ledger.ts'
import type { Service } from './services.ts'

export const FAULTS = ['restarts', 'redis', 'failover'] as const
export type Fault = (typeof FAULTS)[number]

export interface Faults {
  /** Environment variables for the processes of the service. */
  readonly env: Readonly<Record<string, string>>
  /** Whether a call in progress may fail because of an injected fault. */
  isExcused(): boolean
  /** Whether the store is unreachable because of an injected fault, so that 503 is the right answer. */
  isStoreAway(): boolean
  /** Causes one fault after the other until it is stopped. */
  run(services: readonly Service[], stopped: AbortSignal): Promise<void>
  close(): Promise<void>
}

const REDIS_AWAY_MS = 20_000
/** How long after a fault a call may still fail, because clients wait and retry. */
const AFTERMATH_MS = 60_000

/** `pauseMs`: the pause between two faults. */
export async function prepareFaults(wanted: readonly Fault[], ledger: Ledger, pauseMs: number): Promise<Faults> {
  const redis = wanted.includes('redis') ? await startRedis() : null
  const pair = wanted.includes('failover') ? await startPair() : null
  let excusedUntil = 0
  let awayUntil = 0
  let storeIsAway = false
  const excuse = () => {
    excusedUntil = performance.now() + AFTERMATH_MS
  }

  async function replace(service: Service): Promise<void> {
    excuse()
    ledger.note(`a process is replaced: ${service.url}`)
    await service.restart()
    excuse()
    ledger.count('processes replaced')
  }

  async function failOver({ primary, standby }: Pair, services: readonly Service[]): Promise<void> {
    storeIsAway = true
    ledger.note('the primary is killed')
    await primary.kill()
    await delay(2_000)
    await standby.ask('select pg_promote()')
    const promotedAt = performance.now()
    for (const { url } of services) while (!(await isReady(url))) await delay(100)
    ledger.note(`ready ${Math.round(performance.now() - promotedAt)} ms after the promotion`)
    storeIsAway = false
    excuse()
    awayUntil = excusedUntil
    ledger.count('failovers')
  }

  return {
    env: {
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
      ...(pair === null ? {} : { DATABASE_URL: pair.url }),
    },
    isExcused: () => storeIsAway || performance.now() < excusedUntil,
    isStoreAway: () => storeIsAway || performance.now() < awayUntil,
    async run(services, stopped) {
      // One standby allows one failover.
      let isFailoverDue = pair !== null
      for (let round = 0; await pause(pauseMs, stopped); round += 1) {
        const service = services[round % services.length]
        if (wanted.includes('restarts') && service !== undefined) await replace(service)
        if (redis !== null && (await pause(pauseMs, stopped))) {
          ledger.note('Redis is killed')
          await redis.kill()
          await pause(Math.min(REDIS_AWAY_MS, pauseMs), stopped)
          await redis.start()
          ledger.count('losses of Redis')
        }
        if (pair !== null && isFailoverDue && (await pause(pauseMs, stopped))) {
          isFailoverDue = false
          await failOver(pair, services)
        }
      }
    },
    async close() {
      await redis?.kill()
      await pair?.close()
    },
  }
}

/** Returns false if the pause was cancelled. */
const pause = (ms: number, stopped: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal: stopped }).catch(() => false)

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

interface Pair {
  readonly url: string
  readonly primary: OwnPostgres
  readonly standby: OwnPostgres
  close(): Promise<void>
}

/** Starts a primary with a synchronous standby, so that a failover loses no acknowledged commit. */
async function startPair(): Promise<Pair> {
  const servers = await ownServers()
  const primary = await servers.start({ synchronous_standby_names: '*' })
  const standby = await servers.startStandby(primary)
  const url = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`
  return { url, primary, standby, close: () => servers.close() }
}

async function startRedis() {
  const { port, release } = await reservePort('127.0.0.1')
  await release()
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(
      'sh',
      ['-c', `exec $(command -v valkey-server || echo redis-server) --port ${port} --save '' --bind 127.0.0.1`],
      {
        stdio: 'ignore',
      },
    )
    await once(child, 'spawn')
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
