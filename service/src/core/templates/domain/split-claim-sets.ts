// Splits claim sets into what is always needed and independent choices, instead of every combination.

type Claims = readonly number[]
type ClaimSet = ReadonlySet<number>

interface SplitSets {
  /** In every set. */
  readonly always: Claims
  /** Options of each choice, in the order of preference. An empty option comes last: nothing more is needed. */
  readonly choices: readonly (readonly Claims[])[]
}

/** `sets`: positions of claims, in the order of preference (OpenID4VP §6.4.1). */
export function splitClaimSets(sets: readonly Claims[]): SplitSets {
  const counting = dropUnreachable(sets).map((set) => new Set(set))
  const claims = [...new Set(counting.flatMap((set) => [...set]))].toSorted((one, other) => one - other)
  const always = claims.filter((claim) => counting.every((set) => set.has(claim)))
  const varying = claims.filter((claim) => !always.includes(claim))
  if (varying.length === 0) return { always, choices: [] }
  const groups = independentGroups(counting, varying)
  const choices = groups.map((group) => optionsOf(counting, group))
  return { always, choices: isSame(counting, groups, choices) ? choices : [optionsOf(counting, varying)] }
}

/** Wallets use the first set that fits, so a set that contains an earlier one is never used. */
function dropUnreachable(sets: readonly Claims[]): readonly Claims[] {
  const bits = sets.map(bitsOf)
  const contains = (at: number, earlier: bigint) => ((bits[at] ?? 0n) & earlier) === earlier
  return sets.filter((_, at) => !bits.slice(0, at).some((earlier) => contains(at, earlier)))
}

/** As bits, to compare sets in one step: strangers open pages that describe a hundred claims in a hundred sets. */
const bitsOf = (positions: readonly number[]) => positions.reduce((bits, at) => bits | (1n << BigInt(at)), 0n)

const partOf = (set: ClaimSet, group: Claims) => group.filter((claim) => set.has(claim))

/** The distinct subsets of `group` that the sets use, in order of first use. */
function optionsOf(sets: readonly ClaimSet[], group: Claims): readonly Claims[] {
  const options = sets.map((set) => partOf(set, group))
  return [...new Map(options.map((option) => [option.join(), option])).values()]
}

/** Puts two claims into one group if the presence of one depends on the other. */
function independentGroups(sets: readonly ClaimSet[], claims: Claims): readonly Claims[] {
  const all = [...sets.keys()]
  const setsWith = new Map(claims.map((claim) => [claim, bitsOf(all.filter((at) => sets[at]?.has(claim)))]))
  const everySet = bitsOf(all)
  const areRelated = (one: number, other: number) =>
    !areIndependent(setsWith.get(one) ?? 0n, setsWith.get(other) ?? 0n, everySet)
  let groups: readonly Claims[] = []
  for (const claim of claims) {
    const related = groups.filter((group) => group.some((other) => areRelated(claim, other)))
    groups = [...groups.filter((group) => !related.includes(group)), [...related.flat(), claim]]
  }
  return groups.toSorted(([one = 0], [other = 0]) => one - other)
}

/** Two claims are independent if all four cases occur: both, none, and each alone. */
const areIndependent = (one: bigint, other: bigint, all: bigint) =>
  (one & other) !== 0n && (one | other) !== all && (one & ~other) !== 0n && (other & ~one) !== 0n

/** Whether the choices yield exactly these sets, in an order of preference that finds the same first set. */
function isSame(
  sets: readonly ClaimSet[],
  groups: readonly Claims[],
  choices: readonly (readonly Claims[])[],
): boolean {
  if (choices.reduce((count, options) => count * options.length, 1) !== sets.length) return false
  const places = choices.map((options) => new Map(options.map((option, place) => [option.join(), place])))
  const ranks = sets.map((set) => groups.map((group, at) => places[at]?.get(partOf(set, group).join()) ?? 0))
  // A set that is better in one choice and worse in none comes first.
  return ranks.every((rank, at) =>
    ranks.slice(0, at).every((earlier) => earlier.some((value, i) => value < (rank[i] ?? 0))),
  )
}
