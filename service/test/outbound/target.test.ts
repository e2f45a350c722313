// Tests how hostile addresses resolve to targets.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { after, describe, test } from 'node:test'
import { makePolicy } from '../../src/platform/egress/policy.ts'
import { resolveHost } from '../../src/platform/egress/resolve.ts'
import { checkTarget, locate } from '../../src/platform/egress/target.ts'
import { type DnsServer, type Script, startDnsServer, type Zone } from './dns-server.ts'
import { HOSTILE_URLS, ZONES } from './hostile-urls.ts'
import { BEFORE_DNS_MS, cidrs, makeTimer, soon } from './world.ts'

const LIVE = makePolicy({ environment: 'live' })

async function withDns<T>(script: Script, use: (dns: DnsServer) => Promise<T>): Promise<T> {
  const dns = await startDnsServer(script)
  try {
    return await use(dns)
  } finally {
    await dns.close()
  }
}

function context(dns: DnsServer, policy = LIVE, timer = makeTimer()) {
  return { policy, dnsServers: [dns.address], after: timer.after }
}

describe('the table of hostile addresses (EGR-01)', async () => {
  const dns = await startDnsServer((name) => ZONES[name])
  after(() => dns.close())

  for (const environment of ['live', 'test'] as const) {
    const { policy, ...world } = context(dns, makePolicy({ environment }))
    for (const { row, text, live, test: inTest } of HOSTILE_URLS) {
      const expected = environment === 'test' && inTest !== undefined ? inTest : live
      test(`${environment} ${row}: ${JSON.stringify(text.slice(0, 60))} is ${expected}`, async () => {
        const sent = await locate({ policy, ...world }, text, 2000)
        const handedIn = await checkTarget({ policy, ...world }, text)
        const unrefused = expected === 'located' || expected === 'dns_failure'
        assert.equal(sent.outcome === 'egress_denied' ? sent.reason : sent.outcome, expected)
        assert.deepEqual(handedIn, unrefused ? { outcome: 'ok' } : { outcome: 'refused', reason: expected })
      })
    }
  }
})

test('asks no server about a text that is refused already', async () => {
  await withDns(
    () => ({ A: ['93.184.216.34'] }),
    async (dns) => {
      for (const text of ['https://localhost/', 'https://8.8.8.8/', 'https://x.internal/', 'https://a.com:22/'])
        assert.equal((await checkTarget(context(dns), text)).outcome, 'refused', text)
      assert.deepEqual(dns.questions, [])
    },
  )
})

test('an internal address of one family is refused at creation, even while the other family has no answer yet', async () => {
  await withDns(
    (name) => (name === 'other.merchant.com' ? {} : { A: ['10.0.0.1'], silent: 'AAAA' }),
    async (dns) => {
      const timer = makeTimer()
      const verdict = checkTarget(context(dns, LIVE, timer), 'https://hooks.merchant.com/')
      await dns.asked(2)
      // Two whole lookups later, the answer of the first has arrived.
      for (let i = 0; i < 2; i += 1) await locate(context(dns), 'https://other.merchant.com/', 2000)
      timer.advance(1000)
      assert.deepEqual(await verdict, { outcome: 'refused', reason: 'resolved_private' })
    },
  )
})

test('a late, broken or missing answer is not a refusal at creation', async () => {
  await withDns(
    (name) => (name.startsWith('late') ? { silent: true } : name.startsWith('broken') ? { rcode: 2 } : undefined),
    async (dns) => {
      const timer = makeTimer()
      const late = checkTarget(context(dns, LIVE, timer), 'https://late.merchant.com/')
      await dns.asked(2)
      timer.advance(999)
      assert.equal(await Promise.race([late, Promise.resolve('waits')]), 'waits')
      timer.advance(1)
      assert.deepEqual(await soon(late, BEFORE_DNS_MS), { outcome: 'ok' })
      for (const name of ['broken', 'absent'])
        assert.deepEqual(await checkTarget(context(dns), `https://${name}.merchant.com/`), { outcome: 'ok' })
    },
  )
})

