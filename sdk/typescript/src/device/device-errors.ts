// The errors of a device client, with what its screen needs.

export type PairAgainReason =
  /** The merchant revoked the device, or a spent refresh token was used again. */
  | 'revoked'
  /** The refresh token was refused: expired, or the device is revoked. */
  | 'refresh_refused'
  /** A refresh got no answer. A retry could revoke the device. */
  | 'refresh_lost'
  | 'not_paired'

/** The device must be paired again: ask for a new pairing code. */
export class PairAgainError extends Error {
  override readonly name = 'PairAgainError'
  readonly reason: PairAgainReason

  constructor(reason: PairAgainReason) {
    super(`pair again: ${reason}`)
    this.reason = reason
  }
}

/** The service refused. `code` is stable, `message` is for people. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly status: number
  readonly code: string
  readonly retryAfterSeconds: number | null

  constructor(refusal: { status: number; code: string; message: string; retryAfterSeconds: number | null }) {
    super(refusal.message)
    this.status = refusal.status
    this.code = refusal.code
    this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

/** No answer, or an invalid one. `sent` is false if the request was certainly not sent. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly sent: boolean

  constructor(sent: boolean, options?: ErrorOptions) {
    super('the service did not answer', options)
    this.sent = sent
  }
}
