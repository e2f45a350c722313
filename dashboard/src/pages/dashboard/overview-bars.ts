// Builds the bars of the chart, each with its text and link.

import type { Figures } from '../../../../wire/usage.ts'
import { spanOf } from '../../span.ts'
import type { Bar } from '../../ui/stacked-bars.tsx'
import { localeOf } from '../../ui/time.tsx'

/** Hours are in the reader's time zone. Days are UTC, as the quota's are. */
export function barsOf(figures: Figures, language: string, page: (path: string) => string): Bar[] {
  const stepMs = figures.step_seconds * 1000
  const isHourly = stepMs === 3_600_000
  const zone = isHourly ? {} : { timeZone: 'UTC' }
  const locale = localeOf(language)
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...zone })
  const dated = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', ...zone })
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', ...zone })
  const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  // Weekday names of seven days also fit on a phone.
  const tick = isHourly ? hour : figures.bars.length === 7 ? weekday : day
  const today = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'day')
  const lastDay = isHourly ? -1 : figures.bars.length - 1
  return figures.bars.map((bar, index) => {
    const from = Date.parse(figures.from) + index * stepMs
    const [begin, end] = [new Date(from), new Date(from + stepMs)]
    const span = spanOf({ from: begin.toISOString(), to: end.toISOString() })
    return {
      ...bar,
      from,
      to: page(`/verifications?${span}`),
      when: isHourly
        ? `${day.format(begin)}, ${hour.format(begin)}–${hour.format(end)}`
        : `${dated.format(begin)} (UTC)`,
      tick: index === lastDay ? capital(today, locale) : tick.format(begin),
      isSoFar: index === figures.bars.length - 1,
    }
  })
}

const capital = (word: string, locale: string): string => word.charAt(0).toLocaleUpperCase(locale) + word.slice(1)
