// The figures of the overview: outcomes of a day, a week or a month. Only from counts, never from verifications.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadKeyNames } from '../../../core/tenants/store/api-keys.ts'
import type { Deps } from '../../../deps.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'
import { loadDeviceNames } from '../../devices/index.ts'
import { type CountedOutcome, quantileOf } from '../domain/counts.ts'
import { listCountedTemplates, loadStepCounts, type StepCount, type Summed, sumCounts } from '../store/counts.ts'

/** The number and length of bars: the month reads about as many rows as the day. */
export const SPANS = {
  day: { bars: 24, step: 'hour', stepSeconds: 3_600 },
  week: { bars: 7, step: 'day', stepSeconds: 86_400 },
  month: { bars: 30, step: 'day', stepSeconds: 86_400 },
} as const
export type Span = keyof typeof SPANS

/** The maximum numbers of rows in a table of names, and of buckets. */
const NAMES_MAX = 25

export interface Outcomes {
  readonly completed: number
  readonly failed: number
  readonly expired: number
}

export interface Figures {
  readonly from: Instant
  readonly to: Instant
  readonly stepSeconds: number
  readonly bars: readonly Outcomes[]
  readonly total: Outcomes
  /** The outcomes of the previous span of the same length. */
  readonly before: Outcomes
  readonly answerMs: { readonly median: number; readonly p90: number } | null
  readonly reasons: readonly { readonly code: string; readonly count: number }[]
  readonly templates: readonly Named[]
  readonly channels: readonly Named[]
  readonly devices: readonly Labelled[]
  readonly keys: readonly Labelled[]
}

interface Named extends Outcomes {
  readonly name: string
}

interface Labelled extends Named {
  /** null: deleted, or without a name. */
  readonly label: string | null
}

export async function readFigures(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm, span: Span): Promise<Figures> {
  const { step, stepSeconds } = SPANS[span]
  const { length, stepMs, fromMs, toMs } = boundsOf(span, deps.clock.now())
  const [from, to, earlier] = [instantOf(fromMs), instantOf(toMs), instantOf(fromMs - length * stepMs)]
  const [sums, twice] = await Promise.all([
    sumCounts(deps.db, realm, { step, from, to, namesMax: NAMES_MAX }),
    loadStepCounts(deps.db, realm, { step, from: earlier, to }),
  ])
  const byStart = Map.groupBy(twice, ({ start }) => millisecondsOf(start))
  const bars = Array.from({ length }, (_, index) => outcomesOf(byStart.get(fromMs + index * stepMs) ?? []))
  const [devices, keys] = [named(sums, 'device'), named(sums, 'key')]
  const [deviceNames, keyNames] = await Promise.all([
    loadDeviceNames(deps.db, realm, devices.map(nameOf)),
    loadKeyNames(deps.db, realm, keys.map(nameOf)),
  ])
  return {
    from,
    to,
    stepSeconds,
    bars,
    total: outcomesOf(twice.filter(({ start }) => millisecondsOf(start) >= fromMs)),
    before: outcomesOf(twice.filter(({ start }) => millisecondsOf(start) < fromMs)),
    answerMs: answerTimes(sums),
    reasons: named(sums, 'reason').map(({ name, failed }) => ({ code: name, count: failed })),
    templates: named(sums, 'template'),
    channels: named(sums, 'channel'),
    devices: devices.map((one) => ({ ...one, label: deviceNames.get(one.name) ?? null })),
    keys: keys.map((one) => ({ ...one, label: keyNames.get(one.name) ?? null })),
  }
}

/** Returns whole bars, of which the last is the current one. */
function boundsOf(span: Span, nowMs: number) {
  const { bars: length, stepSeconds } = SPANS[span]
  const stepMs = stepSeconds * 1000
  const toMs = (Math.floor(nowMs / stepMs) + 1) * stepMs
  return { length, stepMs, fromMs: toMs - length * stepMs, toMs }
}

/** Returns the keys of all templates in the figures of a month. */
export async function readUsedTemplates(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<ReadonlySet<string>> {
  const { fromMs, toMs } = boundsOf('month', deps.clock.now())
  const span = { step: SPANS.month.step, from: instantOf(fromMs), to: instantOf(toMs) }
  return new Set(await listCountedTemplates(deps.db, realm, span))
}

const nameOf = ({ name }: Named) => name

function outcomesOf(counts: readonly Pick<StepCount, 'outcome' | 'count'>[]): Outcomes {
  const sum = (outcome: CountedOutcome) =>
    counts.reduce((all, one) => (one.outcome === outcome ? all + one.count : all), 0)
  return { completed: sum('completed'), failed: sum('failed'), expired: sum('expired') }
}

/** In the order of `sums`, which is largest first. */
function named(sums: readonly Summed[], kind: Summed['kind']): Named[] {
  const groups = Map.groupBy(
    sums.filter((one) => one.kind === kind),
    ({ name }) => name,
  )
  return [...groups].map(([name, counts]) => ({ name, ...outcomesOf(counts) }))
}

function answerTimes(sums: readonly Summed[]): Figures['answerMs'] {
  const buckets = new Map<number, number>()
  for (const { kind, name, count } of sums) {
    if (kind === 'wait') buckets.set(Number(name), (buckets.get(Number(name)) ?? 0) + count)
  }
  const [median, p90] = [quantileOf(buckets, 0.5), quantileOf(buckets, 0.9)]
  return median === null || p90 === null ? null : { median, p90 }
}
