// Tests status lists over the network: fetched once, cached as long as they say, and never from an internal address.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import {
  createIssuer,
  crlUri,
  generateKey,
  issue,
  issuerAnchors,
  issuerCrl,
  statusListCwt,
  statusListJwt,
} from '@vidimus/wallet'
import { loadTenantSettings, updateTenantSettings } from '../../src/core/tenants/store/settings.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { OPERATOR, type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from './verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const now = () => Math.floor(service.clock.now() / 1000)
const fetched: string[] = []
let up = true
/** Whether the host serves a list of another signer with the name of the issuer. */
let hijacked = false
const server = createServer((request, response) => {
  fetched.push(request.url ?? '')
  if (!up) return response.destroy()
  const [type, body] =
    request.url === '/status-list.jwt'
      ? ['application/statuslist+jwt', statusListJwt(hijacked ? impostor : issuer, now())]
      : request.url === '/status-list.cwt'
        ? ['application/statuslist+cwt', statusListCwt(issuer, now())]
        : ['application/pkix-crl', issuerCrl(issuer, now())]
  response.setHeader('content-type', type)
  return response.end(body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)
const issuer = createIssuer({ base: `http://127.0.0.1:${address.port}`, now: now(), name: 'Issuer' })
const impostor = createIssuer({ base: issuer.base, now: now(), name: 'Issuer' })

async function tenantOf(to: TestService, statusPolicyTest: 'require' | 'prefer'): Promise<string> {
  const tenant = await to.tenant()
  const settings = await loadTenantSettings(to.deps.db, tenant)
  assert.ok(settings !== null)
  await updateTenantSettings(to.deps.db, tenant, { ...settings, statusPolicyTest })
  for (const anchor of issuerAnchors(issuer)) {
    await addAnchor(to.deps, { ...anchor, owner: { tenantId: tenant, environment: 'test' }, actor: OPERATOR })
  }
  return to.key(tenant)
}

const require = await tenantOf(service, 'require')
const prefer = await tenantOf(service, 'prefer')

async function result(
  key: string,
  options: { to?: TestService; kind?: 'pid_sd_jwt' | 'pid_mdoc'; statusIndex?: number } = {},
) {
  const { to = service, kind = 'pid_sd_jwt', statusIndex = 0 } = options
  const wallet = await testWallet(to)
  const created = await create(to, key)
  const credentials = [
    issue(issuer, kind, { holderKey: generateKey(), now: Math.floor(to.clock.now() / 1000), statusIndex }),
  ]
  await respond(to, created.id, await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  return read(to, key, created.id)
}

test('a list is fetched once for all callers, also simultaneous ones, and again when its time to live is over', async () => {
  const ends = await Promise.all(Array.from({ length: 5 }, () => result(require)))
  assert.deepEqual(
    ends.map(({ status }) => status),
    Array(5).fill('completed'),
  )
  assert.deepEqual(fetched, ['/status-list.jwt'])
  service.clock.advance(299_000)
  await result(require)
  assert.equal(fetched.length, 1)
  service.clock.advance(2_000)
  await result(require)
  assert.equal(fetched.length, 2)
})

test('both forms and the revocation list of the signer are checked', async () => {
  fetched.length = 0
  assert.equal((await result(require, { kind: 'pid_mdoc' })).status, 'completed')
  assert.deepEqual(fetched.sort(), [new URL(crlUri(issuer.base)).pathname, '/status-list.cwt'])
})

test('a revoked credential is refused, also from the cache', async () => {
  assert.equal((await result(prefer, { statusIndex: 1 })).error.code, 'credential_revoked')
  assert.equal((await result(prefer, { statusIndex: 2 })).error.code, 'credential_suspended')
})

test('N213: no list is fetched for a credential that is not genuine', async () => {
  service.clock.advance(400_000)
  fetched.length = 0
  const wallet = await testWallet(service)
  const created = await create(service, require)
  await wallet.present(created.wallet_uri, 'wrong_nonce', { issuer, formats: ['dc+sd-jwt'] })
  assert.equal((await read(service, require, created.id)).error.code, 'holder_binding_invalid')
  assert.deepEqual(fetched, [])
})

test('N212: without the host the policy of the tenant decides, but revoked credentials stay revoked for an hour', async () => {
  const warned = async () => {
    const lenient = await result(prefer)
    assert.equal(lenient.status, 'completed')
    const [finding] = lenient.credentials[0].findings
    assert.deepEqual([finding.check, finding.status], ['not_revoked', 'warning'])
  }
  await result(require)
  up = false
  service.clock.advance(301_000)
  assert.equal((await result(require)).error.code, 'status_unavailable')
  await warned()
  assert.equal((await result(prefer, { statusIndex: 1 })).error.code, 'credential_revoked')
  service.clock.advance(3_600_000)
  assert.equal((await result(require)).error.code, 'status_unavailable')
  await warned()
  assert.equal((await result(prefer, { statusIndex: 1 })).status, 'completed')
  up = true
})

test('a host that failed is not asked for a while, and then again', async () => {
  up = false
  service.clock.advance(30_000)
  fetched.length = 0
  await result(prefer)
  await result(prefer)
  assert.equal(fetched.length, 1)
  up = true
  service.clock.advance(10_001)
  assert.equal((await result(require)).status, 'completed')
})

test('an untrusted list replaces no good list: revoked stays revoked, and the good list returns immediately', async () => {
  service.clock.advance(400_000)
  assert.equal((await result(require)).status, 'completed')
  hijacked = true
  service.clock.advance(301_000)
  assert.equal((await result(require)).error.code, 'status_unavailable')
  assert.equal((await result(prefer, { statusIndex: 1 })).error.code, 'credential_revoked')
  hijacked = false
  service.clock.advance(10_001)
  assert.equal((await result(require)).status, 'completed')
})

test('N208: an internal status address is never reached', async () => {
  const guarded = await testService()
  guarded.clock.set(service.clock.now())
  fetched.length = 0
  const end = await result(await tenantOf(guarded, 'require'), { to: guarded })
  assert.equal(end.error.code, 'status_unavailable')
  assert.deepEqual(fetched, [])
})
