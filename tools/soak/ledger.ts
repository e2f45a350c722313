// What the soak did and what the service must therefore know: the other side of the comparison at the end.

export interface Entry {
  readonly id: string
  readonly tenant: string
  /** What the answer must have made of it. */
  expected: 'pending' | 'completed' | 'failed'
  hasWebhook: boolean
  erased: boolean
}

export interface Ledger {
  readonly entries: Map<string, Entry>
  /** By tenant: creations that must have been charged. */
  readonly charged: Map<string, number>
  readonly counts: Record<string, number>
  readonly problems: string[]
  count(what: string): void
  /** Notes what must never happen; the soak goes on, to find more. */
  problem(what: string): void
}

export function createLedger(): Ledger {
  const counts: Record<string, number> = {}
  const problems: string[] = []
  return {
    entries: new Map(),
    charged: new Map(),
    counts,
    problems,
    count(what) {
      counts[what] = (counts[what] ?? 0) + 1
    },
    problem(what) {
      problems.push(what)
      console.error(`PROBLEM  ${what}`)
    },
  }
}