test('says why a name has no address', async () => {
  const zones: Record<string, Zone> = {
    'empty.merchant.com': {},
    'broken.merchant.com': { rcode: 2 },
    'late.merchant.com': { silent: true },
  }
  await withDns(
    (name) => zones[name],
    async (dns) => {
      const timer = makeTimer()
      const find = (name: string) => locate(context(dns, LIVE, timer), `https://${name}.merchant.com/`, 2000)
      assert.deepEqual(await find('empty'), { outcome: 'dns_failure', reason: 'no_address' })
      assert.deepEqual(await find('broken'), { outcome: 'dns_failure', reason: 'server_failure' })
      assert.deepEqual(await find('absent'), { outcome: 'dns_failure', reason: 'name_not_found' })
      const late = find('late')
      timer.advance(2000)
      assert.deepEqual(await soon(late, BEFORE_DNS_MS), { outcome: 'dns_failure', reason: 'timed_out' })
    },
  )
})

test('continues with one family if the other fails', async () => {
  await withDns(
    (_name, type) => (type === 'A' ? { rcode: 2 } : { AAAA: ['2606:4700:4700::1111'] }),
    async (dns) => {
      const target = await locate(context(dns), 'https://hooks.merchant.com/', 2000)
      assert.equal(target.outcome, 'located')
    },
  )
})

test('alternates IPv4 and IPv6', async () => {
  await withDns(
    () => ({ A: ['8.8.8.8', '8.8.4.4', '1.1.1.1'], AAAA: ['2606:4700:4700::1111'] }),
    async (dns) => {
      const target = await locate(context(dns), 'https://hooks.merchant.com/', 2000)
      const lengths = target.outcome === 'located' ? target.addresses.map(({ length }) => length) : []
      assert.deepEqual(lengths, [4, 16, 4, 4])
    },
  )
})

test('opens an unusual port to names only if every answer is on the allow list', async () => {
  const policy = makePolicy({ environment: 'live', allow: cidrs('127.0.0.2/32') })
  const zones: Record<string, Zone> = {
    'inside.merchant.com': { A: ['127.0.0.2'] },
    'outside.merchant.com': { A: ['93.184.216.34'] },
    'both.merchant.com': { A: ['127.0.0.2', '93.184.216.34'] },
  }
  await withDns(
    (name) => zones[name],
    async (dns) => {
      const find = (name: string) => locate(context(dns, policy), `https://${name}.merchant.com:34567/`, 2000)
      assert.equal((await find('inside')).outcome, 'located')
      assert.deepEqual(await find('outside'), { outcome: 'egress_denied', reason: 'resolved_port' })
      assert.deepEqual(await find('both'), { outcome: 'egress_denied', reason: 'resolved_port' })
    },
  )
})

test('reaches a name without a dot only at addresses of the allow list, and asks no server about localhost', async () => {
  await withDns(
    (name) => ({ A: name === 'ours' ? ['127.0.0.2'] : ['127.0.0.2', '93.184.216.34'] }),
    async (dns) => {
      const find = async (host: string, ...allow: readonly string[]) => {
        const policy = makePolicy({ environment: 'live', allow: cidrs(...allow) })
        const target = await locate(context(dns, policy), `https://${host}/`, 2000)
        return target.outcome === 'located' ? target.addresses.map((bytes) => bytes.length) : target
      }
      const denied = (reason: string) => ({ outcome: 'egress_denied', reason })
      assert.deepEqual(await find('localhost', '127.0.0.0/8'), [4])
      assert.deepEqual(await find('localhost', '127.0.0.0/8', '::1/128'), [4, 16])
      assert.deepEqual(await find('localhost', '10.0.0.0/8'), denied('resolved_loopback'))
      assert.deepEqual(dns.questions, [])
      assert.deepEqual(await find('ours', '127.0.0.0/8'), [4])
      assert.deepEqual(await find('ours', '10.0.0.0/8'), denied('resolved_loopback'))
      assert.deepEqual(await find('public', '127.0.0.0/8'), denied('resolved_single_label'))
    },
  )
})

