// A bound that many share: so much for each, so much in all, and the last part of it only for those who hold little. A few
// who take all they may therefore never take the room of somebody who comes for the first time. Pure.

/** Who holds or spends: a group of senders within wider ones, the narrowest first. Most are one group alone. */
export type Sender = readonly [string, ...string[]]

/** Each wider group may have twice as much as the one within. */
export const widened = (amount: number, level: number): number => amount * 2 ** level

export interface ShareBound {
  /** For a sender's narrowest group. */
  readonly each: number
  readonly all: number
  /** How much of `all` only those may take whose widest group then holds no more than `light`. */
  readonly reserve: number
  readonly light: number
}

export type Taken = 'taken' | 'own_share_spent' | 'all_spent'

export interface Shares {
  /** Takes the amount if it is there; an amount of 0 asks whether anything could be taken. */
  take(who: Sender, amount: number): Taken
  /** Takes the amount whatever the bound says: what is there already cannot be refused. */
  note(who: Sender, amount: number): void
  give(who: Sender, amount: number): void
  heldBy(group: string): number
  total(): number
}

export function createShares(bound: ShareBound): Shares {
  const held = new Map<string, number>()
  let total = 0
  const heldBy = (group: string) => held.get(group) ?? 0
  const change = (who: Sender, by: number) => {
    total += by
    for (const group of who) {
      const left = heldBy(group) + by
      // Whoever holds nothing is not remembered: memory is bounded by what is held.
      if (left === 0) held.delete(group)
      else held.set(group, left)
    }
  }
  return {
    take(who, amount) {
      // Room for one unit at least, so that asking for nothing is refused where nothing is left.
      const wanted = Math.max(amount, 1)
      const isLight = heldBy(who.at(-1) ?? who[0]) + wanted <= bound.light
      if (total + wanted > (isLight ? bound.all : bound.all - bound.reserve)) return 'all_spent'
      if (who.some((group, level) => heldBy(group) + wanted > widened(bound.each, level))) return 'own_share_spent'
      if (amount > 0) change(who, amount)
      return 'taken'
    },
    note: change,
    give: (who, amount) => change(who, -amount),
    heldBy,
    total: () => total,
  }
}
