// A bound that many share: so much for each, so much in all, and the last part of it only for those who hold little. A few
// who take all they may therefore never take the room of somebody who comes for the first time. Pure.

export interface ShareBound {
  readonly each: number
  readonly all: number
  /** How much of `all` only those may take who then hold no more than `light`. */
  readonly reserve: number
  readonly light: number
}

export type Taken = 'taken' | 'own_share_spent' | 'all_spent'

export interface Shares {
  /** Takes the amount if it is there; an amount of 0 asks whether anything could be taken. */
  take(who: string, amount: number): Taken
  /** Takes the amount whatever the bound says: what is there already cannot be refused. */
  note(who: string, amount: number): void
  give(who: string, amount: number): void
  heldBy(who: string): number
  total(): number
}

export function createShares(bound: ShareBound): Shares {
  const held = new Map<string, number>()
  let total = 0
  const heldBy = (who: string) => held.get(who) ?? 0
  const change = (who: string, by: number) => {
    const left = heldBy(who) + by
    total += by
    // Whoever holds nothing is not remembered: memory is bounded by what is held.
    if (left === 0) held.delete(who)
    else held.set(who, left)
  }
  return {
    take(who, amount) {
      // Room for one unit at least, so that asking for nothing is refused where nothing is left.
      const wanted = Math.max(amount, 1)
      const own = heldBy(who) + wanted
      if (total + wanted > (own <= bound.light ? bound.all : bound.all - bound.reserve)) return 'all_spent'
      if (own > bound.each) return 'own_share_spent'
      if (amount > 0) change(who, amount)
      return 'taken'
    },
    note: change,
    give: (who, amount) => change(who, -amount),
    heldBy,
    total: () => total,
  }
}
