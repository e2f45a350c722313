// Tests that erasures made after a backup are repeated when it is restored.

import assert from 'node:assert/strict'
import test from 'node:test'
import { SCOPES } from '../../../wire/values/keys.ts'
import { createKey, revokeKey, rollKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { revokeDevice } from '../../src/features/devices/usecases/revoke-device.ts'
import { readLink } from '../../src/features/links/usecases/read-links.ts'
import { revokeLink } from '../../src/features/links/usecases/revoke-link.ts'
import { checkRestore } from '../../src/features/operator/usecases/check-restore.ts'
import { replayErasures } from '../../src/features/operator/usecases/replay-erasures.ts'
import { readTeam, removeMember } from '../../src/features/staff/usecases/manage-team.ts'
import { rotateSecret, showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { instantOf } from '../../src/platform/world.ts'
import { pairDevice } from '../harness/devices.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { appendEntries } from '../log/appended-entries.ts'
import { backUp } from './whole-backup.ts'

const service = await testService()
const { deps } = service

async function merchant() {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  return {
    realm: { tenantId, environment: 'test' } as const,
    create: async () =>
      (await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })).json.id as string,
    erase: (id: string) => service.call('DELETE', `/v1/verifications/${id}`, { key }),
    status: async (id: string) => (await service.call('GET', `/v1/verifications/${id}`, { key })).status,
  }
}

async function exported(realm: { tenantId: string; environment: 'test' }): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportAudit(deps, realm)) lines.push(line)
  return lines
}

const reading = (lines: readonly string[]) =>
  async function* () {
    yield* lines
  }

/** Adds the verifications of a backup to the present ones. */
async function backUpVerifications(): Promise<() => Promise<void>> {
  await deps.db.query({ name: 'test_drop', text: 'drop table if exists backup' })
  await deps.db.query({ name: 'test_backup', text: 'create table backup as select * from verifications' })
  return async () => {
    await deps.db.query({
      name: 'test_restore',
      text: 'insert into verifications select * from backup on conflict do nothing',
    })
  }
}

const none = { revoked: 0, unknown: 0, unpaired: 0, byHand: [], movedTo: null, lostAt: null }

async function createdKey(tenantId: string) {
  const input = { name: 'leaked', scopes: SCOPES, expiresInDays: null, actor: OPERATOR }
  const created = await createKey(deps, { tenantId, environment: 'test', ...input })
  assert.ok(created !== null)
  return created
}

test('access that was removed after the backup is removed again; tenants without an export are named', async () => {
  const one = await merchant()
  const { realm } = one
  const { tenantId } = realm
  const [leaked, rolled] = [await createdKey(tenantId), await createdKey(tenantId)]
  const device = await pairDevice(service, leaked.key)
  const link = await service.call('POST', '/v1/links', { key: leaked.key, body: { template: 'age_over_18' } })
  const [owner, gone] = [await person(service, tenantId, 'owner'), await person(service, tenantId, 'owner')]
  const before = await showWebhookSecret(deps, { realm, actor: OPERATOR })
  const restore = await backUp(service)
  service.clock.advance(1_000)
  const lostAt = instantOf(service.clock.now())
  await revokeKey(deps, { tenantId, keyId: leaked.apiKey.id, actor: OPERATOR })
  await rollKey(deps, { realm, keyId: rolled.apiKey.id, overlapHours: 0, expiresInDays: null, actor: OPERATOR })
  await revokeDevice(deps, { ...realm, deviceId: device.id, actor: OPERATOR })
  await revokeLink(deps, { realm, id: link.json.id, actor: OPERATOR })
  await removeMember(deps, { tenantId, personId: gone.id, actor: OPERATOR })
  await rotateSecret(deps, { realm, actor: OPERATOR, endPrevious: true })
  const lines = await exported(realm)
  await restore()
  service.clock.advance(2_000)
  const usable = async ({ key }: { key: string }) => (await service.call('GET', '/v1/usage', { key })).status === 200
  assert.deepEqual([await usable(leaked), await usable(rolled)], [true, true], 'the restored backup contains them')

  const { replays, uncovered } = await checkRestore(deps, {
    exports: [{ name: 'one', lines: reading(lines) }],
    acceptsRest: false,
  })
  assert.deepEqual(replays[0]?.replay, {
    outcome: 'replayed',
    realm,
    erased: 0,
    forgotten: 0,
    alreadyGone: 0,
    revoked: 6,
    unknown: 0,
    unpaired: 0,
    byHand: [],
    movedTo: null,
    lostAt,
  })
  // Keys are cached for at most a second.
  service.clock.advance(2_000)
  assert.ok(uncovered.includes(`${tenantId} live`) && !uncovered.includes(`${tenantId} test`))
  assert.deepEqual([await usable(leaked), await usable(rolled)], [false, false])
  assert.equal((await readLink(deps, realm, link.json.id)).state, 'revoked')
  const { members } = await readTeam(deps, tenantId)
  assert.deepEqual(
    members.map(({ id }) => id),
    [owner.id],
  )
  const after = await showWebhookSecret(deps, { realm, actor: OPERATOR })
  assert.notEqual(after.secret, before.secret)
  // A second check rotates nothing again.
  await checkRestore(deps, { exports: [{ name: 'one', lines: reading(lines) }], acceptsRest: false })
  assert.equal((await showWebhookSecret(deps, { realm, actor: OPERATOR })).secret, after.secret)
})

