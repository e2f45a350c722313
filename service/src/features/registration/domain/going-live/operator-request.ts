// Defines a merchant's request for something that only the operator may do.

import type { REQUEST_KINDS, REQUEST_STATES } from '../../../../../../wire/values/going-live.ts'
import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../../platform/world.ts'

export type RequestKind = (typeof REQUEST_KINDS)[number]

export type RequestState = (typeof REQUEST_STATES)[number]

/** How many answered requests are kept per realm. At most one request of each kind is open. */
export const ANSWERED_MAX = 20
export const ANSWER_LENGTH_MAX = 300
/** The operator's answer: one line. */
export const isAnswer = (text: string) =>
  text.trim() !== '' && text.length <= ANSWER_LENGTH_MAX && !/[\p{Cc}\p{Cs}]/u.test(text)

/** The identity that the merchant claims, or the mandate to check; empty for other kinds of request. */
export interface Wanted {
  readonly identifier?: string
  readonly trade_name?: string
  readonly registry_uri?: string | null
  readonly sha256?: string
  readonly dated?: string
}

export interface OperatorRequest extends Realm {
  readonly id: string
  readonly kind: RequestKind
  readonly wanted: Wanted
  readonly state: RequestState
  readonly createdAt: Instant
  readonly answeredAt: Instant | null
  readonly answer: string | null
}

export function renderRequest(request: OperatorRequest) {
  return {
    id: request.id,
    kind: request.kind,
    wanted: request.wanted,
    state: request.state,
    made_at: request.createdAt,
    answered_at: request.answeredAt,
    answer: request.answer,
  }
}
