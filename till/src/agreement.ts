// What the guest confirms, in words, from the text that the wallet gets. Shown as plain text only.

import { sayDocuments, sayMandate } from '../../labels/say-agreement.ts'
import type { DeviceClient } from '../../sdk/typescript/src/device/device-client.ts'
import { RefusedError } from '../../sdk/typescript/src/device/device-errors.ts'
import { isTemporary, pause } from './watch.ts'
import type { Words } from './words/words.ts'

export interface AgreedItem {
  readonly type: string
  /** base64url of a JSON object. */
  readonly data: string
}

/** More digits than any currency has, so that the screen shows exactly what is signed. */
const FRACTION_DIGITS_MAX = 20
const PAYMENT = 'urn:eudi:sca:payment:1'
const MANDATE = 'urn:eudi:sca:emandate:1'
const APPROVAL = 'https://cloudsignatureconsortium.org/2025/qes-approval'
const LINES_MAX = 8
const ASK_AGAIN_MS = 1_500

/**
 * Reads the very text that the wallet gets, so that both show the same. Returns null if it was aborted or refused; the
 * caller that waits for the answer gets the reason.
 */
export async function learnAgreement(
  client: Pick<DeviceClient, 'getTransaction'>,
  id: string,
  signal: AbortSignal,
): Promise<readonly AgreedItem[] | null> {
  while (!signal.aborted) {
    try {
      const { transaction } = await client.getTransaction(id)
      return signal.aborted ? null : (transaction ?? [])
    } catch (error) {
      if (signal.aborted) return null
      if (error instanceof RefusedError && !isTemporary(error)) return null
      if (!isTemporary(error)) throw error
    }
    await pause(ASK_AGAIN_MS, signal)
  }
  return null
}

export function agreementLines(items: readonly AgreedItem[], words: Words): readonly string[] {
  return items.flatMap((item) => linesOf(decoded(item.data), words))
}

/** Only the type says what a text is: members of another type may look like a payment, and mean more. */
function linesOf(object: Members, words: Words): readonly string[] {
  const lines = linesOfKnownType(object, words)
  return lines.length > 0 ? lines : [`${words.agreeTo}: ${plainValues(object).join(' · ')}`]
}

function linesOfKnownType(object: Members, words: Words): readonly string[] {
  const payload = objectOf(object.payload) ?? {}
  const speaker = { words: words.labels.agreement, locale: words.locale, colon: ':' }
  switch (object.type) {
    case PAYMENT:
      return paymentLines(payload, words)
    case MANDATE:
      return [...sayMandate(payload, speaker), ...paymentLines(objectOf(payload.payment_payload) ?? {}, words)]
    case APPROVAL:
      return sayDocuments([...listOf(object.documentDigests), ...listOf(object.documentInfos)], words.sign, speaker)
    default:
      return []
  }
}

/** An ellipsis marks what is signed and not shown. */
function plainValues(object: Members): readonly unknown[] {
  const { type: _, credential_ids: __, transaction_data_hashes_alg: ___, payload, ...members } = object
  const all = [...Object.values(members), ...Object.values(objectOf(payload) ?? { payload })]
  const present = all.filter((value) => value !== undefined && value !== null)
  const plain = present.filter((value) => typeof value === 'string' || typeof value === 'number').slice(0, LINES_MAX)
  return plain.length === present.length ? plain : [...plain, '…']
}

function paymentLines(payment: Members, words: Words): readonly string[] {
  const sentence = paymentOf(payment, words)
  if (sentence === null) return []
  const line = words.pay(sentence.amount, sentence.payee)
  return payment.recurrence === undefined ? [line] : [line, words.recurring]
}

export interface Payment {
  readonly amount: string
  readonly payee: string
}

/** Returns null unless it is exactly one payment. */
export function agreedPayment(items: readonly AgreedItem[], words: Words): Payment | null {
  const [item, ...others] = items
  if (item === undefined || others.length > 0) return null
  const { type, payload } = decoded(item.data)
  const payment = type === PAYMENT ? objectOf(payload) : null
  return payment !== null && payment.recurrence === undefined ? paymentOf(payment, words) : null
}

function paymentOf({ amount, currency, payee }: Members, words: Words): Payment | null {
  const name = objectOf(payee)?.name
  if (typeof amount !== 'number' || typeof currency !== 'string' || typeof name !== 'string') return null
  const format = { style: 'currency', currency, maximumFractionDigits: FRACTION_DIGITS_MAX } as const
  return { amount: new Intl.NumberFormat(words.locale, format).format(amount), payee: name }
}

type Members = Readonly<Record<string, unknown>>

function decoded(data: string): Members {
  const bytes = Uint8Array.from(atob(data.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
  return objectOf(JSON.parse(new TextDecoder().decode(bytes))) ?? {}
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function objectOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null
}
