// What is the cost of the most expensive response that a stranger can send, and of the most expensive query of a merchant? Hostile
// inputs of allowed size, with the CPU time on the event loop from the received body to the verdict. HTTP, the store, the network
// and other threads, which read status lists, are not included. `node bench/src/hostile.ts lists` measures the kinds that
// contain this text.

import { certificates } from './hostile/certificates.ts'
import { combined } from './hostile/combined.ts'
import { envelopes } from './hostile/envelopes.ts'
import { identities } from './hostile/identities.ts'
import { licences } from './hostile/licences.ts'
import { lists } from './hostile/lists.ts'
import { queries } from './hostile/queries.ts'
import type { Hostile } from './hostile/world.ts'

interface HostileRow {
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
/** Dearest first. `named`: only those whose kind contains this text. */
export async function benchHostile(named = ''): Promise<readonly HostileRow[]> {
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
  for (const hostile of catalogue) if (hostile.kind.includes(named)) rows.push(await measured(hostile))
  return rows.sort((a, b) => b.cpuMs - a.cpuMs)
}

async function measured({ kind, body, judge }: Hostile): Promise<HostileRow> {
  if (body.length > BYTES_MAX)
    throw new Error(`${kind} has ${body.length} bytes, which is more than a response may have`)
  let outcome = ''
  for (let run = 0; run < WARM_UP; run++) outcome = await judge(body)
  // The clock of a thread's CPU ticks every 4 ms on some kernels: all runs are measured as one.
  const began = process.threadCpuUsage()
  for (let run = 0; run < RUNS; run++) outcome = await judge(body)
  const { user, system } = process.threadCpuUsage(began)
  return { kind, kilobytes: Math.ceil(body.length / 1000), outcome, cpuMs: (user + system) / 1000 / RUNS }
}

if (import.meta.main) {
  const [named = ''] = process.argv.slice(2)
  const rows = await benchHostile(named)
  if (rows.length === 0) throw new Error(`no kind of the catalogue contains "${named}"`)
  for (const { kind, kilobytes, outcome, cpuMs } of rows)
    console.log(`${cpuMs.toFixed(2).padStart(8)} ms  ${`${kilobytes} kB`.padStart(8)}  ${kind}: ${outcome}`)
}
