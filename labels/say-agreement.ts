// Describes in words a mandate and documents to sign, in every language. The input is what the holder signs.

import type { AgreementWords } from './catalogue.ts'

interface Speaker {
  readonly words: AgreementWords
  readonly locale: string
  /** After a label. */
  readonly colon: string
}

const DOCUMENTS_MAX = 8

/** The input is the payload of `urn:eudi:sca:emandate:1`. Its payment is described apart. */
export function sayMandate(payload: Readonly<Record<string, unknown>>, { words, locale, colon }: Speaker): string[] {
  const { purpose, creditor_id: creditor, reference_number: reference, start_date: start, end_date: end } = payload
  const line = (label: string, value: unknown, say: (value: unknown) => string = String) =>
    value === undefined ? [] : [`${label}${colon} ${say(value)}`]
  const day = (value: unknown) => momentText(String(value), locale)
  return [
    ...(purpose === undefined ? [words.mandate] : line(words.mandate, purpose)),
    ...line(words.creditor, creditor),
    ...line(words.reference, reference),
    ...line(words.start, start, day),
    ...line(words.end, end, day),
  ]
}

/** `sign` is before each name, and alone if there are no documents. */
export function sayDocuments(documents: readonly unknown[], sign: string, { words, colon }: Speaker): string[] {
  const names = documents.map(labelOf).filter((label) => label !== null)
  const shown = names.slice(0, DOCUMENTS_MAX)
  const left = documents.length - shown.length
  const items = left === 0 ? shown : [...shown, words.unnamed(left)]
  return items.length === 0 ? [sign] : items.map((item) => `${sign}${colon} ${item}`)
}

function labelOf(document: unknown): string | null {
  const isLabelled = typeof document === 'object' && document !== null && 'label' in document
  return isLabelled && typeof document.label === 'string' && document.label.trim() !== '' ? document.label : null
}

/** A date is the same day everywhere; a time is in UTC. Anything else is shown as it is. */
function momentText(text: string, locale: string): string {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) return text
  const time = text.includes('T') ? ({ timeStyle: 'long' } as const) : {}
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', ...time, timeZone: 'UTC' }).format(moment)
}
