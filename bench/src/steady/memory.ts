// Measures whether memory is freed: a service in a separate process is idle, then under load for a while, then idle again.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from '../load.ts'
import { roomyKey, startService } from '../scaling.ts'
import { httpRequest } from '../world.ts'

const IDLE_SECONDS = 15
const LOAD_ROUNDS = 6
const LOAD_ROUND_MS = 5_000
const AFTER_SECONDS = 300
const CONNECTIONS = 120

export interface Memory {
  readonly idleBytes: number
  /** The maximum under load. */
  readonly loadedBytes: number
  readonly afterBytes: number
  readonly afterSeconds: number
}

export async function benchMemory(afterSeconds = AFTER_SECONDS): Promise<Memory> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-bench-'))
  const env = {
    PATH: process.env.PATH,
    VIDIMUS_DATA_DIR: dataDir,
    VIDIMUS_LOG_LEVEL: 'error',
    VIDIMUS_RATE_KEY: '1000000/1000000',
    VIDIMUS_RATE_ADDRESS: '1000000/1000000',
    PORT: '0',
  }
  const service = await startService(env)
  try {
    const key = await roomyKey(env)
    // Objects that the first requests create are part of an idle service.
    await load(service.port, key, 1_000)
    await delay(IDLE_SECONDS * 1000)
    const idleBytes = await residentBytes(service.pid)
    let loadedBytes = 0
    for (let round = 0; round < LOAD_ROUNDS; round += 1) {
      await load(service.port, key, LOAD_ROUND_MS)
      loadedBytes = Math.max(loadedBytes, await residentBytes(service.pid))
    }
    await delay(afterSeconds * 1000)
    return { idleBytes, loadedBytes, afterBytes: await residentBytes(service.pid), afterSeconds }
  } finally {
    await service.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Sends creations, and at the same time requests for pages of a list. */
async function load(port: number, key: string, milliseconds: number): Promise<void> {
  const authorization = `Authorization: Bearer ${key}`
  const body = JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine', metadata: { order: '4711' } })
  const common = { port, milliseconds }
  await run({
    ...common,
    connections: CONNECTIONS,
    request: httpRequest('POST', '/v1/verifications', { headers: [authorization, 'Idempotency-Key: bench-@'], body }),
    expectedStatus: 201,
  })
  await run({
    ...common,
    connections: CONNECTIONS,
    request: httpRequest('GET', '/v1/verifications?limit=100', { headers: [authorization] }),
    expectedStatus: 200,
  })
}

async function residentBytes(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

if (import.meta.main) {
  const { idleBytes, loadedBytes, afterBytes, afterSeconds } = await benchMemory(
    Number(process.argv[2] ?? AFTER_SECONDS),
  )
  const show = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  console.log(
    `idle ${show(idleBytes)}, loaded ${show(loadedBytes)}, ${afterSeconds} s after ${show(afterBytes)}: ${(afterBytes / idleBytes).toFixed(2)} of idle`,
  )
}
