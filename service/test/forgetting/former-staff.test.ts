// Tests that addresses of people who left a team, or never joined, are deleted, with accounts that no tenant uses.

import assert from 'node:assert/strict'
import test from 'node:test'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { checkRestore } from '../../src/features/operator/usecases/check-restore.ts'
import { forgetFormerStaff } from '../../src/features/staff/usecases/forget-former-staff.ts'
import { changeRole, invite, removeMember, withdrawInvitation } from '../../src/features/staff/usecases/manage-team.ts'
import { ENVIRONMENTS, instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { noteEach } from '../harness/servers/statements.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { PASSWORD, person, post, tokenOf } from '../harness/staff.ts'
import { dumpedWith, sealedWith } from '../harness/word-search.ts'
import { backUp } from '../restore/whole-backup.ts'

const service = await testService()
const { deps, clock } = service
const actor = OPERATOR
const DAY = 86_400_000

let people = 0
const newEmail = () => `canary${++people}@staff.example`

const signIn = (email: string) => post(service, '/sign-in/password', { email, password: PASSWORD })

async function forget(): Promise<void> {
  await runJob(deps, 'forget-sign-ins')
  await runJob(deps, 'forget-former-staff')
}

/** Tables and sealed columns that have the address. */
async function found(email: string): Promise<string[]> {
  const word = email.split('@')[0] ?? ''
  const tables = (await dumpedWith(deps, word)).filter((table) => table !== 'audit_details_singly')
  return [...tables, ...(await sealedWith(deps, word))]
}

async function assertWhole(tenantId: string): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    const verdict = await verifyStored(deps, { realm: { tenantId, environment }, log: 'newest' })
    assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
  }
}

async function team() {
  const tenantId = await service.tenant()
  const owner = await person(service, tenantId, 'owner', newEmail())
  const join = (email = newEmail()) => person(service, tenantId, 'viewer', email)
  const leave = (personId: string) => removeMember(deps, { tenantId, personId, actor })
  const ask = (email: string) => invite(deps, { tenantId, email, role: 'viewer', actor, byOperator: false })
  return { tenantId, owner, join, leave, ask }
}

test('the address of an invitation that ended is deleted a week later, in both environments, and the trail accounts for it', async () => {
  const { tenantId, owner, ask } = await team()
  const [withdrawn, expired] = [newEmail(), newEmail()]
  for (const email of [withdrawn, expired]) assert.ok((await ask(email)) !== null)
  assert.ok(await withdrawInvitation(deps, { tenantId, email: withdrawn, actor }))
  clock.advance(6 * DAY)
  await forget()
  for (const email of [withdrawn, expired]) assert.deepEqual(await found(email), ['audit_details'])
  clock.advance(DAY + 1_000)
  const open = newEmail()
  await ask(open)
  await forget()
  for (const email of [withdrawn, expired]) assert.deepEqual(await found(email), [])
  assert.ok((await found(open)).includes('sign_in_links'))
  assert.ok((await found(open)).includes('audit_details'))
  assert.ok((await found(owner.email)).includes('audit_details'))
  await assertWhole(tenantId)
  const lines: string[] = []
  for await (const line of exportAudit(deps, { tenantId, environment: 'live' })) lines.push(line)
  assert.equal(lines.filter((line) => line.includes('user.forgotten')).length, 1)
})

