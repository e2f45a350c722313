// The whole service for a test file: the real application on its own database, with a clock that the test controls.
// Every answer is compared with the OpenAPI document; a difference fails the test.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { SCOPES } from '../../../wire/values/keys.ts'
import { assembleDeps } from '../../src/assemble.ts'
import type { Scope } from '../../src/core/tenants/domain/api-key.ts'
import type { Plan } from '../../src/core/tenants/domain/tenant.ts'
import { createKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../../src/core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../src/deps.ts'
import { makeDay } from '../../src/features/retention/store/day-partitions.ts'
import { buildApp } from '../../src/http-server.ts'
import { type Config, readConfig } from '../../src/platform/config/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { RemoteKeyOptions } from '../../src/platform/keys/remote-keys.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { dayAt } from '../../src/platform/postgres/days.ts'
import type { Environment } from '../../src/platform/world.ts'
import type { Answer } from './answer.ts'
import { createAnswerCheck } from './answers.ts'
import { type TestDatabase, testDatabase } from './servers/database.ts'

export const OPERATOR = { type: 'operator', id: 'test' } as const

/** The start of the tests' time: noon of a summer day, far from midnight. */
const NOON = Date.UTC(2027, 5, 15, 12)

export interface TestClock {
  now(): number
  /** Milliseconds. */
  advance(by: number): void
  set(to: number): void
}

export interface Call {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, with the content type of `headers`. */
  readonly raw?: string | Buffer
  /** The peer's address. */
  readonly from?: string
}

export interface TestService {
  readonly app: App
  readonly deps: Deps
  readonly clock: TestClock
  readonly url: string
  /** The database's URL, as the harness of databases has it. */
  readonly flushed: TestDatabase['flushed']
  /** Every log line. */
  readonly logged: readonly string[]
  call(method: string, path: string, call?: Call): Promise<Answer>
  tenant(options?: { name?: string; plan?: Plan; dailyQuota?: number | null }): Promise<string>
  key(
    tenantId: string,
    options?: { environment?: Environment; scopes?: readonly Scope[]; expiresInDays?: number | null },
  ): Promise<string>
}

export interface TestServiceOptions {
  readonly dnsServers?: readonly string[]
  /** PEM certificates that outbound TLS trusts in addition to the public ones. */
  readonly extraCa?: readonly string[]
  /** How long a signature of an external key may take. */
  readonly keyDeadlineMs?: number
  /** Closes the service at the end; absent: the test file does. */
  readonly ends?: { after(work: () => Promise<void>): void }
  /** Connections to the store; absent: as many as the harness opens. */
  readonly poolMax?: number
  /** Options of its external keys; absent: those of the configuration. */
  readonly remoteKeyOptions?: Partial<RemoteKeyOptions>
  /** The service whose store and clock it shares, as another process of the same installation; absent: it has its own. */
  readonly sharedWith?: TestService
  /** The master key of its store; absent: that of every test service. */
  readonly masterKey?: Uint8Array
  /** Its store has no partitions of days; absent: it has that of the day on which tests begin. */
  readonly noDays?: true
}

/** Starts services in another way, for a test file that runs the tests of other files. */
export interface OtherStart {
  readonly env: Readonly<Record<string, string>>
  readonly remoteKeyOptions: Partial<RemoteKeyOptions>
  /** Changes an installation; the tested service is a further process that starts after this. */
  prepare(service: TestService): Promise<void>
  /** Gets each tested service. */
  started(service: TestService): void
}

let otherStart: OtherStart | null = null

/** Changes the start of every service that is started in this process from now on. */
export function startServicesBy(start: OtherStart): void {
  otherStart = start
}

export async function testService(
  change: Partial<Config> = {},
  env: Record<string, string> = {},
  options: TestServiceOptions = {},
): Promise<TestService> {
  if (otherStart === null) return startService(change, env, options)
  const whole = { ...otherStart.env, ...env }
  const started = { remoteKeyOptions: otherStart.remoteKeyOptions, ...options }
  if (options.sharedWith !== undefined) return startService(change, whole, started)
  const first = await startService(change, whole, started)
  await otherStart.prepare(first)
  const further = await startService(change, whole, { ...started, sharedWith: first })
  otherStart.started(further)
  return further
}

async function startService(
  change: Partial<Config>,
  env: Record<string, string>,
  options: TestServiceOptions,
): Promise<TestService> {
  const ends = options.ends ?? { after }
  const { sharedWith: first, remoteKeyOptions } = options
  const { db, url, flushed } = first === undefined ? await testDatabase(ends, options) : { ...first, db: first.deps.db }
  const logged: string[] = []
  const clock = first?.clock ?? createTestClock()
  const config = { ...readConfig({ VIDIMUS_BASE_URL: 'https://verify.example.com', ...env }), ...GENEROUS, ...change }
  const { deps, close } = await assembleDeps({
    config,
    db,
    clock,
    clockOffsetMs: () => 0,
    random: (size) => new Uint8Array(randomBytes(size)),
    log: createLog('debug', (line) => void logged.push(line)),
    dnsServers: options.dnsServers ?? NO_DNS,
    ...(options.extraCa === undefined ? {} : { extraCa: options.extraCa }),
    ...(options.keyDeadlineMs === undefined ? {} : { keyDeadlineMs: options.keyDeadlineMs }),
    ...(remoteKeyOptions === undefined ? {} : { remoteKeyOptions }),
  })
  if (first === undefined && options.noDays !== true) await db.transaction((tx) => makeDay(tx, dayAt(clock.now())))
  // Compiles schemas at first use, because a test file uses few routes. A test of the real process compiles all.
  const app = buildApp(deps, 'at first use')
  await app.ready()
  ends.after(async () => {
    await app.close()
    await close()
  })
  const check = createAnswerCheck(app)
  return {
    app,
    deps,
    clock,
    url,
    flushed,
    logged,
    async call(method, path, call = {}) {
      const answer = await inject(app, method, path, call)
      check(method, path, answer)
      return answer
    },
    async tenant(options = {}) {
      const input = {
        name: options.name ?? 'Test tenant',
        plan: options.plan ?? 'business',
        dailyQuota: options.dailyQuota ?? null,
      }
      return (await createTenant(deps, { ...input, actor: OPERATOR })).id
    },
    async key(tenantId, options = {}) {
      const created = await createKey(deps, {
        tenantId,
        environment: options.environment ?? 'test',
        name: 'test',
        scopes: options.scopes ?? SCOPES,
        expiresInDays: options.expiresInDays ?? null,
        actor: OPERATOR,
      })
      assert.ok(created !== null)
      return created.key
    },
  }
}

/** No server listens there: names do not resolve, and no test reaches the internet. */
const NO_DNS = ['127.0.0.1:9']

/** Budgets that no test reaches by accident. */
export const GENEROUS: Pick<Config, 'rates' | 'signIns'> = {
  rates: {
    key: { perSecond: 1e6, burst: 1e6 },
    tenant: { perSecond: 1e6, burst: 1e6 },
    address: { perSecond: 1e6, burst: 1e6 },
    ip: { perSecond: 1e6, burst: 1e6 },
    verification: { perSecond: 1e6, burst: 1e6 },
    enroll: { perSecond: 1e6, burst: 1e6 },
    enrollAll: { perSecond: 1e6, burst: 1e6 },
  },
  signIns: { address: { perSecond: 1e6, burst: 1e6 }, client: { perSecond: 1e6, burst: 1e6 } },
}

function createTestClock(): TestClock {
  let now = NOON
  return {
    now: () => now,
    advance: (by) => {
      now += by
    },
    set: (to) => {
      now = to
    },
  }
}

async function inject(app: App, method: string, path: string, call: Call): Promise<Answer> {
  const payload = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
  const response = await app.inject({
    method: method as 'GET',
    url: path,
    remoteAddress: call.from ?? '203.0.113.7',
    headers: {
      ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(payload === undefined ? {} : { payload }),
  })
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.payload,
    json: isJson && response.payload !== '' ? JSON.parse(response.payload) : undefined,
  }
}

/** Asserts the status and code of a refusal. */
export function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['error'])
  assert.equal(answer.json.error.code, code)
  assert.equal(typeof answer.json.error.message, 'string')
}
