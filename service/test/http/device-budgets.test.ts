// Tests guessing of pairing codes: budgets are checked before anything is spent, and a wrong guess reveals nothing.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Deps } from '../../src/deps.ts'
import { buildApp } from '../../src/http-server.ts'
import { reservePort } from '../../src/platform/reserved-port.ts'
import type { Answer } from '../harness/answer.ts'
import { enroll, pairDevice, refresh, registerDevice } from '../harness/devices.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { assertRefused, type TestService, testService } from '../harness/service.ts'

const LARGE = { perSecond: 1e6, burst: 1e6 }
const rates = {
  key: LARGE,
  tenant: LARGE,
  address: LARGE,
  ip: LARGE,
  verification: LARGE,
  enroll: LARGE,
  enrollAll: LARGE,
}
const PER_ADDRESS = { perSecond: 10 / 60, burst: 10 }
const WRONG = 'VD-0000-0000'

const addresses = (function* () {
  // bounded: by its reader.
  for (let at = 1; ; at += 1) yield `198.51.${at >> 8}.${at & 255}`
})()
const elsewhere = () => String(addresses.next().value)

async function merchant(service: TestService): Promise<string> {
  return service.key(await service.tenant())
}

// Both services start before the first test, because a service that starts in a test ends with it.
const strict = await testService({ rates: { ...rates, enroll: PER_ADDRESS, enrollAll: { perSecond: 5, burst: 300 } } })
const narrow = await testService({ rates: { ...rates, enrollAll: { perSecond: 0.001, burst: 3 } } })

test('an address has ten attempts a minute; after them even the right code is refused, and stays valid for other addresses', async () => {
  const key = await merchant(strict)
  const { json } = await registerDevice(strict, key)
  const attacker = elsewhere()
  for (let attempt = 0; attempt < 10; attempt += 1) {
    assertRefused(await enroll(strict, WRONG, attacker), 400, 'invalid_pairing_code')
  }
  const limited = await enroll(strict, json.pairing_code, attacker)
  assertRefused(limited, 429, 'rate_limit_exceeded')
  assert.equal(limited.headers['retry-after'], '6')
  assert.equal((await enroll(strict, json.pairing_code, elsewhere())).status, 200)
})

test('an attempt counts whatever its body is, and IPv6 counts by /48', async () => {
  const attacker = ['2001:db8:1:2::1', '2001:db8:1:3:ffff::9'] as const
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const answer = await strict.call('POST', '/v1/devices/enroll', {
      raw: '{',
      headers: { 'content-type': 'application/json' },
      from: attacker[0],
    })
    assertRefused(answer, 400, 'invalid_request')
  }
  assertRefused(await enroll(strict, WRONG, attacker[1]), 429, 'rate_limit_exceeded')
  assertRefused(await enroll(strict, WRONG, '2001:db8:2:2::1'), 400, 'invalid_pairing_code')
})

test('all addresses share three hundred failures; after them addresses with recent failures wait, and others have a reserve', async () => {
  const key = await merchant(strict)
  const { json } = await registerDevice(strict, key)
  strict.clock.advance(120_000)
  const guess = (from: string) => enroll(strict, WRONG, from)
  const attackers = Array.from({ length: 30 }, elsewhere)
  for (const from of attackers) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => guess(from)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]))
  }
  // The attackers may attempt again, but the shared budget of failures is still spent.
  strict.clock.advance(6_000)
  const spent = await Promise.all(Array.from({ length: 30 }, () => guess(elsewhere())))
  assert.deepEqual(new Set(spent.map(({ status }) => status)), new Set([400]))
  const [attacker = ''] = attackers
  const limited = await enroll(strict, json.pairing_code, attacker)
  assertRefused(limited, 429, 'rate_limit_exceeded')
  assert.equal(limited.headers['retry-after'], '1')
  assert.equal((await enroll(strict, json.pairing_code, elsewhere())).status, 200, 'the code is still valid')
  const guesses: Answer[] = []
  for (let batch = 0; batch < 3; batch += 1) {
    guesses.push(...(await Promise.all(Array.from({ length: 40 }, () => guess(elsewhere())))))
  }
  const count = (status: number) => guesses.filter((answer) => answer.status === status).length
  assert.deepEqual([count(400), count(429)], [100, 20], 'the reserve is bounded too')
})

