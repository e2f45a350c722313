// Tests the registration of a request: chosen at creation, frozen into the verification, and in every kind of request.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { createIssuer } from '@vidimus/wallet'
import { updateVerdict } from '../../src/core/registrations/store/registrations.ts'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import type { RecordedEntry } from '../../src/features/audit/domain/export.ts'
import { readTrail } from '../../src/features/audit/usecases/read-audit.ts'
import { scanChain } from '../../src/features/audit/usecases/scan-chain.ts'
import { removeRegistration } from '../../src/features/registration/usecases/manage-registrations.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { instantOf } from '../../src/platform/world.ts'
import { fetchOffer } from '../harness/dc-api.ts'
import { testClient, visit } from '../harness/openid-client.ts'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { authorizeUrl } from '../oidc/callers.ts'
import { create, decode } from '../wallet/verifications.ts'

const EGRESS = { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' }
const service = await testService({}, EGRESS)
const registrar = await testRegistrar(service)
const now = () => Math.floor(service.clock.now() / 1000)

const pid = (...paths: (string | number | null)[][]) => ({
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: paths.map((path) => ({ path })),
    },
  ],
})
const WITHIN = { query: pid(['family_name']) }
const BEYOND = { query: pid(['family_name'], ['address', 'locality']) }
const DELIVERY = {
  intended_use_id: 'delivery',
  credentials: [{ format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claim: [{ path: ['address'] }] }],
}

async function merchant(environment: 'test' | 'live', ...certificates: string[]) {
  const realm = { tenantId: await service.tenant(), environment } as const
  await registerTenant(service, registrar, realm)
  const ids: string[] = []
  for (const jwt of certificates) {
    const added = await addTo(service, realm, jwt)
    assert.ok(added.outcome === 'added', added.outcome === 'refused' ? added.problem : '')
    ids.push(added.registration.id)
  }
  return { realm, ids, key: await service.key(realm.tenantId, { environment }) }
}

const ask = (key: string, body: object) => service.call('POST', '/v1/verifications', { key, body })

async function requestOf(id: string) {
  const { text } = await service.call('GET', `/wallet/request/${id}`)
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any claim
  return decode(text).claims as any
}

test('R01, R02: the request has exactly one entry, the certificate by value, and nothing else in it', async () => {
  const jwt = registrar.certify()
  const { key } = await merchant('live', jwt)
  const created = await create(service, key, WITHIN)
  assert.deepEqual((await requestOf(created.id)).verifier_info, [{ format: 'registration_cert', data: jwt }])
})

test('a tenant without certificates asks as before, and is refused in live if it names an intended use', async () => {
  const { key } = await merchant('live')
  const created = await create(service, key, WITHIN)
  assert.equal('verifier_info' in (await requestOf(created.id)), false)
  assertRefused(await ask(key, { ...WITHIN, intended_use: 'age-check' }), 422, 'not_registered')
})

