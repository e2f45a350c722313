// An egress whose timers are the test's: it sends on the event loop, because no timer can be handed to a thread.

import type { Egress } from '../../src/platform/egress/client.ts'

export function timedEgress({ send: _, ...egress }: Egress, after: Egress['after']): Egress {
  return { ...egress, after }
}

/** Nothing times out. */
export const patientEgress = (egress: Egress): Egress => timedEgress(egress, () => () => undefined)
