// A verification: what was asked of a holder, and what came of it. Pure; how it reads at a given moment is decided here.

import type { JsonObject, PresentedFormat } from '@vidimus/engine'
import { type Environment, type Instant, millisecondsOf } from '../../../platform/world.ts'
import type { TransactionRecord } from '../../transactions/domain/record.ts'
import type { CredentialChecks } from './checks.ts'

export type ResponseMode = 'direct_post' | 'direct_post.jwt'

/** As it reads at one instant: each state has what it has, and nothing of another. */
export type Verification = Pending | Completed | Failed | Expired
export type VerificationStatus = Verification['status']

/** What was asked: the same whatever becomes of it. */
export interface EveryVerification {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly createdAt: Instant
  readonly expiresAt: Instant
  readonly template: string | null
  readonly purpose: string | null
  readonly redirectUrl: string | null
  readonly webhookUrl: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  /** Of the merchant's own page that asks through the browser; null: the hosted page. */
  readonly origin: string | null
  /** Set where its webhook tells what the Universal OID4VP API would; null: the service's own event. */
  readonly universal: { /** The caller's name for it; null: its id. */ readonly correlationId: string | null } | null
  readonly clientId: string
}

type Unsaid = { [K in keyof EveryVerification as null extends EveryVerification[K] ? K : never]: null }
/** Of one that was asked for with as little as may be. */
export const UNSAID: Unsaid = {
  template: null,
  purpose: null,
  redirectUrl: null,
  webhookUrl: null,
  metadata: null,
  origin: null,
  universal: null,
}

export interface Pending extends EveryVerification {
  readonly status: 'pending'
}

/** Claims exist here alone, and until they are forgotten. */
export interface Completed extends EveryVerification {
  readonly status: 'completed'
  readonly respondedAt: Instant
  /** base64url; null for what ended before there were receipts. It travels beside the verification, never in it. */
  readonly receiptSalt: string | null
  readonly content: Content | null
}

export interface Content {
  /** `{ "$jwe": … }` where only the merchant can read them; those of the credentials are in it too. */
  readonly claims: JsonObject
  readonly credentials: readonly CredentialResult[]
  /** Where claims are encrypted: yes or no, for tills; null: the question was no template's. */
  readonly verdict?: 'yes' | 'no' | null
  /** What the holder agreed to; absent: there was nothing to. */
  readonly transaction?: readonly TransactionRecord[]
}

export interface Failed extends EveryVerification {
  readonly status: 'failed'
  readonly respondedAt: Instant
  readonly receiptSalt: string | null
  readonly error: VerificationError
  /** null: forgotten. */
  readonly credentials: readonly CredentialResult[] | null
  /** What the holder was to agree to; absent: nothing, or it is forgotten. */
  readonly transaction?: readonly TransactionRecord[]
}

export interface Expired extends EveryVerification {
  readonly status: 'expired'
  /** Whoever asked took the question back. */
  readonly cancelled: boolean
}

/** As stored: expiry is a matter of time, not of state. A cancelled one is an expired one to every reader. */
export type StoredState = 'pending' | 'completed' | 'failed' | 'cancelled'

/** What the checks concluded, as it is kept. */
export type VerificationResult =
  | ({ readonly outcome: 'completed' } & Content)
  | {
      readonly outcome: 'failed'
      readonly error: VerificationError
      readonly credentials: readonly CredentialResult[] | null
      readonly transaction?: readonly TransactionRecord[]
    }

/** With the salt of what the receipt says of it, and the outcome of every check; absent in what earlier releases wrote. */
export type KeptResult = VerificationResult & {
  readonly receiptSalt?: string
  readonly checks?: readonly CredentialChecks[]
}

export interface VerificationError {
  readonly code: string
  readonly message: string
}

export interface CredentialResult {
  readonly format: PresentedFormat
  readonly doctype_or_vct: string
  readonly claims: JsonObject
  readonly issuer: { readonly common_name?: string; readonly country?: string }
  readonly trusted: boolean
  readonly signature_valid: boolean
  readonly holder_binding_valid: boolean
  readonly findings: readonly Finding[]
}

export interface Finding {
  readonly check: string
  readonly status: 'pass' | 'fail' | 'warning' | 'skipped'
  readonly detail?: string
}

/** Of the page that asks through the browser: what wallets show, and what answers are bound to. */
export const askingOrigin = ({ origin }: Pick<Verification, 'origin'>, baseUrl: string) =>
  origin ?? new URL(baseUrl).origin

