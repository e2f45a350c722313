// One mutation step, as plain numbers and bytes that fast-check can generate and shrink. Each family interprets them itself.

import fc from 'fast-check'

export interface Step {
  /** Selects one of the family's mutations. */
  readonly move: number
  /** Selects the place, modulo the number of places. */
  readonly at: number
  /** A second place or an amount. */
  readonly amount: number
  readonly bytes: Uint8Array
}

/** One to three steps: most bugs need one, combinations need few. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    move: fc.nat(),
    at: fc.nat(),
    amount: fc.nat(),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 24 }),
  }),
  { minLength: 1, maxLength: 3 },
)

export function pick<Value>(values: readonly Value[], index: number): Value {
  const value = values[index % values.length]
  if (value === undefined) throw new Error('bug: nothing to pick from')
  return value
}

/** Mutations of bytes, for inputs without a structure of their own. */
export function spoilBytes(original: Uint8Array, step: Step): Uint8Array {
  const at = original.length === 0 ? 0 : step.at % original.length
  const before = original.slice(0, at)
  const after = original.slice(at)
  const moves: readonly (() => Uint8Array)[] = [
    () => original.map((byte, index) => (index === at ? byte ^ (1 << (step.amount % 8)) : byte)),
    () => original.map((byte, index) => (index === at ? step.amount % 256 : byte)),
    () => before,
    () => joined(before, step.bytes, after),
    () => joined(before, after.slice(1 + (step.amount % 8))),
    () => joined(original, step.bytes),
    () => joined(before, after.slice(0, 16), after),
    () => new Uint8Array(),
  ]
  return pick(moves, step.move)()
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

const ALPHABET = 'ABCabc019-_~.=+/ %&\n"{}\u0000é'

/** Mutations of characters, for text whose parts are covered elsewhere. */
export function spoilText(original: string, step: Step): string {
  const at = step.at % (original.length + 1)
  const character = pick([...ALPHABET], step.amount)
  const moves: readonly (() => string)[] = [
    () => original.slice(0, at) + character + original.slice(at),
    () => original.slice(0, at) + character + original.slice(at + 1),
    () => original.slice(0, at),
    () => original.slice(at),
    () => original.slice(0, at) + original.slice(at + 1 + (step.amount % 16)),
    () => original.slice(0, at) + original.slice(at, at + 40) + original.slice(at),
    () => original + original,
    () => original.slice(0, at) + original.slice(at).toUpperCase(),
  ]
  return pick(moves, step.move)()
}
