// Describes the bodies about going live: missing steps, the mandate, requests to the operator.

import { type Static, Type } from 'typebox'
import { Closed, Instant, Line, List, oneOf, orNull, Text } from './parts.ts'
import { ChangeIdentity, RegistrationRefused } from './registration.ts'
import {
  MANDATE_KINDS,
  REQUEST_KINDS,
  REQUEST_STATES,
  REQUESTABLE_KINDS,
  STEP_NAMES,
  STEP_REASONS,
  STEP_STATES,
} from './values/going-live.ts'

export const OperatorRequestKind = oneOf(...REQUEST_KINDS)
export type OperatorRequestKind = Static<typeof OperatorRequestKind>

export const MandateKind = oneOf(...MANDATE_KINDS)
export type MandateKind = Static<typeof MandateKind>

export const OperatorRequest = Closed({
  id: Text,
  kind: OperatorRequestKind,
  wanted: Closed({
    identifier: Type.Optional(Text),
    trade_name: Type.Optional(Text),
    registry_uri: Type.Optional(orNull(Text)),
    sha256: Type.Optional(Text),
    dated: Type.Optional(Text),
  }),
  state: oneOf(...REQUEST_STATES),
  made_at: Instant,
  answered_at: orNull(Instant),
  answer: orNull(Type.String({ description: "The operator's words" })),
})
export type OperatorRequest = Static<typeof OperatorRequest>

export const GoingLive = Closed({
  steps: List(
    Closed({
      name: oneOf(...STEP_NAMES),
      state: oneOf(...STEP_STATES),
      reasons: List(oneOf(...STEP_REASONS)),
      request: orNull(OperatorRequestKind),
    }),
  ),
  mandate: orNull(
    Closed({
      kind: MandateKind,
      sha256: Text,
      dated: Type.String({ format: 'date' }),
      recorded_at: Instant,
      checked_at: orNull(Instant),
    }),
  ),
  mandate_kinds: List(MandateKind),
  own_issuers: Type.Boolean({ description: 'Whether owners add issuers here' }),
  requests: List(OperatorRequest),
})
export type GoingLive = Static<typeof GoingLive>

export const OperatorAsking = Type.Union([
  Closed({ outcome: Type.Literal('asked'), request: OperatorRequest }),
  RegistrationRefused,
])
export type OperatorAsking = Static<typeof OperatorAsking>

export const RecordMandate = Closed({ kind: MandateKind, sha256: Line(64), dated: Line(10) })
export type RecordMandate = Static<typeof RecordMandate>

export const AskOperator = Closed({ kind: oneOf(...REQUESTABLE_KINDS), identity: Type.Optional(ChangeIdentity) })
export type AskOperator = Static<typeof AskOperator>

export type GoingLiveStep = GoingLive['steps'][number]
