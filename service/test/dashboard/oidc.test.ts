// Tests sign-in through the operator's OpenID provider: who may sign in, to which account, and other sign-in methods.

import assert from 'node:assert/strict'
import test from 'node:test'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import type { Role } from '../../src/features/staff/domain/person.ts'
import { invite } from '../../src/features/staff/usecases/manage-team.ts'
import { runJob } from '../harness/jobs.ts'
import { assertTurnedAway, begin, begunOf, comeBack, elsewhere, sessionOf, throughProvider } from '../harness/oidc.ts'
import { type Account, startProvider } from '../harness/servers/oidc-provider.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { cookieOf, PASSWORD, person, post, signedIn, tokenOf } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'
import { LOOPBACK } from '../harness/webhooks.ts'

const MINUTE = 60_000
const provider = await startProvider(() => service.clock.now())
const service = await testService({}, { ...LOOPBACK, ...provider.env })
const tenant = await service.tenant({ name: 'Ours' })
const other = await service.tenant({ name: 'Theirs' })

const account = (name: string): Account => ({ sub: `sub-${name}`, email: `${name}@example.com`, email_verified: true })

async function invited(email: string, options: { tenantId?: string; role?: Role; byOperator?: boolean } = {}) {
  const invitation = await invite(service.deps, {
    tenantId: options.tenantId ?? tenant,
    email,
    role: options.role ?? 'admin',
    actor: OPERATOR,
    byOperator: options.byOperator ?? false,
  })
  assert.ok(invitation !== null)
  return tokenOf(invitation.url)
}

/** Signs in at the provider as `who`, and here. */
async function enter(who: Account) {
  provider.account = who
  return throughProvider(service, provider)
}

async function enterAs(who: Account) {
  return signedIn(service, tenant, { email: String(who.email), cookie: sessionOf(await enter(who)) })
}

const countPeople = async () =>
  (
    await service.deps.db.query<{ n: number }>({ name: 'test_people', text: 'select count(*)::int as n from people' })
  )[0]?.n

test('the sign-in page learns that there is a provider, and its name', async () => {
  const ways = await service.call('GET', '/dashboard/api/sign-in/ways')
  assert.deepEqual(ways.json, { oidc: { name: 'Sonnenhof ID' }, lost_access: null })
})

test('vidimus doctor says that the provider answers', async () => {
  const finding = (await diagnose(service.deps)).find(({ area }) => area === 'OpenID provider')
  assert.deepEqual(finding, { area: 'OpenID provider', status: 'ok', finding: `${provider.issuer} answers` })
})

test('an invitation to a verified address opens an account; the trail names who joined', async () => {
  await invited('ada@example.com', { role: 'viewer' })
  await invited('ada@example.com', { tenantId: other })
  const ada = await enterAs({ ...account('ada'), email: 'Ada@Example.com' })
  const me = (await ada.call('GET', '/me')).json
  assert.equal(me.email, 'ada@example.com')
  assert.equal(me.signed_in_with, 'oidc')
  assert.equal(me.has_oidc, true)
  assert.equal(me.has_password, false)
  assert.deepEqual(
    me.tenants.map(({ name, role }: { name: string; role: string }) => [name, role]),
    [
      ['Ours', 'viewer'],
      ['Theirs', 'admin'],
    ],
  )
  const entries = (await ada.call('GET', '@/audit')).json.data
  const joined = entries.find(({ action }: { action: string }) => action === 'user.joined')
  assert.deepEqual(joined.actor, { type: 'user', id: ada.id, name: 'ada@example.com' })
})

test('after the first sign-in the subject counts: with another address it is the same person here', async () => {
  const bob = account('bob')
  await invited('bob@example.com')
  const first = await enterAs(bob)
  const again = await enterAs({ ...bob, email: 'robert@example.com' })
  assert.equal(again.id, first.id)
  const unverified = await enter({ sub: bob.sub })
  assert.ok(sessionOf(unverified))
})

test('the sign-in uses up the invitation', async () => {
  const token = await invited('cleo@example.com')
  await enterAs(account('cleo'))
  assertRefused(await post(service, '/links/look', { token }, elsewhere()), 400, 'link_not_valid')
})

