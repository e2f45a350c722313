// Tests that sign-ins of staff are in the trails of their tenants: each method, limited failures, nothing personal.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyStored } from '../../../src/features/audit/usecases/verify-audit.ts'
import { FAILURES_EVERY_MS } from '../../../src/features/staff/domain/session.ts'
import { invite } from '../../../src/features/staff/usecases/manage-team.ts'
import { assertRefused, OPERATOR, testService } from '../../harness/service.ts'
import { PASSWORD, person, post, tokenOf } from '../../harness/staff.ts'
import { waitUntil } from '../../harness/wait.ts'

const service = await testService()
const { deps } = service
const tenant = await service.tenant({ name: 'Ours' })
const second = await service.tenant({ name: 'Also ours' })
const stranger = await service.tenant({ name: 'Theirs' })

let addresses = 0
const elsewhere = () => ({ from: `198.51.100.${++addresses}` })
const signIn = (email: string, password = PASSWORD) =>
  post(service, '/sign-in/password', { email, password }, elsewhere())

interface Recorded {
  readonly action: string
  readonly actor: string
  readonly details: Record<string, unknown> | null
}

/** Returns a tenant's entries about one person, oldest first. */
async function trailOf(personId: string, { tenantId = tenant, environment = 'test' } = {}): Promise<Recorded[]> {
  const rows = await deps.db.query<{ bytes: Buffer; details: Record<string, unknown> | null }>(
    {
      name: 'test_trail_of',
      text: `select e.bytes, d.details from audit_entries e
             left join audit_details d using (tenant_id, environment, seq)
             where e.tenant_id = $1 and e.environment = $2 and e.object_id = $3 order by e.seq`,
    },
    [tenantId, environment, personId],
  )
  return rows.map(({ bytes, details }) => {
    const { action, actor } = JSON.parse(bytes.toString('utf8'))
    return { action, actor: `${actor.type}:${actor.id}`, details }
  })
}

/** Failed sign-ins are recorded after their answer. */
async function untilTrail(
  personId: string,
  condition: (trail: Recorded[]) => boolean,
  what: string,
): Promise<Recorded[]> {
  let trail: Recorded[] = []
  await waitUntil(what, async () => {
    trail = await trailOf(personId)
    return condition(trail)
  })
  return trail
}

const uncounted = async (personId: string) => {
  const text = 'select failed_sign_ins as many from people where id = $1'
  return (await deps.db.query<{ many: number }>({ name: 'test_uncounted', text }, [personId]))[0]?.many
}
const untilUncounted = (personId: string, many: number) =>
  waitUntil(`${many} failures are counted`, async () => (await uncounted(personId)) === many)

const failedIn = (trail: readonly Recorded[]) => trail.filter(({ action }) => action === 'user.sign_in_failed')

test('both chains record a link, a password and a new password, with the method and without a name', async () => {
  const ada = await person(service, tenant, 'owner')
  assert.equal((await signIn(ada.email)).status, 200)
  assert.equal((await ada.call('POST', '/me/password', { body: { password: 'kettle orbit novel lamp' } })).status, 200)
  for (const environment of ['test', 'live']) {
    const trail = await trailOf(ada.id, { environment })
    assert.deepEqual(
      trail.map(({ action, details }) => [action, details?.method]),
      [
        ['user.joined', undefined],
        ['user.sign_ins_replaced', undefined],
        ['user.signed_in', 'link'],
        ['user.signed_in', 'password'],
        ['user.password_changed', undefined],
      ],
    )
    assert.ok(trail.every(({ actor }) => actor === `user:${ada.id}`))
    const signIns = trail.filter(({ action }) => action !== 'user.joined')
    assert.ok(!JSON.stringify(signIns).includes('@'))
    const realm = { tenantId: tenant, environment: environment as 'test' | 'live' }
    assert.equal((await verifyStored(deps, { realm, log: 'newest' })).outcome, 'whole')
  }
})

test('a sign-in of a person of two tenants is in the trails of both, and of no other tenant', async () => {
  const bob = await person(service, tenant, 'admin')
  const invitation = await invite(deps, {
    tenantId: second,
    email: bob.email,
    role: 'viewer',
    actor: OPERATOR,
    byOperator: false,
  })
  assert.equal(
    (await bob.call('POST', '/links/accept', { body: { token: tokenOf(invitation?.url ?? '') } })).status,
    200,
  )
  assert.equal((await signIn(bob.email)).status, 200)
  assert.equal((await trailOf(bob.id)).at(-1)?.action, 'user.signed_in')
  assert.deepEqual(
    (await trailOf(bob.id, { tenantId: second })).map(({ action }) => action),
    ['user.joined', 'user.signed_in'],
  )
  assert.deepEqual(await trailOf(bob.id, { tenantId: stranger }), [])
})

test('failed sign-ins have one entry an hour, without a person; the next entry has their number', async () => {
  const eve = await person(service, tenant, 'viewer')
  for (let tries = 0; tries < 25; tries += 1) assertRefused(await signIn(eve.email, 'wrong'), 401, 'sign_in_failed')
  await untilUncounted(eve.id, 24)
  const trail = await trailOf(eve.id)
  assert.deepEqual(failedIn(trail), [
    { action: 'user.sign_in_failed', actor: 'system:sign-in', details: { method: 'password', failures: 1 } },
  ])
  service.clock.advance(FAILURES_EVERY_MS)
  assertRefused(await signIn(eve.email, 'wrong'), 401, 'sign_in_failed')
  const later = await untilTrail(eve.id, (all) => failedIn(all).length === 2, 'a second entry')
  assert.deepEqual(failedIn(later)[1]?.details, { method: 'password', failures: 25 })
})

test('failures that no entry has counted yet are in the entry of the next sign-in', async () => {
  const finn = await person(service, tenant, 'viewer')
  for (let tries = 0; tries < 3; tries += 1) await signIn(finn.email, 'wrong')
  await untilUncounted(finn.id, 2)
  assert.equal((await signIn(finn.email)).status, 200)
  assert.deepEqual((await trailOf(finn.id)).at(-1)?.details, { method: 'password', failures: 2 })
  assert.equal(await uncounted(finn.id), 0)
})

test('an unknown address is in no trail', async () => {
  const count = async () =>
    (
      await deps.db.query<{ many: number }>({
        name: 'test_many',
        text: 'select count(*)::int as many from audit_entries',
      })
    )[0]?.many
  const before = await count()
  assertRefused(await signIn('nobody@example.com', 'wrong'), 401, 'sign_in_failed')
  assert.equal(await count(), before)
})

test('a failed passkey answer and a removed passkey are in the trail', async () => {
  const gil = await person(service, tenant, 'viewer')
  const text = `insert into passkeys (id, person_id, public_key, counter, transports, name, created_at)
                values ('a2V5', $1, '\\x00', 0, '{}', 'Phone of Gil', now())`
  await deps.db.query({ name: 'test_passkey', text }, [gil.id])
  const response = { id: 'a2V5', rawId: 'a2V5', type: 'public-key', response: {}, clientExtensionResults: {} }
  assertRefused(await post(service, '/sign-in/passkey', { response }, elsewhere()), 401, 'sign_in_failed')
  await untilTrail(gil.id, (all) => failedIn(all)[0]?.details?.method === 'passkey', 'the failed passkey')
  assert.equal((await gil.call('POST', '/me/passkeys/remove', { body: { id: 'a2V5' } })).status, 200)
  const trail = await trailOf(gil.id)
  assert.equal(trail.at(-1)?.action, 'user.passkey_removed')
  assert.ok(!JSON.stringify(trail).includes('Phone'))
})
