// The cards below the chart: reasons, templates, devices, channels, quota, webhooks and open first steps.

import { Fragment, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Figures, Overview } from '../../../../wire/usage.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { spanOf } from '../../span.ts'
import { useTemplateTitle } from '../../template-titles.ts'
import { Card } from '../../ui/parts.tsx'
import { OutcomeLine, type Outcomes, sumOf } from '../../ui/stacked-bars.tsx'

const SHOWN = 6
/** Heights in rows: the head of a card, and the card of quota and webhooks, which has no rows. */
const HEAD_ROWS = 2
const HEALTH_ROWS = 4
/** The whole row is a link to the verifications that it counts. */
const ROW = 'relative rounded-lg px-2 py-1.5 hover:bg-sunken/60'
const ROW_LINK = 'after:absolute after:inset-0 after:rounded-lg hover:underline'

export function Breakdowns({ figures, overview }: { figures: Figures; overview: Overview }) {
  const { words } = usePreferences()
  const { overview: overviewWords } = words
  const channels = figures.channels.map((row) => ({
    ...row,
    name: overviewWords.channelNames[row.channel] ?? row.channel,
    filter: { channel: row.channel },
  }))
  const cards: readonly Sized[] = [
    { key: 'reasons', rows: Math.max(1, figures.reasons.length), card: <Reasons figures={figures} /> },
    {
      key: 'templates',
      rows: figures.templates.length,
      card: <Templates title={overviewWords.templates} figures={figures} />,
    },
    { key: 'devices', rows: figures.devices.length, card: <Devices title={overviewWords.devices} figures={figures} /> },
    { key: 'channels', rows: channels.length, card: <Channels figures={figures} rows={channels} /> },
    { key: 'health', rows: HEALTH_ROWS, card: <Health overview={overview} /> },
  ]
  return (
    <div className="grid gap-5 xl:grid-cols-2">
      {inTwoColumns(cards).map((column) => (
        <div key={column[0]?.key} className="flex min-w-0 flex-col gap-5 [&>:last-child]:grow">
          {column.map(({ key, card }) => (
            <Fragment key={key}>{card}</Fragment>
          ))}
        </div>
      ))}
    </div>
  )
}

interface Sized {
  readonly key: string
  /** The card's height in rows, which decides its column. */
  readonly rows: number
  readonly card: ReactNode
}

/** Balances two columns: each card goes into the shorter one. The last card of each column fills the rest. */
function inTwoColumns(cards: readonly Sized[]): readonly (readonly Sized[])[] {
  const [left, right]: [Sized[], Sized[]] = [[], []]
  const height = (column: readonly Sized[]) =>
    column.reduce((sum, { rows }) => sum + Math.min(rows, SHOWN) + HEAD_ROWS, 0)
  for (const card of cards.filter(({ rows }) => rows > 0)) (height(left) <= height(right) ? left : right).push(card)
  return [left, right]
}

