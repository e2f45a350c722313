// Is this text a day, or a moment? RFC 3339 §5.6, as CBOR writes dates (RFC 8949 §3.4.1 tdate, RFC 8943 full-date). A text
// that only looks like a date would be read by others as some other day.

const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

export function isFullDate(text: string): boolean {
  return FULL_DATE.test(text) && isCalendarDay(text)
}

/** Unix seconds, rounded down; null where it is no moment. */
export function momentOf(text: string): number | null {
  if (!DATE_TIME.test(text) || !isCalendarDay(text)) return null
  return Math.floor(Date.parse(text) / 1000)
}

/**
 * Of a text that begins like a date. Counted by hand: Date takes the 30th of February for the 2nd of March, and writing out what
 * it took costs several times as much.
 */
function isCalendarDay(text: string): boolean {
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8, 10))
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const last = month === 2 && isLeapYear ? 29 : LAST_DAYS[month]
  return last !== undefined && day >= 1 && day <= last
}

/** Of the months, from 1; there is no month 0. */
const LAST_DAYS: readonly number[] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
