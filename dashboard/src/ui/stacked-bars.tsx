// Bars of completed, failed and expired verifications over time, each with a link and its numbers as text.

import { Link } from 'react-router'
import { usePreferences } from '../preferences.tsx'
import { useHere } from '../session.tsx'

export interface Outcomes {
  readonly completed: number
  readonly failed: number
  readonly expired: number
}

export interface Bar extends Outcomes {
  readonly from: number
  readonly to: string
  readonly when: string
  readonly tick: string
  /** The time of the bar is not over, so it will grow. */
  readonly isSoFar: boolean
}

/** From the bottom. The numbers are also given as text, so the colours need no pattern. */
const OUTCOMES = [
  ['completed', 'bg-good/80'],
  ['failed', 'bg-bad/80'],
  ['expired', 'bg-soft/40'],
] as const

export const sumOf = ({ completed, failed, expired }: Outcomes) => completed + failed + expired

/** How many bars share a label, by the number of bars. */
const TICKS: Readonly<Record<number, number>> = { 24: 6, 7: 1, 30: 6 }

export function StackedBars({ bars }: { bars: readonly Bar[] }) {
  const { words, language } = usePreferences()
  const every = TICKS[bars.length] ?? 6
  const number = new Intl.NumberFormat(language)
  const top = roundUp(Math.max(1, ...bars.map(sumOf)))
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
      <div aria-hidden="true" className="relative h-52 w-9 text-right text-xs text-soft tabular-nums">
        {[top, top / 2, 0].map((value, index) => (
          <span key={value} className="absolute right-0 -translate-y-1/2" style={{ top: `${index * 50}%` }}>
            {Number.isInteger(value) ? new Intl.NumberFormat(language, { notation: 'compact' }).format(value) : ''}
          </span>
        ))}
      </div>
      <div className="relative h-52">
        {[0, 50, 100].map((at) => (
          <div
            key={at}
            aria-hidden="true"
            className="absolute inset-x-0 border-t border-line"
            style={{ top: `${at}%` }}
          />
        ))}
        <ul className="absolute inset-0 flex items-end">
          {bars.map((bar) => {
            const n = {
              completed: number.format(bar.completed),
              failed: number.format(bar.failed),
              expired: number.format(bar.expired),
            }
            return (
              <li key={bar.from} className="group relative h-full grow basis-0">
                <Link
                  to={bar.to}
                  aria-label={words.overview.bar(bar.when, n)}
                  className="mx-auto flex h-full max-w-20 flex-col-reverse overflow-hidden rounded-t-md px-[12%] hover:bg-sunken"
                >
                  {OUTCOMES.map(([name, colour]) => (
                    <span
                      key={name}
                      className={`block w-full shrink-0 last:rounded-t-[3px] ${colour} ${bar.isSoFar ? 'opacity-60' : ''} ${bar[name] === 0 ? 'hidden' : 'min-h-[2px]'}`}
                      style={{ height: `${(100 * bar[name]) / top}%` }}
                    />
                  ))}
                </Link>
                <div
                  aria-hidden="true"
                  className="pointer-events-none absolute bottom-full left-1/2 z-10 hidden w-max max-w-60 -translate-x-1/2 rounded-lg border border-line bg-surface px-3 py-2 text-xs shadow-lg group-focus-within:sm:block group-hover:sm:block"
                >
                  <p className="mb-1 font-medium">{bar.when}</p>
                  {OUTCOMES.map(([name, colour]) => (
                    <p key={name} className="flex items-center gap-2 tabular-nums">
                      <span className={`size-2 rounded-full ${colour}`} />
                      <span className="grow text-soft">{words.status[name]}</span> {n[name]}
                    </p>
                  ))}
                </div>
              </li>
            )
          })}
        </ul>
      </div>
      <div />
      <div aria-hidden="true" className="mt-2 flex text-xs text-soft tabular-nums">
        {bars.map(({ from, tick }, index) => (
          <span key={from} className={`w-0 grow whitespace-nowrap ${every === 1 ? 'text-center' : ''}`}>
            {index % every === 0 ? tick : ''}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The meaning of each colour, with its number and a link. */
export function Legend({ total, span }: { total: Outcomes; span: string }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const number = new Intl.NumberFormat(language)
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {OUTCOMES.map(([name, colour]) => (
        <li key={name}>
          <Link
            to={here.page(`/verifications?status=${name}&${span}`)}
            className="flex min-h-6 items-center gap-2 hover:underline"
          >
            <span aria-hidden="true" className={`size-2.5 rounded-full ${colour}`} />
            {words.status[name]} <span className="text-soft tabular-nums">{number.format(total[name])}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Rounds up to a number whose half is round too, because the axis shows both. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value) ?? 10
  return Math.max(2, step * power)
}

/** The outcomes of one table row, as a line. */
export function OutcomeLine({ outcomes, most }: { outcomes: Outcomes; most: number }) {
  return (
    <span aria-hidden="true" className="flex h-2 w-full overflow-hidden rounded-full bg-sunken">
      {OUTCOMES.map(([name, colour]) => (
        <span key={name} className={colour} style={{ width: `${(100 * outcomes[name]) / Math.max(1, most)}%` }} />
      ))}
    </span>
  )
}
