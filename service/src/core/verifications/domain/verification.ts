// Defines a verification: what a holder was asked, and the outcome. Decides its state at a given moment.

import type { JsonObject, PresentedFormat } from '@vidimus/engine'
import type { UNIVERSAL_STATUSES } from '../../../../../wire/values/oidc.ts'
import { type Environment, type Instant, millisecondsOf } from '../../../platform/world.ts'
import type { TransactionRecord } from '../../transactions/domain/record.ts'
import type { CredentialChecks } from './checks.ts'

export type ResponseMode = 'direct_post' | 'direct_post.jwt'

/** The state of a verification at one instant. Each state has only its own properties. */
export type Verification = Pending | Completed | Failed | Expired
export type VerificationStatus = Verification['status']

/** What was asked. The same in every state. */
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
  /** The origin of the merchant's own page that uses the browser API; null: the hosted page. */
  readonly origin: string | null
  /** Set if the webhook sends the callbacks of the Universal OID4VP API; null: the service's own event. */
  readonly universal: UniversalCallback | null
  readonly clientId: string
}

export type UniversalStatus = (typeof UNIVERSAL_STATUSES)[number]

export interface UniversalCallback {
  /** The caller's name for the verification; null: its id. */
  readonly correlationId: string | null
  /** The statuses that are reported; absent: the two final ones. */
  readonly statuses?: readonly UniversalStatus[]
}

