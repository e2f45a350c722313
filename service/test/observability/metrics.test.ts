// Tests that the service has exactly the metrics of docs/metrics.md, with correct values.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { insertTrustList, noteFailure, noteLoaded } from '../../src/features/trust/store/trust-lists.ts'
import { JOBS } from '../../src/job-table.ts'
import { MISSING } from '../../src/platform/errors.ts'
import { runDueJob } from '../../src/platform/jobs/run-due-job.ts'
import { instantOf } from '../../src/platform/world.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { startReplicas } from '../harness/servers/replicas.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { documentedMetrics, samplesOf, typesOf } from './metric-text.ts'

const service = await testService()
const key = await service.key(await service.tenant())
const documented = await documentedMetrics()

const scrape = async () => samplesOf((await service.call('GET', '/metrics', { from: '127.0.0.1' })).text)
const create = async (): Promise<string> => {
  const body = { template: 'age_over_18', purpose: 'Entry' }
  const answer = await service.call('POST', '/v1/verifications', { key, body })
  assert.equal(answer.status, 201, answer.text)
  return JSON.parse(answer.text).id
}

test('a running service has exactly the metrics of docs/metrics.md, of the documented type', async () => {
  // A separate store, because its worker counts in real time. No Redis listens there: the service runs without it.
  const { url } = await testDatabase()
  const replicas = await startReplicas(url, 1, { REDIS_URL: 'redis://127.0.0.1:9' })
  try {
    const answer = await fetch(`${replicas.urls[0]}/metrics`)
    assert.equal(answer.status, 200)
    const text = await answer.text()
    const types = typesOf(text)
    assert.deepEqual([...types.keys()].sort(), [...documented.keys()].sort())
    for (const [name, type] of types) assert.equal(documented.get(name)?.type, type, name)
    const values = samplesOf(text)
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    assert.equal(values.get(`vidimus_build_info{node="${process.version}",version="${version}"}`), 1)
    assert.equal(values.get('vidimus_store_up'), 1)
    assert.ok(Math.abs(values.get('vidimus_clock_offset_seconds') ?? Number.NaN) < 60)
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes'])
      assert.ok((values.get(name) ?? 0) > 0, name)
    // Each reading restarts the measurement, so a reading that follows too soon finds no value.
    let readAt = performance.now()
    let lag = 0
    await waitUntil('the event loop was measured between two readings', async () => {
      if (performance.now() - readAt < 300) return false
      readAt = performance.now()
      const text = await (await fetch(`${replicas.urls[0]}/metrics`)).text()
      lag = samplesOf(text).get('nodejs_eventloop_lag_p50_seconds') ?? 0
      return lag > 0
    })
    assert.ok(lag > 0.03, `an idle process is woken every ${lag} s`)
    assert.equal(values.get('vidimus_job_every_seconds{name="apply-retention"}'), 60)
  } finally {
    await replicas.stop()
  }
})

test('metrics have the labels of the docs, and no label names a tenant', async () => {
  const { registry } = service.deps.metrics
  for (const metric of registry.getMetricsAsArray()) {
    assert.ok('labelNames' in metric && Array.isArray(metric.labelNames), metric.name)
    assert.deepEqual([...metric.labelNames].sort(), documented.get(metric.name)?.labels, metric.name)
    assert.ok(!metric.labelNames.some((label: string) => /tenant|id$|principal|address/.test(label)), metric.name)
  }
})

test('counts creations, erasures and expiries, and shows when jobs last succeeded', async () => {
  const before = await scrape()
  await create()
  const erased = await create()
  assert.equal((await service.call('DELETE', `/v1/verifications/${erased}`, { key })).status, 200)
  service.clock.advance(3_600_000)
  const job = JOBS.find(({ name }) => name === 'count-endings')
  assert.ok(job !== undefined)
  assert.equal(await runDueJob(service.deps, job), 'done')
  const after = await scrape()
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  assert.equal(grown('vidimus_verifications_created_total{environment="test"}'), 2)
  assert.equal(grown('vidimus_verifications_erased_total{by="api_key"}'), 1)
  assert.equal(grown('vidimus_verifications_expired_total'), 1)
  const ranAt = after.get('vidimus_job_last_success_timestamp_seconds{name="count-endings"}')
  assert.ok(Math.abs((ranAt ?? 0) - service.clock.now() / 1000) < 1)
})

