// Measures the processor time of each test file and all its children, on Linux only.

import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
/** The pause between samples, long enough that they cost little. What a process uses after its last sample is not counted. */
const SAMPLE_MS = 1_000

interface Process {
  readonly parent: number
  /** Seconds of the process itself. */
  readonly own: number
  /** Seconds of children that have ended. */
  readonly ended: number
}

export interface Meter {
  /** Counts the time of this process and its descendants for the name that `nameNow` returns at each sample. */
  watch(pid: number, nameNow: () => string): void
  /** Takes a last sample, and stops watching the process. */
  leave(pid: number): void
  readonly seconds: ReadonlyMap<string, number>
  stop(): void
}

export function createMeter(read: () => ReadonlyMap<number, Process> = readProcesses): Meter {
  const watched = new Map<number, () => string>()
  const seconds = new Map<string, number>()
  let before: ReadonlyMap<number, Process> = new Map()
  const sample = () => {
    const now = read()
    for (const [pid, spent] of spentSince(before, now)) {
      const name = ownerOf(now, watched, pid)?.()
      if (name !== undefined) seconds.set(name, (seconds.get(name) ?? 0) + spent)
    }
    before = now
  }
  const timer = setInterval(sample, SAMPLE_MS)
  timer.unref()
  return {
    watch: (pid, nameNow) => void watched.set(pid, nameNow),
    leave(pid) {
      sample()
      watched.delete(pid)
    },
    seconds,
    stop: () => clearInterval(timer),
  }
}

/** Returns each process's seconds since the last sample. A parent also reports ended children; their earlier seconds are subtracted. */
function spentSince(before: ReadonlyMap<number, Process>, now: ReadonlyMap<number, Process>): Map<number, number> {
  const counted = new Map<number, number>()
  for (const [pid, { own, ended }] of before) {
    if (now.has(pid)) continue
    const heir = heirOf(before, now, pid)
    counted.set(heir, (counted.get(heir) ?? 0) + own + ended)
  }
  const spent = new Map<number, number>()
  for (const [pid, { own, ended }] of now) {
    const last = before.get(pid) ?? { own: 0, ended: 0 }
    spent.set(pid, own - last.own + Math.max(0, ended - last.ended - (counted.get(pid) ?? 0)))
  }
  return spent
}

/** Finds the process that reports the time of an ended process: its parent, or the nearest ancestor that still runs. */
function heirOf(before: ReadonlyMap<number, Process>, now: ReadonlyMap<number, Process>, pid: number): number {
  const parent = before.get(pid)?.parent ?? 0
  return now.has(parent) || !before.has(parent) ? parent : heirOf(before, now, parent)
}

function ownerOf(
  processes: ReadonlyMap<number, Process>,
  watched: ReadonlyMap<number, () => string>,
  pid: number,
): (() => string) | undefined {
  const owner = watched.get(pid)
  const parent = processes.get(pid)?.parent
  return owner ?? (parent === undefined || parent === 0 ? undefined : ownerOf(processes, watched, parent))
}

function readProcesses(): ReadonlyMap<number, Process> {
  const found = new Map<number, Process>()
  for (const name of namesIn('/proc')) {
    const process = /^\d+$/.test(name) ? readProcess(name) : null
    if (process !== null) found.set(Number(name), process)
  }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // not Linux
  }
}

/** proc_pid_stat(5): after the command in parentheses the fields are numbered from 3. */
const FIELDS = { parent: 4, user: 14, system: 15, endedUser: 16, endedSystem: 17 }

function readProcess(pid: string): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    return {
      parent: field(FIELDS.parent),
      own: (field(FIELDS.user) + field(FIELDS.system)) / TICKS_PER_SECOND,
      ended: (field(FIELDS.endedUser) + field(FIELDS.endedSystem)) / TICKS_PER_SECOND,
    }
  } catch {
    return null // the process has ended since
  }
}

/** Lists the `most` most expensive files. Empty if there are not more files than that. */
export function listMostExpensive(seconds: ReadonlyMap<string, number>, most = 30): string[] {
  if (seconds.size <= most) return []
  const rows = [...seconds].sort(([, a], [, b]) => b - a).slice(0, most)
  const total = [...seconds.values()].reduce((sum, one) => sum + one, 0)
  return [
    `seconds of processor, without database servers: ${total.toFixed(0)} in ${seconds.size} files; the most expensive`,
    ...rows.map(([name, one]) => `${one.toFixed(1).padStart(7)}  ${name}`),
  ]
}
