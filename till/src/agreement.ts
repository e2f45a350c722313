// What the guest is to agree to, in words: from the text that the wallet gets, and shown as nothing but text.

import type { Words } from './words/words.ts'

export interface AgreedItem {
  readonly type: string
  /** base64url of a JSON object. */
  readonly data: string
}

/** More digits than any currency has: what is shown is exactly what is signed. */
const FRACTION_DIGITS_MAX = 20
const LINES_MAX = 8

export function agreementLines(items: readonly AgreedItem[], words: Words): readonly string[] {
  return items.map((item) => lineOf(decoded(item.data), words))
}

function lineOf(object: Readonly<Record<string, unknown>>, words: Words): string {
  const payload = objectOf(object.payload) ?? object
  const { amount, currency } = payload
  const payee = objectOf(payload.payee)?.name
  if (typeof amount === 'number' && typeof currency === 'string' && typeof payee === 'string') {
    const format = { style: 'currency', currency, maximumFractionDigits: FRACTION_DIGITS_MAX } as const
    return words.pay(new Intl.NumberFormat(words.locale, format).format(amount), payee)
  }
  const { type: _, credential_ids: __, transaction_data_hashes_alg: ___, ...members } = payload
  const values = Object.values(members).filter((value) => typeof value === 'string' || typeof value === 'number')
  return `${words.agreeTo}: ${values.slice(0, LINES_MAX).join(' · ')}`
}

function decoded(data: string): Readonly<Record<string, unknown>> {
  const bytes = Uint8Array.from(atob(data.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
  return objectOf(JSON.parse(new TextDecoder().decode(bytes))) ?? {}
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