/** Spec 3.1: at `expires_at` a pending verification is expired, everywhere at once. */
export function statusAt(
  stored: { readonly state: StoredState; readonly expiresAt: Instant },
  nowMs: number,
): VerificationStatus {
  if (stored.state === 'cancelled') return 'expired'
  if (stored.state !== 'pending') return stored.state
  return millisecondsOf(stored.expiresAt) <= nowMs ? 'expired' : 'pending'
}

/** The only way a stored verification is read: an end that has not all that belongs to it is none. */
export function verificationAt(
  every: EveryVerification,
  kept: {
    readonly state: StoredState
    readonly respondedAt: Instant | null
    /** `forgotten`: of a completed one nothing is left but that it was. */
    readonly result: KeptResult | 'forgotten' | null
  },
  nowMs: number,
): Verification {
  const { state, respondedAt, result } = kept
  const status = statusAt({ state, expiresAt: every.expiresAt }, nowMs)
  if (status === 'pending') return { ...every, status }
  if (status === 'expired') return { ...every, status, cancelled: state === 'cancelled' }
  if (respondedAt === null || result === null) throw new Error(`bug: a ${status} verification without its result`)
  const receiptSalt = result === 'forgotten' ? null : (result.receiptSalt ?? null)
  const outcome = result === 'forgotten' ? 'completed' : result.outcome
  if (status === 'completed' && (result === 'forgotten' || result.outcome === 'completed')) {
    const content = result === 'forgotten' ? null : contentOf(result)
    return { ...every, status, respondedAt, receiptSalt, content }
  }
  if (status === 'failed' && result !== 'forgotten' && result.outcome === 'failed')
    return {
      ...every,
      status,
      respondedAt,
      receiptSalt,
      error: result.error,
      credentials: result.credentials,
      ...agreed(result),
    }
  throw new Error(`bug: a ${status} verification with the result of a ${outcome} one`)
}

function contentOf({ claims, credentials, verdict, transaction }: Content): Content {
  return { claims, credentials, ...(verdict === undefined ? {} : { verdict }), ...agreed({ transaction }) }
}

const agreed = ({ transaction }: { readonly transaction?: readonly TransactionRecord[] | undefined }) =>
  transaction === undefined ? {} : { transaction }

/** Spec 2.1, exactly: no property but these, in this order. The same bytes for every reader and for the webhook. */
export function renderVerification(verification: Verification, baseUrl: string): string {
  const { id, status } = verification
  const requestUri = requestUriOf(baseUrl, id)
  const pending = status === 'pending'
  const ended = verification.status === 'completed' || verification.status === 'failed' ? verification : null
  return JSON.stringify({
    id,
    status,
    template: verification.template ?? undefined,
    wallet_uri: pending ? walletUriOf(verification.clientId, requestUri) : undefined,
    request_uri: pending ? requestUri : undefined,
    claims: ended?.status === 'completed' ? ended.content?.claims : undefined,
    credentials: credentialsOf(verification) ?? undefined,
    error: ended?.status === 'failed' ? { code: ended.error.code, message: ended.error.message } : undefined,
    metadata: verification.metadata ?? undefined,
    purpose: verification.purpose ?? undefined,
    redirect_url: verification.redirectUrl ?? undefined,
    created_at: verification.createdAt,
    expires_at: verification.expiresAt,
    responded_at: ended?.respondedAt,
  })
}

/** null where there are none, or none any more. */
export function credentialsOf(verification: Verification): readonly CredentialResult[] | null {
  if (verification.status === 'completed') return verification.content?.credentials ?? null
  return verification.status === 'failed' ? verification.credentials : null
}

export const receiptSaltOf = (verification: Verification) =>
  'receiptSalt' in verification ? verification.receiptSalt : null

export const requestUriOf = (baseUrl: string, id: string) => `${baseUrl}/wallet/request/${id}`
/** The same for the device that shows the page, so that its answers are told apart from those by a scanned code. */
export const sameDeviceUriOf = (baseUrl: string, id: string) => `${requestUriOf(baseUrl, id)}${SAME_DEVICE}`
export const SAME_DEVICE = '?same_device'
/** What a person without a page of the merchant's own is shown. */
export const hostedPageOf = (baseUrl: string, id: string) => `${baseUrl}/verify/${id}`

export const responseUriOf = (baseUrl: string, id: string) => `${baseUrl}/wallet/response/${id}`

/** OpenID4VP §5.10: only client_id, request_uri and request_uri_method stand outside the request object. */
export function walletUriOf(clientId: string, requestUri: string): string {
  return `openid4vp://?client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent(requestUri)}&request_uri_method=post`
}
