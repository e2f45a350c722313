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
  const { VIDIMUS_API_KEY: apiKey, VIDIMUS_WEBHOOK_SECRET: webhookSecret } = process.env
  return apiKey === undefined || webhookSecret === undefined ? null : { apiKey, webhookSecret }
}

async function accessSaved(): Promise<Access | null> {
  try {
    return JSON.parse(await readFile(SAVED, 'utf8')) as Access
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

async function makeAccess(): Promise<Access> {
  const tenant = (await vidimus('tenant', 'create', '--name', 'Wine shop', '--plan', 'starter')).id as string
  const { key } = await vidimus('key', 'create', '--tenant', tenant, '--name', 'shop')
  const { secret } = await vidimus('webhook-secret', 'show', '--tenant', tenant)
  const made = { apiKey: key as string, webhookSecret: secret as string }
  await mkdir(join(SAVED, '..'), { recursive: true })
  await writeFile(SAVED, JSON.stringify(made), { mode: 0o600 })
  return made
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
