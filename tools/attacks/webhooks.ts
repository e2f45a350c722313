// Measures how long a tenant's webhooks take while the webhook receivers of ten other tenants never answer.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openWorld } from '../../service/src/assemble.ts'
import { createKey } from '../../service/src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../../service/src/core/tenants/usecases/manage-tenants.ts'
import { readConfig } from '../../service/src/platform/config/config.ts'
import { SCOPES } from '../../wire/values/keys.ts'

const ACTOR = { type: 'system', id: 'attack' } as const
const TENANTS = 10
/** More webhooks than a worker sends at the same time. */
const WEBHOOKS_PER_TENANT = 80
const EVERY_MS = 200
const GIVE_UP_MS = 20_000

export const about = 'ten tenants whose webhook receivers never answer'

interface WebhookAttackOptions {
  readonly url: string
  /** API keys of attacking tenants; if the service is our own, ten tenants are created instead. */
  readonly attackerKeys: readonly string[]
  readonly bystanderKey: string
  readonly seconds: number
  readonly own: { readonly env: Readonly<Record<string, string>> } | null
}

export async function run(options: WebhookAttackOptions): Promise<Record<string, string | number>> {
  const { url, bystanderKey, seconds } = options
  const keys = options.own === null ? options.attackerKeys : await makeTenants(options.own.env, url)
  const hanging = await listen(() => undefined)
  const arrived = new Map<string, number>()
  const calm = await listen((path, answer) => {
    arrived.set(path, performance.now())
    answer()
  })
  try {
    const alone = await measure({ url, key: bystanderKey, receiver: calm.url, arrived, seconds: 2 })
    const began = performance.now()
    await Promise.all(
      keys.map(async (key, tenant) => {
        for (let created = 0; created < WEBHOOKS_PER_TENANT; created += 1) {
          await endOne({ url, key, webhookUrl: `${hanging.url}/${tenant}`, from: `127.0.${tenant + 1}.${created + 1}` })
        }
      }),
    )
    const tookMs = Math.round(performance.now() - began)
    const loaded = await measure({ url, key: bystanderKey, receiver: calm.url, arrived, seconds })
    return {
      'attacking tenants': keys.length,
      'webhooks that hang': `${keys.length * WEBHOOKS_PER_TENANT} created in ${tookMs} ms`,
      ...named('alone', alone),
      ...named('beside them', loaded),
    }
  } finally {
    hanging.close()
    calm.close()
  }
}

async function makeTenants(env: Readonly<Record<string, string>>, url: string): Promise<string[]> {
  const config = readConfig({ ...env, PORT: new URL(url).port, VIDIMUS_LOG_LEVEL: 'silent' })
  const world = await openWorld(config, () => undefined)
  try {
    const keys: string[] = []
    for (let created = 0; created < TENANTS; created += 1) {
      const { deps } = world
      const tenant = await createTenant(deps, { name: 'Attack', plan: 'enterprise', dailyQuota: null, actor: ACTOR })
      const terms = { environment: 'test', name: 'attack', scopes: SCOPES, expiresInDays: null, actor: ACTOR } as const
      const key = await createKey(deps, { ...terms, tenantId: tenant.id })
      if (key === null) throw new Error('no key was created')
      keys.push(key.key)
    }
    return keys
  } finally {
    await world.close()
  }
}

/** Milliseconds from each wallet's answer to its webhook. A webhook that never arrived counts as `GIVE_UP_MS`. */
async function measure(order: {
  url: string
  key: string
  receiver: string
  arrived: ReadonlyMap<string, number>
  seconds: number
}): Promise<number[]> {
  const { url, key, receiver, arrived } = order
  const ended: { readonly path: string; readonly atMs: number }[] = []
  for (let turn = 0; turn < (order.seconds * 1000) / EVERY_MS; turn += 1) {
    const path = `/${Math.round(performance.now() * 1000)}`
    ended.push({ path, atMs: await endOne({ url, key, webhookUrl: `${receiver}${path}`, from: '127.0.200.1' }) })
    await delay(EVERY_MS)
  }
  const giveUp = performance.now() + GIVE_UP_MS
  while (ended.some(({ path }) => !arrived.has(path)) && performance.now() < giveUp) await delay(10)
  return ended.map(({ path, atMs }) => Math.max(0, (arrived.get(path) ?? atMs + GIVE_UP_MS) - atMs))
}

function named(name: string, times: readonly number[]): Record<string, number> {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { [`${name}: webhooks`]: sorted.length, [`${name}: p50 ms`]: at(0.5), [`${name}: slowest ms`]: at(1) }
}

/** Creates a verification and declines it as the wallet. Returns the time at which the service accepted the answer. */
async function endOne(order: { url: string; key: string; webhookUrl: string; from: string }): Promise<number> {
  const { url, key, from } = order
  const body = JSON.stringify({ template: 'age_over_18', webhook_url: order.webhookUrl })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const created = JSON.parse(await call({ url, from, method: 'POST', path: '/v1/verifications', headers, body }))
  const object = await call({ url, from, method: 'GET', path: `/wallet/request/${created.id}`, headers: {} })
  const { state } = JSON.parse(Buffer.from(object.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = { method: 'POST', path: `/wallet/response/${created.id}`, headers: form }
  await call({ url, from, ...answer, body: new URLSearchParams({ error: 'access_denied', state }).toString() })
  return performance.now()
}

async function call(order: {
  url: string
  from: string
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
}): Promise<string> {
  const { method, headers, from: localAddress } = order
  const sent = request(new URL(order.path, order.url), { method, headers, localAddress, agent: false })
  sent.end(order.body)
  const [answer] = await once(sent, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  if (answer.statusCode >= 300) throw new Error(`${method} ${order.path} was answered ${answer.statusCode}: ${text}`)
  return text
}

async function listen(
  receive: (path: string, answer: () => void) => void,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((incoming, response) => {
    incoming.resume()
    receive(incoming.url ?? '', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
