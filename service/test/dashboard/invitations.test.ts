// Tests that invitations end with their creator's rights, and give no one control of another person's account.

import assert from 'node:assert/strict'
import test from 'node:test'
import { readTrail } from '../../src/features/audit/usecases/read-audit.ts'
import { INVITATIONS_A_DAY_MAX, INVITATIONS_MAX } from '../../src/features/staff/domain/invitation.ts'
import { listAddressesBefore } from '../../src/features/staff/store/former-staff.ts'
import { invite } from '../../src/features/staff/usecases/manage-team.ts'
import { instantOf } from '../../src/platform/world.ts'
import type { Answer } from '../harness/answer.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { cookieOf, PASSWORD, type Person, person, post, signedIn, tokenOf } from '../harness/staff.ts'
import { waitUntil, within } from '../harness/wait.ts'

const service = await testService()
const { deps } = service
const OTHER_PASSWORD = 'nine horses count to a'
let addresses = 0
const from = () => ({ from: `203.0.113.${++addresses}` })

async function invited(by: Person, email: string, role = 'owner'): Promise<string> {
  const created = await by.call('POST', '@/team/invite', { body: { email, role } })
  assert.equal(created.status, 201, created.text)
  return tokenOf(created.json.url)
}

const use = (token: string, more: object = {}) =>
  post(service, '/links/use', { token, password: PASSWORD, ...more }, from())
const signInWith = (email: string, password: string) => post(service, '/sign-in/password', { email, password }, from())
const look = (token: string) => post(service, '/links/look', { token }, from())
const invitationsOf = async (by: Person) => (await by.call('GET', '@/team')).json.invitations

async function team() {
  // The budget of attempts of an address refills.
  service.clock.advance(20_000)
  const tenantId = await service.tenant()
  return { tenantId, boss: await person(service, tenantId, 'owner'), other: await person(service, tenantId, 'owner') }
}

for (const end of ['remove', 'role'] as const) {
  test(`an owner's open invitations end with their ${end === 'remove' ? 'removal' : 'demotion'}; those of other owners stay`, async () => {
    const { boss, other } = await team()
    const back = await invited(other, `back-${end}@example.com`)
    const honest = await invited(boss, `honest-${end}@example.com`)
    const ended = await boss.call('POST', `@/team/${other.id}/${end}`, {
      body: end === 'role' ? { role: 'admin' } : {},
    })
    assert.equal(ended.status, 200)
    assertRefused(await use(back), 400, 'link_not_valid')
    assert.deepEqual(
      (await invitationsOf(boss)).map(({ email }: { email: string }) => email),
      [`honest-${end}@example.com`],
    )
    assert.equal((await use(honest)).status, 200)
  })
}

/** Sends a request while the removal of this person has started and not yet committed, and then commits the removal. */
async function whileRemoved(
  removed: { readonly tenantId: string; readonly personId: string },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const locked = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const removal = deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_leave', text: 'delete from members where tenant_id = $1 and person_id = $2' }, [
      removed.tenantId,
      removed.personId,
    ])
    locked.resolve()
    await mayCommit.promise
  })
  await within('the row is locked', locked.promise)
  const requested = ask()
  const waiting = {
    name: 'test_waits',
    text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  }
  let answered = false
  void requested.finally(() => {
    answered = true
  })
  await waitUntil('it waits or is answered', async () => answered || (await deps.db.query(waiting)).length > 0)
  mayCommit.resolve()
  await removal
  return requested
}

test('an invitation by a person who is being removed does not survive the removal', async () => {
  const { tenantId, boss, other } = await team()
  const body = { email: 'late@example.com', role: 'owner' }
  const answer = await whileRemoved({ tenantId, personId: other.id }, () =>
    other.call('POST', '@/team/invite', { body }),
  )
  assertRefused(answer, 403, 'role_insufficient')
  assert.deepEqual(await invitationsOf(boss), [])
})

for (const [what, path, body] of [
  ['appoints no owner', (id: string) => `@/team/${id}/role`, { role: 'owner' }],
  ['removes no member', (id: string) => `@/team/${id}/remove`, {}],
] as const) {
  test(`a person who is being removed ${what} after the removal`, async () => {
    const { tenantId, boss, other } = await team()
    const friend = await person(service, tenantId, 'viewer')
    const answer = await whileRemoved({ tenantId, personId: other.id }, () =>
      other.call('POST', path(friend.id), { body }),
    )
    assertRefused(answer, 403, 'role_insufficient')
    const members: { id: string; role: string }[] = (await boss.call('GET', '@/team')).json.members
    assert.deepEqual(members.find(({ id }) => id === friend.id)?.role, 'viewer')
  })
}

