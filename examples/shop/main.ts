// `npm run shop`: the example shop beside a running service. Without VIDIMUS_API_KEY it makes itself a tenant and a test key with
// the command line, and has test events forwarded, for the service does not call private addresses.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createShop } from './shop.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VIDIMUS = join(ROOT, 'service', 'src', 'main.ts')
const DATA = process.env.VIDIMUS_DATA_DIR ?? join(ROOT, 'data')
const SAVED = join(DATA, 'shop.json')

interface Access {
  readonly apiKey: string
  readonly webhookSecret: string
  /** What the company's list of origins has of this shop. */
  readonly origin: string | null
}

const port = Number(process.env.SHOP_PORT ?? 3000)
const address = process.env.SHOP_ADDRESS ?? `http://localhost:${port}`
const vidimusUrl = process.env.VIDIMUS_URL ?? (await whereItRuns()) ?? 'http://localhost:8080'
const isPublic = process.env.SHOP_ADDRESS !== undefined
const access = accessFromEnvironment() ?? (await accessSaved()) ?? (await makeAccess())

const server = createServer(await createShop({ address, vidimusUrl, isPublic, ...access }))
server.listen(port)
await once(server, 'listening')
const listener = isPublic ? null : forwardEvents()
console.log(`The shop is open at ${address}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    listener?.kill('SIGTERM')
    server.close()
    server.closeAllConnections()
  })
}

/** As the service wrote down in its data directory. */
async function whereItRuns(): Promise<string | null> {
  try {
    return JSON.parse(await readFile(join(DATA, 'service.json'), 'utf8')).address
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

function accessFromEnvironment(): Access | null {
  const { VIDIMUS_API_KEY: apiKey, VIDIMUS_WEBHOOK_SECRET: webhookSecret, SHOP_ORIGIN: origin = null } = process.env
  return apiKey === undefined || webhookSecret === undefined ? null : { apiKey, webhookSecret, origin }
}

async function accessSaved(): Promise<Access | null> {
  try {
    const saved: Omit<Access, 'origin'> & Partial<Access> = JSON.parse(await readFile(SAVED, 'utf8'))
    // Listed under the address it had then.
    return { ...saved, origin: saved.origin === new URL(address).origin ? saved.origin : null }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

async function makeAccess(): Promise<Access> {
  const tenant = (await vidimus('tenant', 'create', '--name', 'Wine shop', '--plan', 'starter')).id as string
  const { key } = await vidimus('key', 'create', '--tenant', tenant, '--name', 'shop')
  const { secret } = await vidimus('webhook-secret', 'show', '--tenant', tenant)
  const made = { apiKey: key as string, webhookSecret: secret as string, origin: await listOrigin(tenant) }
  await mkdir(join(SAVED, '..'), { recursive: true })
  await writeFile(SAVED, JSON.stringify(made), { mode: 0o600 })
  return made
}

/** A page on this machine needs no proof; a public one is for its owner to prove. */
async function listOrigin(tenant: string): Promise<string | null> {
  if (isPublic) return null
  const { origin } = new URL(address)
  await vidimus('origin', 'add', origin, '--tenant', tenant)
  return origin
}

async function vidimus(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [VIDIMUS, ...args, '--json'], { cwd: ROOT })
  return JSON.parse(stdout)
}

function forwardEvents(): ChildProcess {
  const args = [VIDIMUS, 'listen', '--service', vidimusUrl, '--forward-to', `http://localhost:${port}/webhooks`]
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, VIDIMUS_API_KEY: access.apiKey },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}
