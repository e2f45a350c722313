// Parses dates and times of RFC 3339 §5.6 in CBOR (RFC 8949 §3.4.1, RFC 8943). Refuses ambiguous ones.

const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

export function isFullDate(text: string): boolean {
  return FULL_DATE.test(text) && isCalendarDay(text)
}

/** Returns unix seconds, rounded down; null if the text is not a time. */
export function momentOf(text: string): number | null {
  if (!DATE_TIME.test(text) || !isCalendarDay(text)) return null
  return Math.floor(Date.parse(text) / 1000)
}

/**
 * Whether a text that starts like a date names a real day. Computed here: Date reads February 30 as March 2, and
 * comparing the output of Date costs several times as much.
 */
function isCalendarDay(text: string): boolean {
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8, 10))
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const last = month === 2 && isLeapYear ? 29 : LAST_DAYS[month]
  return last !== undefined && day >= 1 && day <= last
}

/** The last day of each month; index 0 is unused. */
const LAST_DAYS: readonly number[] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