test('if the operator requires registration, live refuses a tenant without a certificate, and test warns', async (t) => {
  const strict = await testService(
    {},
    { VIDIMUS_REGISTERED_ONLY: 'on', ...EGRESS },
    { ends: { after: (work) => t.after(work) } },
  )
  const trusted = await testRegistrar(strict)
  for (const environment of ['live', 'test'] as const) {
    const realm = { tenantId: await strict.tenant(), environment }
    await registerTenant(strict, trusted, realm)
    const key = await strict.key(realm.tenantId, { environment })
    const createWithin = () => strict.call('POST', '/v1/verifications', { key, body: WITHIN })
    const without = await createWithin()
    if (environment === 'live') assertRefused(without, 422, 'not_registered')
    else assert.match(String(without.headers['vidimus-warning']), /^"not_registered: /)
    assert.equal((await addTo(strict, realm, trusted.certify())).outcome, 'added')
    strict.clock.advance(10_000)
    const within = await createWithin()
    assert.deepEqual([within.status, within.headers['vidimus-warning']], [201, undefined])
  }
})

test('a sign-in beyond the registration is refused: its client gets the error, the person sees no page', async () => {
  const { realm } = await merchant('live', registrar.certify())
  const terms = { redirectUris: ['https://shop.example/callback'], environment: 'live' } as const
  const url = authorizeUrl(await testClient(service, realm.tenantId, terms), { scope: 'openid vidimus:address' })
  const { location } = await visit(service, url.pathname + url.search)
  assert.equal(new URL(location).searchParams.get('error'), 'invalid_scope')
})

test('acr_values is a preference: a template beyond the registration is ignored, and the sign-in continues', async () => {
  const { realm, key } = await merchant('live', registrar.certify())
  const document = { title: 'Name', ...WITHIN }
  await saveTemplate(service.deps, { realm, key: 'name', actor: OPERATOR, document })
  const terms = { redirectUris: ['https://shop.example/callback'], environment: 'live' } as const
  const client = await testClient(service, realm.tenantId, {
    ...terms,
    templates: ['name', 'address'],
    defaultTemplate: 'name',
  })
  const url = authorizeUrl(client, { acr_values: 'urn:vidimus:template:address' })
  const { location } = await visit(service, url.pathname + url.search)
  const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1]
  assert.ok(id !== undefined, location)
  assert.equal((await service.call('GET', `/v1/verifications/${id}`, { key })).json.template, 'name')
})

test('R15: a verification keeps its chosen certificate byte for byte, whatever is added or removed later', async () => {
  const first = registrar.certify()
  const { realm, ids, key } = await merchant('live', first)
  const created = await create(service, key, WITHIN)
  service.clock.advance(1000)
  const second = registrar.certify()
  assert.equal((await addTo(service, realm, second)).outcome, 'added')
  assert.ok(await removeRegistration(service.deps, { realm, id: ids[0] ?? '', actor: OPERATOR }))
  for (let i = 0; i < 2; i += 1) assert.equal((await requestOf(created.id)).verifier_info[0].data, first)
  const { json: offer } = await fetchOffer(service, created.id)
  const [, offered = ''] = offer.requests[0].data.request.split('.')
  assert.equal(JSON.parse(Buffer.from(offered, 'base64url').toString()).verifier_info[0].data, first)
  const next = await create(service, key, WITHIN)
  assert.equal((await requestOf(next.id)).verifier_info[0].data, second)
})

test('R16: the audit entry has the hash of the certificate and the intended use, and no claim', async () => {
  const { realm, key } = await merchant('live', registrar.certify())
  await create(service, key, WITHIN)
  const [entry] = (await readTrail(service.deps, realm, { before: null, limit: 1 })).entries
  assert.ok(entry !== undefined)
  assert.equal(entry.action, 'verification.created')
  const { registration, intended_use, ...rest } = { ...entry.details } as Record<string, unknown>
  assert.match(String(registration), /^[0-9a-f]{64}$/)
  assert.equal(intended_use, 'age-check')
  assert.ok(!JSON.stringify(rest).includes('family_name'))
})

test('R16: the hash survives the erasure of the verification, and the chain is complete', async () => {
  const jwt = registrar.certify()
  const { realm, key } = await merchant('live', jwt)
  const verification = await create(service, key, WITHIN)
  assert.equal((await service.call('DELETE', `/v1/verifications/${verification.id}`, { key })).status, 200)
  const scan = scanChain(service.deps, realm, { checkpoints: [] })
  const entries: RecordedEntry[] = []
  let step = await scan.next()
  // bounded: by the entries of the chain.
  for (; step.done !== true; step = await scan.next()) entries.push(step.value)
  assert.equal(step.value.outcome, 'whole')
  const created = entries.find(({ entry }) => JSON.parse(entry).action === 'verification.created')
  assert.equal(created?.details, null, "the merchant's texts are gone")
  const hash = createHash('sha256').update(jwt, 'ascii').digest('hex')
  assert.equal(JSON.parse(created?.entry ?? '{}').registration, hash)
})

