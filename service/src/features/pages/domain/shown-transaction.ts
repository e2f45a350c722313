// Extracts what a page shows of a transaction from the exact text that is sent. Pages show it as plain text.

import { isObject } from '../../../core/transactions/domain/form.ts'
import type { FrozenTransaction } from '../../../core/transactions/domain/frozen.ts'

export type ShownTransaction =
  | {
      readonly kind: 'payment'
      readonly amount: number
      /** ISO 4217. */
      readonly currency: string
      readonly payee: string
      /** The merchant's own number for the payment; null if there is none. */
      readonly reference: string | null
      readonly recurring: boolean
    }
  | { readonly kind: 'mandate'; readonly details: Members; readonly payment: ShownTransaction | null }
  | { readonly kind: 'signature'; readonly documents: readonly unknown[] }
  | { readonly kind: 'other'; readonly title: string; readonly lines: readonly string[] }

type Members = Readonly<Record<string, unknown>>
const LINES_MAX = 8
const LINE_LENGTH_MAX = 300

export function shownOf({ text, type, title }: Omit<FrozenTransaction, 'hash'>): ShownTransaction {
  const object = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  const payload = isObject(object.payload) ? object.payload : {}
  switch (type) {
    case 'urn:eudi:sca:payment:1':
      return paymentOf(payload) ?? otherOf(title, [])
    case 'urn:eudi:sca:emandate:1':
      return { kind: 'mandate', details: payload, payment: paymentOf(payload.payment_payload) }
    case 'urn:eudi:sca:login_risk_transaction:1':
      return otherOf(title, [payload.action, payload.service])
    case 'urn:eudi:sca:account_access:1':
      return otherOf(title, [payload.description, isObject(payload.aisp) ? payload.aisp.brand_name : null])
    case 'https://cloudsignatureconsortium.org/2025/qes-approval':
      return { kind: 'signature', documents: [object.documentDigests ?? [], object.documentInfos ?? []].flat() }
    default: {
      const { type: _, credential_ids: __, transaction_data_hashes_alg: ___, ...members } = object
      return otherOf(title, Object.values(members))
    }
  }
}

function paymentOf(payload: unknown): ShownTransaction | null {
  const { amount, currency, payee, recurrence, transaction_id: id } = isObject(payload) ? payload : {}
  const name = isObject(payee) ? payee.name : null
  if (typeof amount !== 'number' || typeof currency !== 'string' || typeof name !== 'string') return null
  const reference = typeof id === 'string' && id !== '' ? id.slice(0, LINE_LENGTH_MAX) : null
  return { kind: 'payment', amount, currency, payee: name, reference, recurring: recurrence !== undefined }
}

/** An ellipsis marks what is signed and not shown. */
function otherOf(title: string, values: readonly unknown[]): ShownTransaction {
  const present = values.filter((value) => value !== undefined && value !== null)
  const plain = present.filter((value) => ['string', 'number'].includes(typeof value)).map(String)
  const lines = plain.slice(0, LINES_MAX).map((line) => line.slice(0, LINE_LENGTH_MAX))
  const isWhole = present.every((value, i) => String(value) === lines[i])
  return { kind: 'other', title, lines: isWhole ? lines : [...lines, '…'] }
}
