// What a merchant asks its operator to do, because only the operator may.

import type { REQUEST_KINDS, REQUEST_STATES } from '../../../../../../wire/values/going-live.ts'
import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../../platform/world.ts'

export type RequestKind = (typeof REQUEST_KINDS)[number]

export type RequestState = (typeof REQUEST_STATES)[number]

/** So many that were answered are kept for a realm; one of each kind at most is open. */
export const ANSWERED_MAX = 20
export const ANSWER_LENGTH_MAX = 300
/** What the operator may answer: a line. */
export const isAnswer = (text: string) =>
  text.trim() !== '' && text.length <= ANSWER_LENGTH_MAX && !/[\p{Cc}\p{Cs}]/u.test(text)

/** Who the merchant says it is, or the mandate to be checked; nothing for the other kinds. */
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
  readonly madeAt: Instant
  readonly answeredAt: Instant | null
  readonly answer: string | null
}

export function renderRequest(request: OperatorRequest) {
  return {
    id: request.id,
    kind: request.kind,
    wanted: request.wanted,
    state: request.state,
    made_at: request.madeAt,
    answered_at: request.answeredAt,
    answer: request.answer,
  }
}
