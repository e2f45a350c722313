// Two processes of the service on one store, as replicas are, and what they use of the machine.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '..', '..', 'service', 'src', 'main.ts')

export interface Service {
  readonly url: string
  /** Resident memory in MiB. */
  memory(): number
  /** Milliseconds of CPU of all its threads; not a number where the system does not tell. */
  cpu(): number
  stop(): Promise<void>
}

export async function startService(env: NodeJS.ProcessEnv): Promise<Service> {
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await addressOf(child)
  return {
    url,
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024,
    cpu: () => cpuOf(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Linux tells it in nanoseconds for each thread; everything else in hundredths of a second. */
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
