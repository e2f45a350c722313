// The error of a failed call. It contains nothing of the request: no key, no code, no body.

import type { ErrorCode } from './wire.ts'

/** Codes of this library, if there is no valid answer of the service. */
export type ConnectionCode =
  /** No connection, or it broke. */
  | 'connection_failed'
  /** No complete answer within `timeoutMs`. */
  | 'timeout'
  /** Something other than the service answered: a proxy, a redirect, a web page. */
  | 'unexpected_answer'

/** Codes are stable; newer versions of the service may know more of them. */
export type VidimusErrorCode = ErrorCode | ConnectionCode | (string & {})

export interface VidimusErrorParts {
  readonly code: VidimusErrorCode
  readonly message: string
  readonly status?: number | null
  readonly requestId?: string | null
  readonly retryAfterSeconds?: number | null
}

/**
 * Decide by `code`; `message` is for people and may change. Quote `requestId` when you ask the operator.
 *
 * ```ts
 * try {
 *   await vidimus.verifications.create({ template: 'age_over_18' })
 * } catch (error) {
 *   if (error instanceof VidimusError && error.code === 'quota_exceeded') return tryTomorrow(error.retryAfterSeconds)
 *   throw error
 * }
 * ```
 */
export class VidimusError extends Error {
  override readonly name = 'VidimusError'
  readonly code: VidimusErrorCode
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor({ code, message, status = null, requestId = null, retryAfterSeconds = null }: VidimusErrorParts) {
    super(message)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}
