// Implements the generic cell rate algorithm. Per bucket, one instant says when the bucket is full again. Pure.

export interface Budget {
  readonly perSecond: number
  readonly burst: number
}

export const halfOf = ({ perSecond, burst }: Budget): Budget => ({
  perSecond: perSecond / 2,
  burst: Math.max(1, burst / 2),
})

/** Per sender, and for all senders together. */
export interface RateBound {
  readonly each: Budget
  readonly all: Budget
}

export interface Decision {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the whole burst is available again, rounded up. */
  readonly resetSeconds: number
  /** 0 when allowed; otherwise the seconds to wait, at least 1. */
  readonly retryAfterSeconds: number
  /** Theoretical arrival time to store, in milliseconds. A denied request does not change it. */
  readonly tat: number
}

/** `amount` is the cost of the request in units, at most a whole burst. */
export function decide(budget: Budget, nowMs: number, storedTat: number | undefined, amount = 1): Decision {
  const interval = 1000 / budget.perSecond
  const capacity = interval * budget.burst
  // If the value is more than a burst ahead, the clock was set back. That must not lock senders out.
  const known = storedTat !== undefined && storedTat <= nowMs + capacity + interval ? storedTat : nowMs
  const before = Math.max(known, nowMs)
  const after = before + interval * priced(budget, amount)
  const allowed = after - nowMs <= capacity + 1e-6
  const tat = allowed ? after : before
  return {
    allowed,
    limit: budget.burst,
    remaining: Math.max(0, Math.floor((capacity - (tat - nowMs)) / interval + 1e-6)),
    resetSeconds: Math.ceil((tat - nowMs) / 1000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((after - capacity - nowMs) / 1000)),
    tat,
  }
}

/** Limits the cost of expensive requests to one burst, so that each is allowed at some time. */
export const priced = ({ burst }: Budget, amount: number): number => Math.min(amount, burst)