function Reasons({ figures }: { figures: Figures }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const number = new Intl.NumberFormat(language)
  const { failed } = figures.total
  return (
    <Card title={words.overview.reasons}>
      {figures.reasons.length === 0 ? (
        <p className="text-soft">{words.overview.noReasons}</p>
      ) : (
        <ol className="-mx-2 space-y-1">
          {figures.reasons.slice(0, SHOWN).map(({ code, count }) => (
            <li key={code} className={ROW}>
              <div className="mb-1.5 flex justify-between gap-4 text-sm">
                <Link
                  to={here.page(`/verifications?${new URLSearchParams({ reason: code })}&${spanOf(figures)}`)}
                  className={ROW_LINK}
                >
                  {(words.failures[code] ?? code).replace(/\.$/, '')}
                </Link>
                <span className="tabular-nums">{number.format(count)}</span>
              </div>
              <OutcomeLine outcomes={{ completed: 0, failed: count, expired: 0 }} most={failed} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

/** A verification without an answer has no channel. The note gives their number, so that the totals agree. */
function Channels({ figures, rows }: { figures: Figures; rows: readonly NamedRow[] }) {
  const { words, language } = usePreferences()
  const number = new Intl.NumberFormat(language)
  const { completed, failed, expired } = figures.total
  const note = words.overview.channelsNote(number.format(completed + failed), number.format(expired))
  return <Names title={words.overview.channels} figures={figures} rows={rows} {...(expired === 0 ? {} : { note })} />
}

interface NamedRow extends Outcomes {
  readonly name: string
  readonly filter: Record<string, string>
}

export function Templates({ title, figures }: { title: string; figures: Figures }) {
  const words = useWords()
  const called = useTemplateTitle()
  const rows = figures.templates.map((row) => ({
    ...row,
    name: row.template === null ? words.verifications.ownQuery : called(row.template),
    filter: { template: row.template ?? '-' },
  }))
  return <Names title={title} figures={figures} rows={rows} />
}

export function Devices({ title, figures }: { title: string; figures: Figures }) {
  const { goneDevice } = useWords().overview
  const rows = figures.devices.map((row) => ({ ...row, name: row.name ?? goneDevice, filter: { actor: row.id } }))
  return <Names title={title} figures={figures} rows={rows} />
}

export function Names(props: { title: string; note?: string; figures: Figures; rows: readonly NamedRow[] }) {
  const { title, note, figures, rows } = props
  const { words, language } = usePreferences()
  const here = useHere()
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
  if (rows.length === 0) return null
  const most = Math.max(...rows.map(sumOf))
  return (
    <Card title={title}>
      <ol className="-mx-2 space-y-1">
        {rows.slice(0, SHOWN).map((row) => (
          <li key={JSON.stringify(row.filter)} className={ROW}>
            <div className="mb-1.5 flex justify-between gap-4 text-sm">
              <Link
                to={here.page(`/verifications?${new URLSearchParams(row.filter)}&${spanOf(figures)}`)}
                className={`min-w-0 [overflow-wrap:anywhere] ${ROW_LINK}`}
              >
                {row.name}
              </Link>
              <span className="whitespace-nowrap tabular-nums">
                {number.format(sumOf(row))}{' '}
                <span className="text-soft">· {words.overview.ofAll(percent.format(row.completed / sumOf(row)))}</span>
              </span>
            </div>
            <OutcomeLine outcomes={row} most={most} />
          </li>
        ))}
      </ol>
      {note !== undefined && <p className="mt-3 text-sm text-soft tabular-nums">{note}</p>}
    </Card>
  )
}

function Health({ overview }: { overview: Overview }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const number = (value: number) => new Intl.NumberFormat(language).format(value)
  const { verifications_created: used, daily_quota: quota, remaining } = overview.usage
  const { all, accepted } = overview.webhook_attempts
  const open = (['webhook', 'device'] as const).filter((step) => !overview.steps[step])
  return (
    <section className="space-y-5 rounded-2xl border border-line bg-surface p-5 sm:p-6">
      <div>
        <h2 className="mb-2 text-base font-semibold">
          <Link to={here.page('/usage')} className="hover:underline">
            {words.overview.quota}
          </Link>
        </h2>
        <meter className="sr-only" aria-label={words.overview.quota} min={0} max={quota} value={used} />
        <div aria-hidden="true" className="mb-1.5 h-2 overflow-hidden rounded-full bg-sunken">
          <div
            className={`h-full rounded-full ${used >= quota * 0.8 ? 'bg-warn' : 'bg-accent'}`}
            style={{ width: `${quota === 0 ? 100 : Math.min(100, (100 * used) / quota)}%` }}
          />
        </div>
        <p className="text-sm text-soft tabular-nums">{words.start.left(number(remaining), number(quota))}</p>
      </div>
      <div className="border-t border-line pt-5">
        <h2 className="mb-2 text-base font-semibold">
          <Link to={here.page('/webhooks')} className="hover:underline">
            {words.overview.webhooks}
          </Link>
        </h2>
        <p className="text-sm text-soft tabular-nums">
          {all === 0 ? words.overview.webhooksNone : words.overview.attempts(number(accepted), number(all))}
        </p>
      </div>
      {open.length > 0 && (
        <div className="border-t border-line pt-5">
          <h2 className="mb-2 text-base font-semibold">{words.overview.steps}</h2>
          <ul className="space-y-1 text-sm">
            {open.map((step) => (
              <li key={step}>
                <Link to={here.page(`/${step}s`)} className="text-accent underline">
                  {words.start.steps[step][0]}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}