test('a repeated stored response has its warnings', async () => {
  const { realm, ids, key } = await merchant('test', registrar.certify())
  const headers = { 'idempotency-key': 'warned-1' }
  const again = () => service.call('POST', '/v1/verifications', { key, headers, body: BEYOND })
  const first = await again()
  assert.match(String(first.headers['vidimus-warning']), /over_asking/)
  // After this removal a new creation would have other warnings.
  await removeRegistration(service.deps, { realm, id: ids[0] ?? '', actor: OPERATOR })
  const second = await again()
  assert.deepEqual(
    [second.text, second.headers['idempotent-replayed'], second.headers['vidimus-warning']],
    [first.text, 'true', first.headers['vidimus-warning']],
  )
  const quiet = { 'idempotency-key': 'quiet-1' }
  for (let i = 0; i < 2; i += 1) {
    const answer = await service.call('POST', '/v1/verifications', { key, headers: quiet, body: WITHIN })
    assert.equal(answer.headers['vidimus-warning'], undefined)
  }
})

test('the OpenAPI document names the headers of a creation', async () => {
  const { paths } = (await service.call('GET', '/openapi.json')).json
  const { headers } = paths['/v1/verifications'].post.responses['201']
  assert.deepEqual(Object.keys(headers).sort(), [
    'Idempotent-Replayed',
    'Link',
    'Location',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'Request-Id',
    'Vidimus-Warning',
  ])
  assert.equal(headers['Vidimus-Warning'].schema.type, 'string')
})

