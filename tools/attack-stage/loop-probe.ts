// Records each delay of the attacked service's event loop, and whether it computed or waited for a processor. Loaded with --import.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** The environment variable with the path of the file for the recorded delays. */
export const PROBE_FILE = 'LOOP_PROBE_FILE'

export interface LateTurn {
  readonly lateMs: number
  readonly ranMs: number
  readonly waitedMs: number
}

const PERIOD_MS = 10
const NOTED_FROM_MS = 10

function probe(file: string, schedule: string): void {
  const read = () => readFileSync(schedule, 'utf8').split(' ').map(Number)
  let [ran = 0, waited = 0] = read()
  let at = performance.now()
  setInterval(() => {
    const [ranNow = 0, waitedNow = 0] = read()
    const lateMs = performance.now() - at - PERIOD_MS
    const turn: LateTurn = { lateMs, ranMs: (ranNow - ran) / 1e6, waitedMs: (waitedNow - waited) / 1e6 }
    if (lateMs >= NOTED_FROM_MS) appendFileSync(file, `${JSON.stringify(turn)}\n`)
    ran = ranNow
    waited = waitedNow
    at = performance.now()
  }, PERIOD_MS).unref()
}

/** Reads the recorded delays; null on systems other than Linux. */
export function readLateTurns(path: string): readonly LateTurn[] | null {
  if (process.platform !== 'linux') return null
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  return lines.map((line): LateTurn => JSON.parse(line))
}

const file = process.env[PROBE_FILE]
/** The ID of the main thread is the process's ID. */
const schedule = `/proc/${process.pid}/task/${process.pid}/schedstat`
if (isMainThread && file !== undefined && existsSync(schedule)) probe(file, schedule)
