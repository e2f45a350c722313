// Renders the status of a verification in the terms of the Universal OID4VP API (0.1.0), for reads and callbacks.

import { presentationNames } from '@vidimus/engine/claims'
import { type Instant, millisecondsOf } from '../../../platform/world.ts'
import { type Answered, answeredOf } from './answered.ts'
import type { Completed, Failed, UniversalCallback, UniversalStatus, Verification } from './verification.ts'

/** The statuses before the end. A callback for such a status says only that it was reached. */
const STEPS = [
  'authorization_request_created',
  'authorization_request_retrieved',
  'authorization_response_received',
] as const
export type UniversalStep = (typeof STEPS)[number]
export const isUniversalStep = (text: string): text is UniversalStep => (STEPS as readonly string[]).includes(text)

/** A step that a verification has reached. */
export interface ReachedStep {
  readonly verificationId: string
  readonly universal: UniversalCallback | null
  readonly step: UniversalStep
}

const ENDS: readonly UniversalStatus[] = ['authorization_response_verified', 'error']

/** Whether the callback reports this status. Without a list of statuses it reports both ends. */
export const isReported = ({ statuses = ENDS }: UniversalCallback, status: UniversalStatus) => statuses.includes(status)

/** A callback of a step never has content, even if the verification has ended in the meantime. */
export function universalStep(
  verification: Verification,
  { step, correlationId, at }: { readonly step: UniversalStep; readonly correlationId: string; readonly at: Instant },
): object {
  const last_updated = Math.floor(millisecondsOf(at))
  return { status: step, correlation_id: correlationId, query_id: verification.template ?? '', last_updated }
}

/** `correlationId`: the caller's name for the verification. */
export function universalStatus(
  verification: Verification,
  { correlationId, isFetched }: { readonly correlationId: string; readonly isFetched: boolean },
): object {
  return {
    ...statusMembersOf(verification, isFetched),
    correlation_id: correlationId,
    query_id: verification.template ?? '',
    last_updated: Math.floor(millisecondsOf(lastChangeOf(verification))),
  }
}

type StatusMembers = { readonly status: UniversalStatus; readonly error?: object; readonly verified_data?: object }

function statusMembersOf(verification: Verification, isFetched: boolean): StatusMembers {
  switch (verification.status) {
    case 'pending':
      return { status: isFetched ? 'authorization_request_retrieved' : 'authorization_request_created' }
    case 'expired':
      return { status: 'error', error: { code: 'expired', message: 'No wallet answered in time.' } }
    case 'failed':
      return { status: 'error', error: { code: verification.error.code, message: verification.error.message } }
    case 'completed': {
      const answered = answeredOf(verification)
      // A response without the proven claims could look as if no claim was denied.
      if (answered === null) return { status: 'error', error: UNREADABLE }
      return { status: 'authorization_response_verified', verified_data: { credential_claims: claimsOf(answered) } }
    }
  }
}

const UNREADABLE = {
  code: 'content_unreadable',
  message: 'A wallet answered and was verified; the claims were erased, or are encrypted to your key.',
}

function claimsOf({ credentials, answeredQueries }: Answered) {
  const ids = presentationNames(credentials.map((_, at) => answeredQueries[at]))
  return credentials.map(({ doctype_or_vct: type, claims }, at) => ({ id: ids[at], type, claims }))
}

const lastChangeOf = (verification: Verification) =>
  hasEnded(verification) ? verification.respondedAt : verification.createdAt

const hasEnded = (verification: Verification): verification is Completed | Failed =>
  verification.status === 'completed' || verification.status === 'failed'
