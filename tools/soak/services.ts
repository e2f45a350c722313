// Two processes of the service on one store, as replicas are, and what they use of the machine.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '..', '..', 'service', 'src', 'main.ts')

export interface Service {
  readonly url: string
  /** Resident memory in MiB. */
  memory(): number
  stop(): Promise<void>
}

export async function startService(env: NodeJS.ProcessEnv): Promise<Service> {
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await addressOf(child)
  return {
    url,
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024,
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
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
