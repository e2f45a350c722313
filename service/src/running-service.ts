// Writes the port and address of the service to its data directory, so that commands need no settings for these.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './platform/config/config.ts'

export interface RunningService {
  readonly baseUrl: string
  readonly port: number
  /** The address on this machine. */
  readonly address: string
}

const FILE = 'service.json'
const EVERY_ADDRESS = new Set(['0.0.0.0', '::', ''])

export async function writeServiceFile(config: Pick<Config, 'dataDir' | 'baseUrl' | 'host' | 'port'>): Promise<void> {
  const { dataDir, baseUrl, port } = config
  const host = EVERY_ADDRESS.has(config.host) ? '127.0.0.1' : config.host
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  await mkdir(dataDir, { recursive: true })
  const draft = join(dataDir, `${FILE}.${process.pid}`)
  await writeFile(draft, `${JSON.stringify({ base_url: baseUrl, port, address })}\n`, { mode: 0o644 })
  await rename(draft, join(dataDir, FILE))
}

/** null: no service ran with this data directory, or its file cannot be read. */
export async function readServiceFile(dataDir: string): Promise<RunningService | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EACCES') return null
    throw error
  })
  if (text === null) return null
  try {
    const { base_url: baseUrl, port, address } = JSON.parse(text)
    const fits = typeof baseUrl === 'string' && Number.isSafeInteger(port) && typeof address === 'string'
    return fits && URL.canParse(baseUrl) && URL.canParse(address) ? { baseUrl, port, address } : null
  } catch {
    return null
  }
}

type Env = Readonly<Record<string, string | undefined>>

/** The environment of a command. Port and address default to those of the service. */
export async function commandEnvironment(env: Env): Promise<Env> {
  if (env.PORT || env.VIDIMUS_BASE_URL) return env
  const known = await readServiceFile(env.VIDIMUS_DATA_DIR || './data')
  return known === null ? env : { ...env, PORT: String(known.port), VIDIMUS_BASE_URL: known.baseUrl }
}
