// Tests our client with every known way to make a naive client connect to its own machine.

import assert from 'node:assert/strict'
import { get as plainGet } from 'node:http'
import { test } from 'node:test'
import { formatAddress } from '../../src/platform/egress/address.ts'
import { makeEgress, request } from '../../src/platform/egress/client.ts'
import { startDnsServer } from './dns-server.ts'
import { answering, cidrs, INSIDE, makeTimer, OK, OUTSIDE, startPair, startReceiver, testPolicy } from './world.ts'

const HOST = 'hooks.merchant.com'

/** One part of an IPv4 address in the number systems that inet_aton reads. */
function spellings(value: number): string[] {
  return [
    `${value}`,
    `0x${value.toString(16)}`,
    `0X${value.toString(16)}`,
    `0${value.toString(8)}`,
    `00000${value.toString(8)}`,
  ]
}

function ipv4Spellings(): string[] {
  const whole = spellings(0x7f000001)
  const two = spellings(127).flatMap((a) => spellings(1).map((b) => `${a}.${b}`))
  const three = spellings(127).flatMap((a) => spellings(1).map((c) => `${a}.0.${c}`))
  const four = spellings(127).flatMap((a) => spellings(0).flatMap((b) => spellings(1).map((d) => `${a}.${b}.0x0.${d}`)))
  const others = ['0', '0.0.0.0', '00.0x0.0', '127.255.255.254', '127.0.0.1', '127.0.0.2.', '127.2', '127.0.0.02']
  return [...whole, ...two, ...three, ...four, ...others].flatMap((host) => [host, `${host}.`, `%3${host}`])
}

/** 127.0.0.1 inside IPv6, in every position that a standard or a convention defines. */
function ipv6Addresses(): string[] {
  const ipv4 = [127, 0, 0, 1]
  const at = (prefix: string, index: number, skipOctet8 = false) => {
    const bytes = Uint8Array.from(Buffer.from(prefix.padEnd(32, '0'), 'hex'))
    const positions = Array.from({ length: 16 }, (_, i) => i).filter((i) => i >= index && !(skipOctet8 && i === 8))
    for (const [i, byte] of ipv4.entries()) bytes[positions[i] ?? 0] = byte
    return formatAddress(bytes)
  }
  return [
    '::1',
    '::',
    ...['', '00000000000000000000ffff', '0000000000000000ffff0000', '0064ff9b'].map((prefix) => at(prefix, 12)),
    // RFC 6052 2.2: the address after 32, 40, 48, 56, 64 and 96 bits, around the octet that must be zero.
    ...[4, 5, 6, 7, 9, 12].map((index) => at('0064ff9b0001', index, true)),
    at('2002', 2),
    at('20010000', 4),
    at('20010000', 12),
    at('260647000000000000005efe', 12),
    at('260647000000000002005efe', 12),
    at('fe800000000000000000' + '5efe', 12),
    'fe80::1',
    'fec0::1',
    'fd00::1',
    'ff01::1',
    'ff02::1',
  ]
}

function tricks(port: number): string[] {
  const inside = `${INSIDE}:${port}`
  const outside = `${OUTSIDE}:${port}`
  return [
    `http://${outside}@${inside}/`,
    `http://${HOST}@${inside}/`,
    `http://${HOST}:${port}@${inside}/`,
    `http://${inside}\\@${outside}/`,
    `http://${inside}#@${outside}/`,
    `http://${inside}?@${outside}/`,
    `http://${inside};@${outside}/`,
    `http://${outside}#@${inside}/`,
    `http:${inside}/`,
    `http:/${inside}/`,
    `http:///${inside}/`,
    `http:\\\\${inside}/`,
    `http://[::ffff:${INSIDE}]:${port}/`,
    `http://[::1%lo]:${port}/`,
    `http://[::1%25lo]:${port}/`,
    `http://localhost:${port}/`,
    `http://LocalHost:${port}/`,
    `http://localhost.:${port}/`,
    `http://a.localhost:${port}/`,
    `http://localhost.localdomain:${port}/`,
    `http://ip6-localhost:${port}/`,
    `http://①②⑦.⓪.⓪.①:${port}/`,
    `http://127。0。0。1:${port}/`,
    `http://127\u3002${'0.0.1'}:${port}/`,
    `http://1\u00ad27.0.0.1:${port}/`,
    `http://127.0.0.1\u200b:${port}/`,
    `http://%31%32%37.0.0.1:${port}/`,
    `http://127.0.0.1%23.merchant.com:${port}/`,
    `http://127.0.0.1%00.merchant.com:${port}/`,
    `http://127.0.0.1%09:${port}/`,
    `http://\t127.0.0.1:${port}/`,
    `ht\ntp://127.0.0.1:${port}/`,
    ` http://127.0.0.1:${port}/`,
    `http://127.0.0.1:0${port}/`,
    `http://127.0.0.1:${port + 65536}/`,
    `//127.0.0.1:${port}/`,
    `ftp://${inside}/`,
    `ws://${inside}/`,
    `unix:/var/run/socket`,
    `http://unix:/var/run/socket:/`,
    `file://${inside}/etc/passwd`,
  ]
}

