// Starts and stops the server of a cluster. PostgreSQL's own lock file decides who may run, and is never removed here.

import { execFile, spawn } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Cluster, readLockFile, serverEnvironment } from './cluster-files.ts'
import { whenMissing } from './reach.ts'

export interface Postmaster {
  /** undefined if the process could not be started. */
  readonly pid: number | undefined
  /** null while the process runs. */
  exited(): string | null
}

const LOG_BYTES_MAX = 4 * 1024 * 1024
const FAST_STOP_MS = 6_000
const IMMEDIATE_STOP_MS = 2_000

export type Settings = Readonly<Record<string, string>>

/** For one small machine. 16 to 256 MB of buffers, with and without WAL compression, made no difference here. */
const SETTINGS: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  // Statements on tables with daily partitions take many locks.
  max_locks_per_transaction: '512',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  min_wal_size: '48MB',
  wal_compression: 'on',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // Rows may be personal data, so neither values nor statements may get into the log.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

export async function spawnPostmaster(cluster: Cluster, settings: Settings): Promise<Postmaster> {
  const all = { ...SETTINGS, ...settings, unix_socket_directories: cluster.socketDir }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = await openLog(cluster.log)
  const from = (await log.stat()).size
  const child = spawn(join(cluster.binDir, 'postgres'), ['-D', cluster.pgdata, ...flags], {
    cwd: '/',
    env: { ...serverEnvironment(), PG_GRANDPARENT_PID: String(await pidToIgnore(cluster)) },
    // Starts its own process group: Ctrl-C in our terminal must not stop the server before the service has drained.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...cluster.account,
  })
  let exited: string | null = null
  child.once('error', (error) => {
    exited = error.message
  })
  child.once('exit', (code, signal) => {
    exited = `exit ${code ?? signal}, see ${cluster.log} from byte ${from}`
  })
  child.unref()
  await log.close()
  return { pid: child.pid, exited: () => exited }
}

async function openLog(path: string) {
  const size = (await stat(path).catch(whenMissing({ size: 0 }))).size
  if (size > LOG_BYTES_MAX) await rename(path, `${path}.1`)
  return open(path, 'a', 0o600)
}

/** For an error message: the last severe entry of the server's log, otherwise the last line. */
export async function lastLogLine(cluster: Cluster): Promise<string> {
  const text = await readFile(cluster.log, 'utf8').catch(whenMissing(''))
  const lines = text.trimEnd().split('\n').slice(-20)
  return lines.findLast((line) => /\b(FATAL|PANIC)\b/.test(line)) ?? lines.at(-1) ?? ''
}

/**
 * PostgreSQL refuses to start while a process with the pid of its lock file lives. After a reboot or in a new
 * container, that may be an unrelated process. PostgreSQL ignores the pid in PG_GRANDPARENT_PID, and its check of
 * shared memory still finds a running server.
 */
async function pidToIgnore(cluster: Cluster): Promise<number> {
  const locked = await readLockFile(cluster.pgdata)
  if (locked === null) return process.ppid
  const command = await commandOf(locked.pid)
  return command === null || command.includes(cluster.pgdata) ? process.ppid : locked.pid
}

/** null if the command is unknown. */
async function commandOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
  return promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).then(
    ({ stdout }) => stdout,
    () => null,
  )
}

/** Requests a fast shutdown. After a while, requests an immediate one, from which the next start recovers. */
export async function stopPostmaster(cluster: Cluster, pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
  ] as const) {
    if (!sendSignal(pid, signal)) return
    const until = performance.now() + patienceMs
    while (performance.now() < until) {
      // The server removes the lock file last.
      if ((await readLockFile(cluster.pgdata))?.pid !== pid) return
      await delay(10)
    }
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // it is gone
  }
}
