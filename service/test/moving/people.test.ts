// Tests that staff of a moved tenant sign in at the new installation as at the old one, and not before the move.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { abortMove, copyTenant, switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { removeMember } from '../../src/features/staff/usecases/manage-team.ts'
import { OPERATOR, type TestService } from '../harness/service.ts'
import { cookieOf, PASSWORD, person, post, signedIn } from '../harness/staff.ts'
import { moveOf, run, twoInstallations } from './installations.ts'

const both = await twoInstallations()
const { source, target } = both
const STOP = { stopSeconds: 30 }
const NEW_PASSWORD = 'another horse, which counts to ten'

const signIn = (service: TestService, email: string, password = PASSWORD) =>
  post(service, '/sign-in/password', { email, password })
const statusOf = async (...args: Parameters<typeof signIn>) => (await signIn(...args)).status

const accounts = (service: TestService, email: string) =>
  run(service, 'select id, password is not null as has_password, came_with from people where email = $1', [email])

describe('a password', () => {
  it('that was changed after a rehearsal is the one that counts, and sessions and passkeys of the copy end', async () => {
    const tenantId = await source.tenant()
    const owner = await person(source, tenantId, 'owner', 'changed@example.org')
    await run(
      source,
      `insert into oidc_identities (issuer, subject, person_id, created_at) values ('https://idp.example', 'taken away', $1, now())`,
      [owner.id],
    )
    const [before] = await run(source, 'select password from people where id = $1', [owner.id])
    await copyTenant(moveOf(both, tenantId))
    const changed = await owner.call('POST', '/me/password', { body: { password: NEW_PASSWORD } })
    assert.equal(changed.status, 200, changed.text)
    await run(source, 'delete from oidc_identities where person_id = $1', [owner.id])
    await copyTenant(moveOf(both, tenantId))
    // The state after an earlier release copied the account with the old password, and a thief used it.
    await run(target, 'update people set password = $2 where id = $1', [owner.id, before?.password])
    await run(
      target,
      `insert into oidc_identities (issuer, subject, person_id, created_at) values ('https://idp.example', 'taken away', $1, now())`,
      [owner.id],
    )
    await run(
      target,
      `insert into dashboard_sessions (id, hash, person_id, created_at, seen_at, method) values ('ses_1', $2, $1, now(), now(), 'password')`,
      [owner.id, Buffer.alloc(32, 1)],
    )
    await run(
      target,
      `insert into passkeys (id, person_id, public_key, counter, transports, name, created_at) values ('k', $1, $2, 0, '{}', 'k', now())`,
      [owner.id, Buffer.alloc(32, 1)],
    )
    await switchTenant(moveOf(both, tenantId), STOP)
    assert.equal(await statusOf(target, owner.email), 401, 'the old password')
    for (const table of ['dashboard_sessions', 'passkeys', 'oidc_identities'])
      assert.deepEqual(await run(target, `select from ${table} where person_id = $1`, [owner.id]), [], table)
    const answer = await signIn(target, owner.email, NEW_PASSWORD)
    assert.equal(answer.status, 200, answer.text)
    const there = await signedIn(target, tenantId, { email: owner.email, cookie: cookieOf(answer) })
    assert.equal((await there.call('GET', '@/verifications')).status, 200)
    assert.deepEqual(await accounts(target, owner.email), [{ id: owner.id, has_password: true, came_with: null }])
  })

  it('and an identity at a provider move with a single switch', async () => {
    const tenantId = await source.tenant()
    const owner = await person(source, tenantId, 'owner')
    await run(
      source,
      `insert into oidc_identities (issuer, subject, person_id, created_at) values ('https://idp.example', 'kept', $1, now())`,
      [owner.id],
    )
    await switchTenant(moveOf(both, tenantId), STOP)
    assert.equal(await statusOf(target, owner.email), 200)
    const found = await run(target, `select person_id from oidc_identities where subject = 'kept'`)
    assert.deepEqual(found, [{ person_id: owner.id }])
  })

  it('does not sign in at an installation that has only a copy', async () => {
    const tenantId = await source.tenant()
    const owner = await person(source, tenantId, 'owner')
    await copyTenant(moveOf(both, tenantId))
    assert.deepEqual(await accounts(target, owner.email), [{ id: owner.id, has_password: false, came_with: tenantId }])
    assert.equal(await statusOf(target, owner.email), 401)
  })
})

