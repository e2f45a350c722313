// Writes CSV that spreadsheets open correctly (RFC 4180) and without evaluating any value as a formula.

/** A spreadsheet evaluates cells that begin with these characters. After an apostrophe it shows them as text. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(value: string | null): string {
  const text = value ?? ''
  const safe = FORMULA.test(text.trimStart()) || FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n;\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
