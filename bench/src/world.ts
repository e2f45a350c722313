// Starts the service on the embedded PostgreSQL, and the floor to compare it with: the same HTTP framework with one prepared statement.

import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IssuerState } from '@vidimus/wallet'
import { type FastifyInstance, fastify } from 'fastify'
import { openWorld } from '../../service/src/assemble.ts'
import { createKey } from '../../service/src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../../service/src/core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../service/src/deps.ts'
import { makeFirstDays } from '../../service/src/features/retention/usecases/make-days.ts'
import { loadSandboxIssuer, openSandboxIssuer } from '../../service/src/features/trust/store/sandbox.ts'
import { buildApp } from '../../service/src/http-server.ts'
import { readConfig } from '../../service/src/platform/config/config.ts'
import { SCOPES } from '../../wire/values/keys.ts'
import { findStorePid } from './store-cpu.ts'

const ACTOR = { type: 'system', id: 'bench' } as const

export interface BenchWorld {
  readonly deps: Deps
  readonly servicePort: number
  readonly floorPort: number
  readonly key: string
  /** The process ID of PostgreSQL. */
  readonly store: number
  close(): Promise<void>
}

export async function openBench(
  addFloor: (floor: FastifyInstance, deps: Deps) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
  /** Changes the installation; the measured service starts after it. */
  prepare?: (deps: Deps) => Promise<void>,
): Promise<BenchWorld> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-bench-'))
  const env = {
    VIDIMUS_DATA_DIR: dataDir,
    VIDIMUS_LOG_LEVEL: 'error',
    VIDIMUS_RATE_KEY: '1000000/1000000',
    VIDIMUS_RATE_ADDRESS: '1000000/1000000',
    VIDIMUS_RATE_IP: '1000000/1000000',
    VIDIMUS_RATE_VERIFICATION: '1000000/1000000',
    VIDIMUS_RATE_SIGN_IN: '1000000/1000000',
    VIDIMUS_RATE_CLIENT: '1000000/1000000',
    ...more,
  }
  const open = () => openWorld(readConfig(env), (line) => void process.stderr.write(line))
  if (prepare !== undefined) {
    const first = await open()
    await prepare(first.deps)
    await first.close()
  }
  const world = await open()
  const { deps } = world
  await makeFirstDays(deps)
  const key = await newKey(deps)
  const app = buildApp(deps)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const floor = fastify({ logger: false })
  await addFloor(floor, deps)
  await floor.listen({ host: '127.0.0.1', port: 0 })
  return {
    deps,
    servicePort: (app.server.address() as AddressInfo).port,
    floorPort: (floor.server.address() as AddressInfo).port,
    key,
    store: await findStorePid(deps.db),
    async close() {
      await floor.close()
      await app.close()
      await world.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates a key of a separate tenant, with a quota that is never reached. */
export async function newKey(deps: Deps): Promise<string> {
  const tenant = await createTenant(deps, { name: 'Bench', plan: 'enterprise', dailyQuota: 100_000_000, actor: ACTOR })
  const created = await createKey(deps, {
    tenantId: tenant.id,
    environment: 'test',
    name: 'bench',
    scopes: SCOPES,
    expiresInDays: null,
    actor: ACTOR,
  })
  if (created === null) throw new Error('no key')
  return created.key
}

export function httpRequest(method: string, path: string, options: { headers?: string[]; body?: string }): string {
  const headers = ['Host: 127.0.0.1', ...(options.headers ?? [])]
  if (options.body === undefined) return `${[`${method} ${path} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`
  headers.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(options.body)}`)
  return `${[`${method} ${path} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n${options.body}`
}

export function formRequest(path: string, form: string, headers: readonly string[] = []): string {
  const type = 'Content-Type: application/x-www-form-urlencoded'
  const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', type, ...headers]
  return `${[...head, `Content-Length: ${Buffer.byteLength(form)}`].join('\r\n')}\r\n\r\n${form}`
}

export async function sandboxIssuerOf({ db }: Pick<Deps, 'db'>): Promise<IssuerState> {
  const sealed = await loadSandboxIssuer(db, 'default')
  if (sealed === null) throw new Error('the sandbox is off')
  return JSON.parse(openSandboxIssuer(db, 'default', sealed))
}
