// Tests /healthz, served by a separate thread: answered while the event loop is busy, and 503 when it hangs.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openHealthPort } from '../src/health-port.ts'
import { reservePort } from '../src/platform/reserved-port.ts'
import { once, waitUntil } from './harness/wait.ts'

/** Probes from another process, each over a new connection, until it gets `last` or has sent `limit` requests; prints the answers. */
const PROBE = `
  const [port, last, limit] = process.argv.slice(1).map(Number)
  const answers = []
  while (answers.length < limit && !(answers.at(-1) ?? '').startsWith(String(last))) {
    const answer = await fetch('http://127.0.0.1:' + port + '/healthz', { headers: { connection: 'close' } })
    answers.push(answer.status + (await answer.text()))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.stdout.write(JSON.stringify([...new Set(answers)]))`

/** Probes from another process while the event loop of this one is blocked. */
function probeMeanwhile(port: number, { last, limit }: { last: number; limit: number }): string[] {
  const args = ['--input-type=module', '--eval', PROBE, ...[port, last, limit].map(String)]
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PATIENCE_MS })
  return JSON.parse(stdout)
}

const PATIENCE_MS = 120_000

test('answers while the event loop is blocked', async () => {
  const health = await openHealthPort({ host: '127.0.0.1', port: 0 }, PATIENCE_MS)
  try {
    assert.deepEqual(probeMeanwhile(health.port, { last: 503, limit: 10 }), ['200{"status":"ok"}'])
  } finally {
    await health.stop()
  }
})

test('serves only /healthz; answers 503 when the event loop has been blocked for long', async () => {
  const health = await openHealthPort({ host: '127.0.0.1', port: 0 }, 3_000)
  const at = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${health.port}${path}`, init)
  try {
    assert.equal((await at('/readyz')).status, 404)
    assert.equal((await at('/healthz', { method: 'POST' })).status, 404)
    await waitUntil('/healthz answers 200', async () => (await at('/healthz')).status === 200)
    const answers = probeMeanwhile(health.port, { last: 503, limit: 2_000 })
    assert.equal(answers.at(-1), '503{"status":"unavailable"}')
    await waitUntil('/healthz answers 200 again', async () => (await at('/healthz')).status === 200)
  } finally {
    await health.stop()
  }
})

test('silent connections delay probes only for a moment', async () => {
  const health = await openHealthPort({ host: '127.0.0.1', port: 0 })
  const silent = Array.from({ length: 64 }, () => connect(health.port, '127.0.0.1'))
  try {
    for (const socket of silent) socket.on('error', () => undefined)
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    const status = () =>
      fetch(`http://127.0.0.1:${health.port}/healthz`).then(
        (answer) => answer.status,
        () => null,
      )
    // This is half of Node's own timeout for the head of a request.
    await waitUntil('a probe is answered', async () => (await status()) === 200, 30_000)
  } finally {
    for (const socket of silent) socket.destroy()
    await health.stop()
  }
})

test('a port that is in use is reported', async () => {
  const reserved = await reservePort('127.0.0.1')
  await assert.rejects(openHealthPort({ host: '127.0.0.1', port: reserved.port }), { code: 'EADDRINUSE' })
  await reserved.release()
})
