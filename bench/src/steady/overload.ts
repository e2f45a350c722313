// Measures creations under overload: throughput must stay near its peak, and health checks must be answered.

import { httpRequest, openBench } from '../world.ts'
import { type Crowd, type Crowded, runCrowd } from './crowd.ts'

const BODY = JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine', metadata: { order: '4711' } })
const PEAK_AT = [32, 128, 512]
const CALLERS = 3_000

export interface Overload {
  readonly callers: number
  readonly peakAt: number
  readonly peak: Crowded
  readonly flooded: Crowded
  /** Creations per second under overload, over those at the peak. */
  readonly ratio: number
}

export async function benchOverload(pauseMs = 0): Promise<Overload> {
  const world = await openBench(async () => undefined)
  try {
    const headers = [`Authorization: Bearer ${world.key}`, 'Idempotency-Key: bench-@']
    const request = httpRequest('POST', '/v1/verifications', { headers, body: BODY })
    const common: Omit<Crowd, 'connections'> = {
      port: world.servicePort,
      each: 100,
      request,
      warmUpMs: 1_500,
      milliseconds: 5_000,
      pauseMs,
    }
    await runCrowd({ ...common, connections: 32 })
    const peaks: { at: number; crowded: Crowded }[] = []
    for (const at of PEAK_AT) peaks.push({ at, crowded: await runCrowd({ ...common, connections: at }) })
    const best = peaks.reduce((one, other) => (one.crowded.madePerSecond >= other.crowded.madePerSecond ? one : other))
    const flooded = await runCrowd({ ...common, connections: CALLERS, warmUpMs: 3_000 })
    const ratio = flooded.madePerSecond / best.crowded.madePerSecond
    return { callers: CALLERS, peakAt: best.at, peak: best.crowded, flooded, ratio }
  } finally {
    await world.close()
  }
}

if (import.meta.main) {
  const { peakAt, peak, flooded, ratio } = await benchOverload(Number(process.argv[2] ?? 0))
  const show = (crowded: Crowded) => JSON.stringify(crowded)
  console.log(`peak at ${peakAt}: ${show(peak)}\nflooded: ${show(flooded)}\nratio ${ratio.toFixed(2)}`)
}
