// Starts the example shop next to a running service (`npm run shop`), and creates the tenant, key and client it needs.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createShop, type ShopOptions } from './shop.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VIDIMUS = join(ROOT, 'service', 'src', 'main.ts')
const DATA = process.env.VIDIMUS_DATA_DIR ?? join(ROOT, 'data')
const SAVED = join(DATA, 'shop.json')

type Access = Pick<ShopOptions, 'apiKey' | 'webhookSecret' | 'origin' | 'signIn'>

const port = Number(process.env.SHOP_PORT ?? 3000)
const address = process.env.SHOP_ADDRESS ?? `http://localhost:${port}`
const vidimusUrl = process.env.VIDIMUS_URL ?? (await whereItRuns()) ?? 'http://localhost:8080'
const isPublic = process.env.SHOP_ADDRESS !== undefined
const startedAt = performance.now()
const access = accessFromEnvironment() ?? (await accessSaved()) ?? (await makeAccess())
const server = createServer(await createShop({ address, vidimusUrl, isPublic, ...access }))
server.listen(port)
await once(server, 'listening')
const listener = isPublic ? null : forwardEvents()
console.log(`The shop is open at ${address} (after ${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    listener?.kill('SIGTERM')
    server.close()
    server.closeAllConnections()
  })
}

/** Reads the address from the service's data directory. */
async function whereItRuns(): Promise<string | null> {
  return (await readJson<{ address: string }>(join(DATA, 'service.json')))?.address ?? null
}

function accessFromEnvironment(): Access | null {
  const { VIDIMUS_API_KEY: apiKey, VIDIMUS_WEBHOOK_SECRET: webhookSecret, SHOP_ORIGIN: origin = null } = process.env
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = process.env
  if (apiKey === undefined || webhookSecret === undefined) return null
  const isClient = issuer !== undefined && clientId !== undefined && clientSecret !== undefined
  return { apiKey, webhookSecret, origin, signIn: isClient ? { issuer, clientId, clientSecret } : null }
}

/** Creates tenant, key and client at the first start, for the shop's address at that time. */
async function accessSaved(): Promise<Access | null> {
  const saved = await readJson<Access & { readonly address?: string }>(SAVED)
  return saved?.address === address ? saved : null
}

async function makeAccess(): Promise<Access> {
  console.log('First start: the shop gets a company of its own.')
  const tenant = (await vidimus('a company', 'tenant', 'create', '--name', 'Sonnenhof Wines', '--plan', 'starter'))
    .id as string
  const of = ['--tenant', tenant]
  const callback = `${address}/callback`
  // An origin on this machine needs no proof. The owner of a public origin must prove it.
  const origin = isPublic ? null : new URL(address).origin
  const [{ key }, { secret }, client] = await Promise.all([
    vidimus('an API key', 'key', 'create', ...of, '--name', 'shop'),
    vidimus('a webhook secret', 'webhook-secret', 'show', ...of),
    vidimus(
      'sign-in by OpenID',
      'client',
      'create',
      ...of,
      '--name',
      'Shop',
      '--template',
      'identity',
      '--redirect-uri',
      callback,
    ),
    ...(origin === null ? [] : [vidimus('its web origin', 'origin', 'add', origin, ...of)]),
  ])
  const { issuer, id: clientId, client_secret: clientSecret } = client as Record<string, string>
  const signIn = { issuer: issuer ?? '', clientId: clientId ?? '', clientSecret: clientSecret ?? '' }
  const access: Access = { apiKey: key as string, webhookSecret: secret as string, origin, signIn }
  await mkdir(DATA, { recursive: true })
  await writeFile(SAVED, JSON.stringify({ ...access, address }), { mode: 0o600 })
  return access
}

/** Runs one command of `vidimus`, and returns what it created. */
async function vidimus(what: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [VIDIMUS, ...args, '--json'], { cwd: ROOT })
  console.log(`  ${what}`)
  return JSON.parse(stdout)
}

async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

function forwardEvents(): ChildProcess {
  const args = [VIDIMUS, 'listen', '--service', vidimusUrl, '--forward-to', `http://localhost:${port}/webhooks`]
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, VIDIMUS_API_KEY: access.apiKey },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}