test('a success costs nothing of the budget of failures', async () => {
  const key = await merchant(narrow)
  for (let round = 0; round < 12; round += 1) await pairDevice(narrow, key)
  for (let round = 0; round < 3; round += 1) {
    assertRefused(await enroll(narrow, WRONG), 400, 'invalid_pairing_code')
  }
  assertRefused(await enroll(narrow, WRONG), 429, 'rate_limit_exceeded')
})

test('a malformed code spends the budget of its sender only', async () => {
  narrow.clock.advance(10_000_000)
  for (let round = 0; round < 10; round += 1) {
    assertRefused(await enroll(narrow, 'not a pairing code'), 400, 'invalid_pairing_code')
  }
  await pairDevice(narrow, await merchant(narrow))
})

test('without Redis this process counts guesses and reports the outage once; every command works', async () => {
  const { port, release } = await reservePort('127.0.0.1')
  await release()
  const alone = await testService({
    rates: { ...rates, enroll: PER_ADDRESS },
    redisUrl: `redis://:not-shown@127.0.0.1:${port}`,
  })
  const device = await registerDevice(alone, await merchant(alone))
  assert.equal((await enroll(alone, device.json.pairing_code, elsewhere())).status, 200)
  const attacker = elsewhere()
  for (let attempt = 0; attempt < 10; attempt += 1)
    assertRefused(await enroll(alone, WRONG, attacker), 400, 'invalid_pairing_code')
  assertRefused(await enroll(alone, WRONG, attacker), 429, 'rate_limit_exceeded')
  const { out, code } = await commandLine(alone).run('doctor', '--json')
  const { findings } = JSON.parse(out)
  const found = findings.find(({ area }: { area: string }) => area === 'Redis')
  assert.equal(code, 0)
  assert.equal(found.status, 'warning')
  assert.match(found.finding, /each replica has its own rate budgets/)
  assert.match(found.remedy, /REDIS_URL/)
  assert.match(await alone.deps.metrics.registry.metrics(), /^vidimus_redis_up 0$/m)
  assert.equal(alone.logged.filter((line) => line.includes('Redis is away')).length, 1)
  assert.ok(![out, ...alone.logged].join().includes('not-shown'))
})

test("a refresh that its address's limit refuses leaves the token unused; IPv6 counts by /64", async () => {
  const slow = await testService({ rates: { ...rates, ip: { perSecond: 1, burst: 2 } } })
  const key = await merchant(slow)
  const device = await pairDevice(slow, key)
  assert.equal((await refresh(slow, 'vdr_nobody')).status, 400)
  assertRefused(await refresh(slow, device.refreshToken), 429, 'rate_limit_exceeded')
  slow.clock.advance(1000)
  assert.equal((await refresh(slow, device.refreshToken)).status, 200)
  const statuses: number[] = []
  for (const from of ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3', '2001:db8:1:3::1'])
    statuses.push(
      (await slow.call('POST', '/v1/devices/token', { from, body: { refresh_token: 'vdr_nobody' } })).status,
    )
  assert.deepEqual(statuses, [400, 400, 429, 400])
})

test('wrong, used, expired and revoked codes run the same statements', async () => {
  const statements: string[] = []
  const watched = await testService()
  const key = await merchant(watched)
  const db: Deps['db'] = {
    ...watched.deps.db,
    transaction: (work) =>
      watched.deps.db.transaction((tx) =>
        work({
          ...tx,
          query: (statement, values) => {
            statements.push(statement.name)
            return tx.query(statement, values)
          },
        }),
      ),
  }
  const app = buildApp({ ...watched.deps, db })
  await app.ready()
  const used = (await pairDevice(watched, key)).pairingCode
  const revoked = (await registerDevice(watched, key)).json
  await watched.call('DELETE', `/v1/devices/${revoked.device.id}`, { key })
  const lapsed = (await registerDevice(watched, key, { ttlSeconds: 60 })).json.pairing_code
  watched.clock.advance(61_000)
  const codes = { wrong: WRONG, used, lapsed, revoked: revoked.pairing_code as string }
  for (const [name, code] of Object.entries(codes)) {
    statements.length = 0
    const answer = await app.inject({ method: 'POST', url: '/v1/devices/enroll', payload: { pairing_code: code } })
    assert.equal(answer.statusCode, 400, name)
    assert.deepEqual(statements, ['consume_pairing_code'], name)
  }
  await app.close()
})