test('a removed member can be added again for a week; then the account is deleted, and the address opens another', async () => {
  const { tenantId, join, leave, ask } = await team()
  const [gone, back] = [await join(), await join()]
  clock.advance(30 * DAY)
  for (const { id } of [gone, back]) await leave(id)
  clock.advance(6 * DAY)
  await forget()
  assert.equal((await signIn(gone.email)).status, 200)
  assert.equal((await join(back.email)).id, back.id)
  clock.advance(DAY + 1_000)
  const wrong = await signIn('never@staff.example')
  await forget()
  assert.deepEqual(await found(gone.email), [])
  assert.ok((await found(back.email)).includes('members') || (await found(back.email)).includes('people'))
  const refused = await signIn(gone.email)
  assert.deepEqual([refused.status, refused.json.code], [wrong.status, wrong.json.code])
  await assertWhole(tenantId)
  const url = (await ask(gone.email))?.url ?? ''
  assert.equal((await post(service, '/links/use', { token: tokenOf(url), password: PASSWORD })).status, 200)
  const [again] = await deps.db.query<{ id: string }>(
    { name: 'test_account', text: 'select id from people where email = $1' },
    [gone.email],
  )
  assert.ok(again !== undefined && again.id !== gone.id)
})

test('an account stays while another team has it, and while it is part of a copy; rows about it go with it', async () => {
  const [one, other] = [await team(), await team()]
  const [both, copied, inviter] = [await one.join(), await one.join(), await one.join()]
  await other.join(both.email)
  await changeRole(deps, { tenantId: one.tenantId, personId: inviter.id, role: 'owner', actor })
  const of = { type: 'user', id: inviter.id } as const
  await invite(deps, { tenantId: one.tenantId, email: newEmail(), role: 'viewer', actor: of, byOperator: false })
  const subscribed = `insert into alert_subscriptions (person_id, tenant_id, topic, language, created_at)
                      values ($1, $2, 'quota', 'en', now())`
  await deps.db.query({ name: 'test_subscribe', text: subscribed }, [inviter.id, one.tenantId])
  const known = `insert into known_browsers (person_id, hash, seen_at) values ($1, sha256('b'), now())`
  await deps.db.query({ name: 'test_known', text: known }, [inviter.id])
  const text = 'update people set came_with = $2 where id = $1'
  await deps.db.query({ name: 'test_copied', text }, [copied.id, other.tenantId])
  for (const { id } of [both, copied, inviter]) await one.leave(id)
  clock.advance(8 * DAY)
  await forget()
  const accounts = async ({ email }: { email: string }) => (await found(email)).filter((table) => table === 'people')
  assert.deepEqual([await accounts(both), await accounts(copied)], [['people'], ['people']])
  assert.deepEqual(await found(inviter.email), [])
  const left = (await dumpedWith(deps, inviter.id)).filter((table) => !table.startsWith('audit_'))
  assert.deepEqual(left, [], 'only the trail has the id')
  const kept = await deps.db.query(
    {
      name: 'test_kept',
      text: `select from audit_details where details ->> 'email' = $1 and tenant_id = $2`,
    },
    [both.email, other.tenantId],
  )
  assert.equal(kept.length, 4, 'invited and joined, in both environments')
  for (const { tenantId } of [one, other]) await assertWhole(tenantId)
})

test('a restored backup does not bring back addresses and accounts that were deleted since', async () => {
  const { tenantId, join, leave, ask } = await team()
  const [gone, twice, invited] = [await join(), await join(), newEmail()]
  await ask(invited)
  const restore = await backUp(service)
  clock.advance(1_000)
  for (const { id } of [gone, twice]) await leave(id)
  assert.equal((await join(twice.email)).id, twice.id)
  await leave(twice.id)
  clock.advance(8 * DAY)
  await forget()
  const exports = []
  for (const environment of ENVIRONMENTS) {
    const lines: string[] = []
    for await (const line of exportAudit(deps, { tenantId, environment })) lines.push(line)
    exports.push({
      name: environment,
      lines: async function* () {
        yield* lines
      },
    })
  }
  await restore()
  clock.advance(1_000)
  assert.ok((await found(gone.email)).includes('people'))
  await runJob(deps, 'forget-former-staff')
  for (const { replay } of (await checkRestore(deps, { exports, acceptsRest: true })).replays)
    assert.ok(replay.outcome === 'replayed' && replay.byHand.length === 0, JSON.stringify(replay))
  await runJob(deps, 'forget-sign-ins')
  assert.deepEqual(await found(invited), [])
  // The check itself removed the members.
  for (const { email } of [gone, twice]) assert.deepEqual(await found(email), ['audit_details'])
  clock.advance(8 * DAY)
  await forget()
  assert.deepEqual(await found(gone.email), [])
  await assertWhole(tenantId)
})

