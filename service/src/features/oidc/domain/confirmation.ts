// Decides whether a wallet's answer comes from the person whose browser began the sign-in.

import { createHmac } from 'node:crypto'
import type { CROSS_DEVICE } from '../../../../../wire/values/oidc.ts'
import type { BoundBy, SignInRule } from '../../../core/verifications/domain/browser-binding.ts'
import { isSame } from '../../../core/verifications/domain/browser-binding.ts'
import type { SecretKeys } from '../../../platform/seal/seal.ts'
import type { Environment } from '../../../platform/world.ts'

/** Counted from the wallet's answer. */
export const CONFIRM_SECONDS = 120
/**
 * Content that is not kept is deleted up to ten seconds early, and the client needs it after the confirmation. So
 * the time to type the code ends this long before the deletion.
 */
const BEFORE_FORGETTING_SECONDS = 20
export const CONFIRM_TRIES = 3
/** With three tries per wallet answer, guessing succeeds once in 33 million sign-ins. */
export const CONFIRM_DIGITS = 8

export type CrossDevice = (typeof CROSS_DEVICE)[number]

/** The binding rule for a client's sign-ins. In live, every answer must be bound, whatever the client's row says. */
export function signInRuleOf(crossDevice: CrossDevice, environment: Environment): SignInRule {
  if (crossDevice === 'off') return 'same_device'
  return crossDevice === 'unconfirmed' && environment === 'test' ? 'unconfirmed' : 'confirm'
}

/** Whether an earlier answer with this binding is still enough: the client may have become stricter. */
export function isBoundFor(rule: SignInRule, boundBy: BoundBy | null): boolean {
  switch (boundBy) {
    case 'browser_api':
    case 'response_code':
      return true
    case 'code':
      return rule !== 'same_device'
    case 'unconfirmed':
      return rule === 'unconfirmed'
    case null:
      return false
  }
}

export interface Answered {
  readonly rule: SignInRule
  readonly environment: Environment
  readonly boundBy: BoundBy | null
  readonly tries: number
  readonly returnedElsewhere: boolean
  readonly respondedAtMs: number
  /** When the content is deleted; null: it is kept. */
  readonly forgetAtMs: number | null
}

export type Confirmation =
  | { readonly outcome: 'bound'; readonly by: BoundBy }
  | { readonly outcome: 'failed'; readonly reason: 'confirmation_failed' | 'confirmation_timeout' | 'session_mismatch' }
  | { readonly outcome: 'waiting'; readonly takesCode: boolean; readonly untilMs: number }

/** `returned`: the response code came back to the browser that began the sign-in. */
export function confirmationOf(
  answered: Answered,
  { nowMs, returned }: { nowMs: number; returned: boolean },
): Confirmation {
  const { rule, environment, boundBy, tries, returnedElsewhere, respondedAtMs, forgetAtMs } = answered
  if (boundBy !== null && (boundBy !== 'unconfirmed' || environment === 'test'))
    return { outcome: 'bound', by: boundBy }
  if (tries >= CONFIRM_TRIES) return { outcome: 'failed', reason: 'confirmation_failed' }
  if (rule === 'same_device' && returnedElsewhere) return { outcome: 'failed', reason: 'session_mismatch' }
  const isLate = nowMs >= respondedAtMs + CONFIRM_SECONDS * 1000
  // The waiting page has already shown the mismatch, so a late return gets the same outcome.
  if (rule === 'same_device' && isLate) return { outcome: 'failed', reason: 'session_mismatch' }
  if (returned) return { outcome: 'bound', by: 'response_code' }
  if (rule === 'unconfirmed' && environment === 'test') return { outcome: 'bound', by: 'unconfirmed' }
  const untilMs = Math.min(
    respondedAtMs + CONFIRM_SECONDS * 1000,
    (forgetAtMs ?? Number.POSITIVE_INFINITY) - BEFORE_FORGETTING_SECONDS * 1000,
  )
  if (nowMs >= untilMs)
    return { outcome: 'failed', reason: rule === 'same_device' ? 'session_mismatch' : 'confirmation_timeout' }
  return { outcome: 'waiting', takesCode: rule !== 'same_device', untilMs }
}

interface CodeOwner {
  readonly verificationId: string
  /** Hash of the response code that the wallet received. */
  readonly responseCodeHash: Uint8Array
}

/**
 * Derived under a key that is not in the database: no code has to be stored, and every process computes the same one.
 */
export function confirmationCode(keys: Pick<SecretKeys, 'derive'>, owner: CodeOwner): string {
  return codeUnder(keys.derive(LABEL, 32), owner)
}

const digitsIn = (typed: string) => typed.replaceAll(/[\s-]/g, '')

export const isShapedLikeCode = (typed: string) => new RegExp(`^\\d{${CONFIRM_DIGITS}}$`).test(digitsIn(typed))

/** Also accepts a code from before a change of the master key. */
export function isConfirmationCode(keys: Pick<SecretKeys, 'deriveReadable'>, owner: CodeOwner, typed: string): boolean {
  const digits = Buffer.from(digitsIn(typed), 'utf8')
  return keys
    .deriveReadable(LABEL, 32)
    .map((key) => isSame(Buffer.from(codeUnder(key, owner), 'utf8'), digits))
    .some(Boolean)
}

const LABEL = 'sign-in-confirmation-v1'

function codeUnder(key: Uint8Array, { verificationId, responseCodeHash }: CodeOwner): string {
  const mac = createHmac('sha256', key).update(verificationId, 'utf8').update('\0').update(responseCodeHash).digest()
  // 64 random bits modulo 10^8: no code is likelier than another by more than one in 10^11.
  return (mac.readBigUInt64BE() % 10n ** BigInt(CONFIRM_DIGITS)).toString().padStart(CONFIRM_DIGITS, '0')
}
