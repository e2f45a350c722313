// Tests sign-in to the dashboard: passwords, links, sessions, and attacks on them.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { invite } from '../../src/features/staff/usecases/manage-team.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { cookieOf, PASSWORD, person, post, signedIn, tokenOf } from '../harness/staff.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const service = await testService()
const tenant = await service.tenant({ name: 'Ours' })
const other = await service.tenant({ name: 'Theirs' })

let address = 1
/** From another address each time, because the budget of an address has its own test. */
const elsewhere = () => ({ from: `198.51.100.${(address++ % 250) + 1}` })
const signIn = (email: string, password = PASSWORD, call: object = elsewhere()) =>
  post(service, '/sign-in/password', { email, password }, call)

async function link(options: { byOperator: boolean; email?: string; tenantId?: string }): Promise<string> {
  const invitation = await invite(service.deps, {
    tenantId: options.tenantId ?? tenant,
    email: options.email ?? 'new@example.com',
    role: 'admin',
    actor: OPERATOR,
    byOperator: options.byOperator,
  })
  assert.ok(invitation !== null)
  return tokenOf(invitation.url)
}

test('a password signs in; the cookie is bound to the host, closed to scripts, and new each time', async () => {
  const ada = await person(service, tenant, 'admin', 'ada@example.com')
  const answer = await signIn('  ADA@example.com ')
  assert.equal(answer.status, 200, answer.text)
  assert.match(
    String([answer.headers['set-cookie']].flat()[0]),
    /^__Host-vidimus=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
  )
  assert.notEqual(cookieOf(answer), ada.cookie)
  const again = await signedIn(service, tenant, { email: ada.email, cookie: cookieOf(answer) })
  const me = await again.call('GET', '/me')
  assert.equal(me.json.email, 'ada@example.com')
  assert.deepEqual(me.json.tenants, [{ id: tenant, name: 'Ours', role: 'admin' }])
})

test('signing in again ends the session the browser had', async () => {
  const bea = await person(service, tenant, 'admin')
  const answer = await signIn(bea.email, PASSWORD, { ...elsewhere(), headers: { cookie: bea.cookie } })
  assert.equal(answer.status, 200)
  assertRefused(await bea.call('GET', '/me'), 401, 'not_signed_in')
})

test('an unknown address, an account without a password and a wrong password get the same answer', async () => {
  const cem = await person(service, tenant, 'viewer')
  await post(service, '/links/use', { token: await link({ byOperator: true, email: 'bare@example.com' }) }, elsewhere())
  const answers = [
    await signIn(cem.email, 'not the password at all'),
    await signIn('nobody@example.com'),
    await signIn('bare@example.com'),
    await signIn('no address'),
  ]
  for (const answer of answers) assertRefused(answer, 401, 'sign_in_failed')
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.ok(answers.every(({ headers }) => headers['set-cookie'] === undefined))
})

test('the number of attempts is limited by address, and refills', async () => {
  const dan = await person(service, tenant, 'viewer')
  const here = { from: '192.0.2.77' }
  for (let n = 0; n < 20; n += 1) assertRefused(await signIn('x@example.com', 'wrong', here), 401, 'sign_in_failed')
  assertRefused(await signIn('x@example.com', 'wrong', here), 429, 'rate_limit_exceeded')
  assert.equal((await signIn(dan.email)).status, 200)
  service.clock.advance(2 * MINUTE)
  for (let n = 0; n < 20; n += 1) assert.equal((await signIn(dan.email, PASSWORD, here)).status, 200)
})

test('failures for a name are limited by address, so one address locks out no other', async () => {
  const { email } = await person(service, tenant, 'viewer')
  const here = { from: '192.0.2.78' }
  const statuses: number[] = []
  // The clock advances so that the budget of the address itself does not run out.
  for (let n = 0; n < 40; n += 1) {
    service.clock.advance(6_000)
    statuses.push((await signIn(email, 'wrong', here)).status)
  }
  assert.deepEqual(statuses.slice(0, 30), new Array(30).fill(401))
  assert.equal(statuses.at(-1), 429)
  assertRefused(await signIn(email, PASSWORD, here), 429, 'rate_limit_exceeded')
  assert.equal((await signIn(email)).status, 200)
  service.clock.advance(2 * MINUTE)
  // Two units are left: the right password returns the one it spent.
  for (let n = 0; n < 5; n += 1) assert.equal((await signIn(email, PASSWORD, here)).status, 200)
})

test('one name has one budget of failures, however it is spelt', async () => {
  const { email } = await person(service, tenant, 'viewer', 'zo\u00eb@example.com')
  const here = { from: '192.0.2.79' }
  const spellings = [email, email.normalize('NFD'), ` ${email.toUpperCase()} `, email.normalize('NFD').toUpperCase()]
  for (let n = 0; n < 30; n += 1) {
    service.clock.advance(6_000)
    assertRefused(await signIn(spellings[n % 4] ?? '', 'wrong', here), 401, 'sign_in_failed')
  }
  for (let n = 0; n < 4; n += 1) await signIn(spellings[n] ?? '', 'wrong', here)
  for (const spelling of spellings) {
    assertRefused(await signIn(spelling, PASSWORD, here), 429, 'rate_limit_exceeded')
  }
})

