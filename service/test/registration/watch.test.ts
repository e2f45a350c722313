// Tests the monitoring of registration certificates: dropped providers, changed statuses, near ends.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test, { after } from 'node:test'
import { mintSigner } from '@vidimus/wallet'
import { mintCrl, serialOf } from '../../../wallet/src/pki.ts'
import { createRegistrationCache } from '../../src/core/registrations/store/registration-cache.ts'
import { listRegistrationsAcrossTenants, loadRegistration } from '../../src/core/registrations/store/registrations.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { removeRegistration } from '../../src/features/registration/usecases/manage-registrations.ts'
import { listAnchors, removeAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { runJob } from '../harness/jobs.ts'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const DAY_MS = 86_400_000
const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { deps, clock } = service
const registrar = await testRegistrar(service)
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
await registerTenant(service, registrar, realm)

async function added(claims: object): Promise<string> {
  const answer = await addTo(service, realm, registrar.certify(claims))
  assert.ok(answer.outcome === 'added')
  return answer.registration.id
}
const verdictOf = async (id: string) => (await loadRegistration(deps.db, realm, id))?.verdict
const clear = async () => {
  for (const { id } of await listRegistrationsAcrossTenants(deps.db))
    await removeRegistration(deps, { realm, id, actor: OPERATOR })
}

test('R07: the job finds what its list has revoked, and an unavailable list changes nothing', async () => {
  const id = await added({ status: { status_list: { uri: registrar.list.uri, idx: 2 } } })
  assert.deepEqual(await verdictOf(id), { unverified: null, status: 'valid' })
  registrar.list.revoked.add(2)
  clock.advance(120_000)
  await runJob(deps, 'watch-registrations')
  assert.deepEqual(await verdictOf(id), { unverified: null, status: 'revoked' })
  registrar.list.up = false
  clock.advance(2 * DAY_MS)
  await runJob(deps, 'watch-registrations')
  assert.deepEqual(await verdictOf(id), { unverified: null, status: 'revoked' })
  registrar.list.up = true
  await clear()
})

const now = () => Math.floor(clock.now() / 1000)
/** The list of the registrar's authority, which can revoke the provider's signer. */
const signers = { up: true, revoked: false }
const server = createServer((_request, response) => {
  if (!signers.up) return response.destroy()
  const { key: signingKey, name: issuer } = registrar.authority
  const revoked = signers.revoked ? [{ serial: serialOf({ subjectKey: signer.key }), at: now() - 60 }] : []
  const [thisUpdate, nextUpdate] = [now() - 60, now() + 3_600]
  return response.end(mintCrl({ issuer, signingKey, thisUpdate, nextUpdate, revoked }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)
const signer = mintSigner(
  registrar.authority,
  { commonName: 'Registrar', country: 'UT' },
  { notBefore: now() - 1_000, notAfter: now() + 10_000_000, crl: `http://127.0.0.1:${address.port}/crl` },
)

test('a revoked signer of a provider stays revoked while its list is unavailable, and while no provider is trusted', async () => {
  const answer = await addTo(service, realm, registrar.certify({}, signer))
  assert.ok(answer.outcome === 'added', JSON.stringify(answer))
  const { id } = answer.registration
  const watched = async () => {
    clock.advance(2 * 3_600_000)
    await runJob(deps, 'watch-registrations')
    return (await verdictOf(id))?.unverified
  }
  signers.up = false
  assert.equal(await watched(), null, 'a list that was never read revokes nothing')
  Object.assign(signers, { up: true, revoked: true })
  const revoked = await watched()
  assert.match(revoked ?? '', /signer has been revoked/)
  signers.up = false
  assert.equal(await watched(), revoked)
  const anchors = (await listAnchors(deps)).filter(({ tenantId }) => tenantId === realm.tenantId)
  for (const anchor of anchors) await removeAnchor(deps, { id: anchor.id, actor: OPERATOR })
  assert.equal(await watched(), revoked)
  await registerTenant(service, registrar, realm)
  assert.equal(await watched(), revoked)
  Object.assign(signers, { up: true, revoked: false })
  assert.equal(await watched(), null, 'its list no longer names it')
  await clear()
})

test('R08: a provider that is dropped verifies nothing any more', async () => {
  const id = await added({})
  const anchors = (await listAnchors(deps)).filter(({ tenantId }) => tenantId === realm.tenantId)
  for (const anchor of anchors) await removeAnchor(deps, { id: anchor.id, actor: OPERATOR })
  clock.advance(6_000)
  await runJob(deps, 'watch-registrations')
  assert.equal(typeof (await verdictOf(id))?.unverified, 'string')
  await registerTenant(service, registrar, realm)
  clock.advance(6_000)
  await runJob(deps, 'watch-registrations')
  assert.equal((await verdictOf(id))?.unverified, null)
  await clear()
})

test('30, 7 and 1 days before the end of a certificate doctor, metric and dashboard report it', async () => {
  const owner = await person(service, realm.tenantId, 'owner')
  const end = clock.now() + 60 * DAY_MS
  await added({ exp: Math.floor(end / 1000), status: { status_list: { idx: 1, uri: registrar.list.uri } } })
  const readDiagnosis = async () => {
    const doctor = (await diagnose(deps)).find(({ area }) => area === 'registration')
    const [certificate] = (await owner.call('GET', '@/registration')).json.certificates
    const metrics = await deps.metrics.registry.metrics()
    const left = /vidimus_registration_certificate_seconds_left\{environment="test"\} (-?\d+)/.exec(metrics)?.[1]
    return [doctor?.status, certificate.ending, certificate.days_left, Number(left)]
  }
  assert.deepEqual(await readDiagnosis(), ['ok', null, 60, (60 * DAY_MS) / 1000])
  for (const [days, ending, status] of [
    [29, 30, 'warning'],
    [7, 7, 'warning'],
    [1, 1, 'warning'],
    [-1, 'ended', 'warning'],
  ] as const) {
    clock.set(end - days * DAY_MS)
    await person(service, realm.tenantId, 'owner').then((fresh) => Object.assign(owner, fresh))
    assert.deepEqual(await readDiagnosis(), [status, ending, days, (days * DAY_MS) / 1000])
  }
  await clear()
})

const left = async () => {
  const text = await deps.metrics.registry.metrics()
  return /vidimus_registration_certificate_seconds_left\{environment="test"\} (-?\d+)/.exec(text)?.[1]
}

test('a certificate with U+0000 that an earlier release stored hides no end of others, and is not sent any more', async () => {
  const end = now() + 5 * 86_400
  await added({ exp: end })
  const old = await added({ exp: now() + 60 * 86_400, name: 'Corner?Shop' })
  const jwt = registrar.certify({ name: 'Corner\u0000Shop' })
  const text = `update registration_certificates set jwt = $2, content = replace(content::text, '"Corner?Shop"', $3)::json
                where id = $1`
  const misleading = '"expiresAt":1\u0000'
  const values = [old, jwt, JSON.stringify(misleading)]
  await deps.db.query({ name: 'as_stored_before', text }, values)
  const [stored] = await deps.db.query<{ content: { serviceName: string } }>(
    { name: 'stored_before', text: 'select content from registration_certificates where id = $1' },
    [old],
  )
  assert.equal(stored?.content.serviceName, misleading)
  assert.equal(await left(), String(end - now()))
  await runJob(deps, 'watch-registrations')
  assert.equal((await verdictOf(old))?.unverified, 'its name is not a text')
  await clear()
})

test('a metric that cannot be read has no value, and raises an alarm; the others are reported', async () => {
  const id = await added({ exp: now() + 5 * 86_400 })
  const alarms = async () => {
    const text = await deps.metrics.registry.metrics()
    assert.match(text, /^vidimus_store_up 1$/m)
    return Number(/vidimus_alarms_total\{alarm="metric_not_read"\} (\d+)/.exec(text)?.[1])
  }
  assert.equal(await alarms(), 0)
  const text = `update registration_certificates set content = '{"expiresAt":1e999}' where id = $1`
  await deps.db.query({ name: 'no_number', text }, [id])
  assert.equal(await left(), undefined)
  assert.ok((await alarms()) > 0)
  const name = 'vidimus_registration_certificate_seconds_left'
  assert.match(service.logged.join('\n'), new RegExp(`the metric ${name} could not be read`))
  await deps.db.query({ name: 'no_row', text: 'delete from registration_certificates where id = $1' }, [id])
})

test('a removed certificate is deleted once no verification can need it', async () => {
  const id = await added({})
  await removeRegistration(deps, { realm, id, actor: OPERATOR })
  clock.advance(3_600_000)
  await runJob(deps, 'watch-registrations')
  assert.ok((await loadRegistration(deps.db, realm, id)) !== null)
  clock.advance(3_600_000 + 1000)
  await runJob(deps, 'watch-registrations')
  assert.equal(await loadRegistration(deps.db, realm, id), null)
})

test('many simultaneous creations ask the store once', async () => {
  await added({})
  let requestCount = 0
  const counting = {
    ...deps.db,
    query: ((statement: { name: string }, values: unknown[]) => {
      if (statement.name === 'list_registrations') requestCount += 1
      return deps.db.query(statement as never, values as never)
    }) as typeof deps.db.query,
  }
  const memory = await createRegistrationCache(counting)
  const found = await Promise.all(Array.from({ length: 50 }, () => memory.find(realm, clock.now())))
  assert.equal(found[49]?.registrations.length, 1)
  assert.equal(requestCount, 1)
  await memory.find(realm, clock.now() + 4_999)
  assert.equal(requestCount, 1)
  await memory.find(realm, clock.now() + 5_000)
  assert.equal(requestCount, 2)
  await memory.close()
})
