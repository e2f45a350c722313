// Records what the soak test did. The comparison at the end derives from it what the service must have.

export interface Entry {
  readonly id: string
  readonly tenant: string
  /** The expected outcome of the answer; unknown if an injected fault interrupted the flow. */
  expected: 'pending' | 'completed' | 'failed' | 'unknown'
  hasWebhook: boolean
  erased: boolean | 'unknown'
}

export interface Ledger {
  readonly entries: Map<string, Entry>
  /** How many creations each tenant must have been charged. */
  readonly charged: Map<string, number>
  /** How many calls of each tenant may or may not have created a verification. */
  readonly uncertain: Map<string, number>
  readonly counts: Record<string, number>
  readonly problems: string[]
  count(what: string): void
  /** Logs an event with its time, for debugging. */
  note(what: string): void
  /** Records a failure. The soak test continues, to find more. */
  problem(what: string): void
}

export function createLedger(note: (what: string) => void = () => undefined): Ledger {
  const counts: Record<string, number> = {}
  const problems: string[] = []
  return {
    entries: new Map(),
    charged: new Map(),
    uncertain: new Map(),
    counts,
    problems,
    note,
    count(what) {
      counts[what] = (counts[what] ?? 0) + 1
    },
    problem(what) {
      problems.push(what)
      note(`PROBLEM ${what}`)
      console.error(`PROBLEM  ${new Date().toISOString()} ${what}`)
    },
  }
}

export const addTo = (sums: Map<string, number>, tenant: string) => sums.set(tenant, (sums.get(tenant) ?? 0) + 1)
