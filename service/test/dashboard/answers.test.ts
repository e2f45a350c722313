// Tests that every route of the dashboard has a schema, and that every answer matches it.

import assert from 'node:assert/strict'
import test from 'node:test'
import { fastify } from 'fastify'
import { generateResultKey } from '../../../sdk/typescript/src/result.ts'
import { openApiDocument } from '../../src/features/docs/openapi/document.ts'
import { permitted } from '../../src/features/staff/http/access.ts'
import { addressOf, PERMISSIONS, type PermittedRoute } from '../../src/features/staff/http/permissions.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import type { TrustList } from '../../src/features/trust/domain/anchor.ts'
import { insertTrustList } from '../../src/features/trust/store/trust-lists.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import type { Environment } from '../../src/platform/world.ts'
import type { Answer } from '../harness/answer.ts'
import { createAnswerCheck } from '../harness/answers.ts'
import { runJob } from '../harness/jobs.ts'
import { LOGO } from '../harness/pages/brands.ts'
import { MERCHANT_ID, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { PASSWORD, person, post, tokenOf } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { declined, deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const tenant = await service.tenant({ name: 'Ours' })
const owner = await person(service, tenant, 'owner')
const ROUTES = Object.keys(PERMISSIONS) as PermittedRoute[]

/** Returns the schema of a route's answer if nothing is refused. */
function successesOf(route: PermittedRoute): object[] {
  const { method, url } = addressOf(route)
  const known = service.app.knownRoutes.find((one) => one.method === method && one.url === url)
  return Object.entries(known?.schema.response ?? {}).flatMap(([status, schema]) =>
    Number(status) < 400 ? [schema] : [],
  )
}

/** Returns a schema and all schemas inside it. */
function within(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return []
  const parts = Object.values(schema).flatMap(within)
  return Array.isArray(schema) ? parts : [{ ...schema }, ...parts]
}

test('every route has a schema for its answer, and no member of it is left open by mistake', () => {
  for (const route of ROUTES) {
    const successes = successesOf(route)
    assert.equal(successes.length, 1, `${route} describes ${successes.length} answers`)
    for (const schema of within(successes).filter(({ type }) => type === 'object')) {
      const { properties, additionalProperties, patternProperties } = schema
      const isClosed = additionalProperties === false || patternProperties !== undefined
      assert.ok(
        isClosed || (additionalProperties === true && properties === undefined),
        `${route}: ${JSON.stringify(schema)}`,
      )
    }
  }
})

test('each name belongs to one schema', () => {
  const known = new Map<unknown, string>()
  for (const { $id, ...schema } of ROUTES.flatMap((route) => within(successesOf(route)))) {
    // A member may have the same name as the keyword.
    if (typeof $id !== 'string') continue
    const text = JSON.stringify(schema)
    assert.equal(known.get($id) ?? text, text, `${$id} means two things`)
    known.set($id, text)
  }
  assert.ok(known.has('Verification') && known.has('CredentialResult'))
})

test('the OpenAPI document of merchants has none of these schemas', async () => {
  const { paths } = (await service.call('GET', '/openapi.json')).json
  assert.deepEqual(
    Object.keys(paths).filter((path) => path.includes('dashboard')),
    [],
  )
})

test('answers are compared with the OpenAPI document of merchants', async () => {
  const { servers: _, ...served } = (await service.call('GET', '/openapi.json')).json
  const { servers: __, ...document } = JSON.parse(JSON.stringify(openApiDocument(service.app.knownRoutes, '/')))
  assert.deepEqual(served, document)
})

test('an answer with an extra member, or without a required one, fails the test that requested it', async () => {
  const check = createAnswerCheck(service.app)
  const answer = await owner.call('GET', '/me')
  const { fresh_until: _, ...less } = answer.json
  const checkAnswer = (json: unknown) => () => check('GET', '/dashboard/api/me', { ...answer, json })
  assert.doesNotThrow(checkAnswer(answer.json))
  assert.throws(checkAnswer({ ...answer.json, more: 1 }), /must NOT have additional properties/)
  assert.throws(checkAnswer({ ...answer.json, service: { ...answer.json.service, more: 1 } }), /additional properties/)
  assert.throws(checkAnswer(less), /fresh_until/)
  assert.throws(() => check('GET', '/dashboard/api/me', { ...answer, status: 202 }), /its description lacks/)
  // Files for the browser have no schema.
  assert.equal((await service.call('GET', '/dashboard')).status < 500, true)
})

test('a member that the schema lacks is sent anyway, so that the test sees it', async () => {
  const schema = { response: { 200: { type: 'object', properties: {}, additionalProperties: false } } }
  const send = async (guards: object) => {
    const app = fastify()
    app.route({ method: 'GET', url: '/', ...guards, schema, handler: async () => ({ more: 1 }) })
    return (await app.inject('/')).payload
  }
  const { serializerCompiler } = permitted(service.deps, 'GET /sign-in/ways')
  assert.equal(await send({ serializerCompiler }), '{"more":1}')
  assert.equal(await send({}), '{}', 'as it would be without')
})

/** Imports a list for this tenant as the operator. */
async function keepList(tenantId: string): Promise<string> {
  const list: TrustList = {
    ...{ id: 'lst_test', tenantId, environment: 'test', kind: 'lote', source: 'https://list.example', signer: null },
    ...{ byOwner: true },
    ...{ signerAuthority: null, types: [], createdAt: '2026-01-01T00:00:00.000000Z', issuer: null, sequence: null },
    ...{
      issuedAt: null,
      nextUpdateAt: null,
      signerChain: null,
      loadedAt: null,
      attemptedAt: null,
      failure: null,
      providers: null,
      mismatched: false,
      otherIssues: {},
    },
  }
  await insertTrustList(service.deps.db, list)
  return list.id
}

/** Routes whose success other tests check, with an authenticator or a provider. */
const ELSEWHERE: readonly PermittedRoute[] = [
  'POST /sign-in/passkey',
  'POST /me/passkeys',
  'POST /me/passkeys/remove',
  'POST /sign-in/lost-access',
  'POST /sign-in/lost-access/use',
  'POST /sign-in/oidc',
  'POST /sign-in/oidc/again',
  'GET /sign-in/oidc/callback',
]

test('every route succeeds, and its answer has its schema', async () => {
  const seen = new Set<string>()
  const noted = (route: PermittedRoute, answer: Answer): Answer => {
    assert.ok(answer.status < 300, `${route}: ${answer.text}`)
    seen.add(route)
    return answer
  }
  /** Calls a route as the owner; `of` is the parameter of the path. */
  const go = async (route: PermittedRoute, body?: object, of = '', environment: Environment = 'test') => {
    const [method = '', path = ''] = route.split(' ')
    const filled = path.replace(/:(id|key)/, of)
    return noted(route, await owner.call(method, filled, { environment, ...(body === undefined ? {} : { body }) }))
  }
  const key = await service.key(tenant)
  const wallet = await testWallet(service)
  const receiver = await startReceiver()
  const [anchor] = service.deps.sandbox?.anchors ?? []
  assert.ok(anchor !== undefined)
  const added = await addAnchor(service.deps, {
    ...anchor,
    owner: { tenantId: tenant, environment: 'test' },
    actor: OPERATOR,
  })
  assert.equal(added.outcome, 'added')

  const created = (
    await go('POST @/verifications', { template: 'identity', purpose: 'To try it', idempotency_key: 'k'.repeat(16) })
  ).json
  await wallet.present(created.wallet_uri)
  const dropped = (await go('POST @/verifications', { template: 'identity', idempotency_key: 'c'.repeat(16) })).json
  await go('GET @/verifications/:id', undefined, dropped.id)
  await go('POST @/verifications/:id/cancel', {}, dropped.id)
  const poster = { template: 'age_over_18', reference: 'Door 3', uses: null, idempotency_key: 'l'.repeat(16) }
  const link = (await go('POST @/links', poster)).json
  assert.deepEqual((await go('GET @/links')).json.data[0].reference, { name: 'reference', value: 'Door 3' })
  const replaced = (await go('POST @/links/:id/replace', {}, link.id)).json
  await go('POST @/links/:id/revoke', {}, replaced.id)
  receiver.answer = () => ({ status: 503 })
  const failed = await declined(service, { key, url: receiver.url, body: { metadata: { order: '7' } } })
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  await service.deps.db.query(
    { name: 'test_disable', text: 'update webhook_destinations set disabled_at = failing_since where tenant_id = $1' },
    [tenant],
  )
  assert.equal((await go('GET @/verifications')).json.data.length, 3)
  assert.equal((await go('GET @/verifications/:id', undefined, failed)).json.error.code, 'wallet_declined')
  const { claims, credentials } = (await go('GET @/verifications/:id', undefined, created.id)).json
  assert.ok(claims !== null && credentials.length > 0)
  assert.equal((await go('GET @/verifications/:id/request', undefined, created.id)).json.encryption_key, 'destroyed')
  const { destinations, secret } = (await go('GET @/webhooks')).json
  assert.ok(secret !== null)
  const [delivery] = (await go('GET @/deliveries')).json.data
  await go('POST @/deliveries/:id/resend', {}, delivery.id)
  receiver.answer = () => ({ status: 503, headers: { 'content-type': 'text/plain' }, body: 'no room' })
  await go('POST @/deliveries/:id/resend', {}, delivery.id)
  receiver.answer = () => ({ status: 200 })
  const detailed = (await go('GET @/deliveries/:id', undefined, delivery.id)).json
  assert.deepEqual(
    [detailed.attempts.at(-1).answer.body, detailed.attempts.at(-1).request.url],
    ['no room', receiver.url],
  )
  assert.equal((await go('POST @/deliveries/resend-failed', { hours: 24 })).json.resent, 0)
  const saved = (await go('POST @/webhooks/endpoints', { name: 'Shop', url: receiver.url, is_default: true })).json
  await go('POST @/webhooks/endpoints/:id', { name: 'Till', url: receiver.url, is_default: false }, saved.id)
  const event = { type: 'verification.completed', newest_secret_only: false }
  assert.equal((await go('POST @/webhooks/endpoints/:id/test', event, saved.id)).json.http_status, 200)
  await go('POST @/webhooks/endpoints/:id/remove', {}, saved.id)
  await go('POST @/webhooks/destinations/enable', { origin: destinations[0].origin })
  await go('POST @/webhooks/secret/rotate', { end_previous: false })
  await go('POST @/webhooks/secret/end-old', {})
  assert.match((await go('POST @/webhooks/secret/show', {})).json.secret, /^whsec_/)
  await go('POST @/verifications/:id/forget', {}, created.id)
  assert.equal((await go('GET @/verifications/:id', undefined, created.id)).json.claims, null)
  await go('POST @/verifications/:id/erase', { confirm: created.id.slice(-6) }, created.id)
  assert.equal(
    (await go('GET @/verifications/:id/receipt', undefined, created.id)).json.proof,
    null,
    'also after erasure',
  )
  await growLog(service.deps)
  assert.match(
    (await go('GET @/verifications/:id/receipt', undefined, created.id)).json.proof,
    /^c2sp\.org\/tlog-proof@v1\n/,
  )
  assert.match((await go('GET @/verifications/:id/certificate', undefined, created.id)).json.pdf, /^%PDF-/)
  assert.deepEqual((await go('GET @/log')).json.witnesses, [])
  await go('GET @/overview')
  await runJob(service.deps, 'count-endings')
  const figures = await owner.call('GET', '@/figures?span=day')
  assert.ok(noted('GET @/figures', figures).json.reasons.length > 0)
  await go('GET @/usage')
  await go('POST @/usage/alerts', { url: receiver.url, thresholds: [80] })
  assert.deepEqual((await go('GET @/usage/alerts')).json.thresholds, [80])
  await go('POST @/alerts/mail', { topics: ['quota'] })
  assert.deepEqual((await go('GET @/alerts/mail')).json.topics, ['quota'])
  const trust = (await go('GET @/trust')).json
  assert.ok(trust.anchors.length > 0 && trust.certificates.length > 0)
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(anchor.certificate).toString('base64')}\n-----END CERTIFICATE-----`
  const own = { certificate: pem, kind: 'ca', profile: 'generic', types: ['dc+sd-jwt:urn:eudi:pid:1'] }
  assert.equal((await go('POST @/trust/anchors', { ...own, certificate: 'x' })).json.outcome, 'refused')
  assert.equal((await go('POST @/trust/anchors', own)).json.outcome, 'done')
  const [trusted] = (await go('GET @/trust')).json.anchors.filter((one: { own: boolean }) => one.own)
  await go('POST @/trust/anchors/:id/remove', {}, trusted.id)
  const list = { kind: 'lote', providers: 'pid', url: receiver.url, signer: pem, types: own.types }
  assert.equal((await go('POST @/trust/lists', list)).json.outcome, 'refused')
  const listId = await keepList(tenant)
  await go('POST @/trust/lists/:id/remove', {}, listId)
  const naming = { purpose: 'openid4vp', common_name: 'Shop' }
  assert.equal((await go('POST @/trust/certificates/request', { ...naming, country: 'de' })).json.outcome, 'refused')
  assert.match((await go('POST @/trust/certificates/request', naming)).json.csr, /BEGIN CERTIFICATE REQUEST/)
  const [waiting] = (await go('GET @/trust')).json.certificates.filter(
    (one: { csr: string | null }) => one.csr !== null,
  )
  assert.equal((await go('POST @/trust/certificates/request', { ...naming, id: waiting.id })).json.outcome, 'requested')
  await go('POST @/trust/certificates/:id/withdraw', {}, waiting.id)
  const unfitting = { purpose: 'openid4vp', chain: pem }
  assert.equal((await go('POST @/trust/certificates/install', unfitting)).json.outcome, 'refused')
  const stored: { name: string; kind: string; value: unknown }[] = (await go('GET @/settings')).json.settings
  await go(
    'POST @/settings',
    Object.fromEntries(stored.flatMap(({ name, kind, value }) => (kind === 'text' ? [] : [[name, value]]))),
  )

  const listed = (await go('POST @/origins', { origin: 'https://shop.example.com' })).json
  assert.equal(listed.outcome, 'added')
  await go('POST @/origins/:id/prove', {}, listed.origin.id)
  assert.equal((await go('GET @/origins')).json.data.length, 1)
  await go('POST @/origins/:id/remove', {}, listed.origin.id)

  const look = { name: 'Shop', colour: '#0b6b4f', support_url: 'https://shop.example/help', privacy_url: null }
  const drawn = Buffer.from(LOGO).toString('base64')
  assert.equal((await go('POST @/branding', { ...look, colour: 'green' })).json.outcome, 'refused')
  assert.equal((await go('POST @/branding', { ...look, logo: drawn })).json.outcome, 'changed')
  assert.match((await go('GET @/branding')).json.logo, /^data:image\/svg\+xml;base64,/)
  const preview = { ...look, name: 'Draft', language: 'de', step: 'waiting', phone: false }
  assert.match(
    (await go('POST @/branding/preview', preview)).json.html,
    /Bestätigen Sie Draft, dass Sie mindestens 18 Jahre alt sind/,
  )

  const { publicKey } = await generateResultKey()
  assert.equal((await go('POST @/result-keys', { jwk: '{}' })).json.outcome, 'refused')
  const resultKey = (await go('POST @/result-keys', { jwk: JSON.stringify(publicKey) })).json
  assert.equal((await go('POST @/result-keys/:id/prove', { answer: 'x' }, resultKey.key.id)).json.outcome, 'wrong')
  assert.notEqual(
    (await go('POST @/result-keys/:id/challenge', {}, resultKey.key.id)).json.challenge,
    resultKey.challenge,
  )
  assert.equal((await go('GET @/result-keys')).json.data.length, 1)
  await go('POST @/result-keys/:id/remove', {}, resultKey.key.id)
  const registrar = await testRegistrar(service)
  await registerTenant(service, registrar, { tenantId: tenant, environment: 'test' })
  // Advances past the lifetime of cached anchors, because the notification of the new anchor may be late.
  service.clock.advance(5_001)
  const who = { identifier: MERCHANT_ID, trade_name: 'Shop', registry_uri: 'https://register.example' }
  assert.equal((await go('POST @/registration/identity', who)).json.outcome, 'changed')
  const broken = await go('POST @/registration/certificates', { jwt: 'a.b.c' })
  assert.deepEqual([broken.json.outcome, broken.json.problems[0].code], ['refused', 'no_certificate'])
  const kept = (await go('POST @/registration/certificates', { jwt: registrar.certify() })).json
  assert.equal(kept.outcome, 'added')
  const report = (await go('GET @/registration')).json
  assert.deepEqual([report.identity.identifier, report.certificates[0].faults], [MERCHANT_ID, []])
  // Nationalities, because the built-in template in use asks for other claims.
  assert.deepEqual(report.under_use[0].unused.length, 1)
  assert.deepEqual(
    (await go('GET @/registration/certificates/:id', undefined, kept.certificate.id)).json,
    kept.certificate,
  )
  await go('POST @/registration/certificates/:id/remove', {}, kept.certificate.id)
  const client = {
    ...{ name: 'Shop', redirect_uris: ['https://shop.example/callback'], templates: ['identity'], jwks: null },
    ...{ default_template: null, subject_mode: 'ephemeral', subject_claims: [], require_true: false, vp_data: false },
    claims_in_id_token: false,
    request_uris: [],
    profile: 'openid',
    ...{ verified_claims: false, id_token_alg: 'RS256', remember_minutes: 0, cross_device: 'confirm' },
  }
  const shop = (await go('POST @/clients', { ...client, auth_method: 'client_secret' })).json
  const changed = { ...client, subject_per_type: false }
  const done = (await go('POST @/clients/:id', changed, shop.client.id)).json
  // A form that was open before a colleague turned it on does not turn it off.
  assert.deepEqual([shop.client.subject_per_type, done.client.subject_per_type], [true, true])
  const unfit = await go('POST @/clients/:id', { ...changed, redirect_uris: ['http://shop.example/'] }, shop.client.id)
  assert.equal(unfit.json.problem, 'redirect_uri_not_https')
  assert.notEqual((await go('POST @/clients/:id/secret', {}, shop.client.id)).json.secret, shop.secret)
  assert.equal((await go('GET @/clients')).json.data.length, 1)
  await go('POST @/clients/:id/remove', {}, shop.client.id)

  const mandate = { kind: 'contract', sha256: 'a'.repeat(64), dated: '2020-02-29' }
  assert.equal((await go('POST @/going-live/mandate', mandate, '', 'live')).json.outcome, 'asked')
  const identity = { identifier: MERCHANT_ID, trade_name: 'Shop', registry_uri: 'https://register.example' }
  const requested = { kind: 'identity', identity }
  assert.equal((await go('POST @/going-live/requests', requested, '', 'live')).json.outcome, 'asked')
  const corrected = { kind: 'identity', identity: { ...identity, trade_name: 'The shop' } }
  assert.equal((await go('POST @/going-live/requests', corrected, '', 'live')).json.outcome, 'asked')
  assert.equal((await go('POST @/going-live/requests', { kind: 'identity' }, '', 'live')).json.outcome, 'refused')
  const goingLive = (await go('GET @/going-live', undefined, '', 'live')).json
  assert.deepEqual(
    [goingLive.steps.length, goingLive.requests.length, goingLive.mandate.sha256],
    [7, 2, mandate.sha256],
  )

  const { terms } = (await go('GET /me')).json
  for (const days of [null, ...terms.key_lifetimes_days]) {
    await go('POST @/keys', { name: 'n'.repeat(terms.name_length_max), scopes: terms.scopes, expires_in_days: days })
  }
  const [rolled] = (await go('GET @/keys')).json.data
  for (const hours of terms.roll_overlap_hours)
    if (hours > 0) await go('POST @/keys/:id/roll', { overlap_hours: hours, expires_in_days: null }, rolled.id)
  await go('POST @/keys/:id/revoke', {}, rolled.id)
  const registered = (await go('POST @/devices', { name: 'Bar', allowed_templates: ['age_over_18'] })).json
  await go('POST @/devices/:id', { name: 'Bar 2', allowed_templates: ['identity'] }, registered.device.id)
  await go('POST @/devices/:id/code', {}, registered.device.id)
  await go('POST @/devices/:id/revoke', {}, registered.device.id)
  assert.equal((await go('GET @/devices')).json.data[0].revoked_reason, 'merchant')

  const [builtIn] = (await go('GET @/templates')).json.data
  const document = { title: 't'.repeat(terms.template_title_length_max), query: builtIn.query }
  await go('POST @/templates/preview', { key: 'guest', document: {} })
  await go('POST @/templates/preview', { key: 'guest', document })
  const page = { language: 'fr', phone: true }
  const sound = (await go('POST @/templates/preview', { key: 'guest', document, page })).json
  assert.match(sound.html, /lang="fr"/)
  await go('POST @/templates/:key', { document }, 'guest')
  await go('POST @/templates/:key/remove', {}, 'guest')

  const email = 'new@example.com'
  await go('POST @/team/invite', { email, role: 'viewer' })
  await go('GET @/team')
  await go('POST @/team/invitations/withdraw', { email })
  await go('POST @/team/invite', { email, role: 'viewer' })
  const token = tokenOf((await go('POST @/team/invitations/again', { email })).json.url)
  assert.equal(noted('POST /links/look', await post(service, '/links/look', { token })).json.email, email)
  noted('POST /links/use', await post(service, '/links/use', { token, password: PASSWORD }))
  const [member] = (await go('GET @/team')).json.members.filter((one: { email: string }) => one.email === email)
  await go('POST @/team/:id/role', { role: 'admin' }, member.id)
  await go('POST @/team/:id/remove', {}, member.id)
  const other = await service.tenant({ name: 'Theirs' })
  const theirs = await person(service, other, 'owner')
  const invited = await theirs.call('POST', '@/team/invite', { body: { email: owner.email, role: 'viewer' } })
  await go('POST /links/accept', { token: tokenOf(invited.json.url) })

  await go('GET @/audit')
  const { verdict } = (await go('POST @/audit/verify', {})).json
  assert.equal(verdict.outcome, 'whole', verdict.problem)
  await go('GET @/audit/export')
  await go('GET @/verifications/export')
  await go('GET /sign-in/ways')
  noted('POST /sign-in/passkey/options', await post(service, '/sign-in/passkey/options'))
  await go('POST /me/passkeys/options', {})
  await go('POST /me/sessions/end-others', {})
  await go('POST /me/password', { password: 'p4ss and more words to it'.padEnd(terms.password_length_min, 'x') })
  noted('POST /sign-in/password', await post(service, '/sign-in/password', { email: theirs.email, password: PASSWORD }))
  await go('POST /sign-out', {})
  assert.deepEqual(
    ROUTES.filter((route) => !seen.has(route)),
    ROUTES.filter((route) => ELSEWHERE.includes(route)),
  )
})
