// Plans the padded batches of the log, which hide activity and its time (decision 63).

import type { Random } from '../../../../platform/world.ts'

/**
 * Each size is four times the previous one. The higher `steepness`, the less often a larger size is chosen while this
 * one has room. With 4.5, two more leaves at most double that chance; a lower value would cost more padding.
 */
const SIZES = [
  { size: 16, steepness: 4.5 },
  { size: 64, steepness: 11 },
  { size: 256, steepness: 11 },
] as const
/** How many leaves one transaction can append. It signs once. */
export const LEAVES_MAX = 1_024
/** Here `steepness` is for the chance of a further batch. */
const LARGEST = { size: LEAVES_MAX, steepness: 12 } as const

/**
 * The part of each batch that is for arrived receipts. Real leaves never enter it, so the number of arrived receipts
 * depends on the batch's size alone, and their owner cannot compute the real leaves from it.
 */
export const arrivedMaxOf = (size: number): number => size / 4
const realMaxOf = (size: number) => size - arrivedMaxOf(size)
export const REAL_LEAVES_MAX = realMaxOf(LEAVES_MAX)
/** If a further batch follows, a batch takes this many fewer real leaves on average. */
const WITHHELD_MEAN = 128

/**
 * A size up to this one is used for an hour after it was needed, so that sizes do not follow the activity. For larger
 * sizes this would cost too much padding.
 */
const KEPT_SIZE_MAX = 256
const KEPT_MS = 3_600_000
/**
 * For once to twice this long after the last real leaf, the log writes batches that contain only padding. The time is
 * drawn, so that its end does not show when that leaf came.
 */
const PADDED_MS = 24 * 3_600_000

interface BatchPlan {
  /** 0: write nothing. */
  readonly size: number
  /** How many of the waiting leaves enter. */
  readonly realMax: number
  /** Whether a further batch follows at once, with the leaves that did not enter, if any. */
  readonly hasNext: boolean
  readonly state: BatchState
}

/** State kept between batches; times in milliseconds. */
export interface BatchState {
  readonly keptSize: number
  readonly keptUntil: number
  readonly paddedUntil: number
}

interface Planned {
  /** Waiting leaves that are not padding, at most `REAL_LEAVES_MAX`. */
  readonly real: number
  /** Whether more leaves wait than these. */
  readonly hasMore: boolean
  /** Whether receipts of moved tenants wait, which can replace padding. They keep batches going but do not enlarge them. */
  readonly canFill: boolean
  readonly nowMs: number
  readonly random: Random
}

export function planBatch({ real, hasMore, canFill, nowMs, random }: Planned, before: BatchState): BatchPlan {
  if (real === 0 && !canFill && nowMs >= before.paddedUntil)
    return { size: 0, realMax: 0, hasNext: false, state: before }
  const drawn = drawOf(random)
  const waiting = hasMore ? Number.POSITIVE_INFINITY : real
  const needed = SIZES.find((one) => drawn > chanceOfLarger(waiting, one))?.size ?? LEAVES_MAX
  const hasNext = needed === LEAVES_MAX && drawn <= chanceOfLarger(waiting, LARGEST)
  const paddedUntil = real === 0 ? before.paddedUntil : nowMs + Math.ceil(PADDED_MS * (1 + drawOf(random)))
  const isKept = nowMs < before.keptUntil
  const renews = needed <= KEPT_SIZE_MAX && (!isKept || needed >= before.keptSize)
  return {
    size: Math.max(needed, isKept ? before.keptSize : 0),
    realMax: hasNext ? drawRealMax(random) : real,
    hasNext,
    state: renews
      ? { keptSize: needed, keptUntil: nowMs + KEPT_MS, paddedUntil }
      : { keptSize: before.keptSize, keptUntil: before.keptUntil, paddedUntil },
  }
}

/**
 * Any number of leaves, even none, can lead to a larger size or a further batch, and each leaf raises the chance
 * smoothly. So a sender who adds own leaves finds no threshold that would reveal the leaves of others.
 */
const chanceOfLarger = (real: number, { size, steepness }: { readonly size: number; readonly steepness: number }) => {
  const tooMany = realMaxOf(size) + 1
  return real >= tooMany ? 1 : Math.exp((-steepness * (tooMany - real)) / tooMany)
}

/**
 * With a fixed number, a sender who fills the batch would know that all its other leaves are of others. Each number is
 * nearly as likely as its neighbours, so a few leaves of others change hardly anything.
 */
const drawRealMax = (random: Random) => drawBelow(REAL_LEAVES_MAX, { mean: WITHHELD_MEAN, min: 0 }, random)

/** A random number between `min` and `max`: exponentially distributed below `max`, on average by `mean`. */
export const drawBelow = (
  max: number,
  { mean, min }: { readonly mean: number; readonly min: number },
  random: Random,
): number => Math.max(min, max - Math.floor(-Math.log(drawOf(random)) * mean))

/** A random number above 0 and up to 1. */
const drawOf = (random: Random) => (Buffer.from(random(6)).readUIntBE(0, 6) + 1) / 2 ** 48

interface Placed<Item> {
  readonly item: Item
  /** The position of its last leaf. */
  readonly index: number
}

/**
 * Gives each leaf a random position of its own, from `first` on. Only the leaves of one item keep their order. So the
 * positions of some leaves say nothing about the others: leaves that stayed together would leave gaps of their length.
 */
export function arrangeLeaves<
  Item extends { readonly count: number; readonly leavesAt: (indexes: readonly number[]) => readonly Buffer[] },
>(
  items: readonly Item[],
  { first, random }: { readonly first: number; readonly random: Random },
): { readonly leaves: readonly Buffer[]; readonly places: readonly Placed<Item>[] } {
  const owners = shuffle(
    items.flatMap((item) => Array.from({ length: item.count }, () => item)),
    random,
  )
  const indexes = new Map<Item, number[]>(items.map((item) => [item, []]))
  for (const [at, item] of owners.entries()) indexes.get(item)?.push(first + at)
  const left = new Map([...indexes].map(([item, own]) => [item, item.leavesAt(own).values()]))
  const leaves = owners.map((item) => {
    const next = left.get(item)?.next()
    if (next === undefined || next.done) throw new Error('bug: an item with too few leaves')
    return next.value
  })
  return { leaves, places: [...indexes].map(([item, own]) => ({ item, index: own.at(-1) ?? first })) }
}

/** A uniformly random order. */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = randomBelow(random, last + 1)
    const [a, b] = [shuffled[last], shuffled[other]] as [T, T]
    shuffled[last] = b
    shuffled[other] = a
  }
  return shuffled
}

/** Six random bytes keep the bias below one in 2^37. */
const randomBelow = (random: Random, limit: number) => Buffer.from(random(6)).readUIntBE(0, 6) % limit
