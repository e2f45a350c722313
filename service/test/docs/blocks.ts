// The code blocks of a guide, and a real service that they call.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endOf, once, within } from '../harness/wait.ts'

export const ROOT = join(import.meta.dirname, '..', '..', '..')

export interface Block {
  readonly language: string
  readonly code: string
}

export async function blocksOf(file: string): Promise<Block[]> {
  const text = await readFile(join(ROOT, file), 'utf8')
  return [...text.matchAll(/^```(\S*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }))
}

export interface Started {
  readonly child: ChildProcess
  readonly port: number
  readonly key: string
}

/** Runs `npm start` as a reader would, and waits for its output. */
export async function npmStart(env: NodeJS.ProcessEnv): Promise<Started> {
  // A separate process group, because npm does not pass signals on to all its descendants.
  const child = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  let printed = ''
  child.stdout.setEncoding('utf8')
  const printing = new Promise<{ port: number; key: string }>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`npm start exited with ${code}: ${printed}`)))
    child.stdout.on('data', (chunk: string) => {
      printed += chunk
      const [, port] = /running at http:\/\/localhost:(\d+)\s/.exec(printed) ?? []
      const [key] = /vk_test_[0-9A-Za-z]{38}/.exec(printed) ?? []
      if (port !== undefined && key !== undefined) resolve({ port: Number(port), key })
    })
  })
  return { child, ...(await within('npm start reports its address', printing)) }
}

export async function stopGroup({ child }: Started): Promise<void> {
  child.removeAllListeners('exit')
  if (child.exitCode !== null || child.pid === undefined) return
  process.kill(-child.pid, 'SIGTERM')
  await once(child, 'exit')
}

/** Long, because some blocks install and build. */
const SCRIPT_MS_MAX = 600_000

/** Resolves with the output; rejects if the shell does not exit with 0. `onOutput` gets it as it arrives. */
export async function runShell(
  script: string,
  env: NodeJS.ProcessEnv,
  onOutput: (output: string) => void = () => undefined,
): Promise<string> {
  const child = spawn('sh', ['-eu', '-c', script], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    output += chunk
    onOutput(output)
  })
  const { code } = await within(`this ends: ${script}`, endOf(child, 'close'), SCRIPT_MS_MAX)
  if (code !== 0) throw new Error(`${script}\nended with ${code}: ${output}`)
  return output
}