test('statements are timed by their names, ends of transactions and failures included', async () => {
  const { db } = service.deps
  const wrong = { name: 'test_wrong', text: 'select 1/$1::int' }
  await assert.rejects(db.transaction((tx) => tx.query(wrong, [0])))
  await create()
  const values = await scrape()
  for (const name of ['commit', 'rollback', 'test_wrong', 'takes_writes'])
    assert.ok((values.get(`vidimus_store_statement_seconds_count{statement="${name}"}`) ?? 0) > 0, name)
})

test('trust lists are measured by owner: how old the oldest is, when the first ends, how many fail', async () => {
  const { db, clock } = service.deps
  const at = (seconds: number) => instantOf(clock.now() + seconds * 1000)
  const list = (id: string, source: string) => ({ ...BLANK_LIST, id, source, createdAt: at(0) })
  await insertTrustList(db, list('tl_1', 'https://one.example/list'))
  await insertTrustList(db, list('tl_2', 'https://two.example/list'))
  await insertTrustList(db, list('tl_3', 'a-file.xml'))
  const owned = (id: string) => ({ id, tenantId: null, providers: BLANK_LIST.providers })
  const loaded = { issuer: null, sequence: null, issuedAt: null, signerChain: null, sha256: new Uint8Array(32) }
  await noteLoaded(db, owned('tl_1'), { ...loaded, nextUpdateAt: at(500), at: at(-90) })
  await noteLoaded(db, owned('tl_2'), { ...loaded, nextUpdateAt: at(900), at: at(-30) })
  await noteLoaded(db, owned('tl_3'), { ...loaded, nextUpdateAt: at(1_000), at: at(-9_000) })
  await noteFailure(db, owned('tl_2'), { at: at(0), failure: 'it did not answer' })
  const values = await scrape()
  assert.equal(values.get('vidimus_trust_list_age_seconds{owner="operator"}'), 90)
  assert.equal(values.get('vidimus_trust_list_seconds_left{owner="operator"}'), 500)
  assert.equal(values.get('vidimus_trust_lists_failing{owner="operator"}'), 1)
  assert.equal(values.get('vidimus_trust_lists_mismatched{owner="operator"}'), 0)
  await insertTrustList(db, { ...list('tl_4', 'https://four.example/list'), providers: null })
  await noteFailure(db, owned('tl_1'), { at: at(0), failure: 'it is another list', mismatched: true })
  assert.equal((await scrape()).get('vidimus_trust_lists_mismatched{owner="operator"}'), 2)
})

const BLANK_LIST = {
  tenantId: null,
  environment: 'test',
  byOwner: false,
  kind: 'lote',
  providers: 'pid',
  signer: null,
  signerAuthority: null,
  types: ['dc+sd-jwt:urn:eudi:pid:1'],
  issuer: null,
  sequence: null,
  issuedAt: null,
  nextUpdateAt: null,
  signerChain: null,
  loadedAt: null,
  attemptedAt: null,
  failure: null,
  mismatched: false,
  otherIssues: {},
} as const

test('a 503 is counted by its cause, and causes that did not occur are zero', async () => {
  const unavailable = await testService()
  await unavailable.deps.db.close()
  assert.equal((await unavailable.call('GET', '/readyz')).status, 503)
  assert.equal((await unavailable.call('GET', '/v1/usage', { key })).status, 503)
  const values = samplesOf((await unavailable.call('GET', '/metrics', { from: '127.0.0.1' })).text)
  assert.equal(values.get('vidimus_unavailable_total{cause="store"}'), 2)
  for (const cause of MISSING.filter((one) => one !== 'store'))
    assert.equal(values.get(`vidimus_unavailable_total{cause="${cause}"}`), 0, cause)
  assert.equal(values.get('vidimus_store_up'), 0)
})
