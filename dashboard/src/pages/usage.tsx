// Usage: today against the quota, and thirty days as bars. The chart is drawn by uPlot, and is a table too.

import { lazy, Suspense } from 'react'
import type { Usage } from '../answers.ts'
import { usePreferences } from '../preferences.tsx'
import { useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { Card, ErrorNote, PageTitle, Skeleton } from '../ui/parts.tsx'
import { Table } from '../ui/table.tsx'
import { duration, Time, useCountdown } from '../ui/time.tsx'

const Bars = lazy(async () => ({ default: (await import('../ui/bars.tsx')).Bars }))
const DAY_MS = 86_400_000

export function UsagePage() {
  const { words } = usePreferences()
  useTitle(words.usage.title)
  const usage = useAnswer('@/usage', { everyMs: 15_000 })
  return (
    <>
      <PageTitle title={words.usage.title} lead={words.usage.both} />
      <ErrorNote error={usage.error} again={() => usage.refetch()} />
      {usage.data === undefined ? (
        usage.error === null && <Skeleton lines={6} />
      ) : (
        <div className="space-y-5">
          <Today usage={usage.data} />
          <Days usage={usage.data} />
        </div>
      )}
    </>
  )
}

function Today({ usage }: { usage: Usage }) {
  const { words, language } = usePreferences()
  const number = (value: number) => new Intl.NumberFormat(language).format(value)
  const left = useCountdown(usage.resets_at)
  const { verifications_created: created, daily_quota: quota } = usage
  return (
    <Card title={words.usage.today}>
      <p className="text-3xl font-semibold tabular-nums">
        {number(created)}{' '}
        <span className="text-base font-normal text-soft">
          {words.usage.of} {number(quota)}
        </span>
      </p>
      <meter className="sr-only" aria-label={words.usage.today} min={0} max={quota} value={created} />
      <div aria-hidden="true" className="my-4 h-2.5 w-full max-w-xl overflow-hidden rounded-full bg-sunken">
        <div
          className={`h-full rounded-full ${created >= quota * 0.8 ? 'bg-warn' : 'bg-accent'}`}
          style={{ width: `${quota === 0 ? 100 : Math.min(100, Math.max(1, (100 * created) / quota))}%` }}
        />
      </div>
      <p className="text-soft">
        {number(usage.remaining)} {words.usage.quotaLeft}
      </p>
      <p className="text-sm text-soft">
        {words.usage.resets} <Time at={usage.resets_at} exact /> (
        <span className="tabular-nums">{words.usage.inTime(duration(left))}</span>)
      </p>
    </Card>
  )
}

/** Every one of the last days, also those without any. */
function lastDays(usage: Usage, length: number): { day: string; count: number }[] {
  const known = new Map(usage.recent.map(({ day, verifications_created: count }) => [day, count]))
  const today = Date.parse(`${usage.day}T00:00:00Z`)
  return Array.from({ length }, (_, index) => {
    const day = new Date(today - (length - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return { day, count: known.get(day) ?? 0 }
  })
}

function Days({ usage }: { usage: Usage }) {
  const { words, language } = usePreferences()
  const { usage_days: length } = useHere().me.terms
  const days = lastDays(usage, length)
  const title = words.usage.days(length)
  return (
    <Card title={title}>
      {days.every(({ count }) => count === 0) ? (
        <p className="text-soft">{words.usage.empty(length)}</p>
      ) : (
        <>
          <Suspense fallback={<Skeleton lines={5} />}>
            <Bars days={days} language={language} label={title} />
          </Suspense>
          <details className="mt-4">
            <summary className="min-h-8 text-sm text-accent">{words.usage.table}</summary>
            <Table
              caption={title}
              columns={[
                { head: words.usage.day, cell: ({ day }) => day },
                { head: words.usage.count, cell: ({ count }) => <span className="tabular-nums">{count}</span> },
              ]}
              rows={[...days].reverse()}
              keyOf={({ day }) => day}
            />
          </details>
        </>
      )}
    </Card>
  )
}