test('failures for a name from all addresses are limited, too, far above the limit of one address', async () => {
  const { email } = await person(service, tenant, 'viewer')
  const name = `sign_in_failures_all:${createHash('sha256').update(email).digest('base64url')}`
  const budget = { perSecond: 1 / 10, burst: 300 }
  for (let n = 0; n < 299; n += 1) await service.deps.budgets.spend(name, budget, service.clock.now())
  assertRefused(await signIn(email, 'wrong'), 401, 'sign_in_failed')
  service.clock.advance(9_000)
  assertRefused(await signIn(email), 429, 'rate_limit_exceeded')
  service.clock.advance(1_000)
  assert.equal((await signIn(email)).status, 200)
})

test('a sender with many IPv6 networks has no more failures for a name than one /48', async () => {
  const { email } = await person(service, tenant, 'viewer')
  const from = (network: number) => ({ from: `2001:db8:77:${network.toString(16)}::1` })
  let tried = 0
  // bounded: 31 tries.
  while (tried <= 30 && (await signIn(email, 'wrong', from(tried))).status === 401) tried += 1
  assert.ok(tried > 0 && tried <= 30, `${tried} tries before the first refusal`)
  assertRefused(await signIn(email, PASSWORD, from(31)), 429, 'rate_limit_exceeded')
  assert.equal((await signIn(email, PASSWORD, { from: '2001:db8:78::1' })).status, 200)
})

test('a session ends after 30 idle minutes, after 12 hours in any case, and when its owner signs out', async () => {
  const eva = await person(service, tenant, 'viewer')
  for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
    service.clock.advance(20 * MINUTE)
    assert.equal((await eva.call('GET', '/me')).status, 200, `after ${minutes} minutes`)
  }
  service.clock.advance(20 * MINUTE)
  assertRefused(await eva.call('GET', '/me'), 401, 'not_signed_in')
  const fay = await person(service, tenant, 'viewer')
  service.clock.advance(30 * MINUTE)
  assertRefused(await fay.call('GET', '/me'), 401, 'not_signed_in')
  const gus = await person(service, tenant, 'viewer')
  const out = await gus.call('POST', '/sign-out')
  assert.match(String(out.headers['set-cookie']), /Max-Age=0/)
  assertRefused(await gus.call('GET', '/me'), 401, 'not_signed_in')
})

test('polls of an open page do not extend a session; actions do', async () => {
  const ivo = await person(service, tenant, 'admin')
  const poll = () => ivo.call('GET', '@/overview', { headers: { 'vidimus-poll': '1' } })
  for (let minutes = 0; minutes < 28; minutes += 4) {
    service.clock.advance(4 * MINUTE)
    assert.equal((await poll()).status, 200)
  }
  // Every change extends the session, even if it is marked as a poll.
  const answer = await ivo.call('POST', '@/templates/preview', { headers: { 'vidimus-poll': '1' } })
  assert.notEqual(answer.status, 401)
  for (let minutes = 0; minutes < 28; minutes += 4) {
    service.clock.advance(4 * MINUTE)
    assert.equal((await poll()).status, 200)
  }
  service.clock.advance(2 * MINUTE)
  assertRefused(await poll(), 401, 'not_signed_in')
})

test('two cookies of the same name, or an invented cookie, do not sign in', async () => {
  const hal = await person(service, tenant, 'viewer')
  for (const cookie of [
    `${hal.cookie}; __Host-vidimus=x`,
    '__Host-vidimus=',
    `__Host-vidimus=${'a'.repeat(43)}`,
    // Browsers accept this name from a sibling domain.
    `\u00a0${hal.cookie}`,
    'x=y',
  ]) {
    assertRefused(await service.call('GET', '/dashboard/api/me', { headers: { cookie } }), 401, 'not_signed_in')
  }
})

test('a link works once, for a day', async () => {
  const token = await link({ byOperator: true, email: 'ina@example.com' })
  const look = await post(service, '/links/look', { token }, elsewhere())
  assert.deepEqual(look.json.email, 'ina@example.com')
  const answers = await Promise.all([1, 2, 3].map(() => post(service, '/links/use', { token }, elsewhere())))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
  assertRefused(await post(service, '/links/look', { token }, elsewhere()), 400, 'link_not_valid')
  const late = await link({ byOperator: true, email: 'late@example.com' })
  service.clock.advance(24 * HOUR)
  assertRefused(await post(service, '/links/use', { token: late }, elsewhere()), 400, 'link_not_valid')
  assertRefused(await post(service, '/links/use', { token: 'guess' }, elsewhere()), 400, 'link_not_valid')
})

