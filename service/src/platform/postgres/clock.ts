// Gives every replica the time of the database. Between measurements, a monotonic clock continues it.

import type { Clock } from '../world.ts'
import type { Queries } from './db.ts'

interface DatabaseClock extends Clock {
  /**
   * How far this machine's own clock was behind (positive) or ahead of (negative) the database's at the last
   * measurement.
   */
  readonly offsetMs: () => number
  /** The measurement is accurate to half of this time. */
  readonly roundTripMs: () => number
  stop(): void
}

interface ClockOptions {
  readonly intervalMs?: number
  readonly report?: (event: string, error: unknown) => void
}

interface Measurement {
  /** Added to performance.now(), this gives the time of the database. */
  readonly base: number
  readonly offsetMs: number
  readonly roundTripMs: number
}

const INTERVAL_MS = 60_000
/** With a time service, a clock never moves this much between two measurements. */
const JUMP_MS_MAX = 2_000
/** Of a few answers, the fastest gives the most accurate time. */
const SAMPLES = 5

const READ_CLOCK = { name: 'read_clock', text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms' }

export async function followDatabaseClock(tx: Queries, options: ClockOptions = {}): Promise<DatabaseClock> {
  const report = options.report ?? (() => undefined)
  let latest = await measure(tx)
  const timer = setInterval(() => {
    measure(tx).then(
      (measurement) => {
        const jumpMs = Math.round(measurement.base - latest.base)
        if (Math.abs(jumpMs) > JUMP_MS_MAX + measurement.roundTripMs) report(jumped(jumpMs), undefined)
        latest = measurement
      },
      // The last measurement stays in use. A monotonic clock drifts only by milliseconds an hour.
      (error) => report('the database clock could not be read', error),
    )
  }, options.intervalMs ?? INTERVAL_MS).unref()
  return {
    now: () => latest.base + performance.now(),
    offsetMs: () => latest.offsetMs,
    roundTripMs: () => latest.roundTripMs,
    stop: () => clearInterval(timer),
  }
}

const jumped = (jumpMs: number) =>
  `the clock of the store jumped by ${jumpMs} ms, and ours with it: run a time service such as chrony on its machine, and on every standby`

async function measure(tx: Queries): Promise<Measurement> {
  let best: Measurement | undefined
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const before = performance.now()
    const [row] = await tx.query<{ ms: number }>(READ_CLOCK)
    const after = performance.now()
    const wall = Date.now()
    if (row === undefined) throw new Error('bug: a select without from returned no row')
    const base = row.ms - (before + after) / 2
    const roundTripMs = after - before
    if (best === undefined || roundTripMs < best.roundTripMs)
      best = { base, offsetMs: base + after - wall, roundTripMs }
  }
  if (best === undefined) throw new Error('bug: no sample was taken')
  return best
}
