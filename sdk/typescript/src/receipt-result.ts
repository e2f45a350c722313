// Compares a verification with its receipt, member by member.

import { fromBase64url, hmacSha256, toBase64url } from './bytes.ts'
import { canonical, type Json } from './canonical-json.ts'

export interface ReceiptResult {
  /**
   * The verification from the API or a webhook, or its JSON as you stored it. Pass the JSON if others could have changed
   * it: only there a repeated member, or a number that loses digits, can still be seen.
   */
  verification: object | string
  /** The value of the header `X-Vidimus-Receipt-Salt` that came with it. */
  salt: string
}

/** The members of a receipt that describe the result. */
interface ReceiptOfResult {
  readonly jti: string
  readonly iat: number
  readonly verdict: 'accepted' | 'rejected'
  readonly asked?: { readonly template?: string; readonly purpose_sha256?: string }
  readonly result_sha256: string
}

interface Compared {
  /** The members of the verification that match the receipt. */
  readonly matching: readonly string[]
  /** The members that no receipt covers. */
  readonly notCovered: readonly string[]
}

interface Mismatch {
  readonly code: 'other_verification' | 'other_result' | 'malformed_result'
  readonly message: string
}

/** `responded_at` may differ from the receipt's time, because entries of an audit trail get ever later times. */
const TIME_SECONDS_MAX = 60
/** `Date.parse` also reads times with a comment. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

const COVERED = ['id', 'status', 'template', 'purpose', 'claims', 'credentials', 'error', 'responded_at']
const NOT_COVERED = ['metadata', 'redirect_url', 'created_at', 'expires_at']

const other = (name: string): Mismatch => ({
  code: 'other_result',
  message: `The receipt is not about this result: it has another ${name}.`,
})
const malformed = (message: string): Mismatch => ({ code: 'malformed_result', message })

/** Every member must match the receipt, or be one that no receipt covers. */
export async function compareResult(
  receipt: ReceiptOfResult,
  { verification, salt: saltText }: ReceiptResult,
): Promise<Compared | Mismatch> {
  const json = typeof verification === 'string' ? parseUnambiguous(verification) : verification
  if (json === null)
    return malformed('The verification repeats a member, has a number that loses digits, or is not a JSON object.')
  // Some libraries write null for a member that is absent.
  const members: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(json).filter(([, value]) => value !== null && value !== undefined),
  )
  const names = Object.keys(members)
  const unknown = names.filter((name) => !COVERED.includes(name) && !NOT_COVERED.includes(name))
  if (members.id !== receipt.jti)
    return { code: 'other_verification', message: 'The receipt is about another verification.' }
  if (unknown.length > 0)
    return malformed(`This release does not know these members of an ended verification: ${unknown.join(', ')}.`)
  const { claims, credentials, error, status, template, purpose, responded_at: answered } = members
  const salt = fromBase64url(saltText)
  if (salt === null || salt.length === 0) return other('salt')
  const digest = async (text: string) => toBase64url(await hmacSha256(salt, text))
  if ((await digest(canonical({ claims, credentials, error } as Json))) !== receipt.result_sha256)
    return { code: 'other_result', message: 'The receipt is not about this result with this salt.' }
  const { template: askedTemplate, purpose_sha256: askedPurpose } = receipt.asked ?? {}
  const purposeHash = typeof purpose === 'string' ? await digest(`purpose\0${purpose}`) : purpose
  const answeredAt = typeof answered === 'string' && INSTANT.test(answered) ? Date.parse(answered) / 1000 : Number.NaN
  if (status !== (receipt.verdict === 'accepted' ? 'completed' : 'failed')) return other('status')
  if (template !== askedTemplate) return other('template')
  if (purposeHash !== askedPurpose) return other('purpose')
  if (!(Math.abs(answeredAt - receipt.iat) <= TIME_SECONDS_MAX)) return other('responded_at')
  return {
    matching: COVERED.filter((name) => names.includes(name)),
    notCovered: NOT_COVERED.filter((name) => names.includes(name)),
  }
}

/** A string of a JSON text, with the colon that makes it a member's name; or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g

/** null if readers may read other values: repeated members, and numbers that lose digits. */
export function parseUnambiguous(text: string): Record<string, unknown> | null {
  try {
    let members = 0
    const json: unknown = JSON.parse(text, function count(this: unknown, _name, value: unknown) {
      if (!Array.isArray(this)) members += 1
      return value
    })
    let written = 1
    for (const [token, colon] of text.matchAll(TOKEN)) {
      if (colon !== undefined) written += 1
      if (!token.startsWith('"') && decimalOf(token) !== decimalOf(String(Number(token)))) return null
    }
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
    return isObject && members === written ? (json as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** One text per number: its digits without zeros around them, and its exponent. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return whole === '' ? 'none' : '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
