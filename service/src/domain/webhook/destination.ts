// Where webhooks go, and how long it has been failing there.

import type { Instant } from '../world.ts'

export interface FailingOrigin {
  readonly origin: string
  readonly failingSince: Instant
  readonly failures: number
  readonly disabledAt: Instant | null
}

export function renderDestination(destination: FailingOrigin) {
  return {
    origin: destination.origin,
    failing_since: destination.failingSince,
    failures: destination.failures,
    disabled_at: destination.disabledAt,
  }
}
