// Tests that every input with U+0000 is refused: JSON and URLs allow it, PostgreSQL does not.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { addressOf, PERMISSIONS, type PermittedRoute } from '../../src/features/staff/http/permissions.ts'
import type { Answer } from '../harness/answer.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { type Person, person, post } from '../harness/staff.ts'

const service = await testService()
const tenant = await service.tenant()
const owner = await person(service, tenant, 'owner')
const key = await service.key(tenant)
const NUL = '\u0000'

/** Asserts a 4xx answer. The harness has already checked the envelope. */
function assertCallersFault(answer: Answer, what: string): void {
  assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status} ${answer.text}`)
}

test('U+0000 is refused in the id of a passkey: at sign-in like an unknown id, and when a passkey is removed', async () => {
  const unknown = await post(service, '/sign-in/passkey', { response: { id: 'AAAA' } })
  const answer = await post(service, '/sign-in/passkey', { response: { id: `AAAA${NUL}` } })
  assertRefused(answer, 401, 'sign_in_failed')
  assert.equal(answer.text, unknown.text)
  assertRefused(await owner.call('POST', '/me/passkeys/remove', { body: { id: NUL } }), 400, 'invalid_request')
})

test("U+0000 is refused in the purpose and the template of a dashboard's run", async () => {
  const run = (body: object) =>
    owner.call('POST', '@/verifications', { body: { idempotency_key: randomUUID(), ...body } })
  assertRefused(await run({ template: 'age_over_18', purpose: `To sell${NUL} wine` }), 400, 'invalid_request')
  assertRefused(await run({ template: 'age_over_18', reference: `order ${NUL}` }), 400, 'invalid_request')
  assertRefused(await run({ template: 'age_over_18', idempotency_key: `a${NUL}` }), 400, 'invalid_request')
  assertRefused(await run({ template: `age${NUL}` }), 400, 'invalid_request')
  assert.equal((await run({ template: 'age_over_18', purpose: 'To sell wine' })).status, 201)
})

const NO_BRAND = { name: null, colour: null, support_url: null, privacy_url: null }

const BODIES: readonly [PermittedRoute, object][] = [
  ['POST /me/passkeys', { name: NUL, response: {} }],
  ['POST /me/passkeys', { name: 'Key', response: { id: NUL, rawId: NUL, type: 'public-key', response: {} } }],
  ['POST /links/look', { token: NUL }],
  ['POST /links/use', { token: NUL, password: NUL }],
  ['POST /links/accept', { token: NUL }],
  ['POST /sign-in/password', { email: `a${NUL}@example.com`, password: NUL }],
  ['POST @/keys', { name: NUL, scopes: ['usage:read'], expires_in_days: null }],
  ['POST @/devices', { name: NUL, allowed_templates: ['age_over_18'] }],
  ['POST @/devices', { name: 'Till', allowed_templates: [NUL] }],
  ['POST @/devices/:id', { name: NUL, allowed_templates: ['age_over_18'] }],
  ['POST @/devices/:id', { name: 'Till', allowed_templates: [NUL] }],
  ['POST @/team/invite', { email: `a${NUL}@example.com`, role: 'viewer' }],
  ['POST @/webhooks/destinations/enable', { origin: NUL }],
  ['POST @/webhooks/endpoints', { name: NUL, url: 'https://shop.example/hook', is_default: false }],
  ['POST @/webhooks/endpoints', { name: 'Shop', url: `https://shop.example/${NUL}`, is_default: false }],
  ['POST @/trust/anchors', { certificate: NUL, kind: 'ca', profile: 'generic', types: ['dc+sd-jwt:x'] }],
  ['POST @/trust/anchors', { certificate: 'x', kind: 'ca', profile: 'generic', types: [`dc+sd-jwt:${NUL}`] }],
  ['POST @/trust/lists', { kind: 'lote', providers: 'pid', url: NUL, signer: 'x', types: ['dc+sd-jwt:x'] }],
  [
    'POST @/trust/lists',
    { kind: 'lote', providers: 'pid', url: 'https://list.example', signer: NUL, types: ['dc+sd-jwt:x'] },
  ],
  ['POST @/trust/certificates/request', { purpose: 'openid4vp', common_name: NUL }],
  ['POST @/trust/certificates/install', { purpose: 'openid4vp', chain: NUL }],
  ['POST @/origins', { origin: NUL }],
  ['POST @/usage/alerts', { url: `https://shop.example/${NUL}`, thresholds: [80] }],
  ['POST @/branding', { ...NO_BRAND, logo: NUL }],
  ['POST @/branding/preview', { ...NO_BRAND, language: NUL, step: 'waiting', phone: false }],
  ['POST @/registration/identity', { identifier: NUL, trade_name: 'Shop' }],
  ['POST @/registration/identity', { identifier: 'VATUT-1', trade_name: NUL }],
  ['POST @/registration/certificates', { jwt: 'a.b.c', intended_use: NUL }],
  ['POST @/going-live/mandate', { kind: 'contract', sha256: NUL, dated: '2026-01-01' }],
  ['POST @/going-live/mandate', { kind: 'contract', sha256: 'a'.repeat(64), dated: NUL }],
  ['POST @/going-live/requests', { kind: 'identity', identity: { identifier: NUL, trade_name: 'Shop' } }],
  ['POST @/going-live/requests', { kind: 'identity', identity: { identifier: 'VATUT-1', trade_name: NUL } }],
]