test('over-asking: live refuses and names query, path and the intended use that covers it; test warns', async () => {
  const certificates = () => [registrar.certify(), registrar.certify(DELIVERY)]
  const live = await merchant('live', ...certificates())
  const refused = await ask(live.key, { ...BEYOND, intended_use: 'age-check' })
  assertRefused(refused, 422, 'over_asking')
  const { message } = refused.json.error
  for (const part of ['age-check', "'pid'", '["address","locality"]', "'delivery' covers it"])
    assert.ok(message.includes(part), message)
  const { key } = await merchant('test', ...certificates())
  const warned = await ask(key, { ...BEYOND, intended_use: 'age-check' })
  assert.equal(warned.status, 201)
  assert.match(String(warned.headers['vidimus-warning']), /^"over_asking: The intended use 'age-check' .*\\"address\\"/)
  assert.equal((await requestOf(warned.json.id)).verifier_info.length, 1)
  const fine = await ask(key, { ...WITHIN, intended_use: 'age-check' })
  assert.equal(fine.headers['vidimus-warning'], undefined)
})

test('the intended use is named by the creation or the template, or is the only one that covers the query; it is never guessed', async () => {
  const age = registrar.certify()
  const delivery = registrar.certify(DELIVERY)
  const wide = registrar.certify({ intended_use_id: 'wide' })
  const { realm, key } = await merchant('live', age, delivery, wide)
  const sent = async (body: object) => (await requestOf((await create(service, key, body)).id)).verifier_info[0].data
  assert.equal(await sent({ ...WITHIN, intended_use: 'wide' }), wide)
  assert.equal(await sent({ query: pid(['address', 'locality']) }), delivery)
  assertRefused(await ask(key, WITHIN), 422, 'not_registered')
  const saved = await saveTemplate(service.deps, {
    realm,
    key: 'mine',
    document: { ...WITHIN, intended_use: 'age-check' },
    actor: OPERATOR,
  })
  assert.equal(saved.outcome, 'created')
  assert.equal(await sent({ template: 'mine' }), age)
  assert.equal(await sent({ template: 'mine', intended_use: 'wide' }), wide)
  assertRefused(await ask(key, { ...WITHIN, intended_use: 'unknown' }), 422, 'not_registered')
  assertRefused(await ask(key, { ...WITHIN, intended_use: 'two words' }), 400, 'invalid_request')
})

test('the newest certificate of an intended use is used, unless it has a problem', async () => {
  const { realm, key } = await merchant('live', registrar.certify())
  service.clock.advance(1000)
  const renewed = registrar.certify()
  const added = await addTo(service, realm, renewed)
  assert.ok(added.outcome === 'added')
  const data = async () => (await requestOf((await create(service, key, WITHIN)).id)).verifier_info[0].data
  assert.equal(await data(), renewed)
  const { id } = added.registration
  const verdict = { unverified: null, status: 'revoked' } as const
  await updateVerdict(service.deps.db, realm, { id, verdict, at: instantOf(service.clock.now()) })
  service.clock.advance(6_000)
  assert.notEqual(await data(), renewed)
})

test('R06, R07: live does not use an expired or revoked certificate; test sends it and warns', async () => {
  const short = { exp: now() + 100 }
  const live = await merchant('live', registrar.certify(short))
  const trial = await merchant('test', registrar.certify(short))
  service.clock.advance(200_000)
  assertRefused(await ask(live.key, WITHIN), 422, 'not_registered')
  const warned = await ask(trial.key, WITHIN)
  assert.match(String(warned.headers['vidimus-warning']), /not_registered: .*it has expired/)
  const revoked = await merchant('live', registrar.certify())
  const verdict = { unverified: null, status: 'revoked' } as const
  const at = instantOf(service.clock.now())
  await updateVerdict(service.deps.db, revoked.realm, { id: revoked.ids[0] ?? '', verdict, at })
  service.clock.advance(6_000)
  assertRefused(await ask(revoked.key, WITHIN), 422, 'not_registered')
})

test('a template that over-asks is refused in live, and saved with a warning in test', async () => {
  const save = (realm: Awaited<ReturnType<typeof merchant>>['realm'], document: object) =>
    saveTemplate(service.deps, { realm, key: 'mine', document, actor: OPERATOR })
  const live = await merchant('live', registrar.certify())
  const named = { ...BEYOND, intended_use: 'age-check' }
  await assert.rejects(save(live.realm, named), { code: 'over_asking' })
  await assert.rejects(save(live.realm, BEYOND), { code: 'over_asking' })
  await assert.rejects(save(live.realm, { ...WITHIN, intended_use: 'unknown' }), { code: 'not_registered' })
  assert.equal((await save(live.realm, WITHIN)).outcome, 'created')
  const trial = await merchant('test', registrar.certify())
  const saved = await save(trial.realm, named)
  assert.ok(saved.outcome === 'created')
  assert.deepEqual(
    saved.concerns.map(({ code }) => code),
    ['over_asking'],
  )
})

test('a built-in template names a domestic PID only if it is registered together with the European PID', async () => {
  const [european, german] = ['urn:eudi:pid:1', 'urn:eudi:pid:de:1']
  const registering = (use: string, ...types: string[]) =>
    registrar.certify({
      intended_use_id: use,
      credentials: [
        ...['given_name', 'family_name', 'birthdate'].map((name) => ({
          format: 'dc+sd-jwt',
          meta: { vct_values: types },
          claim: [{ path: [name] }],
        })),
        ...['eu.europa.ec.eudi.pid.1', 'org.iso.18013.5.1'].map((space) => ({
          format: 'mso_mdoc',
          meta: { doctype_value: space === 'org.iso.18013.5.1' ? `${space}.mDL` : space },
          claim: [{ path: [space] }],
        })),
      ],
    })
  const { realm, key } = await merchant('live', registering('one', european), registering('both', german, european))
  const issuer = createIssuer({ base: 'https://issuer.example', now: now(), name: 'National issuer' })
  const anchor = await addAnchor(service.deps, {
    owner: realm,
    kind: 'ca',
    profile: 'generic',
    types: [`dc+sd-jwt:${german}`, `dc+sd-jwt:${european}`],
    certificate: new Uint8Array(Buffer.from(issuer.sdJwt.authority.certificate, 'base64')),
    actor: OPERATOR,
  })
  assert.equal(anchor.outcome, 'added')
  service.clock.advance(5_001)
  for (const [use, types] of [
    ['one', [european]],
    ['both', [european, german]],
  ] as const) {
    const created = await create(service, key, { template: 'identity', intended_use: use })
    const { credentials } = (await requestOf(created.id)).dcql_query
    assert.deepEqual(credentials[0].meta.vct_values, types, use)
  }
})
