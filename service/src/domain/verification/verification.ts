// A verification: what was asked of a holder, and what came of it. Pure; how it reads at a given moment is decided here.

import type { CredentialFormat, JsonObject } from '@vidimus/engine'
import { type Environment, type Instant, millisecondsOf } from '../world.ts'

export type VerificationStatus = 'pending' | 'completed' | 'failed' | 'expired'
export type ResponseMode = 'direct_post' | 'direct_post.jwt'

export interface Verification {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly createdAt: Instant
  readonly expiresAt: Instant
  /** As stored: expiry is a matter of time, not of state. A cancelled one is an expired one to every reader. */
  readonly state: 'pending' | 'completed' | 'failed' | 'cancelled'
  readonly template: string | null
  readonly purpose: string | null
  readonly redirectUrl: string | null
  readonly webhookUrl: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly clientId: string
  readonly respondedAt: Instant | null
  readonly result: VerificationResult | null
}

/** What the checks concluded. Claims exist only where the verification completed. */
export type VerificationResult =
  | { readonly outcome: 'completed'; readonly claims: JsonObject; readonly credentials: readonly CredentialResult[] }
  | { readonly outcome: 'failed'; readonly error: VerificationError; readonly credentials: readonly CredentialResult[] }

export interface VerificationError {
  readonly code: string
  readonly message: string
}

export interface CredentialResult {
  readonly format: CredentialFormat
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

/** Spec 3.1: at `expires_at` a pending verification is expired, everywhere at once. */
export function statusAt(verification: Pick<Verification, 'state' | 'expiresAt'>, nowMs: number): VerificationStatus {
  if (verification.state === 'cancelled') return 'expired'
  if (verification.state !== 'pending') return verification.state
  return millisecondsOf(verification.expiresAt) <= nowMs ? 'expired' : 'pending'
}

/** Spec 2.1, exactly: no property but these, in this order. The same bytes for every reader and for the webhook. */
export function renderVerification(verification: Verification, nowMs: number, baseUrl: string): string {
  const status = statusAt(verification, nowMs)
  const requestUri = requestUriOf(baseUrl, verification.id)
  const pending = status === 'pending'
  const { result } = verification
  return JSON.stringify({
    id: verification.id,
    status,
    template: verification.template ?? undefined,
    wallet_uri: pending ? walletUriOf(verification.clientId, requestUri) : undefined,
    request_uri: pending ? requestUri : undefined,
    claims: result?.outcome === 'completed' ? result.claims : undefined,
    credentials: result?.credentials,
    error: result?.outcome === 'failed' ? { code: result.error.code, message: result.error.message } : undefined,
    metadata: verification.metadata ?? undefined,
    purpose: verification.purpose ?? undefined,
    redirect_url: verification.redirectUrl ?? undefined,
    created_at: verification.createdAt,
    expires_at: verification.expiresAt,
    responded_at: verification.respondedAt ?? undefined,
  })
}

export const requestUriOf = (baseUrl: string, id: string) => `${baseUrl}/wallet/request/${id}`
/** What a person without a page of the merchant's own is shown. */
export const hostedPageOf = (baseUrl: string, id: string) => `${baseUrl}/verify/${id}`

export const responseUriOf = (baseUrl: string, id: string) => `${baseUrl}/wallet/response/${id}`

/** OpenID4VP §5.10: only client_id, request_uri and request_uri_method stand outside the request object. */
export function walletUriOf(clientId: string, requestUri: string): string {
  return `openid4vp://?client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent(requestUri)}&request_uri_method=post`
}
