// Tests hostile answers to outgoing requests.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { makeEgress, requestHere } from '../../src/platform/egress/client.ts'
import type { Outcome } from '../../src/platform/egress/outcome.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { answering, INSIDE, makeTimer, OUTSIDE, startPair, testPolicy } from './world.ts'

const HOST = 'hooks.merchant.com'
const HEAD = 'HTTP/1.1 200 OK\r\n'

describe('answers of a receiver', () => {
  let dns: DnsServer
  before(async () => {
    dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  })
  after(() => dns.close())

  /** Asserts that exactly one connection is opened, to the public receiver, and closed again. */
  async function deliverTo(
    serve: (socket: Socket, port: number) => void,
    options: Partial<Parameters<typeof requestHere>[1]> = {},
  ): Promise<Outcome> {
    let port = 0
    const pair = await startPair((socket) => serve(socket, port))
    port = pair.outside.port
    const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: makeTimer().after })
    const url = `http://${HOST}:${port}/hook`
    const outcome = await requestHere(egress, {
      method: 'POST',
      url,
      body: Buffer.from('{}'),
      bodyBytesMax: 1024,
      ...options,
    })
    await pair.outside.idle()
    assert.equal(pair.outside.connections(), 1)
    assert.equal(pair.trap.connections(), 0)
    await pair.close()
    return outcome
  }

  for (const status of [301, 302, 303, 307, 308]) {
    test(`EGR-16: ${status} to an internal address is an answer, and not followed`, async () => {
      const outcome = await deliverTo((socket, port) =>
        answering(`HTTP/1.1 ${status} Go\r\nLocation: http://${INSIDE}:${port}/\r\nContent-Length: 0\r\n\r\n`)(socket),
      )
      assert.equal(outcome.outcome === 'answered' && outcome.status, status)
      assert.match((outcome.outcome === 'answered' && outcome.headers.location) || '', /^http:\/\/127\.0\.0\.1:/)
    })

    test(`EGR-17: ${status} to the same host is not followed either`, async () => {
      const outcome = await deliverTo((socket, port) =>
        answering(`HTTP/1.1 ${status} Go\r\nLocation: http://${HOST}:${port}/\r\nContent-Length: 0\r\n\r\n`)(socket),
      )
      assert.equal(outcome.outcome === 'answered' && outcome.status, status)
    })
  }

  const tooLarge: readonly (readonly [name: string, reason: string, ...parts: string[]])[] = [
    ['EGR-18: a Location of 1 MiB', 'headers', `HTTP/1.1 302 Go\r\nLocation: https://${'a'.repeat(1 << 20)}\r\n\r\n`],
    ['EGR-18: 2,000 headers', 'headers', `${HEAD}${'X-Header: x\r\n'.repeat(2000)}\r\n`],
    ['an endless trailer', 'headers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n${'X-T: x\r\n'.repeat(8000)}`],
    ['a body of one byte too many', 'body', `${HEAD}Content-Length: 1025\r\n\r\n${'x'.repeat(1025)}`],
    [
      'a chunked body of one byte too many',
      'body',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n401\r\n${'x'.repeat(1025)}\r\n0\r\n\r\n`,
    ],
    ['a body without a length that does not end', 'body', `${HEAD}\r\n${'x'.repeat(100_000)}`],
  ]
  for (const [name, reason, ...parts] of tooLarge) {
    test(`${name} is too large`, async () => {
      assert.deepEqual(await deliverTo(answering(...parts)), { outcome: 'response_too_large', reason })
    })
  }

  test('stops reading a body of gigabytes at the cap', async () => {
    let written = 0
    const outcome = await deliverTo((socket) => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const pump = () => {
        while (!socket.destroyed && written < 1 << 30) {
          written += chunk.length
          if (!socket.write(chunk)) return
        }
      }
      socket.on('drain', pump)
      socket.once('data', () => {
        socket.write(`${HEAD}Content-Length: ${1 << 30}\r\n\r\n`)
        pump()
      })
    })
    assert.deepEqual(outcome, { outcome: 'response_too_large', reason: 'body' })
    assert.ok(written < 64 << 20, `${written} bytes were taken`)
  })

  /** A body in equal parts, as a publisher of lists could cut five megabytes. */
  const inParts = (count: number, length: number) =>
    answering(
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
      `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`.repeat(count),
      '0\r\n\r\n',
    )

  test('a body in many one-byte parts is aborted early: each part costs as much as a long one', async () => {
    let parts = 0
    const onBodyBytes = () => {
      parts += 1
    }
    const outcome = await deliverTo(inParts(20_000, 1), { bodyBytesMax: 5_000_000, onBodyBytes })
    assert.deepEqual(outcome, { outcome: 'protocol_error', reason: 'short_parts' })
    assert.ok(parts < 600, `${parts} parts were read`)
  })

  test('if only the first bytes of a body in one-byte parts are requested, those of its first parts are returned', async () => {
    const outcome = await deliverTo(inParts(5_000, 1), { bodyBytesMax: 4_000, overflow: 'truncate' })
    assert.ok(outcome.outcome === 'answered', JSON.stringify(outcome))
    assert.equal(outcome.truncated, true)
    assert.ok(outcome.body.length < 600, `${outcome.body.length} bytes were read`)
  })

  test('a short body may have parts of any length, and a long body thousands of parts of usual length', async () => {
    for (const [count, length] of [
      [400, 1],
      [4_000, 600],
    ] as const) {
      const outcome = await deliverTo(inParts(count, length), { bodyBytesMax: 5_000_000 })
      assert.equal(outcome.outcome === 'answered' && outcome.body.length, count * length)
    }
  })

  test('zeros before the size of a chunk are not a body, and are aborted early', async () => {
    let written = 0
    const zeros = Buffer.alloc(64 * 1024, '0')
    const outcome = await deliverTo(
      (socket) => {
        const more = () => {
          while (!socket.destroyed && written < 64 << 20) {
            written += zeros.length
            if (!socket.write(zeros)) return
          }
          socket.end()
        }
        socket.on('drain', more)
        socket.once('data', () => {
          socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
          more()
        })
      },
      { bodyBytesMax: 5_000_000 },
    )
    assert.deepEqual(outcome, { outcome: 'protocol_error', reason: 'framing' })
    assert.ok(written < 64 << 20, `${written} bytes were taken`)
  })

  test('returns the first bytes of a long body if requested', async () => {
    const parts = [`${HEAD}Content-Length: 100000\r\n\r\n`, 'x'.repeat(100_000)]
    const outcome = await deliverTo(answering(...parts), { overflow: 'truncate' })
    assert.equal(outcome.outcome, 'answered')
    assert.equal(outcome.outcome === 'answered' && outcome.body.length, 1024)
    assert.equal(outcome.outcome === 'answered' && outcome.truncated, true)
  })

  test('a body of exactly the limit is complete, also with a limit of 0', async () => {
    for (const size of [1024, 0]) {
      const outcome = await deliverTo(answering(`${HEAD}Content-Length: ${size}\r\n\r\n${'x'.repeat(size)}`), {
        bodyBytesMax: size,
      })
      assert.equal(outcome.outcome === 'answered' && outcome.body.length, size)
      assert.equal(outcome.outcome === 'answered' && outcome.truncated, false)
    }
    const refused = await deliverTo(answering(`${HEAD}Content-Length: 1\r\n\r\nx`), { bodyBytesMax: 0 })
    assert.deepEqual(refused, { outcome: 'response_too_large', reason: 'body' })
  })

  test('EGR-20: a compression bomb is stored as received', async () => {
    const bomb = gzipSync(Buffer.alloc(10 << 20))
    const head = `${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const outcome = await deliverTo(answering(head, bomb), { overflow: 'truncate' })
    assert.deepEqual(outcome.outcome === 'answered' && outcome.body, bomb.subarray(0, 1024))
  })

  const protocolErrors: readonly (readonly [name: string, ...parts: string[]])[] = [
    ['101 Switching Protocols', 'HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
    ['101 without an upgrade', 'HTTP/1.1 101 Go\r\n\r\n'],
    ['a row of 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)],
    [
      'a row of 103 Early Hints',
      `${'HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n'.repeat(5)}${HEAD}Content-Length: 0\r\n\r\n`,
    ],
    ['an HTTP/0.9 answer', '<html>hello</html>'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an SSH banner', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['a malformed chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`],
    ['a chunked body that breaks off', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`],
    ['a body shorter than its length', `${HEAD}Content-Length: 10\r\n\r\nhello`],
    ['two different lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`],
    ['length and chunks at once', `${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a status of 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a status of 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a header with a NUL', `${HEAD}X-A: a\0b\r\nContent-Length: 0\r\n\r\n`],
    ['a header folded over lines', `${HEAD}X-A: a\r\n b\r\nContent-Length: 0\r\n\r\n`],
    ['an end in the middle of the headers', `${HEAD}X-A: `],
    ['nothing at all', ''],
  ]
  for (const [name, ...parts] of protocolErrors) {
    test(`EGR-21: ${name} is a protocol_error`, async () => {
      const outcome = await deliverTo(answering(...parts))
      assert.equal(outcome.outcome, 'protocol_error', JSON.stringify(outcome))
    })
  }

  test('a few informational answers before the real one are allowed', async () => {
    const hints = 'HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n'.repeat(4)
    const outcome = await deliverTo(answering(`${hints}HTTP/1.1 204 No\r\n\r\n`))
    assert.equal(outcome.outcome === 'answered' && outcome.status, 204)
  })

  test('a receiver that resets the connection is a protocol_error', async () => {
    const outcome = await deliverTo((socket) => socket.once('data', () => socket.resetAndDestroy()))
    assert.deepEqual(outcome, { outcome: 'protocol_error', reason: 'ECONNRESET' })
  })

  test('an answer that comes before the receiver has read the body counts', async () => {
    const early = (socket: Socket) => {
      socket.write('HTTP/1.1 413 Big\r\nContent-Length: 0\r\n\r\n')
      socket.resume()
    }
    const outcome = await deliverTo(early, { body: new Uint8Array(8 << 20) })
    assert.equal(outcome.outcome === 'answered' && outcome.status, 413)
  })

  test('a reason never contains text of the receiver', async () => {
    const outcome = await deliverTo(answering('HTTP/1.1 200 OK\r\nroot:x:0:0\x01:/root\r\n\r\n'))
    assert.equal(outcome.outcome, 'protocol_error')
    assert.match('reason' in outcome ? outcome.reason : '', /^[A-Z_]+$/)
  })
})