test('U+0000 is refused in a body of the dashboard', async () => {
  for (const [route, body] of BODIES) {
    assertCallersFault(await owner.call('POST', route.split(' ')[1] ?? '', { body }), route)
  }
})

/** The parameters that a route needs besides the id, so that the id is read. */
const WANTED: Partial<Record<PermittedRoute, object>> = {
  'POST @/verifications/:id/erase': { confirm: `a${NUL}b` },
  'POST @/templates/:key': { document: { title: 'Own', query: { credentials: [] } } },
  'POST @/team/:id/role': { role: 'viewer' },
  'POST @/result-keys/:id/prove': { answer: 'x' },
  'POST @/keys/:id/roll': { overlap_hours: 24, expires_in_days: null },
  'POST @/webhooks/endpoints/:id': { name: 'Shop', url: 'https://shop.example/hook', is_default: false },
  'POST @/webhooks/endpoints/:id/test': { type: 'verification.failed', newest_secret_only: false },
}

test('U+0000 is refused in a path of the dashboard: in the id, the tenant and the environment', async () => {
  const routes = Object.keys(PERMISSIONS) as PermittedRoute[]
  const ask = (staff: Person, route: PermittedRoute, options: { tenant?: string; environment?: 'test' } = {}) => {
    const path = (route.split(' ')[1] ?? '').replace(/:(id|key)/, 'a%00b')
    const { method } = addressOf(route)
    return staff.call(method, path, { ...options, ...(method === 'GET' ? {} : { body: WANTED[route] ?? {} }) })
  }
  for (const route of routes.filter((name) => /:(id|key)/.test(name))) {
    assertCallersFault(await ask(owner, route), route)
  }
  for (const route of routes.filter((name) => name.includes('@'))) {
    assertRefused(await ask(owner, route, { tenant: 'ten_%00' }), 404, 'not_found')
    assertRefused(await ask(owner, route, { environment: 'test%00' as 'test' }), 404, 'not_found')
  }
})

test('U+0000 is refused in a query of the dashboard', async () => {
  for (const query of [
    'verifications?template=a%00',
    'verifications?text=%00',
    'verifications?actor=%00',
    'verifications?reason=%00',
    'verifications?before=%00',
    'deliveries?before=%00',
    'audit?actor=%00',
  ]) {
    assertRefused(await owner.call('GET', `@/${query}`), 400, 'invalid_request')
  }
})

test('U+0000 is refused in paths and bodies of the merchant', async () => {
  const calls: readonly [method: string, path: string, body?: object][] = [
    ['GET', '/v1/verifications/a%00'],
    ['DELETE', '/v1/verifications/a%00'],
    ['GET', '/v1/verifications/a%00/status'],
    ['GET', '/v1/verifications?before=%00'],
    ['DELETE', '/v1/devices/a%00'],
    ['GET', '/wallet/request/a%00'],
    ['POST', '/v1/verifications', { template: NUL }],
    ['POST', '/v1/verifications', { template: 'age_over_18', purpose: NUL }],
    ['POST', '/v1/verifications', { template: 'age_over_18', metadata: { order: NUL } }],
    ['POST', '/v1/verifications', { template: 'age_over_18', metadata: { [NUL]: 'order' } }],
    ['POST', '/v1/devices', { name: NUL, allowed_templates: ['age_over_18'] }],
    ['POST', '/v1/devices/enroll', { pairing_code: NUL }],
    ['POST', '/v1/devices/token', { refresh_token: NUL }],
  ]
  for (const [method, path, body] of calls) {
    assertCallersFault(await service.call(method, path, { key, ...(body === undefined ? {} : { body }) }), path)
  }
})
