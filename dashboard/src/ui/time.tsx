// Times: how long ago, with the exact local time and UTC as a tooltip.

import { useEffect, useState } from 'react'
import { usePreferences, useWords } from '../preferences.tsx'

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

export function Time({ at, exact = false, dayOnly = false, timeOnly = false }: TimeProps) {
  const { language } = usePreferences()
  const words = useWords()
  if (at === null || at === undefined) return <>{words.never}</>
  const date = new Date(at)
  const full = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' }).format(date)
  const shown = () => {
    if (timeOnly) return timeOf(date, language)
    if (dayOnly) return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium' }).format(date)
    return exact ? full : (relative(date, language, words.justNow) ?? full)
  }
  const utc = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
  return (
    <time dateTime={at} title={`${full} · ${utc}`} className="whitespace-nowrap tabular-nums">
      {shown()}
    </time>
  )
}

interface TimeProps {
  readonly at: string | null | undefined
  readonly exact?: boolean
  /** The time of day is in the tooltip. */
  readonly dayOnly?: boolean
  /** Shows only the time of day, because the day is shown above. */
  readonly timeOnly?: boolean
}

const timeOf = (date: Date, language: string): string =>
  new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short' }).format(date)

/** Returns the reader's own locale if it matches the chosen language. */
export function localeOf(language: string): string {
  return navigator.languages.find((locale) => locale.startsWith(language)) ?? language
}

function relative(date: Date, language: string, justNow: string): string | null {
  const passed = date.getTime() - Date.now()
  if (Math.abs(passed) > 6 * 86_400_000) return null
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const step = STEPS.find(([, size]) => Math.abs(passed) >= size)
  if (step === undefined) return passed > 0 ? format.format(0, 'minute') : justNow
  return format.format(Math.trunc(passed / step[1]), step[0])
}

/** Milliseconds until a time, counted down to zero. */
export function useCountdown(until: string | null): number {
  const left = () => (until === null ? 0 : Math.max(0, new Date(until).getTime() - Date.now()))
  const [now, setNow] = useState(left)
  // biome-ignore lint/correctness/useExhaustiveDependencies: left depends on until alone
  useEffect(() => {
    setNow(left())
    const timer = setInterval(() => setNow(left()), 1000)
    return () => clearInterval(timer)
  }, [until])
  return now
}

/** Formats a duration with units, because "4:59" could be a time of day. Both languages share the units. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const parts =
    h > 0
      ? ([
          [h, 'h'],
          [m, 'min'],
        ] as const)
      : ([
          [m, 'min'],
          [s, 's'],
        ] as const)
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return shown.length === 0 ? '0 s' : shown.join(' ')
}
