// The overview: verifications of a day, a week or a month in numbers. Each number links to its list.

import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Figures, Overview } from '../../../../wire/usage.ts'
import { usePreferences } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { spanOf } from '../../span.ts'
import { Figure, FiguresSkeleton } from '../../ui/figure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { buttonClass, Card, Empty, ErrorNote, PageTitle } from '../../ui/parts.tsx'
import { Legend, StackedBars, sumOf } from '../../ui/stacked-bars.tsx'
import { duration } from '../../ui/time.tsx'
import { barsOf } from './overview-bars.ts'
import { Breakdowns } from './overview-tables.tsx'

const SPANS = ['day', 'week', 'month'] as const

export function OverviewPage({ overview, children }: { overview: Overview; children: ReactNode }) {
  const { words } = usePreferences()
  const here = useHere()
  const [params] = useSearchParams()
  const span = SPANS.find((one) => one === params.get('span')) ?? 'week'
  const figures = useAnswer('@/figures', { query: new URLSearchParams({ span }), everyMs: 15_000 })
  return (
    <>
      <PageTitle title={words.overview.title}>
        <nav aria-label={words.overview.span} className="flex rounded-lg bg-sunken p-1">
          {SPANS.map((one) => (
            <Link
              key={one}
              to={`?span=${one}`}
              aria-current={one === span ? 'true' : undefined}
              className={`grid min-h-8 place-items-center rounded-md px-3 text-sm ${one === span ? 'bg-surface font-semibold shadow-sm dark:bg-line' : 'text-soft hover:text-ink'}`}
            >
              {words.overview.spans[one]}
            </Link>
          ))}
        </nav>
        {here.mayChange && (
          <Link to={here.page('/verifications?new=')} className={buttonClass('primary')}>
            <Icon name="plus" />
            {words.asking.create}
          </Link>
        )}
      </PageTitle>
      {children}
      <Attention overview={overview} />
      <ErrorNote error={figures.error} again={() => figures.refetch()} />
      {figures.data === undefined ? (
        figures.error === null && <FiguresSkeleton />
      ) : (
        <div className="space-y-5">
          <Numbers figures={figures.data} waiting={overview.waiting} span={span} />
          <Chart figures={figures.data} />
          <Breakdowns figures={figures.data} overview={overview} />
        </div>
      )}
    </>
  )
}

/** Problems that need action. Shown above the numbers. */
function Attention({ overview }: { overview: Overview }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const { verifications_created: used, daily_quota: quota } = overview.usage
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
  const failing = overview.failing_destinations
  const notices: readonly (readonly [text: string, path: string])[] = [
    ...(failing > 0 ? [[words.start.failing(failing), '/webhooks'] as const] : []),
    ...(quota > 0 && used >= quota * 0.8
      ? [[words.overview.quotaNear(percent.format(used / quota)), '/usage'] as const]
      : []),
  ]
  if (notices.length === 0) return null
  return (
    <ul className="mb-5 space-y-2">
      {notices.map(([text, path]) => (
        <li
          key={path}
          className="relative flex items-center gap-3 rounded-xl bg-warn-soft px-4 py-3 text-sm font-medium text-warn"
        >
          <Icon name="warn" />
          <Link to={here.page(path)} className="grow after:absolute after:inset-0 hover:underline">
            {text}
          </Link>
          <Icon name="next" className="size-4" />
        </li>
      ))}
    </ul>
  )
}

function Numbers({ figures, waiting, span }: { figures: Figures; waiting: number; span: (typeof SPANS)[number] }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const { overview } = words
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const [all, before] = [sumOf(figures.total), sumOf(figures.before)]
  const [rate, rateBefore] = [rateOf(figures.total), rateOf(figures.before)].map(toTenths)
  const { answer_ms: times } = figures
  const signed = new Intl.NumberFormat(language, { signDisplay: 'always', maximumFractionDigits: 1 })
  const change = (now: number | null | undefined, then: number | null | undefined, say: (by: string) => string) => {
    if (now == null || then == null) return null
    const before = overview.before[span]
    return now === then
      ? overview.same(before)
      : overview.change(say(signed.format(now - then).replace('-', '−')), before)
  }
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-5 xl:grid-cols-4">
      <Figure
        name={overview.all}
        value={number.format(all)}
        note={change(all, before === 0 ? null : before, (by) => by)}
        to={here.page(`/verifications?${spanOf(figures)}`)}
      />
      <Figure
        name={overview.rate}
        value={rate == null ? overview.noFigure : percent.format(rate / 100)}
        note={
          <Tone change={rate == null || rateBefore == null ? 0 : rate - rateBefore}>
            {change(rate, rateBefore, overview.points) ?? overview.rateHint}
          </Tone>
        }
        to={here.page(`/verifications?status=completed&${spanOf(figures)}`)}
      />
      <Figure
        name={overview.time}
        value={times === null ? overview.noFigure : duration(times.median)}
        note={times === null ? null : overview.timeHint(duration(times.p90).replaceAll(' ', '\u00a0'))}
        {...(times === null ? {} : { to: here.page(`/verifications?status=completed&${spanOf(figures)}`) })}
      />
      <Figure
        name={overview.waiting}
        value={number.format(waiting)}
        note={overview.waitingHint}
        to={here.page('/verifications?status=pending')}
      />
    </dl>
  )
}

/** In percentage points. Smaller changes of the success rate may be chance and stay grey. */
const NOTABLE_CHANGE = 2

function Tone({ change, children }: { change: number; children: ReactNode }) {
  if (Math.abs(change) < NOTABLE_CHANGE) return children
  return <span className={change > 0 ? 'text-good' : 'text-bad'}>{children}</span>
}

const rateOf = (outcomes: Figures['total']) => (sumOf(outcomes) === 0 ? null : outcomes.completed / sumOf(outcomes))

/** Rounds to tenths of a percent, because smaller differences may be chance. */
const toTenths = (rate: number | null) => (rate === null ? null : Math.round(1000 * rate) / 10)

function Chart({ figures }: { figures: Figures }) {
  const { words, language } = usePreferences()
  const here = useHere()
  return (
    <Card title={words.overview.chart} action={<Legend total={figures.total} span={spanOf(figures)} />}>
      {sumOf(figures.total) === 0 ? (
        <Empty title={words.overview.nothing}>{words.overview.nothingLead}</Empty>
      ) : (
        <StackedBars bars={barsOf(figures, language, here.page)} />
      )}
    </Card>
  )
}
