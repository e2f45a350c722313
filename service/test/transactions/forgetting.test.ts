// Tests when the text of a transaction is deleted, and who may read it.

import assert from 'node:assert/strict'
import test from 'node:test'
import { withRecords } from '../../src/core/transactions/domain/record.ts'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { OPERATOR } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { dumpedWith } from '../harness/word-search.ts'
import { CONSENT, CONSENT_SCHEMA, openShop, PAYLOAD, PAYMENT } from './asking.ts'

const { service, tenant, key, realm, asking, answer, transactionOf } = await openShop()
const { deps, clock } = service
await saveType(deps, { realm, type: CONSENT.type, title: 'Terms of use', schema: CONSENT_SCHEMA, actor: OPERATOR })

async function isKept(id: string): Promise<boolean> {
  const [row] = await deps.db.query<{ kept: boolean }>(
    { name: 'test_kept', text: 'select transaction_data is not null as kept from verifications where id = $1' },
    [id],
  )
  assert.ok(row !== undefined)
  return row.kept
}
const forget = (id: string) => service.call('POST', `/v1/verifications/${id}/forget`, { key })

test('the text is deleted with the cancellation', async () => {
  const { id } = await asking([CONSENT])
  assert.equal(await isKept(id), true)
  assert.equal((await service.call('POST', `/v1/verifications/${id}/cancel`, { key })).status, 200)
  assert.equal(await isKept(id), false)
})

test('the text of an expired verification is deleted with its key', async () => {
  const { id } = await asking([CONSENT])
  clock.advance(86_400_000)
  assert.equal(await isKept(id), true)
  await applyRetention(deps)
  assert.equal(await isKept(id), false)
  assert.deepEqual(await transactionOf(id), { id, status: 'expired', transaction: [] })
})

test('the text of a forgotten verification is deleted after its end: before, nothing could complete without it', async () => {
  const created = await asking([CONSENT])
  assert.equal((await forget(created.id)).status, 200)
  assert.equal(await isKept(created.id), true)
  assert.equal((await answer(created, { transaction: 'no_hashes' })).status, 'failed')
  const expired = await asking([CONSENT])
  clock.advance(3_600_000)
  assert.equal((await forget(expired.id)).status, 200)
  assert.equal(await isKept(expired.id), false)
})

test('no hash of a transaction is left that its amount could be guessed from, when it is cancelled or forgotten', async () => {
  const cancelled = await asking([PAYMENT])
  const forgotten = await asking([{ ...PAYMENT, payload: { ...PAYLOAD, amount: 43.5 } }])
  const hashes = await Promise.all(
    [cancelled, forgotten].map(async ({ id }) => (await transactionOf(id)).transaction[0].hash),
  )
  assert.equal((await service.call('POST', `/v1/verifications/${cancelled.id}/cancel`, { key })).status, 200)
  assert.equal((await answer(forgotten)).status, 'completed')
  assert.equal((await forget(forgotten.id)).status, 200)
  for (const hash of hashes) {
    assert.match(hash, /^[\w-]{43}$/)
    assert.deepEqual(await dumpedWith(deps, hash), [])
    assert.deepEqual(await dumpedWith(deps, Buffer.from(hash, 'base64url').toString('hex')), [])
  }
})

test('callers that may see results see the text', async () => {
  const { id } = await asking([CONSENT])
  const shownTo = async (role: 'viewer' | 'admin') =>
    (await person(service, tenant, role)).call('GET', `@/verifications/${id}/request`)
  assert.equal((await shownTo('admin')).json.request.transaction_data.length, 1)
  assert.equal((await shownTo('viewer')).status, 403)
  assert.equal((await service.call('POST', `/v1/verifications/${id}/cancel`, { key })).status, 200)
  const shown = (await shownTo('viewer')).json.request
  assert.equal(shown.transaction_data, undefined)
  assert.ok(shown.nonce)
})

test('nothing completes without the records of its transactions', () => {
  const frozen = [{ text: 'e30', type: CONSENT.type, hash: 'h', title: 'Terms of use' }]
  assert.throws(() => withRecords({ outcome: 'completed' }, frozen), /bug: a verification completed without/)
  assert.deepEqual(withRecords({ outcome: 'completed' }, []), { outcome: 'completed' })
  const failed = withRecords<Parameters<typeof withRecords>[0]>({ outcome: 'failed' }, frozen)
  assert.deepEqual(
    failed.transaction?.map(({ confirmation }) => confirmation),
    [null],
  )
})
