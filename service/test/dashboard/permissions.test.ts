// Tests every route of the dashboard with callers that are signed out, foreign, in a low role, or with an old sign-in.

import assert from 'node:assert/strict'
import test from 'node:test'
import { ROLES } from '../../../wire/values/staff.ts'
import { reaches } from '../../src/features/staff/domain/person.ts'
import {
  addressOf,
  PERMISSIONS,
  type Permission,
  type PermittedRoute,
} from '../../src/features/staff/http/permissions.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { FROM_PAGE, person } from '../harness/staff.ts'

const service = await testService()
const tenant = await service.tenant({ name: 'Ours' })
const other = await service.tenant({ name: 'Theirs' })
const staff = {
  owner: await person(service, tenant, 'owner'),
  admin: await person(service, tenant, 'admin'),
  viewer: await person(service, tenant, 'viewer'),
}
const stranger = await person(service, other, 'owner')

const ROUTES = Object.entries(PERMISSIONS) as [PermittedRoute, Permission][]
const ofTenant = ROUTES.filter(([, { role }]) => role !== 'anyone' && role !== 'person')

/** Returns the path with a value for each parameter; none of them exists. */
const pathOf = (route: PermittedRoute) => (route.split(' ')[1] ?? '').replace(/:(id|key)/, 'nothing')
const methodOf = (route: PermittedRoute) => addressOf(route).method

/** Refused by the permission check, or admitted, whatever the route then answers to an empty body. */
const isRefusedAtDoor = (code: string | undefined) =>
  ['not_signed_in', 'role_insufficient', 'fresh_sign_in_required', 'cross_site_request'].includes(code ?? '')

test('every route is in the table', () => {
  for (const [route] of ROUTES) assert.ok(service.app.hasRoute(addressOf(route)), route)
})

test('a caller that is signed out gets 401, except on the routes for signing in', async () => {
  for (const [route, { role }] of ROUTES) {
    const path = `/dashboard/api${pathOf(route).replace('@', `/tenants/${tenant}/test`)}`
    const answer = await service.call(methodOf(route), path, {
      headers: methodOf(route) === 'GET' ? {} : FROM_PAGE,
      ...(methodOf(route) === 'GET' ? {} : { body: {} }),
    })
    if (role === 'anyone') assert.ok(!isRefusedAtDoor(answer.json?.error?.code), route)
    else assertRefused(answer, 401, 'not_signed_in')
  }
})

test('staff of another tenant get 404, as for a tenant that does not exist', async () => {
  for (const [route] of ofTenant) {
    const theirs = await stranger.call(methodOf(route), pathOf(route), { tenant })
    assertRefused(theirs, 404, 'not_found')
    const none = await stranger.call(methodOf(route), pathOf(route), { tenant: 'ten_nothing' })
    assert.equal(none.text, theirs.text)
  }
})

test('an unknown environment is 404', async () => {
  for (const [route] of ofTenant) {
    const answer = await staff.owner.call(methodOf(route), pathOf(route), { environment: 'prod' as 'test' })
    assertRefused(answer, 404, 'not_found')
  }
})

for (const role of ROLES) {
  test(`the role ${role} is admitted where it suffices, and gets 403 elsewhere`, async () => {
    for (const [route, permission] of ofTenant) {
      const answer = await staff[role].call(methodOf(route), pathOf(route))
      const required = permission.role
      assert.ok(required !== 'anyone' && required !== 'person')
      if (reaches(role, required)) assert.ok(!isRefusedAtDoor(answer.json?.error?.code), `${route}: ${answer.text}`)
      else assertRefused(answer, 403, 'role_insufficient')
    }
  })
}

test('a change without a header that proves our own page is refused', async () => {
  for (const [route] of ROUTES.filter(([name]) => methodOf(name) === 'POST')) {
    for (const headers of FOREIGN) {
      const path = `/dashboard/api${pathOf(route).replace('@', `/tenants/${tenant}/test`)}`
      const answer = await service.call('POST', path, { body: {}, headers: { cookie: staff.owner.cookie, ...headers } })
      assertRefused(answer, 403, 'cross_site_request')
    }
  }
})

