// Starts a PostgreSQL for one test, to be killed, promoted or starved.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres } from '../../../../tools/setup/programs.mjs'
import { serverAccount } from '../../../src/platform/postgres/embedded/location.ts'
import type { Account } from '../../../src/platform/postgres/embedded/system-user.ts'
import { reservePort } from '../../../src/platform/reserved-port.ts'
import { once, within } from '../wait.ts'

export interface OwnPostgres {
  readonly port: number
  /** The folder of the cluster. */
  readonly data: string
  /** The URL of the superuser, in the database `postgres`. */
  readonly url: string
  /** One statement over a separate connection. */
  ask<R extends object>(text: string): Promise<R[]>
  /** kill -9: no client gets a message. */
  kill(): Promise<void>
  /** Stops at once (PostgreSQL's immediate mode), and restarts with the same data. */
  crash(): Promise<void>
  /** Stops like `crash`, until `revive`. */
  stop(): Promise<void>
  revive(): Promise<void>
}

export interface OwnServers {
  /** Its programs: pg_dump and others. */
  readonly binDir: string
  /** Starts a new server. */
  start(settings?: Readonly<Record<string, string>>): Promise<OwnPostgres>
  /** Returns a standby, made from a backup of the running primary. */
  startStandby(primary: OwnPostgres): Promise<OwnPostgres>
  close(): Promise<void>
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  shared_buffers: '16MB',
  wal_level: 'replica',
  // Tables without statistics look large: nearly half of a server's work would be compiling statements that read a few rows.
  jit: 'off',
}

/** Keeps its servers in a new folder of `parent`. */
export async function ownServers(parent = tmpdir()): Promise<OwnServers> {
  const major: string | null = findPostgres()
  if (major === null) throw new Error('install PostgreSQL with its server programs for this test')
  const binDir = `/usr/lib/postgresql/${major}/bin`
  const account = await serverAccount()
  const folder = await mkdtemp(join(parent, 'vidimus-own-'))
  await chmod(folder, 0o700)
  if (account !== null) await chown(folder, account.uid, account.gid)
  const children: ChildProcess[] = []
  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(join(binDir, program), args, { cwd: '/', env: ENVIRONMENT, ...account })

  async function launch(data: string, settings: Readonly<Record<string, string>>): Promise<OwnPostgres> {
    const { port, release } = await reservePort('127.0.0.1')
    await release()
    let child = await begin()
    async function begin(): Promise<ChildProcess> {
      const { child: begun, ready } = spawnServer({ binDir, account, data, port, folder, settings })
      children.push(begun)
      await ready
      return begun
    }
    return {
      ...serverAt(port),
      data,
      kill: () => end(child, 'SIGKILL'),
      async crash() {
        await end(child, 'SIGQUIT')
        child = await begin()
      },
      stop: () => end(child, 'SIGQUIT'),
      async revive() {
        child = await begin()
      },
    }
  }

  return {
    binDir,
    async start(settings = {}) {
      const data = join(folder, `data-${children.length}`)
      await run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
      return launch(data, settings)
    },
    async startStandby(primary) {
      const data = join(folder, `data-${children.length}`)
      const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
      await run('pg_basebackup', ['-D', data, '-R', '-c', 'fast', '--no-sync', ...from])
      return launch(data, {})
    },
    async close() {
      for (const child of children) await end(child, 'SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Leaves out the environment variables of the person who runs the tests. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

interface Launch {
  readonly binDir: string
  readonly account: Account | null
  readonly data: string
  readonly port: number
  readonly folder: string
  readonly settings: Readonly<Record<string, string>>
}

function spawnServer({ binDir, account, data, port, folder, settings }: Launch) {
  const all = { ...SETTINGS, ...settings, port: String(port), unix_socket_directories: folder }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(binDir, 'postgres'), ['-D', data, ...flags], {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  })
  let output = ''
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (text: string) => {
      output += text
      // "…to accept read-only connections" of a standby.
      if (/database system is ready to accept/.test(output)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${output}`)))
  })
  return { child, ready: within('PostgreSQL is ready', ready) }
}

function serverAt(port: number): Pick<OwnPostgres, 'port' | 'url' | 'ask'> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return {
    port,
    url,
    async ask<R extends object>(text: string) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<R>(text)).rows
      } finally {
        await client.end()
      }
    },
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
