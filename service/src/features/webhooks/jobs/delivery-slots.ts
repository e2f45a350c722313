// Limits how many webhooks one worker sends at a time, in total and for each realm.

const SLOTS = 256
const SLOTS_FOR_NEWCOMERS = 64
const SHARE = { first: 8, least: 2, most: 64 } as const
const SLOW_MS = 1_000
/** The most realms that are remembered in each state. Every lease passes them to the store. */
const REALMS_MAX = 1_024
const QUICK_MAX = 32

/** Limits of a lease, see `ChoiceTerms` in store/due-times.ts. */
interface SlotTerms {
  readonly free: number
  readonly freeForRunning: number
  readonly shareOfOthers: number
  readonly realms: ReadonlyMap<string, { readonly running: number; readonly share: number }>
}

export interface DeliverySlots {
  terms(): SlotTerms
  /** Returns how many webhooks are being sent. */
  running(): number
  begin(realm: string): void
  /** Releases a slot. `tookMs`: how long it was taken. */
  end(realm: string, tookMs: number): void
}

/**
 * A worker has 256 slots. The last 64 are for idle realms, so that a new realm is served even if other receivers hang.
 * The worker knows a realm in one of these states:
 *
 *   unknown    idle: may use 8 slots
 *   running    sends webhooks: may use its share. A webhook that ends within a second doubles the share, up to 64; a slower
 *              one halves it, down to 2, whatever the response
 *   slow       idle with a share below 8. The share stays, so that receivers that never answer use few slots
 *   quick      idle with a share above 8. The last 32 keep their share, so that a backlog whose webhooks end before the next
 *              lease is not sent eight at a time (`bench` webhooks: 0.6 of the floor instead of 0.43, medians of six runs)
 *
 * Any other realm is unknown again when its last webhook ends.
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

/** Drops the least recently used idle realm. There always is one, because running realms are fewer than slots. */
function forgetFirstIdle(realms: Map<string, { readonly running: number }>): void {
  for (const [realm, { running }] of realms) {
    if (running === 0) {
      realms.delete(realm)
      return
    }
  }
}
