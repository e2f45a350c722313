// Shares a bound among senders: a limit per sender, a total, and a reserve for senders with little usage.

/** A sender: its group and the wider groups around it, narrowest first. Most senders have one group. */
export type Sender = readonly [string, ...string[]]

/** A wider group may have twice as much as the next narrower group. */
export const widened = (amount: number, level: number): number => amount * 2 ** level

export interface ShareBound {
  /** The limit for a sender's narrowest group. */
  readonly each: number
  readonly all: number
  /** The part of `all` for light senders only: with this request, their widest group uses at most `light`. */
  readonly reserve: number
  readonly light: number
}

export type Taken = 'taken' | 'own_share_spent' | 'all_spent'

export interface Shares {
  /** Takes the amount if it is available. An amount of 0 asks whether anything is left. */
  take(sender: Sender, amount: number): Taken
  /** Takes the amount even above the limit, because it is in use already. */
  note(sender: Sender, amount: number): void
  give(sender: Sender, amount: number): void
  usedBy(group: string): number
  total(): number
}

export function createShares(bound: ShareBound): Shares {
  const amounts = new Map<string, number>()
  let total = 0
  const usedBy = (group: string) => amounts.get(group) ?? 0
  const change = (sender: Sender, by: number) => {
    total += by
    for (const group of sender) {
      const left = usedBy(group) + by
      // A sender that uses nothing has no entry, which limits memory.
      if (left === 0) amounts.delete(group)
      else amounts.set(group, left)
    }
  }
  return {
    take(sender, amount) {
      // At least one unit, so that an amount of 0 is refused if nothing is left.
      const wanted = Math.max(amount, 1)
      const isLight = usedBy(sender.at(-1) ?? sender[0]) + wanted <= bound.light
      if (total + wanted > (isLight ? bound.all : bound.all - bound.reserve)) return 'all_spent'
      if (sender.some((group, level) => usedBy(group) + wanted > widened(bound.each, level))) return 'own_share_spent'
      if (amount > 0) change(sender, amount)
      return 'taken'
    },
    note: change,
    give: (sender, amount) => change(sender, -amount),
    usedBy: usedBy,
    total: () => total,
  }
}