test('the export of one tenant does not end the week of accounts that others removed', async () => {
  const [one, other] = [await team(), await team()]
  const [gone, late] = [await one.join(), await one.join()]
  await one.leave(gone.id)
  clock.advance(7 * DAY - 3_600_000)
  const recent = await other.join()
  await other.leave(recent.id)
  await one.leave(late.id)
  const restore = await backUp(service)
  clock.advance(7_200_000)
  await forget()
  const { tenantId } = one
  // With the exports of both environments, no trail would name a person whose address was forgotten too early.
  const exports = []
  for (const environment of ENVIRONMENTS) {
    const lines = await Array.fromAsync(exportAudit(deps, { tenantId, environment }))
    const exported = async function* () {
      yield* lines
    }
    exports.push({ name: environment, lines: exported })
  }
  await restore()
  clock.advance(1_000)
  await checkRestore(deps, { exports, acceptsRest: true })
  const accounts = async ({ email }: { email: string }) => (await found(email)).includes('people')
  assert.deepEqual([await accounts(gone), await accounts(late), await accounts(recent)], [false, true, true])
})

test('the trail of one tenant, however long or broken, does not keep the job from those of others', async () => {
  const [one, other] = [await team(), await team()]
  const [bad, good] = one.tenantId < other.tenantId ? [one, other] : [other, one]
  const { tenantId } = bad
  const realm = { tenantId, environment: 'live' } as const
  const [gone, back] = [await good.join(), newEmail()]
  await good.leave(gone.id)
  const invited = (emails: readonly string[]) =>
    deps.db.transaction((tx) =>
      deps.audit.recordAll(tx, realm, {
        now: instantOf(clock.now()),
        events: emails.map((email) => ({
          action: 'user.invited',
          actor: OPERATOR,
          object: { type: 'tenant', id: tenantId },
          details: { email, role: 'viewer' },
        })),
      }),
    )
  await invited([back])
  for (let step = 0; step < 3; step += 1) await invited(Array.from({ length: 400 }, () => newEmail()))
  clock.advance(8 * DAY)
  await invited([back])
  // An entry that cannot be read.
  const text = `insert into audit_entries (tenant_id, environment, seq, object_id, bytes, hash)
    values ($1, 'test', 1000000, $1, 'no json', '')`
  await deps.db.query({ name: 'test_broken', text }, [tenantId])
  const details = `insert into audit_details (tenant_id, environment, seq, object_id, salt, details)
    values ($1, 'test', 1000000, $1, '', '{"email": "broken@staff.example"}')`
  await deps.db.query({ name: 'test_broken_details', text: details }, [tenantId])
  const stop = new AbortController()
  let steps = 0
  noteEach(deps.db, ({ name }) => {
    if (name === 'list_addresses_on_trail') steps += 1
    if (steps > 0) stop.abort()
  })
  await assert.rejects(forgetFormerStaff(deps, stop.signal), { name: 'AbortError' })
  assert.equal(steps, 1, 'a run that is stopped takes no further step')
  await runJob(deps, 'forget-sign-ins')
  await assert.rejects(forgetFormerStaff(deps), /addresses of former staff were not deleted/)
  assert.deepEqual(await found(gone.email), [])
  const left = await deps.db.query<{ email: string }>(
    {
      name: 'test_left',
      text: `select details ->> 'email' as email from audit_details
             where tenant_id = $1 and environment = 'live' and details ? 'email' order by seq`,
    },
    [tenantId],
  )
  // One of them was named again now.
  assert.deepEqual(new Set(left.map(({ email }) => email)), new Set([back, bad.owner.email]))
  const verdict = await verifyStored(deps, { realm, log: 'newest' })
  assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
})
