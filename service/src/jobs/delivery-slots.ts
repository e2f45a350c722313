// How many webhooks one worker has under way, and how many of them one tenant's environment ("realm") may have.
//
// A worker has 256 slots; the last 64 are for realms with nothing under way: whoever hangs, a newcomer is sent at once.
// To a worker a realm is
//
//   unknown    nothing under way, not slow lately: may have 8 slots
//   running    something under way: may have its share. Each webhook that ends within a second doubles the share, up to 64;
//              each that takes longer, whatever it is then answered, halves it, down to 2
//   slow       nothing under way, and its share is less than 8: remembered, so that receivers that never answer hold few slots
//
// A realm whose last webhook ends is forgotten (unknown) unless its share is then less than 8 (slow).

const SLOTS = 256
const SLOTS_FOR_NEWCOMERS = 64
const SHARE = { first: 8, least: 2, most: 64 } as const
const SLOW_MS = 1_000
/** Known at most: each lease hands them to the store. */
const REALMS_MAX = 1_024

/** What a lease may take: see `LeaseTerms` of store/webhooks/delivery-leases.ts. */
export interface SlotTerms {
  readonly free: number
  readonly freeForRunning: number
  readonly shareOfOthers: number
  readonly realms: ReadonlyMap<string, { readonly running: number; readonly share: number }>
}

export interface DeliverySlots {
  terms(): SlotTerms
  /** How many are under way. */
  running(): number
  begin(realm: string): void
  /** Gives the slot back; `tookMs` is how long it was held. */
  end(realm: string, tookMs: number): void
}

export function createDeliverySlots(): DeliverySlots {
  const realms = new Map<string, { running: number; share: number }>()
  let running = 0
  return {
    terms: () => ({
      free: SLOTS - running,
      freeForRunning: Math.max(0, SLOTS - SLOTS_FOR_NEWCOMERS - running),
      shareOfOthers: SHARE.first,
      realms,
    }),
    running: () => running,
    begin(realm) {
      const known = realms.get(realm) ?? { running: 0, share: SHARE.first }
      realms.set(realm, { ...known, running: known.running + 1 })
      running += 1
    },
    end(realm, tookMs) {
      const known = realms.get(realm)
      if (known === undefined) throw new Error('bug: a webhook ended that never began')
      const share = tookMs > SLOW_MS ? Math.max(SHARE.least, known.share / 2) : Math.min(SHARE.most, known.share * 2)
      running -= 1
      realms.delete(realm)
      if (known.running > 1 || share < SHARE.first) realms.set(realm, { running: known.running - 1, share })
      if (realms.size > REALMS_MAX) forgetOneSlow(realms)
    },
  }
}

/** The one that was touched longest ago; those with something under way are fewer than the slots. */
function forgetOneSlow(realms: Map<string, { readonly running: number }>): void {
  for (const [realm, { running }] of realms) {
    if (running === 0) {
      realms.delete(realm)
      return
    }
  }
}
