// Tests the deadlines of outgoing requests.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { makeEgress, request } from '../../src/platform/egress/client.ts'
import type { After } from '../../src/platform/egress/resolve.ts'
import { once, within } from '../harness/wait.ts'
import { type Script, startDnsServer } from './dns-server.ts'
import { BEFORE_DNS_MS, makeTimer, OUTSIDE, soon, startReceiver, testPolicy } from './world.ts'

const HOST = 'hooks.merchant.com'

async function stalled(scheme: string, serve: (socket: Socket) => void, script: Script = () => ({ A: [OUTSIDE] })) {
  const timer = makeTimer()
  const dns = await startDnsServer(script)
  const receiver = await startReceiver(serve)
  const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: timer.after })
  const url = `${scheme}://${HOST}:${receiver.port}/`
  const outcome = request(egress, { method: 'GET', url, bodyBytesMax: 1024, overflow: 'truncate' })
  const close = () => Promise.all([receiver.close(), dns.close()])
  return { timer, dns, receiver, outcome, close }
}

test('EGR-19: a stalled handshake ends after 5 s, and not before', async () => {
  const hello = Promise.withResolvers<void>()
  const { timer, outcome, receiver, close } = await stalled('https', (socket) =>
    socket.once('data', () => hello.resolve()),
  )
  await within('the handshake begins', hello.promise)
  timer.advance(4999)
  assert.equal(await Promise.race([outcome, Promise.resolve('waits')]), 'waits')
  timer.advance(1)
  assert.deepEqual(await soon(outcome), { outcome: 'timeout', reason: 'tls' })
  await receiver.idle()
  await close()
})

test('EGR-19: a request to a receiver that does not answer ends after 15 s, and not before', async () => {
  const requested = Promise.withResolvers<void>()
  const { timer, outcome, receiver, close } = await stalled('http', (socket) =>
    socket.once('data', () => requested.resolve()),
  )
  await within('the request arrives', requested.promise)
  timer.advance(14_999)
  assert.equal(await Promise.race([outcome, Promise.resolve('waits')]), 'waits')
  timer.advance(1)
  assert.deepEqual(await soon(outcome), { outcome: 'timeout', reason: 'total' })
  await receiver.idle()
  await close()
})

test('EGR-19: an endless slow body ends after 15 s although every byte came in time', async () => {
  const started = Promise.withResolvers<Socket>()
  const { timer, outcome, receiver, close } = await stalled('http', (socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      started.resolve(socket)
    })
  })
  const socket = await within('the answer begins', started.promise)
  for (let second = 0; second < 15; second += 1) {
    socket.write('x')
    timer.advance(1000)
  }
  assert.deepEqual(await soon(outcome), { outcome: 'timeout', reason: 'total' })
  await receiver.idle()
  await close()
})

test('EGR-19: a connection that is not established ends after 5 s', async () => {
  const receiver = await startReceiver(() => undefined)
  // The deadline expires as soon as it is set, before any connection could be established.
  const strikeFirst: After = (milliseconds, expire) => {
    if (milliseconds === 5000) queueMicrotask(expire)
    return () => undefined
  }
  const egress = makeEgress({ policy: testPolicy(), after: strikeFirst })
  const url = `http://${OUTSIDE}:${receiver.port}/`
  const outcome = await request(egress, { method: 'GET', url, bodyBytesMax: 1 })
  assert.deepEqual(outcome, { outcome: 'connect_timeout', reason: 'connect' })
  await receiver.close()
})

test('a name server that does not answer is a dns_failure after 2 s, and not before', async () => {
  const { timer, dns, outcome, close } = await stalled(
    'http',
    () => undefined,
    () => ({ silent: true }),
  )
  await dns.asked(2)
  timer.advance(1999)
  assert.equal(await Promise.race([outcome, Promise.resolve('waits')]), 'waits')
  timer.advance(1)
  assert.deepEqual(await soon(outcome, BEFORE_DNS_MS), { outcome: 'dns_failure', reason: 'timed_out' })
  await close()
})

test('a DNS answer after all deadlines opens no connection', async () => {
  const release = Promise.withResolvers<void>()
  const timer = makeTimer()
  const dns = await startDnsServer((name) => ({ A: [OUTSIDE], ...(name === HOST ? { held: release.promise } : {}) }))
  const receiver = await startReceiver((socket) => socket.end())
  const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: timer.after })
  const options = { method: 'GET', bodyBytesMax: 1, limits: { dnsMilliseconds: 60_000 } } as const
  const outcome = request(egress, { ...options, url: `http://${HOST}:${receiver.port}/` })
  await dns.asked(2)
  timer.advance(15_000)
  assert.deepEqual(await soon(outcome), { outcome: 'timeout', reason: 'total' })
  release.resolve()
  // Two later requests run from beginning to end: by then the first would have connected.
  for (let i = 0; i < 2; i += 1)
    await request(egress, { ...options, url: `http://other.merchant.com:${receiver.port}/` })
  assert.equal(receiver.connections(), 2)
  await Promise.all([receiver.close(), dns.close()])
})

test('limits can be set for one request', async () => {
  const timer = makeTimer()
  const receiver = await startReceiver((socket) => socket.once('data', () => timer.advance(700)))
  const egress = makeEgress({ policy: testPolicy(), after: timer.after })
  const url = `http://${OUTSIDE}:${receiver.port}/`
  const outcome = await request(egress, { method: 'GET', url, bodyBytesMax: 1, limits: { totalMilliseconds: 700 } })
  assert.deepEqual(outcome, { outcome: 'timeout', reason: 'total' })
  await receiver.close()
})

test('a request leaves no timer behind', async () => {
  const set = new Set<symbol>()
  const counting: After = () => {
    const timer = Symbol('timer')
    set.add(timer)
    return () => set.delete(timer)
  }
  const receiver = await startReceiver((socket) =>
    once(socket, 'data').then(() => socket.end('HTTP/1.1 204 No\r\n\r\n')),
  )
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: counting })
  for (const url of [`http://${HOST}:${receiver.port}/`, `https://${HOST}:${receiver.port}/`, 'http://localhost/'])
    await request(egress, { method: 'GET', url, bodyBytesMax: 1 })
  assert.equal(set.size, 0)
  await Promise.all([receiver.close(), dns.close()])
})
