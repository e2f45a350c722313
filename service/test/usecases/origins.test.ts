// Tests origins of a tenant: proven by their hosts over real DNS and TLS, limited, with audit entries.

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { ORIGINS_PER_REALM_MAX } from '../../src/core/tenants/domain/origin.ts'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { addOrigin, readOrigins, removeOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { proveOrigin } from '../../src/features/trust/usecases/origins/prove-origin.ts'
import { diagnoseOrigins, recheckOrigins } from '../../src/features/trust/usecases/origins/recheck-origins.ts'
import { runDueJob } from '../../src/platform/jobs/run-due-job.ts'
import { runJob } from '../harness/jobs.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { makeAuthority } from '../outbound/certificates.ts'
import { startDnsServer } from '../outbound/dns-server.ts'
import { OUTSIDE, startReceiver } from '../outbound/world.ts'

const HOST = 'shop.merchant.com'
const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
after(() => dns.close())
const authority = await makeAuthority()
const service = await testService(
  {},
  { VIDIMUS_EGRESS_ALLOW: `${OUTSIDE}/32` },
  { dnsServers: [dns.address], extraCa: [authority.pem] },
)
const { deps, clock } = service

/** The host's next answer, and the requested paths. */
let body = ''
let head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain'
/** Returned for a request instead of its answer. */
let unanswered: (() => void) | null = null
const requests: string[] = []
const host = await startReceiver(
  (socket) => {
    socket.once('data', (bytes) => {
      requests.push(String(bytes).split('\r\n', 1)[0] ?? '')
      if (unanswered !== null) return unanswered()
      socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
  },
  { tls: await authority.issue({ names: [HOST] }) },
)
after(() => host.close())
const ORIGIN = `https://${HOST}:${host.port}`

async function realm(environment: Realm['environment'] = 'live'): Promise<Realm> {
  return { tenantId: await service.tenant(), environment }
}

async function added(at: Realm, origin = ORIGIN) {
  const addition = await addOrigin(deps, { realm: at, origin, actor: OPERATOR })
  assert.ok(addition.outcome === 'added', JSON.stringify(addition))
  return addition.origin
}

/** Checks an origin after the pause between checks. */
async function prove(at: Realm, id: string) {
  clock.advance(10_000)
  return proveOrigin(deps, { realm: at, id, actor: OPERATOR })
}

const isProven = async (at: Realm) => (await readOrigins(deps, at))[0]?.provenAt !== null

async function actionsOf({ tenantId, environment }: Realm): Promise<string[]> {
  const rows = await deps.db.query<{ bytes: Buffer }>(
    {
      name: 'test_origin_trail',
      text: 'select bytes from audit_entries where tenant_id = $1 and environment = $2 order by seq',
    },
    [tenantId, environment],
  )
  return rows.map(({ bytes }) => JSON.parse(bytes.toString()).action).filter((action) => action.startsWith('origin.'))
}

test('a host that shows the token proves its origin, and loses the proof when it no longer does', async () => {
  const at = await realm()
  const { id, token, provenAt } = await added(at)
  assert.equal(provenAt, null)
  body = 'nothing here'
  assert.equal(await prove(at, id), 'not_shown')
  body = `vidimus-origin=another\n${token}\n`
  assert.equal(await prove(at, id), 'proven')
  assert.equal(requests.at(-1), 'GET /.well-known/vidimus-origin.txt HTTP/1.1')
  assert.ok(await isProven(at))
  body = `${token}.`
  assert.equal(await prove(at, id), 'not_shown')
  assert.ok(!(await isProven(at)))
  assert.deepEqual(await actionsOf(at), ['origin.added', 'origin.proven', 'origin.unproven'])
})

test('a proven page is checked every day; on the third day without its line the proof ends, after warnings', async () => {
  const at = await realm()
  const { id, token } = await added(at)
  body = token
  assert.equal(await prove(at, id), 'proven')
  const days = async (shown: string) => {
    clock.advance(86_400_000)
    body = shown
    const before = requests.length
    await runJob(deps, 'recheck-origins')
    await runJob(deps, 'recheck-origins')
    return requests.length - before
  }
  const warnings = async () =>
    (await diagnoseOrigins(deps)).filter(({ finding }) => finding.startsWith(at.tenantId)).map(({ finding }) => finding)
  for (const shown of ['', '', token, '']) {
    assert.equal(await days(shown), 1)
    assert.ok(await isProven(at))
  }
  assert.deepEqual(await warnings(), [`${at.tenantId}: ${ORIGIN} did not show its line 1 of 3 times`])
  head = 'HTTP/1.1 503 Service Unavailable'
  assert.equal(await days(token), 1)
  assert.ok(await isProven(at))
  head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain'
  assert.equal(await days(''), 1)
  assert.ok(!(await isProven(at)))
  assert.match((await warnings())[0] ?? '', /verifications there are refused/)
  assert.equal(await days(token), 0)
  assert.deepEqual(await actionsOf(at), ['origin.added', 'origin.proven', 'origin.unproven'])
  assert.equal(await prove(at, id), 'proven')
  assert.deepEqual(await warnings(), [])
  await removeOrigin(deps, { realm: at, id, actor: OPERATOR })
})

test('an aborted check ends immediately, counts for no origin, and is not followed by another', async () => {
  const pages = await Promise.all(Array.from({ length: 20 }, async () => ({ at: await realm() })))
  const tokens: string[] = []
  for (const { at } of pages) {
    const { id, token } = await added(at)
    tokens.push(token)
    body = tokens.join('\n')
    assert.equal(await prove(at, id), 'proven')
  }
  clock.advance(86_400_000)
  const stopping = new AbortController()
  const before = requests.length
  unanswered = () => stopping.abort()
  const job = { name: 'recheck-origins', everySeconds: 60, leaseSeconds: 900, run: recheckOrigins }
  for (const signal of [AbortSignal.abort(), stopping.signal])
    assert.equal(await runDueJob(deps, job, signal), 'stopped')
  unanswered = null
  // Only the checks that were in progress with the first.
  assert.ok(requests.length - before <= 8)
  const already = requests.length
  await runJob(deps, 'recheck-origins')
  assert.ok(requests.length - already >= pages.length - 8, 'the next run checks the others')
  const tenants = new Set(pages.map(({ at }) => at.tenantId))
  const warned = (await diagnoseOrigins(deps)).filter(({ finding }) => tenants.has(finding.split(':', 1)[0] ?? ''))
  assert.deepEqual(warned, [])
  for (const { at } of pages)
    for (const { id } of await readOrigins(deps, at)) await removeOrigin(deps, { realm: at, id, actor: OPERATOR })
})

test("another tenant's token, or the other environment's, proves nothing", async () => {
  const [at, theirs] = [await realm(), await realm()]
  const test = { ...at, environment: 'test' as const }
  body = [await added(theirs), await added(test)].map(({ token }) => token).join('\n')
  assert.equal(await prove(at, (await added(at)).id), 'not_shown')
})

test('redirects are not followed, and an endless answer is refused', async () => {
  const at = await realm()
  const { id, token } = await added(at)
  body = token
  head = `HTTP/1.1 302 Found\r\nLocation: ${ORIGIN}/elsewhere`
  const before = requests.length
  assert.equal(await prove(at, id), 'not_shown')
  assert.equal(requests.length, before + 1)
  head = 'HTTP/1.1 404 Not Found'
  assert.equal(await prove(at, id), 'not_shown')
  head = 'HTTP/1.1 200 OK'
  body = `${token}\n${'x'.repeat(16 * 1024)}`
  assert.equal(await prove(at, id), 'not_shown')
  assert.ok(!(await isProven(at)))
})

test('an unreachable host loses nothing and proves nothing', async () => {
  const at = await realm()
  const { id, token } = await added(at)
  body = token
  assert.equal(await prove(at, id), 'proven')
  head = 'HTTP/1.1 503 Service Unavailable'
  assert.equal(await prove(at, id), 'not_reached')
  head = 'HTTP/1.1 200 OK'
  assert.ok(await isProven(at))
  // The certificate names another host, and an internal address is not asked at all.
  for (const origin of [`https://other.merchant.com:${host.port}`, `https://127.0.0.1:${host.port}`]) {
    const fresh = await realm('test')
    assert.equal(await prove(fresh, (await added(fresh, origin)).id), 'not_reached', origin)
    assert.ok(!(await isProven(fresh)))
  }
})

test('a host is asked once in ten seconds, however often the button is pressed', async () => {
  const at = await realm()
  const { id } = await added(at)
  body = ''
  clock.advance(10_000)
  const before = requests.length
  const proofs = await Promise.all(
    Array.from({ length: 5 }, () => proveOrigin(deps, { realm: at, id, actor: OPERATOR })),
  )
  assert.deepEqual(proofs.toSorted(), ['not_shown', 'too_soon', 'too_soon', 'too_soon', 'too_soon'])
  assert.equal(requests.length, before + 1)
})

test('localhost needs no proof in test, and only the operator approves an app', async () => {
  const at = await realm('test')
  assert.notEqual((await added(at, 'http://localhost:5173')).provenAt, null)
  const app = 'android:apk-key-hash:7d1043473d55bfa9'
  assert.notEqual((await added(at, app)).provenAt, null)
  const byStaff = await addOrigin(deps, { realm: await realm(), origin: app, actor: { type: 'user', id: 'usr_x' } })
  assert.deepEqual(byStaff, { outcome: 'refused', problem: 'app_by_operator' })
})

test('the number of origins of a realm is limited, also with simultaneous additions', async () => {
  const at = await realm('test')
  for (let n = 1; n < ORIGINS_PER_REALM_MAX; n += 1) await added(at, `https://shop-${n}.merchant.com`)
  const additions = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      addOrigin(deps, { realm: at, origin: `https://${name}.merchant.com`, actor: OPERATOR }),
    ),
  )
  assert.deepEqual(additions.map((one) => (one.outcome === 'refused' ? one.problem : one.outcome)).toSorted(), [
    'added',
    'too_many',
    'too_many',
  ])
  const [first] = await readOrigins(deps, at)
  assert.ok(await removeOrigin(deps, { realm: at, id: first?.id ?? '', actor: OPERATOR }))
  await added(at, 'https://d.merchant.com')
  assert.equal((await readOrigins(deps, at)).length, ORIGINS_PER_REALM_MAX)
})

test('staff add, prove and remove origins in the dashboard', async () => {
  const tenantId = await service.tenant()
  const admin = await person(service, tenantId, 'admin')
  const call = (path: string, sent: object = {}) =>
    admin.call('POST', `@/origins${path}`, { environment: 'live', body: sent })
  assert.deepEqual((await call('', { origin: `${ORIGIN}/` })).json, { outcome: 'refused', problem: 'not_an_origin' })
  const { origin } = (await call('', { origin: ORIGIN })).json
  assert.equal(origin.proof.url, `${ORIGIN}/.well-known/vidimus-origin.txt`)
  assert.deepEqual((await call('', { origin: ORIGIN })).json, { outcome: 'refused', problem: 'there_already' })
  body = origin.proof.line
  assert.deepEqual((await call(`/${origin.id}/prove`)).json, { outcome: 'proven' })
  assert.equal((await call(`/${origin.id}/remove`)).status, 200)
  const { data } = (await admin.call('GET', '@/origins', { environment: 'live' })).json
  assert.deepEqual(data, [])
})