const OWN = { 'vidimus-dashboard': '1' }
const FOREIGN: Record<string, string>[] = [
  {},
  OWN,
  { 'sec-fetch-site': 'same-origin' },
  { ...OWN, 'sec-fetch-site': 'cross-site' },
  { ...OWN, 'sec-fetch-site': 'same-site', origin: 'https://shop.example.com' },
  { ...OWN, 'sec-fetch-site': 'none' },
  { ...OWN, origin: 'https://evil.example' },
  { ...OWN, origin: 'null' },
  { ...OWN, origin: 'https://verify.example.com.evil.example' },
]

test('an older browser that sends only the origin is accepted', async () => {
  const headers = { ...OWN, origin: 'https://verify.example.com', cookie: staff.owner.cookie }
  assert.equal((await service.call('POST', '/dashboard/api/me/sessions/end-others', { body: {}, headers })).status, 200)
})

test('a form cannot send JSON: another media type is 415', async () => {
  const answer = await staff.admin.call('POST', '@/keys', { raw: 'name=x', headers: { 'content-type': 'text/plain' } })
  assertRefused(answer, 415, 'unsupported_media_type')
})

test('these routes need a fresh sign-in: secrets, webhook targets, trust, erasure, settings, origins, keys, registration, team, live', () => {
  const named = (fresh: Permission['fresh']) =>
    ROUTES.filter(([, known]) => known.fresh === fresh).map(([route]) => route)
  assert.deepEqual(
    named('always').filter((route) => route.includes('@')),
    [
      'POST @/verifications/:id/forget',
      'POST @/verifications/:id/erase',
      'POST @/webhooks/endpoints',
      'POST @/webhooks/endpoints/:id',
      'POST @/webhooks/endpoints/:id/remove',
      'POST @/webhooks/secret/show',
      'POST @/webhooks/secret/rotate',
      'POST @/webhooks/secret/end-old',
      'POST @/trust/anchors',
      'POST @/trust/anchors/:id/remove',
      'POST @/trust/lists',
      'POST @/trust/lists/:id/remove',
      'POST @/trust/certificates/request',
      'POST @/trust/certificates/install',
      'POST @/trust/certificates/:id/withdraw',
      'POST @/settings',
      'POST @/origins',
      'POST @/origins/:id/prove',
      'POST @/origins/:id/remove',
      'POST @/result-keys',
      'POST @/result-keys/:id/challenge',
      'POST @/result-keys/:id/prove',
      'POST @/result-keys/:id/remove',
      'POST @/registration/identity',
      'POST @/registration/certificates',
      'POST @/registration/certificates/:id/remove',
      'POST @/going-live/mandate',
      'POST @/clients',
      'POST @/clients/:id',
      'POST @/clients/:id/secret',
      'POST @/clients/:id/remove',
      'POST @/branding',
      'POST @/team/invite',
      'POST @/team/invitations/withdraw',
      'POST @/team/invitations/again',
      'POST @/team/:id/role',
      'POST @/team/:id/remove',
    ],
  )
  assert.deepEqual(named('live'), [
    'POST @/verifications',
    'POST @/links',
    'POST @/links/:id/replace',
    'POST @/keys',
    'POST @/keys/:id/roll',
    'POST @/devices',
    'POST @/devices/:id',
    'POST @/devices/:id/code',
  ])
})

test('after ten minutes the routes that need a fresh sign-in are refused; others still work', async () => {
  service.clock.advance(10 * 60_000)
  for (const [route, { role, fresh }] of ROUTES.filter(([, known]) => known.role !== 'anyone')) {
    if (route === 'POST /sign-out') continue
    for (const environment of ['test', 'live'] as const) {
      const answer = await staff.owner.call(methodOf(route), pathOf(route), { environment })
      const mustBe = fresh === 'always' || (fresh === 'live' && environment === 'live')
      if (mustBe) assertRefused(answer, 403, 'fresh_sign_in_required')
      else assert.ok(!isRefusedAtDoor(answer.json?.error?.code), `${route} ${role}: ${answer.text}`)
    }
  }
})

test('an unknown route of the dashboard is 404, not a page', async () => {
  assertRefused(await service.call('GET', '/dashboard/api/nothing'), 404, 'not_found')
})
