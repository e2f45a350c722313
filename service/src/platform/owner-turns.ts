// Lets the owners of queued items take turns.

interface Owned {
  readonly owners: Iterable<string>
}

/**
 * Removes the first item of the owner that was served longest ago or never; undefined if the queue is empty. `servedAt`
 * says when each owner was last served, and is cleared with the queue.
 */
export function takeInTurn<Item extends Owned>(queue: Item[], servedAt: Map<string, number>): Item | undefined {
  let chosen: { readonly at: number; readonly owner: string; readonly turn: number } | undefined
  for (const [at, { owners }] of queue.entries())
    for (const owner of owners) {
      const turn = servedAt.get(owner) ?? 0
      if (chosen === undefined || turn < chosen.turn) chosen = { at, owner, turn }
    }
  if (chosen === undefined) return undefined
  servedAt.set(chosen.owner, Math.max(0, ...servedAt.values()) + 1)
  const [next] = queue.splice(chosen.at, 1)
  if (queue.length === 0) servedAt.clear()
  return next
}