test('exactly the erasures of an export are repeated', async () => {
  const one = await merchant()
  const other = await merchant()
  const [erased, kept, alien] = [await one.create(), await one.create(), await other.create()]
  const restore = await backUpVerifications()
  await one.erase(erased)
  const later = await one.create()
  await one.erase(later)
  const lines = await exported(one.realm)
  await restore()
  assert.equal(await one.status(erased), 200, 'the restored backup contains it')

  assert.deepEqual(await replayErasures(deps, reading(lines)), {
    outcome: 'replayed',
    erased: 1,
    forgotten: 0,
    alreadyGone: 1,
    ...none,
    realm: one.realm,
  })
  assert.equal(await one.status(erased), 404)
  assert.equal(await one.status(kept), 200)
  assert.equal(await other.status(alien), 200)
  assert.deepEqual(await replayErasures(deps, reading(lines)), {
    outcome: 'replayed',
    erased: 0,
    forgotten: 0,
    alreadyGone: 2,
    ...none,
    realm: one.realm,
  })
  assert.equal((await verifyStored(deps, { realm: one.realm, log: 'whole' })).outcome, 'whole')
})

test('an export that was changed, reordered, truncated or forged erases nothing, and covers nothing', async () => {
  const [one, other] = [await merchant(), await merchant()]
  const victim = await one.create()
  await one.erase(await one.create())
  const lines = await exported(one.realm)
  const [header = '', ...rest] = lines
  const [otherHeader = ''] = await exported(other.realm)
  const bent = lines.map((line) => line.replaceAll('verification.created', 'verification.erased'))
  const unsigned = lines.slice(0, -1)
  const appended = appendEntries(lines, [
    { action: 'verification.erased', object: { type: 'verification', id: victim } },
    { action: 'tenant.moved_away', object: { type: 'installation', id: 'https://elsewhere.example' } },
  ])
  // What comes before the header was verified, and not repeated.
  const reordered = [[...rest, header], rest.toSpliced(-1, 0, header), rest.toSpliced(2, 0, header)]
  const continued = [
    [...lines, otherHeader],
    [header, ...lines],
  ]
  for (const bad of [bent, unsigned, appended, ...reordered, ...continued, [], ['{}'], rest]) {
    const check = await checkRestore(deps, { exports: [{ name: 'export', lines: reading(bad) }], acceptsRest: true })
    assert.deepEqual(
      check.replays.map(({ replay }) => replay.outcome),
      ['refused'],
    )
    for (const { realm } of [one, other]) assert.ok(check.uncovered.includes(`${realm.tenantId} test`))
  }
  assert.equal(await one.status(victim), 200)
})
