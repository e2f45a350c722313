// Suggests the name that was probably meant: the name with the fewest changed letters, if they are few.

/** More changes than this are not a typo. */
const DISTANCE_MAX = 3
/** Longer texts are not compared, because that would be expensive. */
const LENGTH_MAX = 64
/** How many names are considered, and how many of them are compared. */
const NAMES_MAX = 1_000
const COMPARED_MAX = 100

export function nearestOf(text: string, names: readonly string[]): string | null {
  if (text.length > LENGTH_MAX) return null
  let farthest = Math.min(DISTANCE_MAX, Math.max(2, Math.floor(text.length / 3)))
  let nearest: string | null = null
  // Each added or missing letter is a change, so names of a very different length are not compared.
  const likely = names.slice(0, NAMES_MAX).filter((name) => Math.abs(name.length - text.length) <= DISTANCE_MAX)
  for (const name of likely.slice(0, COMPARED_MAX)) {
    const distance = editDistance(text, name, farthest)
    if (distance > farthest) continue
    nearest = name
    // From here on, only a nearer name counts. A distance of 0 is the best.
    farthest = distance - 1
    if (farthest < 0) break
  }
  return nearest
}

/**
 * Counts letters to insert, delete or replace, and neighbours to swap (optimal string alignment). Returns a number
 * above `most` if there are more. Fills only a band of the table, and ends once a row has no value within `most`.
 */
function editDistance(from: string, to: string, most: number): number {
  const far = most + 1
  const rows = Array.from({ length: 3 }, () => new Uint8Array(to.length + 1))
  let [before, row, next] = rows as [Uint8Array, Uint8Array, Uint8Array]
  row.forEach((_, at) => {
    row[at] = at
  })
  for (let i = 0; i < from.length; i += 1) {
    next.fill(far)
    next[0] = i + 1
    let least = i + 1
    const last = Math.min(to.length - 1, i + most)
    for (let j = Math.max(0, i - most); j <= last; j += 1) {
      const replaced = (row[j] ?? far) + (from[i] === to[j] ? 0 : 1)
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j]
      const swapped = isSwap ? (before[j - 1] ?? far) + 1 : replaced
      const distance = Math.min(replaced, swapped, (row[j + 1] ?? far) + 1, (next[j] ?? far) + 1)
      next[j + 1] = distance
      least = Math.min(least, distance)
    }
    if (least > most) return far
    ;[before, row, next] = [row, next, before]
  }
  return row[to.length] ?? far
}
