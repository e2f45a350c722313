// Measures the most expensive responses that anyone can send and queries that merchants can write.

import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { newBudget } from '@vidimus/engine'
import { LIMITS, VERIFICATION } from '../../engine/src/limits.ts'
import { certificates } from './hostile/certificates.ts'
import { combined } from './hostile/combined.ts'
import { envelopes } from './hostile/envelopes.ts'
import { fetches } from './hostile/fetches.ts'
import { identities } from './hostile/identities.ts'
import { licences } from './hostile/licences.ts'
import { lists } from './hostile/lists.ts'
import { matching } from './hostile/matching.ts'
import { namesakes } from './hostile/namesakes.ts'
import { ownChains } from './hostile/own-chains.ts'
import { queries } from './hostile/queries.ts'
import { sums } from './hostile/sums.ts'
import { templates } from './hostile/templates.ts'
import type { Hostile } from './hostile/world.ts'

interface HostileRow {
  readonly kind: string
  readonly kilobytes: number
  /** The outcome of the response or the query, as a word. */
  readonly outcome: string
  readonly cpuMs: number
  /** CPU time of one P-256 signature verification, measured alternately with the row. */
  readonly verificationMs: number
  /** The row's cost in P-256 signature verifications, which is compared with the limit. */
  readonly verifications: number
  /** What the response paid from its budget of work, in the same unit; null: a query or metadata, which have other bounds. */
  readonly paid: number | null
}

/** In P-256 signature verifications: 15 ms on a processor that takes 0.083 ms for each. */
export const VERIFICATIONS_MAX = 180

const BYTES_MAX = 2_000_000
/** Few runs, because a service may not have compiled the code that a rare hostile response needs. */
const WARM_UP = 4
const ROUNDS = 10
/** The most expensive rows are measured again, with more rounds. These results are compared with the limit. */
const MOST_EXPENSIVE = { rows: 10, rounds: 50 }
const RUNS_PER_ROUND = 2
/** This many verifications take about as long as the runs of a round. */
const VERIFICATIONS_PER_ROUND = 150

const PARTS = [
  envelopes,
  fetches,
  identities,
  certificates,
  licences,
  namesakes,
  lists,
  matching,
  ownChains,
  queries,
  combined,
  sums,
  templates,
]

/**
 * Returns the rows, most expensive first. `named`: only rows whose kind contains this text. Measures CPU time on the
 * event loop, from the body to the verdict or result, next to P-256 signature verifications, because a machine's speed
 * varies.
 */
export async function benchHostile(named = ''): Promise<readonly HostileRow[]> {
  const rows: HostileRow[] = []
  verifyOften(1_000)
  // Builds one part of the catalogue at a time, because the memory of other parts would make each garbage collection longer.
  for (const part of PARTS)
    for (const hostile of part()) if (hostile.kind.includes(named)) rows.push(await measured(hostile, ROUNDS))
  const expensive = new Set(
    rows
      .sort(byCost)
      .slice(0, MOST_EXPENSIVE.rows)
      .map(({ kind }) => kind),
  )
  for (const part of PARTS)
    for (const hostile of part())
      if (expensive.has(hostile.kind))
        rows[rows.findIndex(({ kind }) => kind === hostile.kind)] = await measured(hostile, MOST_EXPENSIVE.rounds)
  return rows.sort(byCost)
}

const byCost = (a: HostileRow, b: HostileRow) => b.verifications - a.verifications

async function measured({ kind, body, judge }: Hostile, rounds: number): Promise<HostileRow> {
  if (body.length > BYTES_MAX)
    throw new Error(`${kind} has ${body.length} bytes, which is more than a response may have`)
  let outcome = ''
  let budget = newBudget()
  for (let run = 0; run < WARM_UP; run++) outcome = await judge(body, newBudget())
  // A thread's CPU clock ticks every 4 ms on some kernels, so rounds are added up, not compared.
  let cpuMs = 0
  let floorMs = 0
  for (let round = 0; round < rounds; round++) {
    const before = process.threadCpuUsage()
    for (let run = 0; run < RUNS_PER_ROUND; run++) {
      budget = newBudget()
      outcome = await judge(body, budget)
    }
    cpuMs += millisecondsSince(before)
    const floorBefore = process.threadCpuUsage()
    verifyOften(VERIFICATIONS_PER_ROUND)
    floorMs += millisecondsSince(floorBefore)
  }
  cpuMs /= rounds * RUNS_PER_ROUND
  const verificationMs = floorMs / rounds / VERIFICATIONS_PER_ROUND
  const kilobytes = Math.ceil(body.length / 1000)
  const spent = (LIMITS.work - budget.work.left) / VERIFICATION
  const paid = spent === 0 ? null : spent
  return { kind, kilobytes, outcome, cpuMs, verificationMs, verifications: cpuMs / verificationMs, paid }
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signed = Buffer.from('what one verification costs')
const signature = sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' })

function verifyOften(times: number): void {
  for (let time = 0; time < times; time++)
    if (!verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)) throw new Error('bug')
}

/** Says which row is the most expensive, and whether it is within the limit. */
function verdictOn([first]: readonly HostileRow[]): string {
  if (first === undefined) return ''
  const { kind, cpuMs, verificationMs, verifications } = first
  const within = verifications <= VERIFICATIONS_MAX ? 'within' : 'OVER'
  return `most expensive: ${kind}, ${cpuMs.toFixed(1)} ms where one P-256 verification takes ${verificationMs.toFixed(3)} ms: ${verifications.toFixed(0)} verifications, ${within} ${VERIFICATIONS_MAX}`
}

if (import.meta.main) {
  const [named = ''] = process.argv.slice(2)
  const rows = await benchHostile(named)
  if (rows.length === 0) throw new Error(`no kind of the catalogue contains "${named}"`)
  for (const { kind, kilobytes, outcome, cpuMs, verifications, paid } of rows) {
    const cost = `${verifications.toFixed(0).padStart(5)} verifications, paid ${(paid ?? 0).toFixed(0).padStart(3)}`
    console.log(`${cost} ${cpuMs.toFixed(2).padStart(8)} ms  ${`${kilobytes} kB`.padStart(8)}  ${kind}: ${outcome}`)
  }
  console.log(verdictOn(rows))
}
