// Reports the delays of the service's event loop, from its own /metrics and from the probe in it.

import type { AttackOptions, AttackReport } from './attack.ts'

const LAG = {
  p50: 'nodejs_eventloop_lag_p50_seconds',
  p99: 'nodejs_eventloop_lag_p99_seconds',
  max: 'nodejs_eventloop_lag_max_seconds',
} as const
/** The service measures delays with a timer of this period, so the period is subtracted. */
const PERIOD_MS = 10

interface LoopWatch {
  /** Reports the delays since the watch was created. */
  end(): Promise<AttackReport>
}

/** Reads the metrics first, because the service restarts its figures with each reading. */
export async function watchLoop(name: string, { url, cpu, lateTurns }: AttackOptions): Promise<LoopWatch> {
  await readMetrics(url)
  const before = { cpuMs: cpu(), late: lateTurns()?.length ?? 0 }
  return {
    async end() {
      const lag = await readMetrics(url)
      const delay = (quantile: keyof typeof LAG) => Math.max(0, lag[quantile] * 1000 - PERIOD_MS).toFixed(1)
      const late = lateTurns()?.slice(before.late) ?? null
      const longest = (member: 'ranMs' | 'waitedMs') =>
        late === null ? '?' : Math.max(0, ...late.map((turn) => turn[member])).toFixed(0)
      return {
        [`${name}: loop delay p50/p99/max ms`]: `${delay('p50')} / ${delay('p99')} / ${delay('max')}`,
        [`${name}: longest computed/waited for a CPU ms`]: `${longest('ranMs')} / ${longest('waitedMs')}`,
        [`${name}: CPU ms of all threads`]: Math.round(cpu() - before.cpuMs),
      }
    },
  }
}

async function readMetrics(url: string): Promise<Record<keyof typeof LAG, number>> {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) })).text()
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  return { p50: gauge(LAG.p50), p99: gauge(LAG.p99), max: gauge(LAG.max) }
}
