// Invitations: they end with the power of whoever made them, are seen, withdrawn and made again; and nobody keeps an address
// from its owner by inviting it first.

import assert from 'node:assert/strict'
import test from 'node:test'
import { readTrail } from '../../src/usecases/audit/read-audit.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { cookieOf, PASSWORD, type Person, person, post, signedIn, tokenOf } from '../harness/staff.ts'

const service = await testService()
const { deps } = service
let addresses = 0
const from = () => ({ from: `203.0.113.${++addresses}` })

async function invited(by: Person, email: string, role = 'owner'): Promise<string> {
  const made = await by.call('POST', '@/team/invite', { body: { email, role } })
  assert.equal(made.status, 201, made.text)
  return tokenOf(made.json.url)
}

const use = (token: string, more: object = {}) =>
  post(service, '/links/use', { token, password: PASSWORD, ...more }, from())
const look = (token: string) => post(service, '/links/look', { token }, from())
const invitationsOf = async (by: Person) => (await by.call('GET', '@/team')).json.invitations

async function team() {
  // What one address may try fills up again.
  service.clock.advance(20_000)
  const tenantId = await service.tenant()
  return { tenantId, boss: await person(service, tenantId, 'owner'), other: await person(service, tenantId, 'owner') }
}

for (const end of ['remove', 'role'] as const) {
  test(`an owner's open invitations end with their ${end === 'remove' ? 'removal' : 'demotion'}; others' stay`, async () => {
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

test('who is being removed makes no invitation that outlives the removal', async () => {
  const { tenantId, boss, other } = await team()
  const held = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const removal = deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_leave', text: 'delete from members where tenant_id = $1 and person_id = $2' }, [
      tenantId,
      other.id,
    ])
    held.resolve()
    await letGo.promise
  })
  await held.promise
  const inviting = other.call('POST', '@/team/invite', { body: { email: 'late@example.com', role: 'owner' } })
  const waiting = { name: 'test_waits', text: `select from pg_stat_activity where wait_event_type = 'Lock'` }
  let answered = false
  void inviting.finally(() => {
    answered = true
  })
  while (!answered && (await deps.db.query(waiting)).length === 0) await new Promise(setImmediate)
  letGo.resolve()
  await removal
  assertRefused(await inviting, 403, 'role_insufficient')
  assert.deepEqual(await invitationsOf(boss), [])
})

test('an invitation is seen with who made it, withdrawn, and made again with its role', async () => {
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
  const trail = await readTrail(deps, { tenantId, environment: 'live' }, { before: null, limit: 10 })
  assert.equal(trail[0]?.action, 'user.invitation_withdrawn')
})

test('an account that nobody came back to does not bar the invited person, who gets nothing that it had', async () => {
  const [theirs, ours] = [await team(), await team()]
  const email = 'victim@example.com'
  const squat = await use(await invited(theirs.boss, email, 'admin'), {})
  assert.equal(squat.status, 200)
  const squatter = await signedIn(service, theirs.tenantId, { email, cookie: cookieOf(squat) })
  const token = await invited(ours.boss, email, 'admin')
  assertRefused(await use(token), 403, 'link_needs_sign_in')
  const seen = await look(token)
  assert.deepEqual([seen.json.needs_sign_in, seen.json.may_start_over], [true, true])
  const password = 'nine horses count to a'
  const started = await use(token, { password, start_over: true })
  assert.equal(started.status, 200, started.text)
  const victim = await signedIn(service, ours.tenantId, { email, cookie: cookieOf(started) })
  assert.equal((await victim.call('GET', '@/team')).status, 200)
  assertRefused(await victim.call('GET', '@/team', { tenant: theirs.tenantId }), 404, 'not_found')
  assertRefused(await squatter.call('GET', '/me'), 401, 'not_signed_in')
  assertRefused(await post(service, '/sign-in/password', { email, password: PASSWORD }, from()), 401, 'sign_in_failed')
  const members = (await theirs.boss.call('GET', '@/team')).json.members
  assert.ok(members.every((member: { email: string }) => member.email !== email))
})

test('an account that somebody came back to, or that is the only owner of a tenant, is not started over', async () => {
  const [theirs, ours] = [await team(), await team()]
  const email = 'known@example.com'
  assert.equal((await use(await invited(theirs.boss, email, 'admin'))).status, 200)
  assert.equal((await post(service, '/sign-in/password', { email, password: PASSWORD }, from())).status, 200)
  const token = await invited(ours.boss, email, 'admin')
  assert.equal((await look(token)).json.may_start_over, false)
  assertRefused(await use(token, { start_over: true }), 403, 'link_needs_sign_in')

  const only = 'only@example.com'
  const opened = await use(await invited(theirs.boss, only, 'owner'))
  const owner = await signedIn(service, theirs.tenantId, { email: only, cookie: cookieOf(opened) })
  for (const { id } of [theirs.boss, theirs.other])
    assert.equal((await owner.call('POST', `@/team/${id}/remove`)).status, 200)
  assertRefused(await use(await invited(ours.boss, only, 'admin'), { start_over: true }), 409, 'last_owner')
  assert.equal((await owner.call('GET', '@/team')).status, 200)
})

test("the operator's link counts as a sign-in: nobody starts that account over", async () => {
  const [theirs, ours] = [await team(), await team()]
  const known = await person(service, theirs.tenantId, 'admin')
  const token = await invited(ours.boss, known.email, 'admin')
  assert.equal((await look(token)).json.may_start_over, false)
  assertRefused(await use(token, { start_over: true }), 403, 'link_needs_sign_in')
})
