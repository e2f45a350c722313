// The steps of a verification in the order of their times, with those still to come.

import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import type { Delivery } from '../../../../../wire/webhooks.ts'

type Attempt = Delivery['attempts'][number]

type StepKind = 'created' | 'fetched' | 'answered' | 'redeemed' | 'read' | 'forgotten'

export type Step = { readonly at: string; readonly isAhead?: true } & (
  | { readonly kind: StepKind }
  | { readonly kind: 'cancelled' | 'expired' | 'expires' | 'forgets' }
  | { readonly kind: 'attempt'; readonly number: number; readonly attempt: Attempt }
  | { readonly kind: 'next_attempt'; readonly number: number }
)

export function stepsOf(verification: VerificationDetail): readonly Step[] {
  const { created_at, request_fetched_at, responded_at, redeemed_at, forgotten_at, forget_at } = verification
  const moments: readonly (readonly [StepKind, string | null])[] = [
    ['created', created_at],
    ['fetched', request_fetched_at],
    ['answered', responded_at],
    ['redeemed', redeemed_at],
    ['read', verification.first_read_at],
    ['forgotten', forgotten_at],
  ]
  const done: Step[] = [
    ...moments.flatMap(([kind, at]) => (at === null ? [] : [{ kind, at }])),
    ...(verification.status === 'expired'
      ? [{ kind: verification.cancelled ? ('cancelled' as const) : ('expired' as const), at: verification.expires_at }]
      : []),
    ...verification.deliveries.flatMap(attemptsOf),
  ]
  const ahead: Step[] = [
    ...(verification.status === 'pending'
      ? [{ kind: 'expires', at: verification.expires_at, isAhead: true } as const]
      : []),
    ...verification.deliveries.flatMap(nextOf),
    ...(forget_at === null ? [] : [{ kind: 'forgets', at: forget_at, isAhead: true } as const]),
  ]
  return [...done.toSorted(byTime), ...ahead.toSorted(byTime)]
}

const attemptsOf = ({ attempts }: Delivery): Step[] =>
  attempts.map((attempt, index) => ({ kind: 'attempt', at: attempt.started_at, number: index + 1, attempt }))

const nextOf = ({ state, next_at: at, attempts }: Delivery): Step[] =>
  state === 'pending' && at !== null ? [{ kind: 'next_attempt', at, number: attempts.length + 1, isAhead: true }] : []

/** Steps with the same time keep their order. */
const byTime = (one: Step, other: Step) => Date.parse(one.at) - Date.parse(other.at)
