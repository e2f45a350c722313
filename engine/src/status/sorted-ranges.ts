// Sorted byte ranges of a buffer, for binary search. Takes eight bytes per entry instead of more than a hundred in a map of strings.

export interface SortedRanges {
  /** Offsets into the buffer, in the order of the bytes between them. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Returns the positions of the ranges in sorted order. The time depends on the number of bytes, not on their values. */
export function sortRanges(bytes: Uint8Array, { starts, ends }: SortedRanges): Uint32Array {
  // Combines the first four bytes and the position in one number, because numbers are sorted without calls of a comparator.
  const numbers = new BigUint64Array(starts.length)
  const words = new Uint32Array(numbers.buffer)
  for (let at = 0; at < starts.length; at++) {
    words[2 * at + LOW] = at
    words[2 * at + HIGH] = prefixOf(bytes, starts[at] ?? 0, ends[at] ?? 0)
  }
  numbers.sort()
  const order = new Uint32Array(starts.length)
  for (let at = 0; at < order.length; at++) order[at] = words[2 * at + LOW] ?? 0
  const compare = (left: number, right: number) =>
    compareBytes(bytes, starts[left] ?? 0, ends[left] ?? 0, {
      bytes,
      start: starts[right] ?? 0,
      end: ends[right] ?? 0,
    })
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && words[2 * to + HIGH] === words[2 * from + HIGH]) to++
    if (to - from > 1) order.subarray(from, to).sort(compare)
    from = to
  }
  return order
}

/** A loop instead of a callback, because a list has hundreds of thousands of entries. */
export function inOrder(values: Uint32Array, order: Uint32Array): Uint32Array {
  const sorted = new Uint32Array(order.length)
  for (let at = 0; at < order.length; at++) sorted[at] = values[order[at] ?? 0] ?? 0
  return sorted
}

/** Returns the position of the first range with exactly these bytes; -1: none. */
export function findRange(bytes: Uint8Array, { starts, ends }: SortedRanges, wanted: Uint8Array): number {
  const target = { bytes: wanted, start: 0, end: wanted.length }
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareBytes(bytes, starts[middle] ?? 0, ends[middle] ?? 0, target) < 0) low = middle + 1
    else high = middle
  }
  return low < starts.length && isRange(bytes, starts[low] ?? 0, ends[low] ?? 0, target) ? low : -1
}

/** Whether two ranges have the same bytes. */
export function isSameRange(bytes: Uint8Array, { starts, ends }: SortedRanges, at: number, other: number): boolean {
  const start = starts[at] ?? 0
  const otherStart = starts[other] ?? 0
  const length = (ends[at] ?? 0) - start
  if ((ends[other] ?? 0) - otherStart !== length) return false
  // Compares from the end, because sorted neighbours have the same beginning.
  for (let back = length - 1; back >= 0; back--) if (bytes[start + back] !== bytes[otherStart + back]) return false
  return true
}

interface Range {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

const isRange = (bytes: Uint8Array, start: number, end: number, other: Range) =>
  end - start === other.end - other.start && compareBytes(bytes, start, end, other) === 0

function compareBytes(bytes: Uint8Array, start: number, end: number, other: Range): number {
  const length = Math.min(end - start, other.end - other.start)
  for (let at = 0; at < length; at++) {
    const difference = (bytes[start + at] ?? 0) - (other.bytes[other.start + at] ?? 0)
    if (difference !== 0) return difference
  }
  return end - start - (other.end - other.start)
}

function prefixOf(bytes: Uint8Array, start: number, end: number): number {
  let prefix = 0
  for (let at = start; at < start + 4; at++) prefix = prefix * 256 + (at < end ? (bytes[at] ?? 0) : 0)
  return prefix
}

/** Which half of a 64-bit number comes first in the memory of this machine. */
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1
const HIGH = 1 - LOW
