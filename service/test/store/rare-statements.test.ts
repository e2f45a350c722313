// Tests statements in rare cases that no other test runs on both servers.

import assert from 'node:assert/strict'
import test from 'node:test'
import { findAnyCheckpointAcrossTenants } from '../../src/features/audit/store/checkpoints.ts'
import { findOpenPairingCodesAcrossTenants } from '../../src/features/devices/store/devices.ts'
import { registerDevice } from '../../src/features/devices/usecases/register-device.ts'
import { insertPerson, listAccounts, reopenPerson } from '../../src/features/staff/store/people.ts'
import {
  findUnsignedReceiptsAcrossTenants,
  hasReceipts,
  loadReceipt,
  signStoredReceipts,
} from '../../src/features/transparency/store/receipts.ts'
import { insertKeptKey, loadKeptKeys, replaceKeptKey } from '../../src/platform/postgres/sealing/kept-keys.ts'
import { instantOf } from '../../src/platform/world.ts'
import { keepOldCheckpoint } from '../harness/log/old-checkpoints.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const service = await testService()
const { db } = service.deps

test('an account without an owner belongs to the tenant that opened it last', async () => {
  const [first, next] = [await service.tenant(), await service.tenant()]
  const email = 'nina.neu@example.com'
  const now = new Date(service.clock.now()).toISOString()
  const { id } = await insertPerson(db, { id: 'usr_rare', email, openedBy: first, now })
  await reopenPerson(db, id, next)
  assert.deepEqual(
    (await listAccounts(db, email)).map(({ openedBy }) => openedBy),
    [next],
  )
})

test('a checkpoint from before the log is found if any chain has one', async () => {
  assert.equal(await findAnyCheckpointAcrossTenants(db), null)
  await keepOldCheckpoint(service.deps, { tenantId: await service.tenant(), environment: 'test' })
  assert.match((await findAnyCheckpointAcrossTenants(db)) ?? '', /\n/)
})

test('the end of the last open pairing code of all tenants is found, if there is a code', async () => {
  const now = () => instantOf(service.clock.now())
  assert.equal(await findOpenPairingCodesAcrossTenants(db, now()), null)
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const till = { name: 'Till', allowedTemplates: ['age_over_18'], pairingTtlSeconds: 600, actor: OPERATOR }
  await registerDevice(service.deps, { ...realm, ...till })
  const until = await findOpenPairingCodesAcrossTenants(db, now())
  assert.ok(until !== null && until > now())
})

test('a receipt with an external key waits for its signature, and keeps the first one', async () => {
  const tenantId = await service.tenant()
  const text = `insert into receipts (tenant_id, environment, verification_id, jws) values ($1, 'test', $2, $3)`
  const write = (id: string, jws: string) => db.query({ name: 'test_write_receipt', text }, [tenantId, id, jws])
  assert.equal(await hasReceipts(db), false)
  await write('ver_unsigned', 'h.p.')
  await write('ver_signed', 'h.p.s')
  assert.equal(await hasReceipts(db), true)
  assert.deepEqual(await findUnsignedReceiptsAcrossTenants(db, { rowsMax: 10, withoutHeaders: [] }), [
    { verificationId: 'ver_unsigned', jws: 'h.p.' },
  ])
  assert.deepEqual(await findUnsignedReceiptsAcrossTenants(db, { rowsMax: 10, withoutHeaders: ['h'] }), [])
  await signStoredReceipts(db, [
    { verificationId: 'ver_unsigned', jws: 'h.p.first' },
    { verificationId: 'ver_signed', jws: 'h.p.other' },
  ])
  await signStoredReceipts(db, [{ verificationId: 'ver_unsigned', jws: 'h.p.second' }])
  const realm = { tenantId, environment: 'test' } as const
  assert.equal((await loadReceipt(db, realm, 'ver_unsigned'))?.jws, 'h.p.first')
  assert.equal((await loadReceipt(db, realm, 'ver_signed'))?.jws, 'h.p.s')
})

test('a kept key is replaced by the reference of an external key, sealed for the same label', async () => {
  await insertKeptKey(db, { label: 'rare', key: Buffer.alloc(32, 1), at: instantOf(service.clock.now()) })
  await replaceKeptKey(db, { label: 'rare', key: Buffer.from('{"reference":"x"}') })
  assert.equal((await loadKeptKeys(db)).get('rare')?.toString(), '{"reference":"x"}')
})
