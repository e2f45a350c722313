// The web test wallet computes signatures for strangers: they pay for them, all together have a rate, and links have a bound.

import assert from 'node:assert/strict'
import test from 'node:test'
import { TEST_WALLET } from '../../src/platform/http/bounds/limits.ts'
import { GENEROUS, type TestService, testService } from '../harness/service.ts'
import { create, FORM, read } from '../wallet/verifications.ts'

const SLOW = { perSecond: 1e-6, burst: 60 }
const service = await testService()
const paid = await testService({ rates: { ...GENEROUS.rates, ip: SLOW } })

const newLink = async (at: TestService) => create(at, await at.key(await at.tenant()), { template: 'age_over_18' })

const open = async ({ app }: TestService, uri: string, from: string) =>
  (await app.inject({ url: `/sandbox/wallet?uri=${encodeURIComponent(uri)}`, remoteAddress: from })).statusCode

function answer({ app }: TestService, uri: string, from: string) {
  const payload = new URLSearchParams({ uri, scenario: 'good', answer: 'consent' }).toString()
  return app.inject({ method: 'POST', url: '/sandbox/wallet', headers: FORM, payload, remoteAddress: from })
}

/** How often a visitor succeeds, of 60 attempts. */
async function countOf(attempt: () => Promise<number>, expected: number): Promise<number> {
  const statuses: number[] = []
  for (let count = 0; count < 60; count += 1) statuses.push(await attempt())
  assert.ok(statuses.every((status) => status === expected || status === 429))
  return statuses.filter((status) => status === expected).length
}

test('a visitor pays for opening links, and others have budgets of their own', async () => {
  const { wallet_uri: uri } = await newLink(paid)
  // The request itself, its price, and the request object that the wallet fetches.
  assert.equal(await countOf(() => open(paid, uri, '198.51.100.1'), 200), Math.floor(SLOW.burst / 7))
  assert.equal(await open(paid, uri, '198.51.100.2'), 200)
})

test('a visitor pays for answers, also for those that the verifier refuses', async () => {
  const { wallet_uri: uri } = await newLink(paid)
  const from = '198.51.100.3'
  // The request itself, its price, the fetched request object, and the posted response.
  assert.equal((await answer(paid, uri, from)).statusCode, 200)
  // Further ones are refused when the wallet fetches the request object, which the last one cannot pay for either.
  const left = SLOW.burst - 13
  const paidFor = await countOf(async () => (await answer(paid, uri, from)).statusCode, 422)
  assert.equal(paidFor, Math.floor((left + 1) / 12))
  const browser = { accept: 'text/html', 'accept-language': 'de' }
  const page = await paid.app.inject({ url: '/sandbox/wallet', headers: browser, remoteAddress: from })
  assert.deepEqual([page.statusCode, page.headers['content-type']], [429, 'text/html; charset=utf-8'])
  assert.match(page.payload, /<html lang="de"/)
})

test('a link that is not of a verification here costs one request', async () => {
  assert.equal(await countOf(() => open(paid, 'openid4vp://?request_uri=x', '198.51.100.4'), 422), SLOW.burst)
})

test('all visitors together have a rate; beyond it the service still answers everything else', async () => {
  const { wallet_uri: uri, id } = await newLink(service)
  const from = (visitor: number) => `198.51.100.${visitor}`
  for (let visitor = 0; visitor < TEST_WALLET.burst; visitor += 1)
    assert.equal(await open(service, uri, from(visitor)), 200)
  assert.equal(await open(service, uri, from(200)), 429)
  assert.equal((await answer(service, uri, from(201))).statusCode, 429)
  assert.equal((await service.app.inject({ url: `/verify/${id}`, remoteAddress: from(200) })).statusCode, 200)
  service.clock.advance(1_000 / TEST_WALLET.perSecond)
  assert.equal(await open(service, uri, from(200)), 200)
  assert.equal(await open(service, uri, from(200)), 429)
})

test('a posted link has at most 4,096 characters, like one in an address', async () => {
  service.clock.advance(60_000)
  const key = await service.key(await service.tenant())
  const { wallet_uri: uri, id } = await create(service, key, { template: 'age_over_18' })
  const from = '198.51.100.250'
  const longer = (length: number) => `${uri}&x=${'x'.repeat(length - uri.length - 3)}`
  const refused = await answer(service, longer(4_097), from)
  assert.deepEqual([refused.statusCode, refused.json().error.code], [400, 'invalid_request'])
  assert.equal(await open(service, longer(4_097), from), 400)
  assert.equal((await read(service, key, id)).status, 'pending')
  assert.notEqual((await answer(service, longer(4_096), from)).statusCode, 400)
  assert.equal((await answer(service, uri, from)).statusCode, 200)
})
