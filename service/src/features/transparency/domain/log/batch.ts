// Plans the padded batches of the log, which hide activity and its time (decision 63).

import type { Random } from '../../../../platform/world.ts'

/**
 * Each size is four times the previous one. `steepness`: how rarely a larger size is chosen while this one has room.
 * With 5.5, two more leaves at most double that chance; a lower value would cost more padding.
 */
const SIZES = [
  { size: 16, steepness: 5.5 },
  { size: 64, steepness: 9 },
  { size: 256, steepness: 10 },
] as const
/** Per transaction, which has one signature. */
export const LEAVES_MAX = 1_024
/**
 * A size is kept for a while after it was needed, so that the sizes do not follow the activity. The largest is too
 * expensive.
 */
const KEPT_SIZE_MAX = 256
const KEPT_MS = 3_600_000
/** How long batches of padding alone are written after the last real leaf. */
const PADDED_MS = 24 * 3_600_000

interface BatchPlan {
  /** 0: write nothing. */
  readonly size: number
  readonly state: BatchState
}

/** State kept between batches; times in milliseconds. */
export interface BatchState {
  readonly keptSize: number
  readonly keptUntil: number
  readonly paddedUntil: number
}

interface Planned {
  /** Leaves that are not padding, at most `LEAVES_MAX`. */
  readonly real: number
  /** Whether other leaves wait that can replace padding. Batches continue for them, but do not get larger. */
  readonly canFill: boolean
  readonly nowMs: number
  readonly random: Random
}

export function planBatch({ real, canFill, nowMs, random }: Planned, before: BatchState): BatchPlan {
  if (real === 0 && !canFill && nowMs >= before.paddedUntil) return { size: 0, state: before }
  const paddedUntil = real === 0 ? before.paddedUntil : nowMs + PADDED_MS
  const drawn = drawOf(random)
  const needed = SIZES.find((one) => drawn > chanceOfLarger(real, one))?.size ?? LEAVES_MAX
  const isKept = nowMs < before.keptUntil
  const renews = needed <= KEPT_SIZE_MAX && (!isKept || needed >= before.keptSize)
  return {
    size: Math.max(needed, isKept ? before.keptSize : 0),
    state: renews
      ? { keptSize: needed, keptUntil: nowMs + KEPT_MS, paddedUntil }
      : { keptSize: before.keptSize, keptUntil: before.keptUntil, paddedUntil },
  }
}

/**
 * A larger size is possible at any number of leaves, also at none, and its chance grows steadily with each. So a sender
 * who adds leaves to detect those of others finds no threshold, and a larger batch proves nothing about others.
 */
const chanceOfLarger = (real: number, { size, steepness }: (typeof SIZES)[number]) =>
  real > size ? 1 : Math.exp((-steepness * (size + 1 - real)) / (size + 1))

/** Above 0, up to 1. */
const drawOf = (random: Random) => (Buffer.from(random(6)).readUIntBE(0, 6) + 1) / 2 ** 48

/** A uniformly random order, so that a leaf's place in its batch reveals nothing. */
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

/** Six bytes: the bias is below one in 2^37. */
const randomBelow = (random: Random, limit: number) => Buffer.from(random(6)).readUIntBE(0, 6) % limit
