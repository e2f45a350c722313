// Tests the client for outgoing requests against real servers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/platform/config/config.ts'
import { type Egress, makeEgress, type RequestOptions, request } from '../../src/platform/egress/client.ts'
import { isPeer } from '../../src/platform/egress/connect.ts'
import type { Outcome } from '../../src/platform/egress/outcome.ts'
import { checkTarget } from '../../src/platform/egress/target.ts'
import { within } from '../harness/wait.ts'
import { makeAuthority } from './certificates.ts'
import { type DnsServer, type Script, startDnsServer } from './dns-server.ts'
import { answering, cidrs, INSIDE, makeTimer, OK, OUTSIDE, startPair, startReceiver, testPolicy } from './world.ts'

const HOST = 'hooks.merchant.com'

function egressWith(dns: DnsServer, world: Partial<Parameters<typeof makeEgress>[0]> = {}): Egress {
  return makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: makeTimer().after, ...world })
}

function get(egress: Egress, url: string, options: Partial<RequestOptions> = {}): Promise<Outcome> {
  return request(egress, { method: 'GET', url, bodyBytesMax: 1024, ...options })
}

/** Returns a receiver on the public address, a trap on the internal address at the same port, and a scripted zone. */
async function withPair(
  script: Script,
  use: (world: { dns: DnsServer; port: number; pair: Awaited<ReturnType<typeof startPair>> }) => Promise<void>,
  serve = answering(OK),
): Promise<void> {
  const [dns, pair] = await Promise.all([startDnsServer(script), startPair(serve)])
  try {
    await use({ dns, port: pair.outside.port, pair })
    assert.equal(pair.trap.connections(), 0, 'no request may reach the internal address')
    await pair.outside.idle()
  } finally {
    await Promise.all([dns.close(), pair.close()])
  }
}

test('sends the exact bytes and its own headers, and returns status, headers and body', async () => {
  const received = Promise.withResolvers<string>()
  const body = Buffer.from('{"type":"verification.completed","note":"\u2028 / 🎉"}')
  await withPair(
    () => ({ A: [OUTSIDE] }),
    async ({ dns, port }) => {
      const outcome = await request(egressWith(dns), {
        method: 'POST',
        url: `http://${HOST}:${port}/hook?x=1`,
        headers: { 'Content-Type': 'application/json', 'X-Service-Signature': 't=1,v1=ab', 'user-agent': 'Vidimus/1' },
        body,
        bodyBytesMax: 10,
      })
      assert.deepEqual(outcome, {
        outcome: 'answered',
        status: 201,
        headers: { 'content-type': 'text/plain', 'retry-after': '7' },
        body: Buffer.from('done'),
        truncated: false,
      })
      const [head = '', sent = ''] = (await within('the request arrives', received.promise)).split('\r\n\r\n')
      assert.equal(sent, body.toString())
      assert.deepEqual(head.split('\r\n').sort(), [
        'Accept-Encoding: identity',
        'Connection: close',
        `Content-Length: ${body.length}`,
        'Content-Type: application/json',
        `Host: ${HOST}:${port}`,
        'POST /hook?x=1 HTTP/1.1',
        'X-Service-Signature: t=1,v1=ab',
        'user-agent: Vidimus/1',
      ])
    },
    (socket) => {
      let text = ''
      socket.on('data', (data) => {
        text += data.toString()
        if (!text.endsWith('}')) return
        received.resolve(text)
        socket.end(
          'HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nRetry-After: 7\r\nSet-Cookie: a=b\r\nContent-Length: 4\r\n\r\ndone',
        )
      })
    },
  )
})

