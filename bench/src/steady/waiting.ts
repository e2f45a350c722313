// Measures ten thousand waiting pages on one process: their idle cost, and how soon each is notified of the end.

import { setTimeout as delay } from 'node:timers/promises'
import { startService } from '../scaling.ts'
import { readStoreMicros } from '../store-cpu.ts'
import { fire } from '../volley.ts'
import { type BenchWorld, httpRequest, openBench } from '../world.ts'
import { type Notified, openPages, type Page } from './waiting-pages.ts'

const PAGES = 10_000
const QUIET_MS = 25_000
const CONNECTIONS = 32

export interface Waiting {
  readonly pages: number
  /** The share of one core that the process uses while nothing happens. */
  readonly serviceShare: number
  /** The share of one core that the store uses meanwhile. */
  readonly storeShare: number
  readonly kilobytesEach: number
  readonly notified: Notified
}

export async function benchWaiting(count = PAGES): Promise<Waiting> {
  const world = await openBench(async () => undefined)
  const replica = await startService({
    PATH: process.env.PATH,
    VIDIMUS_DATA_DIR: world.deps.config.dataDir,
    VIDIMUS_LOG_LEVEL: 'error',
    VIDIMUS_RATE_ADDRESS: '1000000/1000000',
    VIDIMUS_RATE_IP: '1000000/1000000',
    PORT: '0',
  })
  try {
    const pages = await createPages(world, count)
    const before = process.memoryUsage().rss
    const opened = await openPages(world.servicePort, pages)
    try {
      const kilobytesEach = (process.memoryUsage().rss - before) / 1024 / count
      await delay(2_000)
      const began = performance.now()
      const own = process.cpuUsage()
      const stored = readStoreMicros(world.store)
      await delay(QUIET_MS)
      const took = performance.now() - began
      const { user, system } = process.cpuUsage(own)
      const serviceShare = (user + system) / 1000 / took
      const storeShare = (readStoreMicros(world.store) - stored) / 1000 / took
      const notified = await opened.end([world.servicePort, replica.port])
      return { pages: count, serviceShare, storeShare, kilobytesEach, notified }
    } finally {
      opened.close()
    }
  } finally {
    await replica.stop()
    await world.close()
  }
}

async function createPages({ deps, servicePort, key }: BenchWorld, count: number): Promise<Page[]> {
  const headers = [`Authorization: Bearer ${key}`]
  const body = JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine' })
  const requests = new Array<string>(count).fill(httpRequest('POST', '/v1/verifications', { headers, body }))
  await fire({ port: servicePort, connections: CONNECTIONS, requests })
  return deps.db.query<Page>({
    name: 'bench_pages',
    text: `select id, state from verifications where status = 'pending'`,
  })
}

if (import.meta.main) {
  const { pages, serviceShare, storeShare, kilobytesEach, notified } = await benchWaiting(
    Number(process.argv[2] ?? PAGES),
  )
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  console.log(
    `${pages} pages: service ${percent(serviceShare)}, store ${percent(storeShare)} of a core, ${kilobytesEach.toFixed(0)} kB each; notified after at most ${notified.slowestMs.toFixed(0)} ms (p99 ${notified.p99Ms.toFixed(0)} ms), ended in ${notified.seconds.toFixed(1)} s`,
  )
}
