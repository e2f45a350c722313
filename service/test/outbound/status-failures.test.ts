// Tests that only the operator learns why a status list cannot be fetched.

import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { after, test } from 'node:test'
import { newListBudget } from '@vidimus/engine'
import { createIssuer, generateKey, issue, issuerAnchors, statusListJwt } from '@vidimus/wallet'
import { loadTenantSettings, updateTenantSettings } from '../../src/core/tenants/store/settings.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { FAILURES_KEPT, originOfList } from '../../src/features/trust/domain/list-failure.ts'
import { listListFailures, saveListFailures } from '../../src/features/trust/store/list-failures.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { createListFailureReports, REPORTS_PER_MINUTE } from '../../src/features/trust/usecases/report-list-failures.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from '../wallet/verifications.ts'
import { makeAuthority } from './certificates.ts'
import { startDnsServer } from './dns-server.ts'

const authority = await makeAuthority()
const dns = await startDnsServer((name) =>
  name === 'tls.issuer.com' ? { A: ['127.0.0.1'] } : name === 'inside.issuer.com' ? { A: ['10.0.0.1'] } : undefined,
)
after(() => dns.close())
const service = await testService(
  {},
  { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' },
  { dnsServers: [dns.address], extraCa: [authority.pem] },
)
const { deps, clock } = service
const now = () => Math.floor(clock.now() / 1000)

const server = createServer(await authority.issue({ names: ['localhost'] }), (request, response) => {
  if (request.url !== '/status-list.jwt') return response.writeHead(404).end()
  return response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(statusListJwt(issuer, now()))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())
const { port } = server.address() as { port: number }
const issuer = createIssuer({ base: `https://localhost:${port}`, now: now(), name: 'Issuer' })
const absent = createIssuer({ base: `https://localhost:${port}/absent`, now: now(), name: 'Issuer without lists' })

const tenant = await service.tenant()
const settings = await loadTenantSettings(deps.db, tenant)
assert.ok(settings !== null)
await updateTenantSettings(deps.db, tenant, { ...settings, statusPolicyTest: 'require' })
for (const anchor of [...issuerAnchors(issuer), ...issuerAnchors(absent)])
  await addAnchor(deps, { ...anchor, owner: { tenantId: tenant, environment: 'test' }, actor: OPERATOR })
const key = await service.key(tenant)

async function present(from: typeof issuer) {
  const wallet = await testWallet(service)
  const created = await create(service, key)
  const credentials = [issue(from, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: 0 })]
  const answer = await respond(
    service,
    created.id,
    await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }),
  )
  return { answer, result: await read(service, key, created.id) }
}

const warnings = () =>
  service.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'a status list could not be fetched')

const findings = async () => (await diagnose(deps)).filter(({ area }) => area === 'status list')

/** Failures are written a second after they happened. */
const found = (text: string) =>
  waitUntil(`doctor reports ${text}`, async () => (await findings()).some(({ finding }) => finding.includes(text)))

const ask = (uri: string) =>
  deps.statusLists.find({
    source: { kind: 'status_list_jwt', format: 'dc+sd-jwt', uri },
    environment: 'test',
    nowMs: clock.now(),
    owner: tenant,
    budget: newListBudget(),
  })

test('the origin of a list is bounded and in ASCII before it is parsed', () => {
  assert.equal(originOfList('https://tls.issuer.com/list?1'), 'https://tls.issuer.com')
  for (const uri of ['https://ｔls.issuer.com/1', `https://${'㌖'.repeat(500)}/1`, `https://a/${'b'.repeat(2048)}`])
    assert.equal(originOfList(uri), '(no web address)')
})

test('a list at https://localhost is fetched if VIDIMUS_EGRESS_ALLOW has its address', async () => {
  assert.equal((await present(issuer)).result.status, 'completed')
  assert.deepEqual(warnings(), [])
  assert.deepEqual(await findings(), [])
})

test('an operator reads in the log and in doctor why a list was not fetched; wallet and merchant do not', async () => {
  const { answer, result } = await present(absent)
  assert.equal(result.error.code, 'status_unavailable')
  for (const shown of [JSON.stringify(answer.json), JSON.stringify(result)])
    assert.doesNotMatch(shown, /404|http_status|localhost/)
  assert.deepEqual(
    warnings().map(({ level, environment, address, outcome, code }) => ({
      level,
      environment,
      address,
      outcome,
      code,
    })),
    [{ level: 'warn', environment: 'test', address: `https://localhost:${port}`, outcome: 'http_status', code: '404' }],
  )
  await found(`https://localhost:${port} could not be fetched: the host answered with an HTTP error (404)`)
})