describe('the team', () => {
  it('is as it was at the stop: new members are in it, former ones are not', async () => {
    const tenantId = await source.tenant()
    await person(source, tenantId, 'owner')
    const leaves = await person(source, tenantId, 'admin')
    const link = async ({ call }: typeof leaves) => {
      const link = await call('POST', '@/links', {
        body: { template: 'identity', purpose: 'Check in', idempotency_key: randomUUID() },
      })
      assert.equal(link.status, 201, link.text)
      return String(link.json.id)
    }
    const links = [await link(leaves)]
    await copyTenant(moveOf(both, tenantId))
    assert.equal((await accounts(target, leaves.email)).length, 1)
    const state = { joined: leaves }
    const move = moveOf(both, tenantId, async (step) => {
      if (step !== 'compare') return
      state.joined = await person(source, tenantId, 'admin')
      links.push(await link(state.joined))
      await removeMember(source.deps, { tenantId, personId: leaves.id, actor: OPERATOR })
    })
    await switchTenant(move, { ...STOP, comparedWholeMax: 0 })
    assert.equal(await statusOf(target, state.joined.email), 200)
    assert.deepEqual(await accounts(target, leaves.email), [])
    const members = await run(target, 'select person_id from members where tenant_id = $1', [tenantId])
    assert.equal(members.length, 2)
    assert.ok(members.some((member) => member.person_id === state.joined.id))
    // Links name their creator, even if they have left.
    const linkRow = await run(target, 'select id, person_id from links where tenant_id = $1', [tenantId])
    const expected = [
      [links[0], leaves.id],
      [links[1], state.joined.id],
    ]
    assert.deepEqual(new Map(linkRow.map((row) => [row.id, row.person_id])), new Map(expected as [string, string][]))
  })

  it('is compared, and if it differs the tenant stays', async () => {
    const tenantId = await source.tenant()
    const owner = await person(source, tenantId, 'owner')
    const forged = moveOf(both, tenantId, async (step) => {
      if (step === 'verify') await run(target, `update people set password = 'forged' where id = $1`, [owner.id])
    })
    await assert.rejects(switchTenant(forged, STOP), /people: 1 accounts differ/)
    assert.equal(await statusOf(source, owner.email), 200)
  })
})

describe('a person who also works for another company', () => {
  it('keeps the account that they use there, with its password', async () => {
    const [first, second] = [await source.tenant(), await source.tenant()]
    const email = 'two@example.org'
    const here = await person(source, first, 'owner', email)
    await person(source, second, 'owner', email)
    await switchTenant(moveOf(both, first), STOP)
    const there = await signedIn(target, first, { email, cookie: cookieOf(await signIn(target, email)) })
    assert.equal((await there.call('POST', '/me/password', { body: { password: NEW_PASSWORD } })).status, 200)
    await switchTenant(moveOf(both, second), STOP)
    assert.deepEqual([await statusOf(target, email), await statusOf(target, email, NEW_PASSWORD)], [401, 200])
    assert.deepEqual(await accounts(target, email), [{ id: here.id, has_password: true, came_with: null }])
  })

  it('stays when one of two copies is deleted, and is deleted with the last', async () => {
    const [first, second] = [await source.tenant(), await source.tenant()]
    const email = 'copied@example.org'
    const { id } = await person(source, first, 'owner', email)
    await person(source, second, 'owner', email)
    for (const tenantId of [first, second]) await copyTenant(moveOf(both, tenantId))
    assert.deepEqual(await accounts(target, email), [{ id, has_password: false, came_with: first }])
    await abortMove(moveOf(both, first))
    assert.deepEqual(await accounts(target, email), [{ id, has_password: false, came_with: second }])
    await abortMove(moveOf(both, second))
    assert.deepEqual(await accounts(target, email), [])
  })

  it('signs in where one tenant has moved away and another is only a copy', async () => {
    const [moves, stays] = [await source.tenant(), await source.tenant()]
    const email = 'stays@example.org'
    await person(source, moves, 'owner', email)
    await person(source, stays, 'owner', email)
    const own = await target.tenant()
    await person(target, own, 'owner', email)
    await copyTenant(moveOf(both, stays))
    assert.equal(await statusOf(target, email), 200, 'a copy of a tenant of theirs is not a reason to refuse them')
    await switchTenant(moveOf(both, moves), STOP)
    assert.equal(await statusOf(source, email), 200, 'nor is a tenant that has moved')
  })
})