test('at the limit of open invitations a new one is refused; creating an open one again, and one by the operator, are not', async () => {
  const { tenantId, boss } = await team()
  const now = new Date(service.clock.now()).toISOString()
  await deps.db.query(
    {
      name: 'test_invitations',
      text: `insert into sign_in_links (hash, email, tenant_id, role, by_operator, created_at, expires_at)
             select sha256(convert_to($1 || n, 'UTF8')), 'guest-' || n || '@example.com', $1, 'viewer', false, $2::timestamptz,
               $2::timestamptz + interval '1 minute' from generate_series(2, $3::integer) n`,
    },
    [tenantId, now, INVITATIONS_MAX],
  )
  const addresses = Array.from({ length: 6 }, (_, n) => `at-once-${n}@example.com`)
  const answers = await Promise.all(
    addresses.map((email) => boss.call('POST', '@/team/invite', { body: { email, role: 'viewer' } })),
  )
  const email = addresses[answers.findIndex(({ status }) => status === 201)]
  assert.equal(answers.filter(({ status }) => status === 201).length, 1, 'of simultaneous invitations, one is created')
  const oneMore = () => boss.call('POST', '@/team/invite', { body: { email: 'late@example.com', role: 'viewer' } })
  assertRefused(await oneMore(), 409, 'invitation_limit_reached')
  const again = await boss.call('POST', '@/team/invitations/again', { body: { email } })
  assert.equal(again.status, 201)
  const terms = { tenantId, email: 'late@example.com', role: 'viewer', actor: OPERATOR } as const
  assert.notEqual(await invite(deps, { ...terms, byOperator: true }), null)
  assert.equal((await invitationsOf(boss)).length, INVITATIONS_MAX + 1)
  service.clock.advance(60_000)
  assert.equal((await oneMore()).status, 201)
})

test('of a day, a tenant has a limited number of invitations, also of withdrawn ones; the operator has no limit', async () => {
  const { tenantId, boss } = await team()
  const email = 'guest@example.com'
  const ask = () => boss.call('POST', '@/team/invite', { body: { email, role: 'viewer' } })
  const withdraw = () => boss.call('POST', '@/team/invitations/withdraw', { body: { email } })
  const event = {
    action: 'user.invited',
    actor: { type: 'user', id: boss.id },
    object: { type: 'tenant', id: tenantId },
    details: { email, role: 'viewer' },
  } as const
  const realm = { tenantId, environment: 'live' } as const
  const named = await listAddressesBefore(deps.db, realm, 1_000_000, 1_000)
  const own = named.filter(({ action }) => action === event.action).length
  const now = instantOf(service.clock.now())
  const events = Array.from({ length: INVITATIONS_A_DAY_MAX - own - 1 }, () => event)
  await deps.db.transaction((tx) => deps.audit.recordAll(tx, realm, { now, events }))
  assert.equal((await ask()).status, 201)
  const refused = await ask()
  assertRefused(refused, 429, 'rate_limit_exceeded')
  const wait = Number(refused.headers['retry-after'])
  assert.ok(wait > 86_000 && wait <= 86_401, String(wait))
  assert.equal((await boss.call('POST', '@/team/invitations/again', { body: { email } })).status, 429)
  assert.equal((await invitationsOf(boss)).length, 1, 'a refused one ends no other')
  assert.equal((await withdraw()).status, 200)
  assertRefused(await ask(), 429, 'rate_limit_exceeded')
  const terms = { tenantId, email, role: 'viewer', actor: OPERATOR } as const
  assert.notEqual(await invite(deps, { ...terms, byOperator: true }), null)
  const later = { ...terms, byOperator: false }
  await assert.rejects(invite(deps, later), { code: 'rate_limit_exceeded' })
  service.clock.advance(86_401_000)
  assert.notEqual(await invite(deps, later), null)
})

test('an invitation shows its creator, can be withdrawn, and created again with its role', async () => {
  const { tenantId, boss, other } = await team()
  const email = 'guest@example.com'
  const first = await invited(boss, email, 'admin')
  const [seen] = await invitationsOf(other)
  assert.deepEqual([seen.email, seen.role, seen.invited_by], [email, 'admin', boss.email])
  const again = await other.call('POST', '@/team/invitations/again', { body: { email } })
  assert.equal(again.status, 201)
  assertRefused(await look(first), 400, 'link_not_valid')
  const second = tokenOf(again.json.url)
  assert.equal((await look(second)).json.role, 'admin')
  assert.equal((await invitationsOf(other))[0].invited_by, other.email)
  assert.equal((await boss.call('POST', '@/team/invitations/withdraw', { body: { email } })).status, 200)
  assertRefused(await use(second), 400, 'link_not_valid')
  assert.deepEqual(await invitationsOf(boss), [])
  const body = { email }
  assertRefused(await boss.call('POST', '@/team/invitations/withdraw', { body }), 404, 'not_found')
  assertRefused(await boss.call('POST', '@/team/invitations/again', { body }), 404, 'not_found')
  const trail = (await readTrail(deps, { tenantId, environment: 'live' }, { before: null, limit: 10 })).entries
  assert.equal(trail[0]?.action, 'user.invitation_withdrawn')
})