const causes = [
  ['https://inside.issuer.com/list', 'egress_denied', 'resolved_private', /blocked by the egress policy/],
  ['https://unknown.issuer.com/list', 'dns_failure', 'name_not_found', /the host name was not resolved/],
  [`https://tls.issuer.com:${port}/list`, 'tls_error', 'ERR_TLS_CERT_ALTNAME_INVALID', /TLS failed/],
  ['https://printer/list', 'dns_failure', 'name_not_found', /the host name was not resolved/],
] as const

for (const [uri, outcome, code, words] of causes) {
  test(`${uri} fails as ${outcome}`, async () => {
    assert.deepEqual(await ask(uri), { outcome: 'unavailable', reason: 'the status could not be fetched' })
    const last = warnings().at(-1)
    assert.deepEqual([last?.outcome, last?.code], [outcome, code])
    await found(new URL(uri).origin)
    const finding = (await findings()).find((one) => one.finding.includes(new URL(uri).origin))
    assert.match(finding?.finding ?? '', words)
    assert.doesNotMatch(finding?.finding ?? '', /\/list/)
    assert.equal(finding?.status, 'warning')
    assert.ok(finding?.remedy)
  })
}

test('a day later doctor no longer reports failed fetches', async () => {
  clock.advance(86_400_001)
  assert.deepEqual(await findings(), [])
})

test('a day later retention deletes failed fetches, even if no fetch fails any more', async () => {
  const stored = async () => (await listListFailures(deps.db, instantOf(0))).map(({ origin }) => origin)
  const at = instantOf(clock.now())
  const recent = { environment: 'live', origin: 'https://recent.issuer.com', at } as const
  await saveListFailures(deps.db, [{ cause: 'timeout', reason: 'total', ...recent }])
  assert.ok((await stored()).length > 1)
  await runJob(deps, 'apply-retention')
  assert.deepEqual(await stored(), ['https://recent.issuer.com'])
  clock.advance(86_400_001)
  await runJob(deps, 'apply-retention')
  assert.deepEqual(await stored(), [])
})

test('however many lists fail, few are reported a minute, and the rest is counted', () => {
  const lines: [string, unknown][] = []
  const write = (message: string, fields?: unknown) => void lines.push([message, fields])
  const noted: string[] = []
  const report = createListFailureReports({
    log: { ...deps.log, warn: write },
    notes: { note: ({ id }) => void noted.push(id) },
  })
  const fail = (at: number, nowMs: number, environment: 'test' | 'live' = 'test') => {
    const uri = `https://${at}.issuer.com/list`
    const source = { kind: 'status_list_jwt', format: 'dc+sd-jwt', uri } as const
    report({ cause: 'dns_failure', reason: 'name_not_found' }, { source, environment, nowMs })
  }
  for (let at = 0; at < REPORTS_PER_MINUTE + 10; at++) for (const _again of [1, 2]) fail(at, 1000)
  assert.deepEqual([lines.length, noted.length], [REPORTS_PER_MINUTE, REPORTS_PER_MINUTE])
  fail(0, 1000, 'live')
  assert.deepEqual(noted.splice(0).at(-1), 'live https://0.issuer.com', 'what fails in test hides nothing of live')
  lines.splice(0)
  fail(0, 61_000)
  assert.deepEqual(lines[0], ['further status lists could not be fetched', { environment: 'test', count: 20 }])
  assert.equal(lines.length, 2)
})

test('the store keeps the newest failures of a day', async () => {
  const beganMs = clock.now()
  const failures = Array.from({ length: FAILURES_KEPT + 5 }, (_, at) => ({
    environment: 'test' as const,
    origin: `https://${at}.issuer.com`,
    cause: 'dns_failure' as const,
    reason: 'name_not_found',
    at: instantOf(beganMs + at),
  }))
  const inLive = { environment: 'live', origin: 'https://0.live.com', at: instantOf(beganMs - 1) } as const
  await saveListFailures(deps.db, [{ cause: 'timeout', reason: 'total', ...inLive }])
  await saveListFailures(deps.db, failures)
  const all = await listListFailures(deps.db, instantOf(0))
  assert.deepEqual(
    all.filter(({ environment }) => environment === 'live').map(({ origin }) => origin),
    ['https://0.live.com'],
    'what fails in test takes no room from live',
  )
  const kept = all.filter(({ environment }) => environment === 'test')
  assert.equal(kept.length, FAILURES_KEPT)
  assert.equal(kept.at(-1)?.origin, 'https://5.issuer.com')
})
