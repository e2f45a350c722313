// CPU time of the processes that serve: of this one, and of PostgreSQL with all it has started.

import { readdir, readFile } from 'node:fs/promises'
import type { Db } from '../../../service/src/store/postgres/db.ts'

/** Of Linux, on every machine that Node.js runs on. */
const TICK_MS = 10

interface Stat {
  readonly parent: number
  readonly ownMs: number
  /** Of children that have ended. */
  readonly childrenMs: number
}

export interface StoreProcesses {
  cpuMs(): Promise<number>
}

/** The store has to run on this machine. */
export async function storeProcesses(db: Pick<Db, 'query'>): Promise<StoreProcesses> {
  const [row] = await db.query<{ pid: number }>({ name: 'bench_pid', text: 'select pg_backend_pid() as pid' })
  const backend = await statOf(row?.pid ?? 0)
  if (backend === null) throw new Error('the store does not run on this machine')
  const server = backend.parent
  return {
    async cpuMs() {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
      let total = 0
      for (const pid of pids) {
        const stat = await statOf(pid)
        if (pid === server) total += (stat?.ownMs ?? 0) + (stat?.childrenMs ?? 0)
        else if (stat?.parent === server) total += stat.ownMs
      }
      return total
    },
  }
}

/** null: it has ended. */
async function statOf(pid: number): Promise<Stat | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) * TICK_MS
    return { parent: Number(fields[1]), ownMs: ticks(11), childrenMs: ticks(13) }
  } catch {
    return null
  }
}

export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