test('throws before it connects if the caller has a bug', async () => {
  await withPair(
    () => ({ A: [OUTSIDE] }),
    async ({ dns, port, pair }) => {
      const egress = egressWith(dns)
      const url = `http://${HOST}:${port}/`
      for (const name of ['Host', 'cookie', 'Transfer-Encoding', 'Content-Length', 'Connection', 'accept-encoding'])
        await assert.rejects(get(egress, url, { headers: { [name]: 'x' } }), /bug: only the client sets the header/)
      await assert.rejects(get(egress, url, { headers: { 'X-A': 'a\r\nX-B: b' } }), TypeError)
      await assert.rejects(get(egress, url, { headers: { 'X A': 'a' } }), TypeError)
      await assert.rejects(get(egress, url, { body: new Uint8Array(1) }), /bug: a GET/)
      for (const bodyBytesMax of [Number.NaN, -1, Number.POSITIVE_INFINITY])
        await assert.rejects(get(egress, url, { bodyBytesMax }), /bug: bodyBytesMax/)
      assert.equal(pair.outside.connections(), 0)
    },
  )
})

test('refuses to start with invalid DNS servers', () => {
  assert.throws(() => makeEgress({ policy: testPolicy(), dnsServers: [] }), /empty/)
  assert.throws(() => makeEgress({ policy: testPolicy(), dnsServers: ['dns.merchant.com'] }))
})

test('EGR-11: a name that is rebound between lookup and connection leads to the checked address', async () => {
  await withPair(
    (_name, _type, nth) => ({ A: [nth === 1 ? OUTSIDE : INSIDE] }),
    async ({ dns, port, pair }) => {
      const outcome = await get(egressWith(dns), `http://${HOST}:${port}/`)
      assert.equal(outcome.outcome, 'answered')
      assert.equal(pair.outside.connections(), 1)
      assert.deepEqual(dns.questions.sort(), [`${HOST}/A`, `${HOST}/AAAA`])
    },
  )
})

test('EGR-12: a name that was public at registration is denied once it becomes internal', async () => {
  let address = OUTSIDE
  await withPair(
    () => ({ A: [address] }),
    async ({ dns, port }) => {
      const egress = egressWith(dns)
      const url = `http://${HOST}:${port}/`
      assert.deepEqual(await checkTarget(egress, url), { outcome: 'ok' })
      address = INSIDE
      assert.deepEqual(await get(egress, url), { outcome: 'egress_denied', reason: 'resolved_loopback' })
    },
  )
})

test('EGR-22: keeps no connection for the next request, which is checked again', async () => {
  let address = OUTSIDE
  await withPair(
    () => ({ A: [address] }),
    async ({ dns, port, pair }) => {
      const egress = egressWith(dns)
      const url = `http://${HOST}:${port}/`
      assert.equal((await get(egress, url)).outcome, 'answered')
      assert.equal((await get(egress, url)).outcome, 'answered')
      assert.equal(pair.outside.connections(), 2)
      address = INSIDE
      assert.equal((await get(egress, url)).outcome, 'egress_denied')
    },
    (socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n'))
    },
  )
})

test('EGR-25: a receiver that cannot be reached over IPv6 is a connect_error, not a fallback', async () => {
  await withPair(
    () => ({ AAAA: ['::1'] }),
    async ({ dns, port, pair }) => {
      const policy = testPolicy({ allow: cidrs('::1/128') })
      const outcome = await get(egressWith(dns, { policy }), `http://${HOST}:${port}/`)
      assert.equal(outcome.outcome, 'connect_error')
      assert.equal(pair.outside.connections(), 0)
    },
  )
})

test('tries the next checked address if one refuses the connection', async () => {
  await withPair(
    () => ({ A: ['127.0.0.3', OUTSIDE] }),
    async ({ dns, port, pair }) => {
      const policy = testPolicy({ allow: cidrs(OUTSIDE, '127.0.0.3') })
      const outcome = await get(egressWith(dns, { policy }), `http://${HOST}:${port}/`)
      assert.equal(outcome.outcome, 'answered')
      assert.equal(pair.outside.connections(), 1)
    },
  )
})

test('opens one connection even if there are several addresses', async () => {
  await withPair(
    () => ({ A: [OUTSIDE, OUTSIDE] }),
    async ({ dns, port, pair }) => {
      assert.equal((await get(egressWith(dns), `http://${HOST}:${port}/`)).outcome, 'answered')
      assert.equal(pair.outside.connections(), 1)
    },
  )
})

