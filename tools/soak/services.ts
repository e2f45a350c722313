// Starts processes of the service on one store, like replicas, and measures their memory and CPU time.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'

const MAIN = join(import.meta.dirname, '..', '..', 'service', 'src', 'main.ts')

export interface Service {
  readonly url: string
  /** Replaces the process at the same address after it has shut down cleanly. */
  restart(): Promise<void>
  /** Resident memory in MiB. */
  memory(): number
  /** Milliseconds of CPU of all its threads; NaN if the system does not report it. */
  cpu(): number
  stop(): Promise<void>
}

interface ServiceWatch {
  /** Gets the output of the process. */
  readonly log?: Writable
  /** Called if the process ended unexpectedly. */
  readonly onDeath?: (how: string) => void
}

export async function startService(env: NodeJS.ProcessEnv, watch: ServiceWatch = {}): Promise<Service> {
  let isTold = false
  const launch = async (own: NodeJS.ProcessEnv) => {
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: own,
      stdio: ['ignore', 'pipe', watch.log === undefined ? 'inherit' : 'pipe'],
    })
    if (watch.log !== undefined) {
      child.stdout?.pipe(watch.log, { end: false })
      child.stderr?.pipe(watch.log, { end: false })
    }
    child.once('exit', (code, signal) => {
      if (!isTold) watch.onDeath?.(String(code ?? signal))
    })
    return { child, url: await addressOf(child) }
  }
  const first = await launch(env)
  let { child } = first
  const { url } = first
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    isTold = true
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return {
    url,
    async restart() {
      await stop()
      isTold = false
      ;({ child } = await launch({ ...env, PORT: new URL(url).port }))
    },
    memory: () => memoryOf(child),
    cpu: () => cpuOf(child.pid ?? 0),
    stop,
  }
}

/** Resident memory; NaN while the process is being replaced. */
function memoryOf({ pid, exitCode }: ChildProcess): number {
  if (exitCode !== null) return Number.NaN
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() === '' ? Number.NaN : Number(stdout) / 1024
}

/** Linux reports nanoseconds per thread; other sources report hundredths of a second. */
function cpuOf(pid: number): number {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return Number.NaN
  const used = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
}

function addressOf(child: ChildProcess): Promise<string> {
  let printed = ''
  child.stdout?.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service exited with ${code}: ${printed}`)))
    child.stdout?.on('data', (chunk: string) => {
      if (printed.length < 10_000) printed += chunk
      const [, url] = /running at (http:\/\/\S+)/.exec(printed) ?? []
      if (url !== undefined) resolve(url)
    })
  })
}
