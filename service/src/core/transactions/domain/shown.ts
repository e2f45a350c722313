// Extracts what a page shows of a transaction from the exact text that is sent. Pages show it as plain text.

import { isObject } from './form.ts'
import type { FrozenTransaction } from './frozen.ts'

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
  | { readonly kind: 'signature'; readonly documents: readonly string[] }
  | { readonly kind: 'other'; readonly title: string; readonly lines: readonly string[] }

const LINES_MAX = 8
const LINE_LENGTH_MAX = 300

export function shownOf({ text, type, title }: Omit<FrozenTransaction, 'hash'>): ShownTransaction {
  const object = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  const payload = isObject(object.payload) ? object.payload : {}
  switch (type) {
    case 'urn:eudi:sca:payment:1':
      return paymentOf(payload) ?? otherOf(title, [])
    case 'urn:eudi:sca:emandate:1':
      return (
        paymentOf(isObject(payload.payment_payload) ? payload.payment_payload : {}) ??
        otherOf(title, [payload.purpose, payload.creditor_id])
      )
    case 'urn:eudi:sca:login_risk_transaction:1':
      return otherOf(title, [payload.action, payload.service])
    case 'urn:eudi:sca:account_access:1':
      return otherOf(title, [payload.description, isObject(payload.aisp) ? payload.aisp.brand_name : null])
    case 'https://cloudsignatureconsortium.org/2025/qes-approval':
      return { kind: 'signature', documents: labelsOf(object.documentDigests ?? object.documentInfos) }
    default: {
      const { type: _, credential_ids: __, transaction_data_hashes_alg: ___, ...members } = object
      return otherOf(title, Object.values(members))
    }
  }
}

function paymentOf(payload: Readonly<Record<string, unknown>>): ShownTransaction | null {
  const { amount, currency, payee, recurrence, transaction_id: id } = payload
  const name = isObject(payee) ? payee.name : null
  if (typeof amount !== 'number' || typeof currency !== 'string' || typeof name !== 'string') return null
  const reference = typeof id === 'string' && id !== '' ? id.slice(0, LINE_LENGTH_MAX) : null
  return { kind: 'payment', amount, currency, payee: name, reference, recurring: recurrence !== undefined }
}

function labelsOf(documents: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(documents) ? documents : []
  return list.slice(0, LINES_MAX).flatMap((one) => (isObject(one) && typeof one.label === 'string' ? [one.label] : []))
}

function otherOf(title: string, values: readonly unknown[]): ShownTransaction {
  const plain = values.filter((value) => ['string', 'number'].includes(typeof value)).map(String)
  return { kind: 'other', title, lines: plain.slice(0, LINES_MAX).map((line) => line.slice(0, LINE_LENGTH_MAX)) }
}
