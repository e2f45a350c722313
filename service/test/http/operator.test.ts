// Tests the operator's routes: readiness asks the store once per second, and only authorized callers get metrics.

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { buildApp } from '../../src/http-server.ts'
import { parseCidr } from '../../src/platform/cidr.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()
const ready = () => service.call('GET', '/readyz')

test('readiness asks the store once a second, however many probes come; a change shows within a second', async () => {
  const { db } = service.deps
  const rename = (from: string, to: string) =>
    db.query({ name: `test_rename_${from}`, text: `alter table ${from} rename to ${to}` })
  assert.equal((await ready()).status, 200)
  await rename('schema_migrations', 'renamed')
  for (let probe = 0; probe < 5; probe += 1) assert.equal((await ready()).status, 200, 'still remembered')
  service.clock.advance(999)
  assert.equal((await ready()).status, 200)
  service.clock.advance(1)
  const answer = await ready()
  assertRefused(answer, 503, 'unavailable')
  assert.equal(answer.headers['retry-after'], '1')
  await rename('renamed', 'schema_migrations')
  assertRefused(await ready(), 503, 'unavailable')
  service.clock.advance(1_000)
  assert.equal((await ready()).status, 200)
})

test('simultaneous probes ask the store once', async () => {
  service.clock.advance(1_000)
  const requests: string[] = []
  const { db } = service.deps
  const counting: typeof db = {
    ...db,
    // Readiness has a separate connection, so it never waits for the pool.
    query: () => assert.fail('readiness must not wait for the pool'),
    probe: {
      query: (statement, values) => {
        requests.push(statement.name)
        return db.probe.query(statement, values)
      },
    },
  }
  const app = buildApp({ ...service.deps, db: counting })
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject('/readyz')))
  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
  assert.deepEqual(requests, ['migrations_table_present', 'migrations_history', 'takes_writes', 'load_write_proof'])
  await app.close()
})

/** Returns a function that reads the metrics of a service with this configuration and returns the status. */
function scraperOf(change: Partial<Config>): Scraper {
  const app = buildApp({ ...service.deps, config: { ...service.deps.config, ...change } })
  after(() => app.close())
  return async (headers = {}, from = '127.0.0.1') => {
    const answer = await app.inject({ url: '/metrics', remoteAddress: from, headers })
    if (answer.statusCode !== 200) assert.equal(answer.json().error.code, 'not_found')
    return answer.statusCode
  }
}
type Scraper = (headers?: Record<string, string>, from?: string) => Promise<number>

const proxy = parseCidr('127.0.0.1/32')
const proxyElsewhere = parseCidr('10.0.0.2/32')
assert.ok(proxy !== null && proxyElsewhere !== null)

test('without a token only this machine reads metrics, also in production', async () => {
  for (const change of [{}, { production: true, trustedProxies: [proxyElsewhere] }]) {
    const scrape = scraperOf(change)
    for (const host of ['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080'])
      assert.equal(await scrape({ host }), 200, host)
    for (const from of ['::1', '::ffff:127.0.0.1']) assert.equal(await scrape({}, from), 200, from)
    for (const from of ['203.0.113.7', '10.0.0.1', '::ffff:10.0.0.1']) assert.equal(await scrape({}, from), 404, from)
  }
})

test('through a proxy on this machine every caller would look local, so without a token none reads metrics', async () => {
  assert.equal(await scraperOf({ production: true })(), 404, 'no proxy is configured')
  const scrape = scraperOf({ production: true, trustedProxies: [proxyElsewhere] })
  const names = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']
  for (const name of names) assert.equal(await scrape({ [name]: '127.0.0.1' }), 404, name)
  for (const host of ['verify.example.com', '127.0.0.1.example.com', 'localhost.example.com', '127.0.0.1@example.com'])
    assert.equal(await scrape({ host }), 404, host)
  const behind = scraperOf({ trustedProxies: [proxy] })
  for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer null' }])
    assert.equal(await behind(headers), 404)
})

test('with a token configured, its owner reads metrics from anywhere and no one else does', async () => {
  const metricsToken = 'a-token-for-prometheus'
  const right = { authorization: `Bearer ${metricsToken}` }
  for (const change of [{}, { production: true }, { trustedProxies: [proxy] }]) {
    const scrape = scraperOf({ metricsToken, ...change })
    assert.equal(await scrape(right), 200)
    assert.equal(await scrape(right, '203.0.113.7'), 200)
    assert.equal(await scrape({ ...right, 'x-forwarded-for': '203.0.113.9' }), 200)
    const wrong = ['', 'Bearer', `Bearer ${metricsToken}x`, `Bearer ${metricsToken.slice(1)}`, metricsToken]
    for (const authorization of wrong) assert.equal(await scrape({ authorization }), 404)
    assert.equal(await scrape(), 404, 'not even this machine reads metrics')
  }
})

test("while the store is unavailable, metrics are answered without the store's gauges", async () => {
  const unavailable = await testService()
  await unavailable.deps.db.close()
  assertRefused(await unavailable.call('GET', '/readyz'), 503, 'unavailable')
  const answer = await unavailable.call('GET', '/metrics', { from: '127.0.0.1' })
  assert.equal(answer.status, 200, answer.text)
  for (const name of ['vidimus_webhooks_pending', 'vidimus_webhooks_oldest_due_seconds'])
    assert.match(answer.text, new RegExp(`^${name} Nan$`, 'm'))
  assert.match(answer.text, /^vidimus_http_requests_total\{route="\/readyz",method="GET",status="503"\} 1$/m)
  assert.match(answer.text, /^vidimus_store_connections 0$/m)
  assert.doesNotMatch(answer.text, /^vidimus_access_certificate_seconds_left\{/m)
})

test('the API page and its document use the budget of an address', async () => {
  const { rates } = service.deps.config
  const app = buildApp({
    ...service.deps,
    config: { ...service.deps.config, rates: { ...rates, ip: { perSecond: 1, burst: 3 } } },
  })
  for (const [url, remoteAddress] of [
    ['/docs', '198.51.100.1'],
    ['/openapi.json', '198.51.100.2'],
  ] as const) {
    for (let n = 0; n < 3; n += 1) assert.equal((await app.inject({ url, remoteAddress })).statusCode, 200)
    const refused = await app.inject({ url, remoteAddress })
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.json().error.code, 'rate_limit_exceeded')
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal((await app.inject({ url, remoteAddress: '198.51.100.9' })).statusCode, 200, 'others are served')
  }
  await app.close()
})