test('a reassigned address does not give its new owner the account', async () => {
  await invited('dora@example.com')
  await enterAs(account('dora'))
  await invited('dora@example.com', { tenantId: other })
  const successor = await enter({ ...account('dora'), sub: 'sub-dora-the-second' })
  assertTurnedAway(service, successor, 'oidc_account_bound')
  // The operator's link resolves the conflict, because it removes the account's identity at the provider.
  const token = await invited('dora@example.com', { byOperator: true })
  assert.equal((await post(service, '/links/use', { token }, elsewhere())).status, 200)
  assert.ok(sessionOf(await enter({ ...account('dora'), sub: 'sub-dora-the-second' })))
})

test('without an invitation no one gets in, and the answer does not reveal whether an account exists', async () => {
  const before = await countPeople()
  const answer = await enter(account('eve'))
  assertTurnedAway(service, answer, 'oidc_not_invited')
  assert.equal(await countPeople(), before)
  await invited('late@example.com')
  service.clock.advance(24 * 60 * MINUTE)
  assertTurnedAway(service, await enter(account('late')), 'oidc_not_invited')
  assert.equal(await countPeople(), before)
})

test('a missing, unverified or invalid address opens nothing', async () => {
  await invited('fay@example.com')
  const { email_verified: _, ...silent } = account('fay')
  const strange: Account[] = [
    { sub: 'sub-fay' },
    silent,
    { ...account('fay'), email_verified: false },
    { ...account('fay'), email_verified: 'true' },
    { ...account('fay'), email: 'no address' },
    // A Kelvin sign becomes a k in lower case.
    { ...account('fay'), email: '\u212Aim@example.com' },
  ]
  await invited('kim@example.com')
  for (const who of strange) assertTurnedAway(service, await enter(who), 'oidc_email_not_verified')
})

test('a provider that gives the address only to the access token is asked for it', async () => {
  await invited('gil@example.com')
  const gil = account('gil')
  provider.spoiling = { userInfo: { ...gil, sub: 'somebody-else' } }
  const mixed = await enter({ sub: gil.sub })
  assertTurnedAway(service, mixed, 'oidc_not_proven', 'unexpected "response" body "sub" property value')
  provider.spoiling = { userInfo: { ...gil } }
  assert.ok(sessionOf(await enter({ sub: gil.sub })))
  provider.spoiling = {}
})

test('when the owner proves an address, the person who took it loses every way to sign in', async () => {
  const taker = await person(service, other, 'owner', 'hal@example.com')
  const hal = await enterAs(account('hal'))
  assert.equal(hal.id, taker.id)
  assertRefused(await taker.call('GET', '/me'), 401, 'not_signed_in')
  const old = await post(service, '/sign-in/password', { email: 'hal@example.com', password: PASSWORD }, elsewhere())
  assertRefused(old, 401, 'sign_in_failed')
})

/** The holder of a tenant's invitation opens an account with it, in addition to existing accounts of the address. */
async function takenOverAccount(email: string, tenantId: string) {
  const token = await invited(email, { tenantId })
  const used = await post(service, '/links/use', { token, password: PASSWORD, another: true }, elsewhere())
  assert.equal(used.status, 200, used.text)
  return signedIn(service, tenantId, { email, cookie: cookieOf(used) })
}

test('of two accounts with an address, the one that no tenant opened is bound, even if it is newer', async () => {
  const squatter = await takenOverAccount('vera@example.com', other)
  const [ownAccount] = await service.deps.db.query<{ id: string }>(
    {
      name: 'test_operators_account',
      text: `insert into people (id, email, password, created_at)
             select 'user_of_the_operator', email, password, created_at + interval '1 second' from people where id = $1
             returning id`,
    },
    [squatter.id],
  )
  const vera = await enterAs(account('vera'))
  assert.equal(vera.id, ownAccount?.id)
  assert.equal((await squatter.call('GET', '/me')).status, 200)
})

test('the only account is bound, even if another person opened it', async () => {
  const before = await takenOverAccount('wim@example.com', tenant)
  assert.equal((await enterAs(account('wim'))).id, before.id)
})

test('of several accounts that tenants opened none is bound: an invitation opens a new one, and each can be connected', async () => {
  const third = await service.tenant({ name: 'Third' })
  const squatter = await takenOverAccount('xena@example.com', other)
  const xena = await takenOverAccount('xena@example.com', tenant)
  assertTurnedAway(service, await enter(account('xena')), 'oidc_not_invited')
  await invited('xena@example.com', { tenantId: third })
  const invitedOne = await enterAs(account('xena'))
  const { id, tenants } = (await invitedOne.call('GET', '/me')).json
  assert.ok(id !== squatter.id && id !== xena.id)
  assert.deepEqual(
    tenants.map(({ name }: { name: string }) => name),
    ['Third'],
  )
  for (const one of [squatter, xena]) assert.equal((await one.call('GET', '/me')).status, 200)
})

