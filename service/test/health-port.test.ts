// /healthz from a thread of its own: at once while the event loop is busy for seconds, and 503 when it hangs.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openHealthPort } from '../src/health-port.ts'
import { holdPort } from '../src/platform/reserved-port.ts'
import { once, waitUntil } from './harness/wait.ts'

/** The event loop does not turn meanwhile. */
const standStill = (milliseconds: number) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** A process that probes from outside, each time over a new connection, and prints the statuses and the slowest answer. */
const PROBE = `
  const [port, until] = process.argv.slice(1).map(Number)
  let slowest = 0
  const statuses = new Set()
  while (Date.now() < until) {
    const began = performance.now()
    const answer = await fetch('http://127.0.0.1:' + port + '/healthz', { headers: { connection: 'close' } })
    statuses.add(answer.status + (await answer.text()))
    slowest = Math.max(slowest, performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.stdout.write(JSON.stringify({ slowest, statuses: [...statuses] }))`

async function probedWhile(port: number, milliseconds: number, busy: () => void) {
  const until = Date.now() + milliseconds
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROBE, String(port), String(until)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  const ended = once(child, 'close')
  busy()
  await ended
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as { slowest: number; statuses: string[] }
}

test('answered while the event loop stands still for seconds', async () => {
  const health = await openHealthPort({ host: '127.0.0.1', port: 0 })
  try {
    const { slowest, statuses } = await probedWhile(health.port, 6_000, () => standStill(6_000))
    assert.deepEqual(statuses, ['200{"status":"ok"}'])
    // The loop stood still for six seconds; a machine that is busy itself has some slack.
    assert.ok(slowest < 2_000, `${Math.round(slowest)} ms`)
  } finally {
    await health.stop()
  }
})

test('nothing but /healthz; 503 when the loop has not turned for long', async () => {
  const health = await openHealthPort({ host: '127.0.0.1', port: 0 }, 3_000)
  try {
    assert.equal((await fetch(`http://127.0.0.1:${health.port}/readyz`)).status, 404)
    assert.equal((await fetch(`http://127.0.0.1:${health.port}/healthz`, { method: 'POST' })).status, 404)
    const { statuses } = await probedWhile(health.port, 6_000, () => standStill(7_000))
    assert.deepEqual(statuses, ['200{"status":"ok"}', '503{"status":"unavailable"}'])
  } finally {
    await health.stop()
  }
})

test('connections that say nothing keep probes out for a moment only', async () => {
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
    await waitUntil('a probe is answered', async () => (await status()) === 200, 8_000)
  } finally {
    for (const socket of silent) socket.destroy()
    await health.stop()
  }
})

test('a port that is taken is said', async () => {
  const held = await holdPort('127.0.0.1')
  await assert.rejects(openHealthPort({ host: '127.0.0.1', port: held.port }), { code: 'EADDRINUSE' })
  await held.release()
})
