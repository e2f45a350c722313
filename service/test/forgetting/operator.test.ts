// Tests that the operator can forbid storing content, for all tenants or one, and that restored content is forgotten
// again.

import assert from 'node:assert/strict'
import test from 'node:test'
import { forgetDueContent } from '../../src/core/verifications/usecases/forgetting/forget-due-content.ts'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { replayErasures } from '../../src/features/operator/usecases/replay-erasures.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { assertWithoutContent, merchant } from './merchants.ts'

const service = await testService()
const { deps, clock } = service

const settingOf = (answer: { json: { settings: { name: string }[] } }, name: string) =>
  answer.json.settings.find((one) => one.name === name)

test('if the operator forbids storing content for the installation, none is kept, whatever a tenant chose', async () => {
  const strict = await testService({}, { VIDIMUS_FORWARD_ONLY: 'on' })
  const { realm, ended, read } = await merchant(strict, { content: 'keep', holdSeconds: 60 })
  const id = await ended()
  strict.clock.advance(60_000)
  assertWithoutContent(await read(id), 'completed')
  const staff = await person(strict, realm.tenantId, 'admin')
  assert.partialDeepStrictEqual(settingOf(await staff.call('GET', '@/settings'), 'content'), {
    value: 'keep',
    forced: 'forward',
  })
})

test('if the operator forbids a tenant to store content, the tenant sees the setting and cannot change it', async () => {
  const { realm, ended, read } = await merchant(service, { content: 'keep', holdSeconds: 60, forwardOnly: true })
  const staff = await person(service, realm.tenantId, 'admin')
  const shown = await staff.call('GET', '@/settings')
  assert.partialDeepStrictEqual(settingOf(shown, 'content'), { value: 'keep', forced: 'forward' })
  assert.equal(settingOf(shown, 'forward_only'), undefined)
  assert.equal((await staff.call('POST', '@/settings', { body: { forward_only: false } })).status, 400)
  const id = await ended()
  clock.advance(60_000)
  assertWithoutContent(await read(id), 'completed')
})

test('`doctor` reports content that is not forgotten in time', async () => {
  const diagnoseContent = async () => (await diagnose(deps)).filter(({ area }) => area === 'content')
  await forgetDueContent(deps)
  assert.deepEqual(await diagnoseContent(), [])
  const { ended } = await merchant(service, { content: 'forward', holdSeconds: 60 })
  await ended()
  assert.deepEqual(await diagnoseContent(), [])
  clock.advance(60_000)
  const [problem] = await diagnoseContent()
  assert.equal(problem?.status, 'problem')
  await forgetDueContent(deps)
  assert.deepEqual(await diagnoseContent(), [])
})

test('after a restore, forgotten content is forgotten again', async () => {
  const { realm, ended, read, forget } = await merchant(service, { content: 'keep' })
  const id = await ended()
  await deps.db.query({
    name: 'test_backup_results',
    text: 'create table result_backup as select * from verification_results',
  })
  await forget(id)
  const lines: string[] = []
  for await (const line of exportAudit(deps, realm)) lines.push(line)
  await deps.db.query({
    name: 'test_restore_results',
    text: `update verification_results r set sealed = b.sealed, forgotten_at = b.forgotten_at from result_backup b
           where b.verification_id = r.verification_id`,
  })
  assert.ok('claims' in (await read(id)), 'the restored backup contains the content')
  const replay = await replayErasures(deps, async function* () {
    yield* lines
  })
  assert.deepEqual(replay, {
    outcome: 'replayed',
    movedTo: null,
    lostAt: null,
    realm,
    erased: 0,
    forgotten: 1,
    alreadyGone: 0,
    revoked: 0,
    unknown: 0,
    unpaired: 0,
    byHand: [],
  })
  assertWithoutContent(await read(id), 'completed')
})