test('of several accounts, the one of the signed-in person is bound to the provider', async () => {
  await takenOverAccount('yves@example.com', other)
  const yves = await takenOverAccount('yves@example.com', tenant)
  provider.account = account('yves')
  const { url, cookie } = begunOf(await yves.call('POST', '/sign-in/oidc/again', elsewhere()))
  assert.ok(sessionOf(await comeBack(service, provider.visit(url), cookie)))
  assert.equal((await enterAs(account('yves'))).id, yves.id)
})

test('no company can add an existing account: its owner accepts the invitation', async () => {
  await person(service, other, 'owner', 'ida@example.com')
  const token = await invited('ida@example.com')
  const ida = await enterAs(account('ida'))
  const names = async () => (await ida.call('GET', '/me')).json.tenants.map(({ name }: { name: string }) => name)
  assert.deepEqual(await names(), ['Theirs'])
  assert.equal((await ida.call('POST', '/links/accept', { body: { token } })).status, 200)
  assert.deepEqual(await names(), ['Ours', 'Theirs'])
})

test('a signed-in person can connect the provider, and keeps password and sessions', async () => {
  const jan = await person(service, tenant, 'admin', 'jan@example.com')
  provider.account = account('jan')
  const { url, cookie } = begunOf(await jan.call('POST', '/sign-in/oidc/again', elsewhere()))
  assert.equal(new URL(url).searchParams.get('login_hint'), 'jan@example.com')
  const back = await comeBack(service, provider.visit(url), cookie)
  const connected = await signedIn(service, tenant, { email: jan.email, cookie: sessionOf(back) })
  assert.equal((await connected.call('GET', '/me')).json.has_oidc, true)
  const old = await post(service, '/sign-in/password', { email: jan.email, password: PASSWORD }, elsewhere())
  assert.equal(old.status, 200)
  assert.equal((await jan.call('GET', '/me')).status, 200)
})

test("an account that only the provider opens cannot be taken over by a tenant's link", async () => {
  await invited('uma@example.com')
  const uma = await enterAs(account('uma'))
  const owner = await person(service, tenant, 'owner')
  assert.equal((await owner.call('POST', `@/team/${uma.id}/remove`)).status, 200)
  const token = await invited('uma@example.com', { tenantId: other })
  const taken = await post(service, '/links/use', { token, password: PASSWORD }, elsewhere())
  assertRefused(taken, 403, 'link_needs_sign_in')
})

test('signing in ends the session the browser had', async () => {
  const kai = await person(service, tenant, 'admin', 'kai@example.com')
  await invited('lou@example.com')
  provider.account = account('lou')
  const { url, cookie } = await begin(service)
  const back = await comeBack(service, provider.visit(url), `${kai.cookie}; ${cookie}`)
  assert.ok(sessionOf(back))
  assertRefused(await kai.call('GET', '/me'), 401, 'not_signed_in')
})

test('a sign-in from an hour ago at the provider is not fresh; a repeated one is fresh for ten minutes', async () => {
  await invited('mia@example.com')
  provider.authenticatedAt = service.clock.now() - 60 * MINUTE
  const mia = await enterAs(account('mia'))
  assertRefused(await mia.call('POST', '@/webhooks/secret/show'), 403, 'fresh_sign_in_required')
  const { url, cookie } = begunOf(await mia.call('POST', '/sign-in/oidc/again', elsewhere()))
  const back = await comeBack(service, provider.visit(url), `${mia.cookie}; ${cookie}`)
  provider.authenticatedAt = null
  const fresh = await signedIn(service, tenant, { email: mia.email, cookie: sessionOf(back) })
  assert.equal((await fresh.call('POST', '@/webhooks/secret/show')).status, 200)
  assertRefused(await mia.call('GET', '/me'), 401, 'not_signed_in')
  service.clock.advance(10 * MINUTE)
  assertRefused(await fresh.call('POST', '@/webhooks/secret/show'), 403, 'fresh_sign_in_required')
})

test('a provider that does not say when the person signed in gives no fresh sign-in', async () => {
  await invited('ned@example.com')
  provider.spoiling = { claims: ({ auth_time: _, ...claims }) => claims }
  const ned = await enterAs(account('ned'))
  provider.spoiling = {}
  assert.equal((await ned.call('GET', '/me')).json.fresh_until, null)
  assertRefused(await ned.call('POST', '@/webhooks/secret/show'), 403, 'fresh_sign_in_required')
})