test("a tenant's invitation requires a password and refuses an easy one", async () => {
  const token = await link({ byOperator: false, email: 'jon@example.com' })
  const refuse = async (password: string | undefined) =>
    assertRefused(
      await post(service, '/links/use', { token, ...(password === undefined ? {} : { password }) }, elsewhere()),
      422,
      'password_not_taken',
    )
  for (const password of [
    undefined,
    'short',
    'password1234',
    'Willkommen2026!',
    'aaaaaaaaaaaaaaaa',
    'jon@example.com',
    'x'.repeat(300),
  ])
    await refuse(password)
  assert.equal((await post(service, '/links/use', { token, password: PASSWORD }, elsewhere())).status, 200)
})

test("a tenant's invitation gives no access to an existing account: its owner signs in and accepts", async () => {
  const kim = await person(service, other, 'owner', 'kim@example.com')
  const token = await link({ byOperator: false, email: 'kim@example.com' })
  assert.equal((await post(service, '/links/look', { token }, elsewhere())).json.needs_sign_in, true)
  const taken = await post(service, '/links/use', { token, password: PASSWORD }, elsewhere())
  assertRefused(taken, 403, 'link_needs_sign_in')
  const lea = await person(service, other, 'viewer')
  assertRefused(await lea.call('POST', '/links/accept', { body: { token } }), 400, 'link_not_valid')
  assert.equal((await kim.call('POST', '/links/accept', { body: { token } })).status, 200)
  const { tenants } = (await kim.call('GET', '/me')).json
  assert.deepEqual(
    tenants.map(({ name, role }: { name: string; role: string }) => [name, role]),
    [
      ['Ours', 'admin'],
      ['Theirs', 'owner'],
    ],
  )
})

test("a tenant's invitation gives no access to an account without a password that is a member elsewhere", async () => {
  const first = await link({ byOperator: true, email: 'bare2@example.com', tenantId: other })
  assert.equal((await post(service, '/links/use', { token: first }, elsewhere())).status, 200)
  const token = await link({ byOperator: false, email: 'bare2@example.com' })
  const taken = await post(service, '/links/use', { token, password: PASSWORD }, elsewhere())
  assertRefused(taken, 403, 'link_needs_sign_in')
})

test("the operator's link replaces every other way to sign in", async () => {
  const max = await person(service, tenant, 'admin', 'max@example.com')
  const token = await link({ byOperator: true, email: 'max@example.com' })
  const fresh = await post(service, '/links/use', { token, password: 'another long password' }, elsewhere())
  assert.equal(fresh.status, 200)
  assertRefused(await max.call('GET', '/me'), 401, 'not_signed_in')
  assertRefused(await signIn('max@example.com'), 401, 'sign_in_failed')
  assert.equal((await signIn('max@example.com', 'another long password')).status, 200)
})

test('a new password ends the other sessions; passwords, tokens and addresses are in no log', async () => {
  const nia = await person(service, tenant, 'admin', 'nia-canary@example.com')
  const second = await signedIn(service, tenant, { email: nia.email, cookie: cookieOf(await signIn(nia.email)) })
  const changed = await second.call('POST', '/me/password', { body: { password: 'yet another long one' } })
  assert.equal(changed.status, 200, changed.text)
  assertRefused(await nia.call('GET', '/me'), 401, 'not_signed_in')
  assert.equal((await second.call('GET', '/me')).status, 200)
  const log = service.logged.join('\n')
  for (const canary of [PASSWORD, 'yet another long one', nia.email, nia.cookie.split('=')[1] ?? '']) {
    assert.ok(!log.includes(canary))
  }
})

test('the last owner stays; a removed member is signed out immediately', async () => {
  const realm = await service.tenant({ name: 'Small' })
  const ole = await person(service, realm, 'owner')
  const pia = await person(service, realm, 'admin')
  assertRefused(await ole.call('POST', `@/team/${ole.id}/remove`), 409, 'last_owner')
  assertRefused(await ole.call('POST', `@/team/${ole.id}/role`, { body: { role: 'viewer' } }), 409, 'last_owner')
  assert.equal((await ole.call('POST', `@/team/${pia.id}/role`, { body: { role: 'viewer' } })).status, 200)
  assertRefused(await pia.call('POST', '@/devices', { body: {} }), 403, 'role_insufficient')
  assert.equal((await ole.call('POST', `@/team/${pia.id}/remove`)).status, 200)
  assertRefused(await pia.call('GET', '@/overview'), 404, 'not_found')
  const { json } = await ole.call('GET', '@/audit')
  const actions = json.data.map(({ action }: { action: string }) => action)
  for (const action of ['user.removed', 'user.role_changed', 'user.joined', 'user.invited'])
    assert.ok(actions.includes(action))
})
