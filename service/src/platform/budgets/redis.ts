// Shares rate budgets among replicas in Redis or Valkey, with the arithmetic of platform/rate.ts.

import { createHash, createHmac } from 'node:crypto'
import { createClient } from '@redis/client'
import { type Budget, type Decision, decide, priced } from '../rate.ts'
import { type Budgets, createLocalBudgets } from './local.ts'

/** Spends from the bucket if the request is allowed, and returns the state before. Uses the time of the server. */
const SCRIPT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local interval = tonumber(ARGV[1])
local capacity = tonumber(ARGV[2])
local stored = tonumber(redis.call('GET', KEYS[1]) or now)
if stored > now + capacity + interval then stored = now end
local before = math.max(stored, now)
local after = before + tonumber(ARGV[3])
if after - now <= capacity + 1e-6 then
  redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now) + 1000)
end
return { string.format('%.3f', now), string.format('%.3f', before) }
`
/** An expired bucket is full, so it is not created again. */
const GIVE_BACK_SCRIPT = `
local stored = tonumber(redis.call('GET', KEYS[1]) or nil)
if stored then redis.call('SET', KEYS[1], string.format('%.3f', stored - tonumber(ARGV[1])), 'KEEPTTL') end
return 0
`
const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 2_000
const SLICES = 5
/** After this many late answers in a row, each over a new connection, the server counts as down. */
const LATES_MAX = 3
/** How long to wait after a failure before the next attempt to connect. */
const REST_MS = 1_000

interface RedisOptions {
  readonly url: string
  /** The address of the installation: two installations on one server have separate budgets. */
  readonly baseUrl: string
  /** Names buckets, so that a reader of the server cannot guess the addresses in their keys. */
  readonly secret: Uint8Array
  /** Called with the reason when the server goes down, and with null when it is back. Not called at each request. */
  readonly onChange: (reason: unknown) => void
  readonly commandTimeoutMs?: number
}

type Client = ReturnType<typeof connectionTo>

/**
 * Connects when the first unit is spent, so that other commands and the start need not wait. Requests never wait: while
 * Redis is down or slow, this process keeps the budgets and retries every second.
 */
export function createRedisBudgets(options: RedisOptions): Budgets {
  const commandTimeoutMs = options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS
  const local = createLocalBudgets()
  const installation = createHash('sha256').update(new URL(options.baseUrl).href).digest('base64url').slice(0, 16)
  let current: Client | undefined
  let opening: Client | undefined
  /** On how many connections in a row an answer came too late. */
  let lates = 0
  let connecting: Promise<void> | undefined
  let restsUntil = 0
  let failure: unknown = null
  let isClosed = false

  function note(reason: unknown): void {
    const changed = (failure === null) !== (reason === null)
    failure = reason
    if (changed && !isClosed) options.onChange(reason)
  }

  /** Closes a failed connection, so that no request waits for its late answers. False: it was already closed. */
  function leave(client: Client): boolean {
    if (client.isOpen) client.destroy()
    if (client !== current && client !== opening) return false
    if (client === current) current = undefined
    return true
  }

  /**
   * Marks the server as down for a while. Ignores errors on a closed connection, which say nothing about the server.
   */
  function drop(client: Client, reason: unknown): void {
    if (!leave(client)) return
    restsUntil = performance.now() + REST_MS
    note(reason)
  }

  /**
   * One late answer does not mean that the server is down. Connects again at once, and marks the server as down after
   * several late answers in a row.
   */
  function suspect(client: Client, reason: unknown): void {
    if (client !== current) return
    lates += 1
    if (lates >= LATES_MAX) drop(client, reason)
    else {
      leave(client)
      if (!isClosed) void connected()
    }
  }

  async function connect(): Promise<void> {
    const client = connectionTo(options.url)
    opening = client
    client.on('error', (error: unknown) => drop(client, error))
    try {
      await within(CONNECT_TIMEOUT_MS, client.connect())
    } catch (error) {
      return drop(client, error)
    }
    if (isClosed) return client.destroy()
    current = client
    // After late answers, only an answer in time shows that the server is back.
    if (lates === 0) note(null)
  }

  function connected(): Promise<void> {
    connecting ??= connect()
      .catch(note)
      .finally(() => {
        connecting = undefined
      })
    return connecting
  }

  /** null: the server is down. */
  async function run<T>(
    call: { script: string; key: string; args: readonly number[] },
    read: (reply: unknown) => T,
  ): Promise<T | null> {
    const client = current
    if (client === undefined) {
      if (performance.now() >= restsUntil && !isClosed) void connected()
      return null
    }
    try {
      const bucket = createHmac('sha256', options.secret).update(call.key).digest('base64url')
      const script = { keys: [`vidimus:rate:${installation}:${bucket}`], arguments: call.args.map(String) }
      const result = read(await within(commandTimeoutMs, client.eval(call.script, script)))
      lates = 0
      note(null)
      return result
    } catch (error) {
      if (error instanceof LateAnswer) suspect(client, error)
      else drop(client, error)
      return null
    }
  }

  return {
    async spend(key, budget, nowMs, amount = 1) {
      const interval = 1000 / budget.perSecond
      const price = interval * priced(budget, amount)
      const call = { script: SCRIPT, key, args: [interval, interval * budget.burst, price] }
      return (await run(call, (reply) => toDecision(reply, budget, amount))) ?? local.spend(key, budget, nowMs, amount)
    },
    async giveBack(key, budget) {
      const call = { script: GIVE_BACK_SCRIPT, key, args: [1000 / budget.perSecond] }
      if ((await run(call, () => true)) === null) await local.giveBack(key, budget)
    },
    async reach() {
      if (current === undefined) await connected()
      return current === undefined ? { isUp: false, reason: reasonOf(failure) } : { isUp: true }
    },
    async close() {
      isClosed = true
      current?.destroy()
      current = undefined
      await local.close()
    },
  }
}

class LateAnswer extends Error {
  override readonly name = 'LateAnswer'

  constructor() {
    super('it did not answer in time')
  }
}

function connectionTo(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  })
}

function reasonOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : 'it does not answer'
}

function toDecision(reply: unknown, budget: Budget, amount: number): Decision {
  const [now, before] = Array.isArray(reply) ? reply.map(Number) : []
  if (now === undefined || before === undefined || Number.isNaN(now + before))
    throw new Error('unexpected result of the budget script')
  return decide(budget, now, before, amount)
}

/**
 * Counts the timeout in consecutive slices. If this process was blocked, the server loses only one slice of its time.
 */
function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const wait = (slices: number): void => {
      timer = setTimeout(() => (slices > 1 ? wait(slices - 1) : reject(new LateAnswer())), milliseconds / SLICES)
    }
    wait(SLICES)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
