// Converts dates and times of fields: local values, instants, and the reader's format.

/** Formats a time for a field: "2027-06-15T14:30". */
export function localOf(instant: string | null): string {
  const date = new Date(instant ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const instantOf = (local: string) => (local === '' ? '' : new Date(local).toISOString())

/** Returns a day as UTC, so that no time zone shifts it. */
export const dayOf = (value: string) => new Date(`${value.slice(0, 10)}T00:00:00Z`)

/** "15 Jun 2027, 14:30" or "15.06.2027, 14:30", so that day and month cannot be confused. */
export function writeLocal(value: string, language: string): string {
  if (value === '') return ''
  const month = language === 'de' ? '2-digit' : 'short'
  const day = language === 'de' ? '2-digit' : 'numeric'
  const locale = language === 'de' ? 'de' : 'en-GB'
  const format = new Intl.DateTimeFormat(locale, { day, month, year: 'numeric', timeZone: 'UTC' })
  const time = value.slice(11, 16)
  return format.format(dayOf(value)) + (time === '' ? '' : `, ${time}`)
}

const ISO = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})/
const NUMBERS = /^(?<day>\d{1,2})[./]\s*(?<month>\d{1,2})[./]\s*(?<year>\d{4})/
const WORDS = /^(?<day>\d{1,2})\.?\s*(?<month>\p{L}{3,})\.?\s*(?<year>\d{4})/u
const TIME = /^(?:[T,]|\s)\s*(?<hour>\d{1,2}):(?<minute>\d{2})$/

/** Returns null if no such date exists. A day without a time starts at midnight. */
export function readLocal(text: string, withTime: boolean): string | null {
  const written = text.trim()
  const match = ISO.exec(written) ?? NUMBERS.exec(written) ?? WORDS.exec(written)
  const { year = '', month = '', day = '' } = match?.groups ?? {}
  const two = (part: string | number) => String(part).padStart(2, '0')
  const date = `${year}-${two(monthOf(month))}-${two(day)}`
  const parsed = new Date(`${date}T00:00:00Z`)
  if (match === null || Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== date) return null
  const rest = written.slice(match[0].length)
  if (rest === '') return withTime ? `${date}T00:00` : date
  const { hour = '99', minute = '99' } = TIME.exec(rest)?.groups ?? {}
  if (!withTime || Number(hour) > 23 || Number(minute) > 59) return null
  return `${date}T${two(hour)}:${minute}`
}

/** By number, or by the first three letters of its name in one of our languages. */
function monthOf(written: string): number {
  if (/^\d+$/.test(written)) return Number(written)
  const start = written.slice(0, 3).toLowerCase()
  return MONTHS.findIndex((names) => names.includes(start)) + 1
}

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  ['en', 'de'].map((language) =>
    new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
      .format(Date.UTC(2027, month))
      .slice(0, 3)
      .toLowerCase(),
  ),
)