test('EGR-13: denies a public A record beside a mapped AAAA record', async () => {
  await withDns(
    () => ({ A: ['93.184.216.34'], AAAA: ['::ffff:127.0.0.1'] }),
    async (dns) =>
      assert.deepEqual(await locate(context(dns), 'https://hooks.merchant.com/', 2000), {
        outcome: 'egress_denied',
        reason: 'resolved_ipv4_mapped',
      }),
  )
})

test('EGR-14: the addresses at the end of an alias chain decide', async () => {
  const chain = Array.from({ length: 12 }, (_, i) => `hop${i}.attacker.com`)
  const zones: Record<string, Zone> = {
    'long.attacker.com': { CNAME: chain, A: ['93.184.216.34'] },
    'inward.attacker.com': { CNAME: ['metadata.google.internal'], A: ['169.254.169.254'] },
    'loop.attacker.com': { CNAME: ['loop2.attacker.com', 'loop.attacker.com'] },
  }
  await withDns(
    (name) => zones[name],
    async (dns) => {
      const find = (name: string) => locate(context(dns), `https://${name}.attacker.com/`, 2000)
      assert.equal((await find('long')).outcome, 'located')
      assert.deepEqual(await find('inward'), { outcome: 'egress_denied', reason: 'resolved_link_local' })
      assert.equal((await find('loop')).outcome, 'dns_failure')
    },
  )
})

test('EGR-15: denies more than 16 answers, and checks all of 16', async () => {
  const many = Array.from({ length: 199 }, (_, i) => `93.184.216.${i}`)
  const zones: Record<string, Zone> = {
    'flood.attacker.com': { A: [...many, '10.0.0.1'] },
    'last.attacker.com': { A: [...many.slice(0, 15), '10.0.0.1'] },
    'full.attacker.com': { A: many.slice(0, 16) },
    'over.attacker.com': { A: many.slice(0, 16), AAAA: ['2606:4700:4700::1111'] },
  }
  await withDns(
    (name) => zones[name],
    async (dns) => {
      const find = (name: string) => locate(context(dns), `https://${name}.attacker.com/`, 2000)
      assert.deepEqual(await find('flood'), { outcome: 'egress_denied', reason: 'too_many_answers' })
      assert.deepEqual(await find('over'), { outcome: 'egress_denied', reason: 'too_many_answers' })
      assert.deepEqual(await find('last'), { outcome: 'egress_denied', reason: 'resolved_private' })
      assert.equal((await find('full')).outcome, 'located')
    },
  )
})

test('EGR-26: asks the configured server about names that the hosts file has', async () => {
  const known = readFileSync('/etc/hosts', 'utf8')
    .split('\n')
    .flatMap((line) => (line.split('#')[0] ?? '').trim().split(/\s+/).slice(1))
    .filter((name) => /^[a-zA-Z0-9.-]+$/.test(name))
  await withDns(
    () => ({ A: ['93.184.216.34'] }),
    async (dns) => {
      for (const name of new Set(['localhost', hostname(), ...known])) {
        const options = { servers: [dns.address], after: makeTimer().after, budgetMilliseconds: 2000 }
        const result = await resolveHost(name, options)
        assert.deepEqual(result, { outcome: 'resolved', addresses: ['93.184.216.34'] }, name)
        assert.ok(dns.questions.includes(`${name.toLowerCase()}/A`))
      }
    },
  )
})

test('EGR-27: refuses our own host by name and by address', async () => {
  const policy = makePolicy({
    environment: 'live',
    ownHosts: ['api.vidimus.org'],
    ownAddresses: cidrs('93.184.216.34/32'),
  })
  await withDns(
    () => ({ A: ['93.184.216.34'] }),
    async (dns) => {
      const check = (text: string) => checkTarget(context(dns, policy), text)
      assert.deepEqual(await check('https://api.vidimus.org/'), { outcome: 'refused', reason: 'own_host' })
      assert.deepEqual(await check('https://alias.merchant.com/'), {
        outcome: 'refused',
        reason: 'resolved_own_address',
      })
    },
  )
})