test('reauthentication refuses an old sign-in at the provider, one without a time, and another person', async () => {
  await invited('ole@example.com')
  await invited('pia@example.com')
  const ole = await enterAs(account('ole'))
  const again = async (who: Account) => {
    provider.account = who
    const { url, cookie } = begunOf(await ole.call('POST', '/sign-in/oidc/again', elsewhere()))
    return comeBack(service, provider.visit(url), `${ole.cookie}; ${cookie}`)
  }
  const old = Math.floor(service.clock.now() / 1000) - 600
  provider.spoiling = { claims: (claims) => ({ ...claims, auth_time: old }) }
  assertTurnedAway(service, await again(account('ole')), 'oidc_not_proven', 'auth_time is not from this sign-in')
  provider.spoiling = { claims: ({ auth_time: _, ...claims }) => claims }
  const silent = await again(account('ole'))
  assertTurnedAway(service, silent, 'oidc_not_proven', 'JWT "auth_time" (authentication time) claim missing')
  provider.spoiling = {}
  assertTurnedAway(service, await again(account('pia')), 'oidc_other_person')
  assertTurnedAway(service, await again(account('a-stranger')), 'oidc_other_person')
  assert.ok(sessionOf(await enter(account('pia'))))
  assertTurnedAway(service, await again(account('pia')), 'oidc_other_person')
  assert.equal((await ole.call('GET', '/me')).status, 200)
  const signedOut = await post(service, '/sign-in/oidc/again', {}, elsewhere())
  assertRefused(signedOut, 401, 'not_signed_in')
})

test('starting a sign-in and returning from the provider are limited by address', async () => {
  const here = { from: '192.0.2.78' }
  for (let n = 0; n < 10; n += 1) {
    assert.equal((await post(service, '/sign-in/oidc', {}, here)).status, 200)
    await service.call('GET', '/dashboard/api/sign-in/oidc/callback?state=x', here)
  }
  assertRefused(await post(service, '/sign-in/oidc', {}, here), 429, 'rate_limit_exceeded')
  const back = await service.call('GET', '/dashboard/api/sign-in/oidc/callback?state=x', here)
  assert.match(String(back.headers.location), /^\/dashboard\/sign-in\?refused=rate_limit_exceeded&request=req_/)
})

test('two simultaneous first sign-ins create one account', async () => {
  await invited('quin@example.com')
  const { db } = service.deps
  const waiting = async () => {
    const text = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await db.query<{ n: number }>({ name: 'test_waiting', text }))[0]?.n
  }
  const both = await db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold', text: 'select from sign_in_links where email = $1 for update' }, [
      'quin@example.com',
    ])
    const begun = Promise.all([enter(account('quin')), enter(account('quin'))])
    await waitUntil('both wait for the row', async () => (await waiting()) === 2)
    return { begun }
  })
  const twice = await both.begun
  const ids = await Promise.all(
    twice.map(async (answer) => (await signedIn(service, tenant, { email: '', cookie: sessionOf(answer) })).id),
  )
  assert.equal(new Set(ids).size, 1)
})

test('unfinished sign-ins are deleted when they expire', async () => {
  const text = 'select count(*)::int as n from oidc_rounds'
  const count = async () => (await service.deps.db.query<{ n: number }>({ name: 'test_rounds', text }))[0]?.n
  await begin(service)
  await runJob(service.deps, 'forget-sign-ins')
  assert.notEqual(await count(), 0)
  service.clock.advance(11 * MINUTE)
  await runJob(service.deps, 'forget-sign-ins')
  assert.equal(await count(), 0)
})

test("addresses, subjects, codes and the client's secret are in no log", async () => {
  await invited('canary-rex@example.com')
  const rex = { ...account('canary-rex'), sub: 'canary-sub' }
  provider.account = rex
  const { url, cookie } = await begin(service)
  const path = provider.visit(url)
  const answer = await comeBack(service, path, cookie)
  const log = service.logged.join('\n')
  const code = new URL(path, 'https://verify.example.com').searchParams.get('code') ?? 'no code'
  const canaries = [
    'canary',
    code,
    cookie.split('=')[1] ?? '',
    cookieOf(answer),
    provider.env.VIDIMUS_OIDC_CLIENT_SECRET ?? '',
  ]
  for (const canary of canaries) assert.ok(canary !== '' && !log.includes(canary), canary)
})