test("no spelling of this machine's address leads to it", async (t) => {
  // An operator's own name server may resolve names without a dot to this machine.
  const dns = await startDnsServer((name) => (name.includes('.') ? undefined : { A: [INSIDE] }))
  const pair = await startPair(answering(OK))
  const { port } = pair.outside
  const trap6 = await startReceiver(answering(OK), { host: '::1', port }).catch(() => null)
  t.after(() => Promise.all([dns.close(), pair.close(), trap6?.close()]))
  const urls = [
    ...ipv4Spellings().map((host) => `http://${host}:${port}/`),
    ...ipv6Addresses().map((host) => `http://[${host}]:${port}/`),
    ...tricks(port),
  ]
  for (const environment of ['test', 'live'] as const) {
    const policy = testPolicy({ environment, ports: [80, 443, port] })
    const egress = makeEgress({ policy, dnsServers: [dns.address], after: makeTimer().after })
    for (const url of urls) {
      const { outcome } = await request(egress, { method: 'GET', url, bodyBytesMax: 10 })
      assert.equal(outcome, 'egress_denied', JSON.stringify(url))
    }
  }
  assert.equal(pair.trap.connections() + (trap6?.connections() ?? 0), 0)
  assert.equal(pair.outside.connections(), 0)
  // With an unguarded client the same texts do reach it, which shows that the attacks are real.
  for (const url of urls) {
    await new Promise<void>((resolve) => {
      const parsed = URL.parse(url)
      if (parsed?.protocol !== 'http:' || !/^(127|0|\[::ffff:7f|\[::1\])/.test(parsed.hostname)) return resolve()
      plainGet(url, { agent: false }, (incoming) => incoming.resume().on('end', resolve)).on('error', () => resolve())
    })
  }
  assert.ok(pair.trap.connections() > 100, `${pair.trap.connections()}`)
})

test('no DNS answer leads to this machine', async () => {
  const answers = [
    ...[INSIDE, '127.0.0.3', '127.255.255.255', '0.0.0.0', '0.0.0.1'].map((address) => ({ A: [address] })),
    ...ipv6Addresses().map((address) => ({ AAAA: [address] })),
  ]
  const mixed = answers.flatMap((zone) => [
    zone,
    // The internal address comes after, before or together with a public one, or behind an alias that looks public.
    { ...zone, A: [OUTSIDE, ...('A' in zone ? zone.A : [])], ...('A' in zone ? {} : { AAAA: zone.AAAA }) },
    { ...zone, CNAME: ['alias.merchant.com'] },
  ])
  const dns = await startDnsServer((name) => mixed[Number(name.split('.')[0]?.slice(1))])
  const pair = await startPair(answering(OK))
  const { port } = pair.outside
  const trap6 = await startReceiver(answering(OK), { host: '::1', port }).catch(() => null)
  const policy = testPolicy({ ports: [80, 443, port], allow: cidrs(OUTSIDE) })
  const egress = makeEgress({ policy, dnsServers: [dns.address], after: makeTimer().after })
  for (const i of mixed.keys()) {
    const url = `http://n${i}.attacker.com:${port}/`
    const { outcome } = await request(egress, { method: 'GET', url, bodyBytesMax: 10 })
    assert.equal(outcome, 'egress_denied', JSON.stringify(mixed[i]))
  }
  assert.equal(pair.trap.connections() + pair.outside.connections() + (trap6?.connections() ?? 0), 0)
  await Promise.all([dns.close(), pair.close(), trap6?.close()])
})

test('a refusal opens no connection, whether the port is open or closed: nothing can be scanned (EGR-06)', async () => {
  const dns = await startDnsServer(() => ({ A: [INSIDE] }))
  const open = await startReceiver(answering(OK), { host: INSIDE })
  const closed = await startReceiver(answering(OK), { host: INSIDE })
  await closed.close()
  const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: makeTimer().after })
  const outcomes = await Promise.all(
    [open.port, closed.port].map((port) =>
      request(egress, { method: 'GET', url: `http://${HOST}:${port}/`, bodyBytesMax: 1 }),
    ),
  )
  assert.deepEqual(outcomes[0], { outcome: 'egress_denied', reason: 'resolved_loopback' })
  assert.deepEqual(outcomes[1], outcomes[0])
  assert.equal(open.connections(), 0)
  await Promise.all([dns.close(), open.close()])
})