test('an account that a foreign owner opened for the address blocks no one, and gives no access to its data', async () => {
  const [theirs, ours] = [await team(), await team()]
  const email = 'victim@example.com'
  const squat = await use(await invited(theirs.boss, email, 'admin'))
  assert.equal(squat.status, 200)
  // A sign-in to that account does not change this.
  assert.equal((await signInWith(email, PASSWORD)).status, 200)
  const squatter = await signedIn(service, theirs.tenantId, { email, cookie: cookieOf(squat) })
  const token = await invited(ours.boss, email, 'admin')
  assertRefused(await use(token), 403, 'link_needs_sign_in')
  const seen = await look(token)
  assert.deepEqual([seen.json.needs_sign_in, seen.json.may_open_another], [true, true])
  const opened = await use(token, { password: OTHER_PASSWORD, another: true })
  assert.equal(opened.status, 200, opened.text)
  const again = await signInWith(email, OTHER_PASSWORD)
  for (const answer of [opened, again]) {
    const victim = await signedIn(service, ours.tenantId, { email, cookie: cookieOf(answer) })
    assert.notEqual(victim.id, squatter.id)
    assert.equal((await victim.call('GET', '@/team')).status, 200)
    assertRefused(await victim.call('GET', '@/team', { tenant: theirs.tenantId }), 404, 'not_found')
  }
  assertRefused(await squatter.call('GET', '@/team', { tenant: ours.tenantId }), 404, 'not_found')
})

test("an invitation of another tenant does not change a member's account, even a new one", async () => {
  const [ours, theirs] = [await team(), await team()]
  const email = 'fresh@example.com'
  const joined = await use(await invited(ours.boss, email, 'admin'))
  const member = await signedIn(service, ours.tenantId, { email, cookie: cookieOf(joined) })
  const taken = await use(await invited(theirs.boss, email, 'owner'), { password: OTHER_PASSWORD, another: true })
  assert.equal(taken.status, 200, taken.text)
  const taker = await signedIn(service, theirs.tenantId, { email, cookie: cookieOf(taken) })
  assertRefused(await taker.call('GET', '@/team', { tenant: ours.tenantId }), 404, 'not_found')
  assert.equal((await member.call('GET', '@/team')).status, 200)
  const back = await signedIn(service, ours.tenantId, { email, cookie: cookieOf(await signInWith(email, PASSWORD)) })
  assert.equal(back.id, member.id)
  const members = (await ours.boss.call('GET', '@/team')).json.members
  assert.equal(members.filter(({ id }: { id: string }) => id === member.id).length, 1)
})

test('a tenant opens one account per address, and reopens it only if it is a member of no tenant', async () => {
  const [ours, theirs] = [await team(), await team()]
  const email = 'again@example.com'
  const opened = await use(await invited(ours.boss, email, 'admin'))
  const member = await signedIn(service, ours.tenantId, { email, cookie: cookieOf(opened) })
  const joining = { body: { token: await invited(theirs.boss, email, 'viewer') } }
  assert.equal((await member.call('POST', '/links/accept', joining)).status, 200)
  assert.equal((await ours.boss.call('POST', `@/team/${member.id}/remove`)).status, 200)
  // The person is a member elsewhere by now, so the tenant that opened the account has no special rights over it.
  const token = await invited(ours.boss, email, 'admin')
  assert.equal((await look(token)).json.may_open_another, false)
  assertRefused(await use(token, { another: true }), 403, 'link_needs_sign_in')
  assert.equal((await member.call('GET', '@/team', { tenant: theirs.tenantId })).status, 200)
  assert.equal((await theirs.boss.call('POST', `@/team/${member.id}/remove`)).status, 200)
  const joined = await use(token, { password: OTHER_PASSWORD })
  assert.equal(joined.status, 200, joined.text)
  assert.equal((await signedIn(service, ours.tenantId, { email, cookie: cookieOf(joined) })).id, member.id)
  assertRefused(await member.call('GET', '/me'), 401, 'not_signed_in')
})

test('one address has at most eight accounts: beyond that, its owner signs in or the operator helps', async () => {
  const email = 'many@example.com'
  for (let count = 0; count < 8; count += 1) {
    const { boss } = await team()
    assert.equal((await use(await invited(boss, email, 'viewer'), { another: true })).status, 200)
  }
  const { tenantId, boss } = await team()
  const token = await invited(boss, email, 'viewer')
  assert.equal((await look(token)).json.may_open_another, false)
  assertRefused(await use(token, { another: true }), 403, 'link_needs_sign_in')
  assert.equal((await person(service, tenantId, 'viewer', email)).email, email)
})

test("the operator's link signs in to the one of several accounts that is a member of its tenant", async () => {
  const [theirs, ours] = [await team(), await team()]
  const email = 'several@example.com'
  assert.equal((await use(await invited(theirs.boss, email, 'admin'))).status, 200)
  const opened = await use(await invited(ours.boss, email, 'admin'), { password: OTHER_PASSWORD, another: true })
  const before = await signedIn(service, ours.tenantId, { email, cookie: cookieOf(opened) })
  assert.equal((await person(service, ours.tenantId, 'admin', email)).id, before.id)
  assertRefused(await before.call('GET', '/me'), 401, 'not_signed_in')
})
