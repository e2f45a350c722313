// Rate budgets in Redis or Valkey: the same arithmetic as domain/rate.ts in one script, so that replicas share them.

import { createClient } from '@redis/client'
import { type Budget, type Decision, decide } from '../../domain/rate.ts'
import type { Budgets } from './local.ts'

/** Reads the bucket, moves it if the request is allowed, and gives back what it held; time is the server's. */
const SCRIPT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local interval = tonumber(ARGV[1])
local capacity = tonumber(ARGV[2])
local stored = tonumber(redis.call('GET', KEYS[1]) or now)
if stored > now + capacity + interval then stored = now end
local before = math.max(stored, now)
local after = before + interval
if after - now <= capacity + 1e-6 then
  redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now) + 1000)
end
return { string.format('%.3f', now), string.format('%.3f', before) }
`
/** A bucket that has run out meanwhile is as good as new and stays away. */
const GIVE_BACK_SCRIPT = `
local stored = tonumber(redis.call('GET', KEYS[1]) or nil)
if stored then redis.call('SET', KEYS[1], string.format('%.3f', stored - tonumber(ARGV[1])), 'KEEPTTL') end
return 0
`
const COMMAND_TIMEOUT_MS = 250

export async function createRedisBudgets(
  url: string,
  onTrouble: (error: unknown) => void,
  commandTimeoutMs = COMMAND_TIMEOUT_MS,
): Promise<Budgets> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2_000) },
  })
  client.on('error', onTrouble)
  await client.connect()
  return {
    async spend(key, budget) {
      const reply: unknown = await within(
        commandTimeoutMs,
        client.eval(SCRIPT, {
          keys: [`vidimus:rate:${key}`],
          arguments: [String(1000 / budget.perSecond), String((1000 / budget.perSecond) * budget.burst)],
        }),
      )
      return toDecision(reply, budget)
    },
    async giveBack(key, budget) {
      await within(
        commandTimeoutMs,
        client.eval(GIVE_BACK_SCRIPT, {
          keys: [`vidimus:rate:${key}`],
          arguments: [String(1000 / budget.perSecond)],
        }),
      )
    },
    async close() {
      client.destroy()
    },
  }
}

function toDecision(reply: unknown, budget: Budget): Decision {
  const [now, before] = Array.isArray(reply) ? reply.map(Number) : []
  if (now === undefined || before === undefined || Number.isNaN(now + before))
    throw new Error('unexpected answer of the budget script')
  return decide(budget, now, before)
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the budget store is late')), milliseconds)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
