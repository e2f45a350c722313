// What does the dearest response cost that a stranger may send, and the dearest query that a merchant may? A catalogue of hostile
// ones, each of allowed size, with the CPU time on the event loop from the received body to the verdict. HTTP, the store and the network
// are not in it, nor is what other threads do: status lists are read by those.

import { certificates } from './hostile/certificates.ts'
import { combined } from './hostile/combined.ts'
import { envelopes } from './hostile/envelopes.ts'
import { identities } from './hostile/identities.ts'
import { licences } from './hostile/licences.ts'
import { lists } from './hostile/lists.ts'
import { queries } from './hostile/queries.ts'
import type { Hostile } from './hostile/world.ts'

export interface HostileRow {
  readonly kind: string
  readonly kilobytes: number
  /** What became of it. */
  readonly outcome: string
  readonly cpuMs: number
}

const BYTES_MAX = 2_000_000
/** A service that runs has compiled what it does often; a hostile kind need not be among that. */
const WARM_UP = 4
const RUNS = 20
/** Of the runs, the least disturbed: neighbours on the machine only ever add. */
const QUIET = 0.1

/** Dearest first. */
export async function benchHostile(): Promise<readonly HostileRow[]> {
  const rows: HostileRow[] = []
  const catalogue = [
    ...envelopes(),
    ...identities(),
    ...certificates(),
    ...licences(),
    ...lists(),
    ...queries(),
    ...combined(),
  ]
  for (const hostile of catalogue) rows.push(await measured(hostile))
  return rows.sort((a, b) => b.cpuMs - a.cpuMs)
}

async function measured({ kind, body, judge }: Hostile): Promise<HostileRow> {
  if (body.length > BYTES_MAX)
    throw new Error(`${kind} has ${body.length} bytes, which is more than a response may have`)
  const times: number[] = []
  let outcome = ''
  for (let run = -WARM_UP; run < RUNS; run++) {
    const began = process.threadCpuUsage()
    outcome = await judge(body)
    const { user, system } = process.threadCpuUsage(began)
    if (run >= 0) times.push((user + system) / 1000)
  }
  times.sort((a, b) => a - b)
  return {
    kind,
    kilobytes: Math.ceil(body.length / 1000),
    outcome,
    cpuMs: times[Math.floor(RUNS * QUIET)] ?? Number.NaN,
  }
}

if (import.meta.main) {
  for (const { kind, kilobytes, outcome, cpuMs } of await benchHostile())
    console.log(`${cpuMs.toFixed(2).padStart(8)} ms  ${`${kilobytes} kB`.padStart(8)}  ${kind}: ${outcome}`)
}
