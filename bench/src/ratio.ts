// Measures our code and the floor in alternating rounds of one run, so that changes of the machine's load affect both.

import { type Load, type Measured, run } from './load.ts'

export interface Ratio {
  readonly name: string
  readonly floor: Measured
  readonly ours: Measured
  /** Our throughput over the floor's. */
  readonly ratio: number
}

const ROUNDS = 5
const WARM_UP_MS = 1_000

export async function compare(name: string, loads: { readonly floor: Load; readonly ours: Load }): Promise<Ratio> {
  await run({ ...loads.floor, milliseconds: WARM_UP_MS })
  await run({ ...loads.ours, milliseconds: WARM_UP_MS })
  const rounds: Ratio[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = await run(loads.floor)
    const ours = await run(loads.ours)
    rounds.push({ name, floor, ours, ratio: ours.perSecond / floor.perSecond })
  }
  rounds.sort((a, b) => a.ratio - b.ratio)
  const middle = rounds[Math.floor(rounds.length / 2)]
  if (middle === undefined) throw new Error('no round was run')
  return middle
}

export function describe({ name, floor, ours, ratio }: Ratio): string {
  const show = (m: Measured) =>
    `${m.perSecond.toFixed(0)}/s, median ${m.medianMs.toFixed(1)} ms, p99 ${m.p99Ms.toFixed(1)} ms`
  return `${name}\n  floor ${show(floor)}\n  ours  ${show(ours)}\n  ratio ${ratio.toFixed(2)}`
}
