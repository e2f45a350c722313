// Limits how many webhooks one worker sends at a time, in total and for each realm.

const SLOTS = 256
const SLOTS_FOR_NEWCOMERS = 64
const SHARE = { first: 8, least: 2, most: 64 } as const
const SLOW_MS = 1_000
/** Limit of remembered realms, running and slow, and quick: each lease passes them to the store. */
const REALMS_MAX = 1_024
const QUICK_MAX = 32

/** Limits of a lease: see `ChoiceTerms` of features/webhooks/store/due-times.ts. */
interface SlotTerms {
  readonly free: number
  readonly freeForRunning: number
  readonly shareOfOthers: number
  readonly realms: ReadonlyMap<string, { readonly running: number; readonly share: number }>
}

export interface DeliverySlots {
  terms(): SlotTerms
  /** How many are being sent. */
  running(): number
  begin(realm: string): void
  /** Releases the slot; `tookMs` is how long it was held. */
  end(realm: string, tookMs: number): void
}

/**
 * A worker has 256 slots. The last 64 are for idle realms, so that a new realm is served even if other receivers hang.
 * For the worker, a realm is in one of these states:
 *
 *   unknown    idle, and was not slow recently: may use 8 slots
 *   running    sends: may use its share. Each webhook that ends within a second doubles the share, up to 64; each that
 *              takes longer, whatever the response, halves it, down to 2
 *   slow       idle with a share below 8: remembered, so that receivers that never answer use few slots
 *   quick      idle with a share above 8: the last 32 are remembered, so that a backlog whose webhooks end before the
 *              next lease is not sent eight at a time (`bench` webhooks: 0.6 of its floor instead of 0.43, medians of
 *              six runs)
 *
 * The worker forgets any other realm when its last webhook ends; the realm is then unknown again.
 */
export function createDeliverySlots(): DeliverySlots {
  const realms = new Map<string, { running: number; share: number }>()
  const quick = new Map<string, { running: 0; share: number }>()
  let running = 0
  return {
    terms: () => ({
      free: SLOTS - running,
      freeForRunning: Math.max(0, SLOTS - SLOTS_FOR_NEWCOMERS - running),
      shareOfOthers: SHARE.first,
      realms: new Map([...quick, ...realms]),
    }),
    running: () => running,
    begin(realm) {
      const known = realms.get(realm) ?? quick.get(realm) ?? { running: 0, share: SHARE.first }
      quick.delete(realm)
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
      else if (share > SHARE.first) quick.set(realm, { running: 0, share })
      if (realms.size > REALMS_MAX) forgetFirstIdle(realms)
      if (quick.size > QUICK_MAX) forgetFirstIdle(quick)
    },
  }
}

/** Drops the least recently used idle realm; running realms are fewer than the slots. */
function forgetFirstIdle(realms: Map<string, { readonly running: number }>): void {
  for (const [realm, { running }] of realms) {
    if (running === 0) {
      realms.delete(realm)
      return
    }
  }
}
