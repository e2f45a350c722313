// Drives processes that share the PostgreSQL of a data folder, and kills them and the server in every way.

import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { readLockFile } from '../../../src/platform/postgres/embedded/cluster-files.ts'
import { endOf, within } from '../wait.ts'

export interface Ready {
  readonly adopted: boolean
  readonly home: string
  readonly ms: number
  readonly written: number[]
  readonly admitsAny: boolean
}

export interface EmbeddedProcess {
  readonly ready: Ready
  /** Numbers whose commit was acknowledged. */
  readonly committed: number[]
  tell(command: string): void
  next(event: string): Promise<Record<string, unknown>>
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface StartOptions {
  readonly systemDir?: string
  /** If the tests run as root: the account to use. */
  readonly uid?: number
}

/** Where the end of the processes that use a folder is registered. */
export interface Ends {
  after(work: () => Promise<void>): void
}

interface Runnable {
  readonly node: string
  readonly program: string
}

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const OWN: Runnable = {
  node: process.execPath,
  program: join(import.meta.dirname, '..', 'children', 'embedded-process.ts'),
}

let copied: Promise<string> | null = null

/** Returns the program itself, or a copy of it if other users may not enter the working copy. */
async function runnableByOthers(): Promise<Runnable> {
  if ((await mayEnter(dirname(OWN.program))) && (await mayEnter(dirname(OWN.node)))) return OWN
  copied ??= copyForAnybody()
  const copy = await copied
  return { node: join(copy, 'node'), program: join(copy, relative(ROOT, OWN.program)) }
}

async function mayEnter(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  return (mode & 0o001) !== 0 && (folder === '/' || mayEnter(dirname(folder)))
}

async function copyForAnybody(): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'vidimus-copy-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  const run = promisify(execFile)
  await run('cp', [
    '-a',
    ...['package.json', 'node_modules', 'engine', 'service'].map((name) => join(ROOT, name)),
    copy,
  ])
  await run('cp', [OWN.node, join(copy, 'node')])
  await run('chmod', ['-R', 'a+rX', copy])
  return copy
}

export async function startProcess(
  t: TestContext,
  dataDir: string,
  options: StartOptions = {},
): Promise<EmbeddedProcess> {
  const { systemDir, uid } = options
  const { node, program } = uid === undefined ? OWN : await runnableByOthers()
  const args = [program, dataDir, ...(systemDir === undefined ? [] : [systemDir])]
  const child = spawn(node, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  // For tests that fail half-way; other tests have ended it themselves.
  t.after(() => child.kill('SIGKILL'))
  const committed: number[] = []
  const waiting = new Map<string, PromiseWithResolvers<Record<string, unknown>>>()
  const expect = (event: string) => {
    const known = waiting.get(event) ?? Promise.withResolvers<Record<string, unknown>>()
    waiting.set(event, known)
    return known
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.event === 'committed') committed.push(message.number)
    expect(message.event).resolve(message)
  })
  const ended = endOf(child).then(({ code, signal }) => {
    for (const { reject, promise } of waiting.values()) {
      promise.catch(() => undefined) // its waiting caller gets the error
      reject(new Error(`the process ended with ${code ?? signal}`))
    }
  })
  const next = async (event: string) => {
    const message = await within(`the process says "${event}"`, expect(event).promise)
    waiting.delete(event)
    return message
  }
  const ready = (await next('ready')) as unknown as Ready
  return { ready, committed, next, tell: (command) => void child.stdin.write(`${command}\n`), kill, stop }

  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    await within('the killed process has ended', ended)
  }
  async function stop(): Promise<void> {
    child.stdin.write('stop\n')
    await within('the process has stopped', Promise.all([next('stopped'), ended]))
  }
}

/** Returns the server's pid, from its lock file; null if there is none. */
export async function postmasterOf({ home }: Ready): Promise<number | null> {
  const [major = ''] = (await readdir(home)).filter((name) => /^\d+$/.test(name))
  return (await readLockFile(join(home, major)))?.pid ?? null
}

/** kill -9 of the server and all its backends, so that none of them can send a last message. */
export async function killServer(ready: Ready): Promise<void> {
  const postmaster = await postmasterOf(ready)
  if (postmaster === null) throw new Error('there is no server to kill')
  for (const pid of [postmaster, ...(await childrenOf(postmaster))]) signal(pid, 'SIGKILL')
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  // The state and the parent's pid follow the command, which is in parentheses.
  return pids.filter((_, index) => stats[index]?.split(') ').at(-1)?.split(' ')[1] === String(parent)).map(Number)
}

export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false // gone already
  }
}

/** Returns a folder that others may enter, removed at the end, with a server that a failed test left in it. */
export async function dataFolder(t: Ends, parent: string, mode = 0o755): Promise<string> {
  const folder = await mkdtemp(join(parent, 'vidimus-embedded-'))
  await chmod(folder, mode)
  t.after(async () => {
    for (const home of await homesBelow(folder)) {
      const pid = (await readLockFile(home))?.pid
      if (pid !== undefined) signal(pid, 'SIGQUIT')
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  return folder
}

async function homesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(({ name }) => name === 'postmaster.pid').map(({ parentPath }) => parentPath)
}
