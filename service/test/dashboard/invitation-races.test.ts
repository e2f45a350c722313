// Tests that two simultaneous invitations to one address result in one person with one password.

import assert from 'node:assert/strict'
import test from 'node:test'
import { findOrInsertPerson, setPassword } from '../../src/features/staff/store/people.ts'
import { invite } from '../../src/features/staff/usecases/manage-team.ts'
import { newPersonId } from '../../src/platform/ids.ts'
import type { Tx } from '../../src/platform/postgres/db.ts'
import { instantOf } from '../../src/platform/world.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { person, post, tokenOf } from '../harness/staff.ts'
import { waitUntil, within } from '../harness/wait.ts'

const service = await testService()
const { deps, clock } = service
const tenants = [await service.tenant({ name: 'Ours' }), await service.tenant({ name: 'Theirs' })]

const found = (tx: Tx, email: string) =>
  findOrInsertPerson(tx, { id: newPersonId(deps.random), email, now: instantOf(clock.now()) })

const WAITING = {
  name: 'test_waiting',
  text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
}

/** Resolves when the work has ended, or when a statement waits for a lock of another transaction. */
async function endedOrWaiting(work: Promise<unknown>): Promise<void> {
  let ended = false
  const noted = work.finally(() => {
    ended = true
  })
  await waitUntil('it waits or has ended', async () => ended || (await deps.db.query(WAITING)).length > 0)
  if (ended) await noted
}

for (const known of [false, true]) {
  test(`the second invitation finds ${known ? 'a known person' : 'a new person'} as the first left them`, async () => {
    const email = `${known ? 'known' : 'new'}@example.com`
    if (known) await deps.db.transaction((tx) => found(tx, email))
    const holding = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const first = deps.db.transaction(async (tx) => {
      const theirs = await found(tx, email)
      holding.resolve()
      await release.promise
      await setPassword(tx, theirs.id, 'of the first')
      return theirs
    })
    await within('the row is locked', holding.promise)
    const second = deps.db.transaction((tx) => found(tx, email))
    await endedOrWaiting(second)
    release.resolve()
    const [one, other] = await Promise.all([first, second])
    assert.equal(other.id, one.id)
    assert.equal(other.password, 'of the first')
  })
}

test('of two invitations used at once, one opens the account; the other asks its owner to sign in', async () => {
  for (let round = 0; round < 5; round += 1) {
    const email = `guest-${round}@example.com`
    // A known person who is no longer a member of any tenant: there is a row to lock, but no proof of its owner yet.
    if (round > 0) await deps.db.transaction((tx) => found(tx, email))
    const tokens = await Promise.all(
      tenants.map(async (tenantId) => {
        const invitation = await invite(deps, { tenantId, email, role: 'viewer', actor: OPERATOR, byOperator: false })
        return tokenOf(invitation?.url ?? '')
      }),
    )
    const answers = await Promise.all(
      tokens.map((token, n) =>
        post(
          service,
          '/links/use',
          { token, password: `the horse that counts to ${n}` },
          { from: `198.51.100.${round}` },
        ),
      ),
    )
    const refused = answers.find(({ status }) => status !== 200)
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403])
    assert.ok(refused !== undefined)
    assertRefused(refused, 403, 'link_needs_sign_in')
    const rows = await deps.db.query({ name: 'test_people', text: 'select from people where email = $1' }, [email])
    assert.equal(rows.length, 1)
  }
})

test('a refused invitation stays open: its owner signs in and accepts it', async () => {
  const email = 'both@example.com'
  const owner = await person(service, tenants[0] ?? '', 'viewer', email)
  const invitation = await invite(deps, {
    tenantId: tenants[1] ?? '',
    email,
    role: 'viewer',
    actor: OPERATOR,
    byOperator: false,
  })
  const token = tokenOf(invitation?.url ?? '')
  assertRefused(
    await post(service, '/links/use', { token, password: 'the horse that counts' }),
    403,
    'link_needs_sign_in',
  )
  assert.equal((await owner.call('POST', '/links/accept', { body: { token } })).status, 200)
})