type OptionalDefaults = { [K in keyof EveryVerification as null extends EveryVerification[K] ? K : never]: null }
/** The defaults of all optional properties. */
export const OPTIONAL_DEFAULTS: OptionalDefaults = {
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

/** Claims exist only here, and until they are deleted. */
export interface Completed extends EveryVerification {
  readonly status: 'completed'
  readonly respondedAt: Instant
  /** base64url; null if it ended before there were receipts. Sent next to the verification, never in it. */
  readonly receiptSalt: string | null
  readonly content: Content | null
  /** The published list that named the authorities of all credentials. null: they are on several lists, or one is on none. */
  readonly trustList: string | null
  /** The id of the query that each credential answers. Empty if the content was deleted, or an earlier release stored it. */
  readonly answeredQueries: readonly string[]
}

export interface Content {
  /** All claims. `{ "$jwe": … }` if only the merchant can read them; then the claims of the credentials are in it. */
  readonly claims: JsonObject
  readonly credentials: readonly CredentialResult[]
  /** Yes or no, if claims are encrypted (null: the request was a query), or if they do not show what a credential denies. */
  readonly verdict?: 'yes' | 'no' | null
  /** What the holder agreed to; absent: nothing was asked. */
  readonly transaction?: readonly TransactionRecord[]
}

export interface Failed extends EveryVerification {
  readonly status: 'failed'
  readonly respondedAt: Instant
  readonly receiptSalt: string | null
  readonly error: VerificationError
  /** null: the credentials were deleted. */
  readonly credentials: readonly CredentialResult[] | null
  /** Also of credentials that could not be parsed. Empty if an earlier release stored none. */
  readonly checks: readonly CredentialChecks[]
  /** What the holder was asked to agree to. Absent: nothing, or deleted. */
  readonly transaction?: readonly TransactionRecord[]
}

export interface Expired extends EveryVerification {
  readonly status: 'expired'
  /** The merchant cancelled the request. */
  readonly cancelled: boolean
}

/** As stored. Expiry depends on the time, so it is not stored. Readers see a cancelled verification as expired. */
export type StoredState = 'pending' | 'completed' | 'failed' | 'cancelled'

/** The outcome of the checks, as it is stored. */
export type VerificationResult =
  | ({ readonly outcome: 'completed' } & Content)
  | {
      readonly outcome: 'failed'
      readonly error: VerificationError
      readonly credentials: readonly CredentialResult[] | null
      readonly transaction?: readonly TransactionRecord[]
    }

/** With the salt of the receipt's commitment and the outcome of every check. Results of earlier releases lack both. */
export type KeptResult = VerificationResult & {
  readonly receiptSalt?: string
  readonly checks?: readonly CredentialChecks[]
}

interface VerificationError {
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

/** The origin of the page that uses the browser API: wallets show it, and answers are bound to it. */
export const askingOrigin = ({ origin }: Pick<Verification, 'origin'>, baseUrl: string) =>
  origin ?? new URL(baseUrl).origin

/** Spec 3.1: at `expires_at` a pending verification expires, for all readers at the same time. */
export function statusAt(
  stored: { readonly state: StoredState; readonly expiresAt: Instant },
  nowMs: number,
): VerificationStatus {
  if (stored.state === 'cancelled') return 'expired'
  if (stored.state !== 'pending') return stored.state
  return millisecondsOf(stored.expiresAt) <= nowMs ? 'expired' : 'pending'
}

/** The only way to read a stored verification: a final state without all of its parts is an error. */
export function verificationAt(
  every: EveryVerification,
  kept: {
    readonly state: StoredState
    readonly respondedAt: Instant | null
    /** `forgotten`: the verification completed, and its content was deleted. */
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
    const checks = result === 'forgotten' ? [] : (result.checks ?? [])
    const trustList = listOfAll(checks)
    const answeredQueries = checks.map(({ query }) => query)
    return { ...every, status, respondedAt, receiptSalt, content, trustList, answeredQueries }
  }
  if (status === 'failed' && result !== 'forgotten' && result.outcome === 'failed')
    return {
      ...every,
      status,
      respondedAt,
      receiptSalt,
      error: result.error,
      credentials: result.credentials,
      checks: result.checks ?? [],
      ...agreed(result),
    }
  throw new Error(`bug: a ${status} verification with the result of a ${outcome} one`)
}

/** Claims are merged from all credentials, so a list that names only some of the authorities says nothing about them. */
function listOfAll(checks: readonly CredentialChecks[]): string | null {
  const lists = new Set(checks.map(({ trustList }) => trustList ?? null))
  const [list = null] = lists
  return lists.size === 1 ? list : null
}

function contentOf({ claims, credentials, verdict, transaction }: Content): Content {
  return { claims, credentials, ...(verdict === undefined ? {} : { verdict }), ...agreed({ transaction }) }
}

const agreed = ({ transaction }: { readonly transaction?: readonly TransactionRecord[] | undefined }) =>
  transaction === undefined ? {} : { transaction }

/** Spec 2.1: exactly these properties, in this order. Every reader and the webhook get the same bytes. */
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

/** null if there are none, or if they were deleted. */
export function credentialsOf(verification: Verification): readonly CredentialResult[] | null {
  if (verification.status === 'completed') return verification.content?.credentials ?? null
  return verification.status === 'failed' ? verification.credentials : null
}

export const receiptSaltOf = (verification: Verification) =>
  'receiptSalt' in verification ? verification.receiptSalt : null

export const requestUriOf = (baseUrl: string, id: string) => `${baseUrl}/wallet/request/${id}`
/** For the device that shows the page. Its answers can be distinguished from answers after a scanned code. */
export const sameDeviceUriOf = (baseUrl: string, id: string) => `${requestUriOf(baseUrl, id)}${SAME_DEVICE}`
export const SAME_DEVICE = '?same_device'
/** The page for holders if the merchant has no page of its own. */
export const hostedPageOf = (baseUrl: string, id: string) => `${baseUrl}/verify/${id}`

export const responseUriOf = (baseUrl: string, id: string) => `${baseUrl}/wallet/response/${id}`

/** OpenID4VP §5.10: only client_id, request_uri and request_uri_method are outside of the request object. */
export function walletUriOf(clientId: string, requestUri: string): string {
  return `openid4vp://?client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent(requestUri)}&request_uri_method=post`
}
