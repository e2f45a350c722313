// Tests traces at a collector: a span per request, statement and call, without personal data.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startDeliveries } from '../../src/features/webhooks/jobs/deliveries.ts'
import { parseCidr } from '../../src/platform/cidr.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { startReplicas } from '../harness/servers/replicas.ts'
import { testService } from '../harness/service.ts'
import { waitUntil, within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { attributesOf, type OtlpSpan, startCollector } from './collector.ts'

const PROXY = '198.51.100.1'
const proxy = parseCidr(`${PROXY}/32`)
assert.ok(proxy !== null)
const collector = await startCollector()
const traces = { endpoint: collector.url, headers: { 'x-token': 'for-the-collector' }, share: 1 }
const service = await testService({ traces, trustedProxies: [proxy] }, LOOPBACK)
const tenant = await service.tenant()
const key = await service.key(tenant)

const PARENT = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') }
const traceparent = `00-${PARENT.traceId}-${PARENT.spanId}-01`
const WORD = `canary${randomBytes(6).toString('hex')}`

const isOf = (name: string) => (span: OtlpSpan) => span.name === name

test('the requests, statements and webhook of one flow are spans, each below its cause', async () => {
  const receiver = await startReceiver()
  const body = {
    template: 'identity',
    purpose: WORD,
    metadata: { order: WORD },
    webhook_url: `${receiver.url}/${WORD}`,
  }
  const headers = { traceparent }
  const created = await service.call('POST', '/v1/verifications', { key, body, from: PROXY, headers })
  assert.equal(created.status, 201, created.text)
  const wallet = await testWallet(service)
  await wallet.present(created.json.wallet_uri)
  assert.equal((await service.call('GET', `/v1/verifications/${created.json.id}?x=${WORD}`, { key })).status, 200)
  const worker = await startDeliveries(service.deps)
  const spans = await collector.until(
    (all) =>
      all.some(isOf('outbound POST')) &&
      all.some(isOf('GET /v1/verifications/:id')) &&
      all.some(isOf('job deliver-webhook')),
  )
  await worker.stop()

  const creation = spans.find(isOf('POST /v1/verifications'))
  assert.ok(creation !== undefined)
  assert.deepEqual([creation.traceId, creation.parentSpanId], [PARENT.traceId, PARENT.spanId])
  assert.deepEqual(attributesOf(creation), {
    'http.request.method': 'POST',
    'http.route': '/v1/verifications',
    'http.response.status_code': 201,
  })
  const below = spans.filter(({ parentSpanId }) => parentSpanId === creation.spanId)
  assert.ok(below.some(isOf('write_creation_of_one')), 'the creation was committed')
  for (const span of below) {
    assert.equal(span.traceId, PARENT.traceId)
    assert.ok(BigInt(span.startTimeUnixNano) >= BigInt(creation.startTimeUnixNano) - 1_000_000n)
    assert.ok(BigInt(span.endTimeUnixNano) <= BigInt(creation.endTimeUnixNano) + 1_000_000n)
  }
  const sending = spans.find(isOf('outbound POST'))
  const delivery = spans.find(isOf('job deliver-webhook'))
  assert.equal(sending?.parentSpanId, delivery?.spanId)
  assert.deepEqual(sending && attributesOf(sending), { 'http.request.method': 'POST', 'vidimus.outcome': 'answered' })
  const response = spans.find(isOf('POST /wallet/response/:sessionId'))
  assert.ok(response !== undefined && response.traceId !== PARENT.traceId, "a wallet's request begins a separate trace")
  assert.ok(spans.some(({ parentSpanId, name }) => parentSpanId === response.spanId && name === 'write_endings_of_one'))
  assert.ok(collector.headers.every((sent) => sent['x-token'] === 'for-the-collector'))
})

/** The attributes that a span may have. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  'http.request.method': /^(GET|POST|DELETE|PUT|PATCH)$/,
  'http.route': /^(none|\/[\w/:.*-]*)$/,
  'http.response.status_code': /^\d{3}$/,
  'vidimus.code': /^[a-z_]+$/,
  'vidimus.outcome': /^[a-z_]+$/,
  'vidimus.job': /^[a-z-]+$/,
  'db.system.name': /^postgresql$/,
  'db.query.summary': /^[a-z_0-9]+$/,
}

test('a span identifies nothing: attributes are on a list, and no id, key or word is in what was sent', async () => {
  const created = await service.call('POST', '/v1/verifications', {
    key,
    body: { template: 'no_such', metadata: { order: WORD } },
  })
  assert.equal(created.status, 422)
  const isRefused = (span: OtlpSpan) => 'vidimus.code' in attributesOf(span)
  const spans = await collector.until((all) => all.some(isRefused))
  assert.deepEqual(attributesOf(spans.find(isRefused) ?? assert.fail()), {
    'http.request.method': 'POST',
    'http.route': '/v1/verifications',
    'http.response.status_code': 422,
    'vidimus.code': created.json.error.code,
  })
  for (const span of spans) {
    assert.deepEqual([span.events ?? [], span.links ?? []], [[], []], span.name)
    for (const [name, value] of Object.entries(attributesOf(span)))
      assert.match(String(value), ALLOWED[name] ?? /^$/, name)
  }
  const sent = collector.bodies.join('\n')
  const ids = await service.deps.db.query<{ id: string }>({
    name: 'test_all_ids',
    text: 'select id from verifications',
  })
  for (const secret of [WORD, key, tenant, '203.0.113.7', '127.0.0.1', 'example.com', ...ids.map(({ id }) => id)])
    assert.ok(!sent.includes(secret), secret)
})

test('a line of the access log has the trace, the code, the tenant and the environment', async () => {
  const answer = await service.call('POST', '/v1/verifications', {
    key,
    body: { template: 'no_such' },
    from: PROXY,
    headers: { traceparent },
  })
  const line = service.logged
    .map((text) => JSON.parse(text))
    .find((one) => one.request_id === answer.headers['request-id'])
  assert.equal(line.trace_id, PARENT.traceId)
  assert.equal(line.code, answer.json.error.code)
  assert.deepEqual([line.tenant, line.environment], [tenant, 'test'])
})

test('only a trusted proxy may set the trace and the request id', async () => {
  const traceId = randomBytes(16).toString('hex')
  const ask = async (from: string, headers: Record<string, string>) => {
    const answer = await service.app.inject({ url: '/healthz', remoteAddress: from, headers })
    const line = service.logged
      .map((text) => JSON.parse(text))
      .find((one) => one.request_id === answer.headers['request-id'])
    return { id: String(answer.headers['request-id']), trace: line.trace_id }
  }
  const used = await ask(PROXY, { traceparent, 'x-request-id': traceId })
  assert.deepEqual(used, { id: traceId, trace: PARENT.traceId })
  const stranger = await ask('203.0.113.9', { traceparent, 'x-request-id': traceId })
  assert.match(stranger.id, /^req_/)
  assert.notEqual(stranger.trace, PARENT.traceId)
  for (const id of ['short', 'jane.doe@example.com', `${traceId}"`, 'a'.repeat(65), '', '--------------------'])
    assert.match((await ask(PROXY, { 'x-request-id': id })).id, /^req_/, id)
  for (const wrong of [
    '',
    '00-0-0-01',
    `00-${'0'.repeat(32)}-${PARENT.spanId}-01`,
    `01-${PARENT.traceId}-${PARENT.spanId}-01`,
  ])
    assert.match((await ask(PROXY, { traceparent: wrong })).trace, /^[0-9a-f]{32}$/, wrong)
})

test('a collector that is unavailable, refuses or never answers is reported, and delays nothing', async () => {
  for (const behaviour of ['refuses', 'is silent'] as const) {
    const faulty = await startCollector(behaviour)
    const own = await testService({ traces: { ...traces, endpoint: faulty.url } })
    const ownKey = await own.key(await own.tenant())
    // Sends more spans than the queue takes.
    for (let n = 0; n < 300; n += 1) assert.equal((await own.call('GET', '/v1/templates', { key: ownKey })).status, 200)
    await within('the collector was asked', faulty.requested)
    if (behaviour === 'refuses') {
      const says = (line: string) => line.includes('the collector refuses traces')
      await waitUntil('the log says that traces are not taken', () => own.logged.some(says))
      const { values } = await own.deps.metrics.spans.get()
      assert.ok((values.find(({ labels }) => labels.outcome === 'lost')?.value ?? 0) > 0)
    }
    await own.deps.traces?.close()
  }
})

test('without an endpoint only the OpenTelemetry modules of the metrics library are loaded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-loaded-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const preload = join(folder, 'preload.mjs')
  await writeFile(preload, PRELOAD)
  const { url } = await testDatabase()
  const loaded = async (env: Record<string, string>) => {
    const LOADED = join(folder, 'loaded.txt')
    await writeFile(LOADED, '')
    const replicas = await startReplicas(url, 1, { ...env, LOADED, NODE_OPTIONS: `--import=${pathToFileURL(preload)}` })
    assert.equal((await fetch(`${replicas.urls[0]}/readyz`)).status, 200)
    await replicas.stop()
    const packages = [...(await readFile(LOADED, 'utf8')).matchAll(/@opentelemetry\/([\w-]+)/g)].map(([, name]) => name)
    return [...new Set(packages)].sort()
  }
  assert.deepEqual(await loaded({}), ['api'])
  assert.ok((await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).includes('sdk-trace'))
})

/** Records where every module comes from. */
const PRELOAD = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context)
    if (found.url.includes('opentelemetry')) appendFileSync(process.env.LOADED, found.url + '\\n')
    return found
  },
})
`
