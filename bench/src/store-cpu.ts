// Measures the CPU time of the embedded PostgreSQL, of its server and all backends, on Linux.

import { readdirSync, readFileSync } from 'node:fs'
import type { Tx } from '../../service/src/platform/postgres/db.ts'

const MICROS_PER_TICK = 10_000

/** Finds the process of the server. The backends that serve connections are its children. */
export async function findStorePid(db: Tx): Promise<number> {
  const [row] = await db.query<{ pid: number }>({ name: 'bench_backend', text: 'select pg_backend_pid() as pid' })
  if (row === undefined) throw new Error('a select without from gave no row')
  return statOf(row.pid).parent
}

/** The CPU time since the server started, including processes that have exited. */
export function readStoreMicros(pid: number): number {
  const server = statOf(pid)
  let micros = cpuMicros(pid) + server.exitedChildrenTicks * MICROS_PER_TICK
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (statOf(Number(name)).parent === pid) micros += cpuMicros(Number(name))
    } catch (error) {
      // The process has exited in the meantime.
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')))
        throw error
    }
  }
  return micros
}

const cpuMicros = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0] ?? Number.NaN) / 1000

function statOf(pid: number): { readonly parent: number; readonly exitedChildrenTicks: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name in parentheses can contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parent, user, system] = [fields[1], fields[13], fields[14]].map(Number)
  if (parent === undefined || user === undefined || system === undefined) throw new Error('no such line in /proc')
  return { parent, exitedChildrenTicks: user + system }
}