test('EGR-27: denies our own address although it is on the allow list', async () => {
  await withPair(
    () => ({ A: [OUTSIDE] }),
    async ({ dns, port, pair }) => {
      const policy = testPolicy({ ownAddresses: cidrs(OUTSIDE) })
      const outcome = await get(egressWith(dns, { policy }), `http://${HOST}:${port}/`)
      assert.deepEqual(outcome, { outcome: 'egress_denied', reason: 'resolved_own_address' })
      assert.equal(pair.outside.connections(), 0)
    },
  )
})

test('EGR-28: an allow list in production refuses the start without its second flag', () => {
  const env = {
    NODE_ENV: 'production',
    VIDIMUS_BASE_URL: 'https://verify.example.com',
    VIDIMUS_EGRESS_ALLOW: '127.0.0.2/32',
  }
  assert.throws(() => readConfig(env), /VIDIMUS_EGRESS_ALLOW/)
  const allowed = readConfig({ ...env, VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION: 'yes' })
  assert.deepEqual(allowed.egressAllow, cidrs('127.0.0.2/32'))
})

test('compares the peer of a connection with the checked address; an unknown peer fails', () => {
  const judged = Uint8Array.of(127, 0, 0, 2)
  assert.equal(isPeer('127.0.0.2', judged), true)
  for (const remote of ['127.0.0.1', '::ffff:127.0.0.2', 'localhost', '', undefined])
    assert.equal(isPeer(remote, judged), false, String(remote))
})

test('reaches a literal of the allow list, and refuses its neighbours and its other forms', async () => {
  await withPair(
    () => undefined,
    async ({ dns, port }) => {
      const egress = egressWith(dns)
      assert.equal((await get(egress, `http://${OUTSIDE}:${port}/`)).outcome, 'answered')
      for (const host of [INSIDE, '127.0.0.3', '[::ffff:127.0.0.2]', '127.2', '0x7f000002', '[::1]', '0.0.0.0'])
        assert.equal((await get(egress, `http://${host}:${port}/`)).outcome, 'egress_denied', host)
      assert.deepEqual(dns.questions, [])
    },
  )
})

test('verifies a literal by the address in its certificate', async () => {
  const authority = await makeAuthority()
  const dns = await startDnsServer(() => undefined)
  const egress = egressWith(dns, { extraCa: [authority.pem] })
  const certificates = {
    answered: await authority.issue({ ip: OUTSIDE }),
    tls_error: await authority.issue({ names: ['localhost', HOST], ip: INSIDE }),
  }
  for (const [expected, tls] of Object.entries(certificates)) {
    const receiver = await startReceiver(answering(OK), { tls })
    assert.equal((await get(egress, `https://${OUTSIDE}:${receiver.port}/`)).outcome, expected)
    await receiver.close()
  }
  await dns.close()
})

const LONG = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31 + (at >> 8)) % 251))
const ways: readonly (readonly [name: string, ...parts: (string | Uint8Array)[]])[] = [
  ['with its length', 'HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n', LONG],
  ['that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\n', LONG],
  ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n493e0\r\n', LONG, '\r\n0\r\n\r\n'],
]
for (const [name, ...parts] of ways) {
  test(`a long body ${name} is read to the byte, and to its limit if requested`, async () => {
    await withPair(
      () => ({ A: [OUTSIDE] }),
      async ({ dns, port }) => {
        const read = async (bodyBytesMax: number, overflow: 'refuse' | 'truncate') => {
          const outcome = await get(egressWith(dns), `http://${HOST}:${port}/`, { bodyBytesMax, overflow })
          return outcome.outcome === 'answered' ? { body: outcome.body, truncated: outcome.truncated } : outcome
        }
        assert.deepEqual(await read(LONG.length, 'refuse'), { body: LONG, truncated: false })
        assert.deepEqual(await read(5_000_000, 'refuse'), { body: LONG, truncated: false })
        assert.deepEqual(await read(100_001, 'truncate'), { body: LONG.subarray(0, 100_001), truncated: true })
        assert.deepEqual(await read(100_001, 'refuse'), { outcome: 'response_too_large', reason: 'body' })
      },
      answering(...parts),
    )
  })
}
