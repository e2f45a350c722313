// Renders the rows about a long-running service: waiting pages, overload, freed memory, and a store that does not grow.

import type { Row } from '../results.ts'
import type { Churn } from './churn.ts'
import type { Lapse } from './lapse.ts'
import type { Memory } from './memory.ts'
import type { Overload } from './overload.ts'
import type { Waiting } from './waiting.ts'

/** The share of one core that idle pages may use. */
const WAITING_SHARE_MAX = 0.05
const NOTIFIED_MS_MAX = 1_000
const OVERLOAD_LEAST = 0.8
const PROBE_MS_MAX = 1_000
const MEMORY_MAX = 1.5
const GROWTH_MAX = 1.2
const LAPSE_MS_MAX = 1_000
const LAPSE_LEFT_MAX = 0.01

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`

export function waitingRows({ pages, serviceShare, storeShare, kilobytesEach, notified }: Waiting): Row[] {
  const share = serviceShare + storeShare
  return [
    {
      part: 'waiting',
      what: `${pages.toLocaleString('en')} pages that wait on one process, at most ${percent(WAITING_SHARE_MAX)} of a core`,
      figure: percent(share),
      comparison: `${percent(serviceShare)} of it the service; ${kilobytesEach.toFixed(0)} kB each`,
      ratio: WAITING_SHARE_MAX / share,
      least: 1,
    },
    {
      part: 'waiting',
      what: 'all of them end, half through another replica: the last to be notified, of a second',
      figure: `${notified.slowestMs.toFixed(0)} ms`,
      comparison: `p99 ${notified.p99Ms.toFixed(0)} ms; ${(pages / notified.seconds).toFixed(0)} ended a second`,
      ratio: NOTIFIED_MS_MAX / notified.slowestMs,
      least: 1,
    },
  ]
}

export function overloadRows({ callers, peakAt, peak, flooded, ratio }: Overload): Row[] {
  const slowest = Math.max(flooded.health.p99Ms, flooded.readiness.p99Ms)
  const failed = flooded.health.failed + flooded.readiness.failed
  return [
    {
      part: 'overload',
      what: `creations with ${callers.toLocaleString('en')} callers at once`,
      figure: `${flooded.madePerSecond.toFixed(0)}/s, median ${flooded.p50Ms.toFixed(0)} ms; ${flooded.refusedPerSecond.toFixed(0)}/s refused`,
      comparison: `${peak.madePerSecond.toFixed(0)}/s: the best, with ${peakAt}`,
      ratio,
      least: OVERLOAD_LEAST,
    },
    {
      part: 'overload',
      what: 'health and readiness meanwhile, of a second',
      figure: `p99 ${flooded.health.p99Ms.toFixed(0)} ms and ${flooded.readiness.p99Ms.toFixed(0)} ms`,
      comparison: `${failed} of them not 200`,
      ratio: failed > 0 ? 0 : PROBE_MS_MAX / slowest,
      least: 1,
    },
  ]
}

export function memoryRows({ idleBytes, loadedBytes, afterBytes, afterSeconds }: Memory): Row[] {
  return [
    {
      part: 'memory',
      what: `memory of the service ${afterSeconds} s after load, at most ${MEMORY_MAX} of idle`,
      figure: mebibytes(afterBytes),
      comparison: `${mebibytes(idleBytes)} idle, ${mebibytes(loadedBytes)} at most under load`,
      ratio: (idleBytes * MEMORY_MAX) / afterBytes,
      least: 1,
    },
  ]
}

export function churnRows({ days, perDay, weeks, deadShare, erasedPerSecond }: Churn): Row[] {
  const [first, last] = [weeks[1], weeks.at(-1)]
  if (first === undefined || last === undefined) throw new Error('no week was run')
  return (['tables', 'indexes'] as const).map((kind) => ({
    part: 'churn',
    what: `${kind} after ${days} days, each of which takes in and erases ${perDay.toLocaleString('en')}, at most ${GROWTH_MAX} of their size when retention began`,
    figure: mebibytes(last[kind]),
    comparison: `${mebibytes(first[kind])}; ${percent(deadShare)} of the rows are dead, ${erasedPerSecond.toFixed(0)} erased a second`,
    ratio: (first[kind] * GROWTH_MAX) / last[kind],
    least: 1,
  }))
}

export function lapseRows({ rows, storeMs, seconds, bytesFull, bytesLeft }: Lapse): Row[] {
  const what = `a day of ${rows.toLocaleString('en')} verifications at the end of its retention`
  return [
    {
      part: 'churn',
      what: `${what}: CPU of the store, of a second`,
      figure: `${storeMs.toFixed(0)} ms`,
      comparison: `${seconds.toFixed(1)} s for the whole run`,
      ratio: LAPSE_MS_MAX / storeMs,
      least: 1,
    },
    {
      part: 'churn',
      what: `${what}: what is left of it on the disk, at most ${percent(LAPSE_LEFT_MAX)}`,
      figure: mebibytes(Math.max(0, bytesLeft)),
      comparison: mebibytes(bytesFull),
      ratio: (bytesFull * LAPSE_LEFT_MAX) / Math.max(1, bytesLeft),
      least: 1,
    },
  ]
}
