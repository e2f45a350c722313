// What `doctor` says of the store's account.

import assert from 'node:assert/strict'
import test from 'node:test'
import { diagnose } from '../../src/usecases/operator/diagnose.ts'
import { testService } from '../harness/service.ts'

const { deps } = await testService()

test('a store that runs as "nobody" is a warning with what to do', async () => {
  const said = async (storeShared: boolean) =>
    (await diagnose({ ...deps, storeShared })).filter(({ area, status }) => area === 'store' && status === 'warning')
  assert.deepEqual(await said(false), [])
  const [warning] = await said(true)
  assert.match(warning?.mend ?? '', /useradd --system vidimus/)
})
