// The times of fields, which are in the reader's zone, and instants.

/** As a field of the type datetime-local writes it. */
export function localOf(instant: string | null): string {
  const date = new Date(instant ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const instantOf = (local: string) => (local === '' ? '' : new Date(local).toISOString())
