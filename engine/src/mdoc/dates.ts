// Is this text a day, or a moment? RFC 3339 §5.6, as CBOR writes dates (RFC 8949 §3.4.1 tdate, RFC 8943 full-date). A text
// that only looks like a date would be read by others as some other day.

const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

export function isFullDate(text: string): boolean {
  if (!FULL_DATE.test(text)) return false
  // Date takes the 30th of February for the 2nd of March.
  const time = Date.parse(`${text}T00:00:00Z`)
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text)
}

/** Unix seconds, rounded down; null where it is no moment. */
export function momentOf(text: string): number | null {
  if (!DATE_TIME.test(text) || !isFullDate(text.slice(0, 10))) return null
  return Math.floor(Date.parse(text) / 1000)
}
