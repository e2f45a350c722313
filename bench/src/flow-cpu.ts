// Measures the CPU time of whole verifications in service and store, next to the floor of flow.ts.

import {
  addFloor,
  floorBody,
  floorRound,
  holderOf,
  neverAnalyse,
  round,
  sendFloorFlows,
  sendFlows,
  warmUp,
} from './flow.ts'
import type { FlowFigure } from './stopwatch.ts'
import { openBench } from './world.ts'

/** Short alternating rounds, so that other load of the machine affects both. */
const ROUNDS = 5
/**
 * Rounds must be long enough for a steady state. Garbage is collected before each step. Until the young generation has
 * grown again, collections are more frequent, which costs ours more than the floor: with 16 at once, ours took 2.1 times
 * the floor's time in rounds of 100 flows, and 1.65 times in rounds of 200.
 */
const VOLUMES = [
  { connections: 1, flows: 100 },
  { connections: 16, flows: 400 },
  { connections: 64, flows: 400 },
] as const
const STORES = ['fresh', 'analysed'] as const

interface FlowCpu {
  readonly store: (typeof STORES)[number]
  readonly connections: number
  readonly floor: FlowFigure
  readonly ours: FlowFigure
  /** CPU time of the floor over ours, service and store together; the median of the rounds. */
  readonly ratio: number
}

/** The maximum CPU time, as a multiple of the floor's. */
export const flowCpuMax = (connections: number) => (connections === 1 ? 1.6 : 1.3)
/** The limit for all requests of one flow together, with 16 flows at the same time. */
export const FLOW_P99_MS_MAX = 60

export const allMs = ({ serviceMs, storeMs }: FlowFigure) => serviceMs + storeMs

export async function benchFlowCpu(): Promise<readonly FlowCpu[]> {
  const world = await openBench(addFloor)
  try {
    await neverAnalyse(world.deps)
    const holder = await holderOf(world)
    const floorForm = await floorBody(holder)
    await warmUp((flows) => sendFlows(world, holder, flows))
    await warmUp((flows) => sendFloorFlows(world, floorForm, flows))
    const found: FlowCpu[] = []
    for (const store of STORES) {
      if (store === 'analysed') await world.deps.db.query({ name: 'bench_analyse', text: 'analyze' })
      for (const volume of VOLUMES) {
        const rounds: FlowCpu[] = []
        for (let i = 0; i < ROUNDS; i += 1) {
          const floor = await floorRound(world, floorForm, volume)
          const ours = await round(world, holder, volume)
          const { connections } = volume
          rounds.push({ store, connections, floor, ours, ratio: allMs(floor) / allMs(ours) })
        }
        rounds.sort((a, b) => a.ratio - b.ratio)
        found.push(...rounds.slice(Math.floor(ROUNDS / 2), Math.floor(ROUNDS / 2) + 1))
      }
    }
    return found
  } finally {
    await world.close()
  }
}

if (import.meta.main) {
  const show = (figure: FlowFigure) =>
    `${allMs(figure).toFixed(2)} ms (service ${figure.serviceMs.toFixed(2)}, store ${figure.storeMs.toFixed(2)}), p99 ${figure.p99Ms.toFixed(0)} ms`
  for (const { store, connections, floor, ours, ratio } of await benchFlowCpu())
    console.log(
      `${store}, ${connections} at once: ${show(ours)}; floor ${show(floor)}; ${(1 / ratio).toFixed(2)} of it`,
    )
}
