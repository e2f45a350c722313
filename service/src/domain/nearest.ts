// What somebody probably meant: the name with the fewest letters changed, if they are few. Pure, and cheap however many names.

/** Longer texts are no slip of the finger, and comparing them would cost. */
const LENGTH_MAX = 64
/** Names compared; a hint is not worth more. */
const NAMES_MAX = 1_000

export function nearestOf(text: string, names: readonly string[]): string | null {
  if (text.length > LENGTH_MAX) return null
  const farthest = Math.max(2, Math.floor(text.length / 3))
  // Each letter more or less is a change: names of another length need no comparison.
  const likely = names.slice(0, NAMES_MAX).filter((name) => Math.abs(name.length - text.length) <= farthest)
  const distances = likely.map((name) => ({ name, distance: editDistance(text, name) }))
  const nearest = distances.sort((a, b) => a.distance - b.distance)[0]
  return nearest !== undefined && nearest.distance <= farthest ? nearest.name : null
}

/** Letters to insert, delete or replace, and neighbours to swap (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1)
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j]
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
