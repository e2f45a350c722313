// Tests that simultaneous reads share a statement, and that each gets what it may see, as of its request.

import assert from 'node:assert/strict'
import test from 'node:test'
import { readStored } from '../../../src/core/verifications/store/verifications.ts'
import { findWalletVerification } from '../../../src/core/verifications/store/wallet-verifications.ts'
import { isVerificationId } from '../../../src/platform/ids.ts'
import { testService } from '../../harness/service.ts'
import { create } from '../../wallet/verifications.ts'

const service = await testService()
const { deps } = service
const [mine, theirs] = [await service.tenant(), await service.tenant()]
const keys = { mine: await service.key(mine), theirs: await service.key(theirs) }
const realm = { tenantId: mine, environment: 'test' } as const
const NOWHERE = 'ver_00000000000000000000000000000000'

test('of many simultaneous reads each gets its own result', async () => {
  const own = await Promise.all(Array.from({ length: 70 }, () => create(service, keys.mine)))
  const foreign = await create(service, keys.theirs)
  const ids = [...own.map(({ id }) => id), foreign.id, NOWHERE]
  const found = await Promise.all(ids.map((id) => readStored(deps, realm, { id, deviceId: null })))
  assert.deepEqual(
    found.map((one) => one?.id ?? null),
    [...own.map(({ id }) => id), null, null],
  )
  const requested = await Promise.all(ids.map((id) => findWalletVerification(deps, id)))
  assert.deepEqual(
    requested.map((one) => one?.id ?? null),
    [...own.map(({ id }) => id), foreign.id, null],
  )
  assert.deepEqual(
    [...new Set(requested.flatMap((one) => (one === null ? [] : [one.tenantId])))].sort(),
    [mine, theirs].sort(),
  )
})

test('a row that this release cannot read fails only its own reader', async () => {
  const [odd, ...others] = await Promise.all(Array.from({ length: 20 }, () => create(service, keys.mine)))
  assert.ok(odd)
  await deps.db.query(
    {
      name: 'test_unknown_template',
      text: "update verifications set template = 'of_tomorrow', query = null where id = $1",
    },
    [odd.id],
  )
  const outcomes = await Promise.allSettled([odd, ...others].map(({ id }) => findWalletVerification(deps, id)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', ...others.map(() => 'fulfilled')],
  )
})

test('a device sees what it created, also while others read', async () => {
  const { id } = await create(service, keys.mine)
  const [forAll, forDevice] = await Promise.all([
    readStored(deps, realm, { id, deviceId: null }),
    readStored(deps, realm, { id, deviceId: 'dev_other' }),
  ])
  assert.equal(forAll?.id, id)
  assert.equal(forDevice, null)
})

test('the other environment is another realm', async () => {
  const { id } = await create(service, keys.mine)
  const [test, live] = await Promise.all([
    readStored(deps, realm, { id, deviceId: null }),
    readStored(deps, { ...realm, environment: 'live' }, { id, deviceId: null }),
  ])
  assert.equal(test?.id, id)
  assert.equal(live, null)
})

test('a read after an erasure does not find the verification, however many reads are in progress', async () => {
  const { id } = await create(service, keys.mine)
  const before = Array.from({ length: 8 }, () => findWalletVerification(deps, id))
  assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key: keys.mine })).status, 200)
  const during = Array.from({ length: 8 }, () => findWalletVerification(deps, id))
  assert.deepEqual(await Promise.all(during), Array<null>(8).fill(null))
  await Promise.all(before)
})

test('the well-formed id that no verification has is looked up', () => assert.ok(isVerificationId(NOWHERE)))
