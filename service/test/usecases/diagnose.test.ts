// Tests what `doctor` reports about the store's account, foreign MACs and master keys.

import assert from 'node:assert/strict'
import test from 'node:test'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { createSealer } from '../../src/platform/seal/seal.ts'
import { TEST_MASTER_KEY, testSealer } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'
import { asAdmin } from '../restore/whole-backup.ts'

const service = await testService()
const { deps } = service

test('a store that runs as "nobody" is a warning with a remedy', async () => {
  const diagnoseSecrets = async (storeShared: boolean) =>
    (await diagnose({ ...deps, storeShared })).filter(({ area, status }) => area === 'store' && status === 'warning')
  assert.deepEqual(await diagnoseSecrets(false), [])
  const [warning] = await diagnoseSecrets(true)
  assert.match(warning?.remedy ?? '', /useradd --system vidimus/)
})

test('a public log without a witness is a warning with a remedy, also in a test installation', async () => {
  assert.deepEqual([deps.config.production, deps.config.witnesses], [false, []])
  const found = (await diagnose(deps)).filter(({ area }) => area === 'witnesses')
  assert.deepEqual(
    found.map(({ status }) => status),
    ['warning'],
  )
  assert.match(found[0]?.remedy ?? '', /VIDIMUS_WITNESSES/)
})

test('a master key that only decrypts is a warning with its name, until it is removed', async () => {
  const diagnoseWith = async (readable: readonly Uint8Array[]) => {
    const sealer = createSealer(TEST_MASTER_KEY, deps.random, readable)
    const findings = (await diagnose({ ...deps, db: { ...deps.db, sealer } })).filter(
      ({ area }) => area === 'master key',
    )
    return { findings, earlier: sealer.keyIds.slice(1) }
  }
  assert.deepEqual((await diagnoseWith([])).findings, [])
  const { findings, earlier } = await diagnoseWith([deps.random(32)])
  assert.deepEqual([findings.length, findings[0]?.status, earlier.length], [1, 'warning', 1])
  assert.ok(findings[0]?.finding.includes(earlier[0] ?? 'no name'))
  assert.match(findings[0]?.remedy ?? '', /master-key rotate/)
})

test('a head with a foreign MAC is a problem, before anything is appended to its chain', async () => {
  const tenantId = await service.tenant()
  const diagnoseTrail = async () => (await diagnose(deps)).find(({ area }) => area === 'audit trail')
  assert.equal((await diagnoseTrail())?.status, 'ok')
  await deps.db.query(
    {
      name: 'test_forge_seal',
      text: `update audit_heads set mac = sha256('forged') where tenant_id = $1 and environment = 'test'`,
    },
    [tenantId],
  )
  const found = await diagnoseTrail()
  assert.equal(found?.status, 'problem')
  assert.match(found?.finding ?? '', /^1 chains have a head whose MAC is not this service's/)
})

test('a store whose log of errors is not terse is a warning with a remedy, because it can have values of rows', async () => {
  const diagnoseWith = async (verbosity: string) => {
    await asAdmin(service, (admin) =>
      admin.query(`alter database ${admin.database} set log_error_verbosity = '${verbosity}'`),
    )
    const db = await openDb({ connection: { url: service.url }, sealer: testSealer(), poolMax: 1 })
    try {
      return (await diagnose({ ...deps, db })).filter(({ finding }) => /log of errors/.test(finding))
    } finally {
      await db.close()
    }
  }
  assert.deepEqual(await diagnoseWith('terse'), [])
  for (const verbosity of ['default', 'verbose']) {
    const [found, ...more] = await diagnoseWith(verbosity)
    assert.deepEqual([found?.status, more], ['warning', []])
    assert.match(found?.finding ?? '', new RegExp(`log_error_verbosity = ${verbosity}`))
    assert.match(found?.remedy ?? '', /log_error_verbosity = terse/)
  }
})
