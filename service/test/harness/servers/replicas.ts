// Starts real processes of the service on one database, for rules that all replicas must keep together.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { once, within } from '../wait.ts'
import { BARE_ENVIRONMENT } from './bare-environment.ts'
import { TEST_MASTER_KEY } from './master-key.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

export interface Replicas {
  readonly urls: readonly string[]
  readonly pids: readonly number[]
  /** Stops each process and waits for it; like Ctrl-C, unless proxies should get their drain time. */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<void>
}

/** Budgets are generous, so that the test reaches the rule and not a rate limit. */
export async function startReplicas(
  databaseUrl: string,
  count: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Replicas> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-replicas-'))
  const generous = '1000000/1000000'
  const children: ChildProcess[] = []
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null) return
        child.kill(signal)
        await once(child, 'exit')
      }),
    )
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const starting = Array.from({ length: count }, () => {
      const child = spawn(process.execPath, [MAIN, 'serve'], {
        env: {
          ...BARE_ENVIRONMENT,
          DATABASE_URL: databaseUrl,
          VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('hex'),
          VIDIMUS_DATA_DIR: dataDir,
          VIDIMUS_RATE_KEY: generous,
          VIDIMUS_RATE_ADDRESS: generous,
          VIDIMUS_RATE_IP: generous,
          VIDIMUS_RATE_ENROLL: generous,
          VIDIMUS_RATE_ENROLL_ALL: generous,
          VIDIMUS_LOG_LEVEL: 'error',
          PORT: '0',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      return addressOf(child)
    })
    const urls = await Promise.all(starting)
    return { urls, pids: children.flatMap(({ pid }) => (pid === undefined ? [] : [pid])), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let printed = ''
  child.stdout?.setEncoding('utf8')
  const printedUrl = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`a replica exited with ${code}: ${printed}`)))
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk
      const [, url] = /running at (http:\/\/\S+)/.exec(printed) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  return within('the replica reports its address', printedUrl)
}
