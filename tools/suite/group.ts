// Several test files in one process: what starting one costs is paid once for all of them.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Heard } from './heard.ts'

export interface GroupLimits {
  readonly testMs: number
  readonly wholeMs: number
}

export interface HeardGroup {
  /** By file. Null: the process ended as it should not, and whose fault it was is not known. */
  readonly heard: ReadonlyMap<string, Heard> | null
  readonly output: string
}

export async function runGroup(
  root: string,
  { files, env }: { readonly files: readonly string[]; readonly env: NodeJS.ProcessEnv },
  limits: GroupLimits,
): Promise<HeardGroup> {
  const args = [String(limits.testMs), root, ...files]
  const child = fork(join(import.meta.dirname, 'group-process.ts'), args, { cwd: root, env, silent: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
  let told: Record<string, Heard> | null = null
  child.once('message', (message) => {
    told = message as Record<string, Heard>
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limits.wholeMs)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  const heard = new Map(Object.entries<Heard>(told ?? {}))
  if (told !== null && code === 0) return { heard, output }
  // A test that failed may be why the code says so; of the others it may be one too, which shows where each is alone.
  const failed = new Map([...heard].filter(([, { failures }]) => failures.length > 0))
  if (failed.size > 0) return { heard: failed, output }
  return { heard: null, output: `${output}\nthe process of the group ended with ${signal ?? `code ${code}`}` }
}
