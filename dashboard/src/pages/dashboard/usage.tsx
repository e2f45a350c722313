// Usage: today against the quota, a forecast, and thirty days by day, outcome, template, key and device.

import type { Figures, UsageForStaff as Usage } from '../../../../wire/usage.ts'
import { usePreferences } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { spanOf } from '../../span.ts'
import { Figure, FiguresSkeleton } from '../../ui/figure.tsx'
import { Card, Empty, ErrorNote, PageTitle } from '../../ui/parts.tsx'
import { Legend, StackedBars, sumOf } from '../../ui/stacked-bars.tsx'
import { Table } from '../../ui/table.tsx'
import { duration, Time, useCountdown } from '../../ui/time.tsx'
import { AlertMails } from '../alerts/alert-mails.tsx'
import { Alerts } from '../alerts/usage-alerts.tsx'
import { barsOf } from './overview-bars.ts'
import { Devices, Names, Templates } from './overview-tables.tsx'

const MONTH = new URLSearchParams({ span: 'month' })

export function UsagePage() {
  const { words } = usePreferences()
  useTitle(words.usage.title)
  const usage = useAnswer('@/usage', { everyMs: 15_000 })
  const figures = useAnswer('@/figures', { query: MONTH, everyMs: 60_000 })
  const error = usage.error ?? figures.error
  const again = () => void Promise.all([usage.refetch(), figures.refetch()])
  return (
    <>
      <PageTitle title={words.usage.title} lead={words.usage.lead} />
      <ErrorNote error={error} again={again} />
      {usage.data === undefined || figures.data === undefined ? (
        error === null && <FiguresSkeleton count={3} />
      ) : (
        <div className="space-y-5">
          <dl className="grid gap-3 sm:gap-5 lg:grid-cols-3">
            <Today usage={usage.data} />
            <Expected usage={usage.data} />
            <Month usage={usage.data} />
          </dl>
          <Days usage={usage.data} figures={figures.data} />
          <Shares figures={figures.data} />
          <AlertMails />
          <Alerts />
        </div>
      )}
    </>
  )
}

const DAY_MS = 86_400_000

const since = (from: Date) => new URLSearchParams({ from: from.toISOString() })

function useNumber() {
  const { language } = usePreferences()
  return (value: number) => new Intl.NumberFormat(language).format(value)
}

function Today({ usage }: { usage: Usage }) {
  const { words } = usePreferences()
  const number = useNumber()
  const left = useCountdown(usage.resets_at)
  const here = useHere()
  const { verifications_created: created, daily_quota: quota, remaining } = usage
  // The day that the quota counts.
  const today = new Date(Date.parse(usage.resets_at) - DAY_MS)
  const value = (
    <>
      {number(created)}{' '}
      <span className="text-base font-normal text-soft">
        {words.usage.of} {number(quota)}
      </span>
    </>
  )
  const note = `${words.usage.quotaLeft(number(remaining))} · ${words.usage.resets(duration(left))}`
  return (
    <Figure name={words.usage.today} value={value} note={note} to={here.page(`/verifications?${since(today)}`)}>
      <meter className="sr-only" aria-label={words.usage.today} min={0} max={Math.max(1, quota)} value={created} />
      <div aria-hidden="true" className="mt-3 mb-2 h-2 overflow-hidden rounded-full bg-sunken">
        <div
          className={`h-full rounded-full ${created >= quota * 0.8 ? 'bg-warn' : 'bg-accent'}`}
          style={{
            width: `${quota === 0 ? 100 : created === 0 ? 0 : Math.min(100, Math.max(1, (100 * created) / quota))}%`,
          }}
        />
      </div>
    </Figure>
  )
}

function Expected({ usage }: { usage: Usage }) {
  const { words } = usePreferences()
  const number = useNumber()
  const { today, spent_at: spentAt } = usage.forecast
  const note = () => {
    if (usage.remaining === 0) return <strong className="font-medium text-warn">{words.usage.forecastOver}</strong>
    if (today === null) return words.usage.forecastNone
    if (spentAt === null) return words.usage.forecastEnough
    return (
      <strong className="font-medium text-warn">
        {words.usage.forecastSpent} <Time at={spentAt} exact />
      </strong>
    )
  }
  const value = today === null ? words.usage.noFigure : `≈ ${number(today)}`
  return <Figure name={words.usage.forecast} value={value} note={note()} />
}

function Month({ usage }: { usage: Usage }) {
  const { words } = usePreferences()
  const number = useNumber()
  const { so_far: soFar, at_end: atEnd } = usage.forecast.month
  const note = atEnd === null ? words.usage.monthNone : words.usage.monthEnd(number(atEnd))
  const here = useHere()
  const last = new Date(Date.parse(usage.resets_at) - DAY_MS)
  const first = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth()))
  return (
    <Figure
      name={words.usage.month}
      value={number(soFar)}
      note={note}
      to={here.page(`/verifications?${since(first)}`)}
    />
  )
}

function Days({ usage, figures }: { usage: Usage; figures: Figures }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const title = words.usage.days(figures.bars.length)
  if (sumOf(figures.total) === 0) {
    return (
      <Card title={title}>
        <Empty title={words.usage.empty}>{words.usage.emptyLead}</Empty>
      </Card>
    )
  }
  return (
    <Card title={title} action={<Legend total={figures.total} span={spanOf(figures)} />}>
      <StackedBars bars={barsOf(figures, language, here.page)} />
      <details className="mt-4">
        <summary className="min-h-8 text-sm text-accent">{words.usage.table}</summary>
        <DayTable usage={usage} figures={figures} title={title} />
      </details>
    </Card>
  )
}

function DayTable({ usage, figures, title }: { usage: Usage; figures: Figures; title: string }) {
  const { words } = usePreferences()
  const number = useNumber()
  const created = new Map(usage.recent.map(({ day, verifications_created: count }) => [day, count]))
  const days = figures.bars.map((bar, index) => {
    const day = new Date(Date.parse(figures.from) + index * figures.step_seconds * 1000).toISOString().slice(0, 10)
    return { ...bar, day, created: created.get(day) ?? 0 }
  })
  const cell = (name: 'created' | 'completed' | 'failed' | 'expired') => (row: (typeof days)[number]) => (
    <span className="tabular-nums">{number(row[name])}</span>
  )
  return (
    <Table
      caption={title}
      columns={[
        { head: words.usage.day, cell: ({ day }) => <span className="tabular-nums">{day}</span> },
        { head: words.status.completed, cell: cell('completed') },
        { head: words.status.failed, cell: cell('failed') },
        { head: words.status.expired, cell: cell('expired') },
        { head: words.usage.count, cell: cell('created') },
      ]}
      rows={days.reverse()}
      keyOf={({ day }) => day}
    />
  )
}

function Shares({ figures }: { figures: Figures }) {
  const { words } = usePreferences()
  const keyName = ({ by, name }: Figures['keys'][number]) =>
    by === 'api_key' ? (name ?? words.usage.goneKey) : words.usage.askers[by]
  return (
    <div className="gap-5 xl:columns-2 [&>*]:break-inside-avoid [&>:not(:last-child)]:mb-5">
      <Templates title={words.usage.templates} figures={figures} />
      <Names
        title={words.usage.keys}
        figures={figures}
        rows={figures.keys.map((row) => ({ ...row, name: keyName(row), filter: { actor: row.id ?? row.by } }))}
      />
      <Devices title={words.usage.devices} figures={figures} />
    </div>
  )
}
