// Tests mutated addresses against the egress policy.

import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { mock, test } from 'node:test'
import { addressBytes, contains } from '../../src/platform/cidr.ts'
import { makeEgress, request } from '../../src/platform/egress/client.ts'
import { makePolicy } from '../../src/platform/egress/policy.ts'
import { checkTarget } from '../../src/platform/egress/target.ts'
import { startDnsServer } from './dns-server.ts'
import { HOSTILE_URLS } from './hostile-urls.ts'
import { isPublic } from './public-oracle.ts'
import { cidrs, makeTimer, OUTSIDE } from './world.ts'

const RUNS = 10_000
const FRAGMENTS = [
  '@',
  '#',
  '?',
  '/',
  '\\',
  ':',
  '%',
  '.',
  '[',
  ']',
  '0x',
  '0',
  '::',
  '%2e',
  '%00',
  '\t',
  '\r\n',
  '。',
  '@127.0.0.1',
]
const HOSTS = [
  '127.0.0.1',
  '2130706433',
  '0177.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  'localhost',
  '8.8.8.8',
  'a.merchant.com',
]
const INSIDE4 = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '172.31.0.1', '0.0.0.0', '100.64.0.1']
const INSIDE6 = ['::1', '::ffff:127.0.0.1', 'fe80::1', '64:ff9b::1', 'fd00::1']
const PUBLIC4 = ['93.184.216.34', '8.8.8.8', '1.1.1.1', '172.32.0.1', '9.255.255.255', OUTSIDE]
const PUBLIC6 = ['2606:4700:4700::1111', '2001:4860:4860::8888']

/** Returns a small generator with a seed, so that a failure can be repeated. */
function makeChance(seed: number): { below(limit: number): number; one<T>(of: readonly T[]): T } {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return {
    below,
    one: (of) => {
      const chosen = of[below(of.length)]
      if (chosen === undefined) throw new Error('nothing to choose from')
      return chosen
    },
  }
}

function mutate(text: string, chance: ReturnType<typeof makeChance>): string {
  let mutated = text
  for (let i = chance.below(4); i > 0; i -= 1) {
    const at = chance.below(mutated.length + 1)
    const kinds = [
      () => mutated.slice(0, at) + chance.one(FRAGMENTS) + mutated.slice(at),
      () => mutated.slice(0, at) + mutated.slice(at + 1 + chance.below(3)),
      () => mutated.slice(0, at) + String.fromCharCode(chance.below(256)) + mutated.slice(at + 1),
      () => mutated.replace(/\/\/[^/]*/, `//${chance.one(HOSTS)}`),
      () => mutated.replace(/^(https?:\/\/[^/:]*)/, `$1:${chance.one([22, 80, 443, 8443, 65536, 0, '0443', ''])}`),
      () => mutated.replace(/\d/, String(chance.below(300))),
      () => (chance.below(2) === 0 ? mutated.toUpperCase() : mutated.replace('https', 'http')),
    ]
    mutated = chance.one(kinds)()
  }
  return mutated
}

test(`${RUNS} mutated addresses: only public or allow-listed addresses are connected to`, async (t) => {
  const chance = makeChance(20_261_115)
  const dnsChance = makeChance(17)
  // One name in four has an internal answer, alone or among public ones.
  const dns = await startDnsServer((_name, type) => {
    const [inside, outside] = type === 'A' ? [INSIDE4, PUBLIC4] : [INSIDE6, PUBLIC6]
    const answers = Array.from({ length: dnsChance.below(3) }, () => dnsChance.one(outside))
    return { [type]: dnsChance.below(8) === 0 ? [...answers, dnsChance.one(inside)] : answers }
  })
  const attempts: { host: string; port: number }[] = []
  // Records and refuses every connection of the process.
  const connect = mock.method(Socket.prototype, 'connect', function (this: Socket, ...input: unknown[]) {
    const [first] = input.flat() as { host?: string; port?: number }[]
    attempts.push({ host: first?.host ?? '', port: first?.port ?? 0 })
    process.nextTick(() => this.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })))
    return this
  })
  t.after(() => connect.mock.restore())
  const allow = cidrs(OUTSIDE)
  const egresses = (['live', 'test'] as const).flatMap((environment) =>
    [[], allow].map((list) =>
      makeEgress({
        policy: makePolicy({ environment, allow: list }),
        dnsServers: [dns.address],
        after: makeTimer().after,
      }),
    ),
  )
  const outcomes = new Map<string, number>()
  for (let run = 0; run < RUNS; run += 1) {
    // Half of the mutations start from valid addresses, so that enough of them lead to a connection.
    const seeds = chance.below(2) === 0 ? HOSTILE_URLS.slice(0, 9) : HOSTILE_URLS
    const url = mutate(chance.one(seeds).text, chance)
    const egress = chance.one(egresses)
    const before = attempts.length
    const outcome = await request(egress, { method: 'GET', url, bodyBytesMax: 1 })
    outcomes.set(outcome.outcome, (outcomes.get(outcome.outcome) ?? 0) + 1)
    for (const { host, port } of attempts.slice(before)) {
      const bytes = addressBytes(host)
      assert.ok(bytes, `${JSON.stringify(url)} was connected to by name: ${host}`)
      const listed = egress.policy.allow.some((block) => contains(block, bytes))
      assert.ok(listed || isPublic(bytes), `${JSON.stringify(url)} leads to ${host}`)
      assert.ok(listed || [80, 443, 8443].includes(port), `${JSON.stringify(url)} leads to port ${port}`)
    }
    if (run % 10 === 0) await checkTarget(egress, url)
  }
  await dns.close()
  // Enough mutations must reach a connection, otherwise the run proves nothing.
  assert.ok((outcomes.get('connect_error') ?? 0) > 500, JSON.stringify([...outcomes]))
  assert.ok((outcomes.get('egress_denied') ?? 0) > 2000, JSON.stringify([...outcomes]))
  t.diagnostic(JSON.stringify([...outcomes]))
})
