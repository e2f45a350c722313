// Tests `vidimus transaction-type put | list | remove`, and a test wallet that misbehaves with a transaction.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { readTrail } from '../../src/features/audit/usecases/read-audit.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'
import { CONSENT_SCHEMA } from '../transactions/asking.ts'

const service = await testService()
const tenant = await service.tenant()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-types-'))
after(() => rm(folder, { recursive: true }))
const schema = join(folder, 'schema.json')
await writeFile(schema, JSON.stringify(CONSENT_SCHEMA))
const hostile = join(folder, 'hostile.json')
await writeFile(hostile, JSON.stringify({ pattern: '^(a+)+$' }))

const { run, json } = commandLine(service)
const here = ['--tenant', tenant, '--environment', 'test']
const TYPE = 'https://shop.example/terms'
const put = (path: string, ...more: readonly string[]) =>
  run('transaction-type', 'put', TYPE, ...here, '--title', 'Terms of use', '--schema', path, ...more)

test('a type is added, listed with the built-in ones, and removed, each with an audit entry', async () => {
  assert.match((await put(schema)).out, /^Saved the type/)
  assert.match((await put(schema)).out, /^Replaced the type/)
  const listed = await json('transaction-type', 'list', ...here)
  assert.deepEqual(listed.data.at(-1), { type: TYPE, title: 'Terms of use', built_in: false })
  assert.equal(listed.data.filter((one: { built_in: boolean }) => one.built_in).length, 5)
  assert.equal((await run('transaction-type', 'remove', TYPE, ...here)).code, 0)
  const again = await run('transaction-type', 'remove', TYPE, ...here)
  assert.equal(again.code, 2)
  assert.match(again.err, /has no type/)
  const realm = { tenantId: tenant, environment: 'test' } as const
  const { entries } = await readTrail(service.deps, realm, { limit: 10, before: null })
  const actions = entries.map(({ action }) => action).filter((action) => action.startsWith('transaction_type'))
  assert.deepEqual(actions.toSorted(), ['transaction_type.removed', 'transaction_type.saved', 'transaction_type.saved'])
})

test('an invalid type is reported, and nothing is saved', async () => {
  for (const [output, message] of [
    [await put(hostile), /pattern: this keyword is not supported/],
    [await put(join(folder, 'nowhere.json')), /cannot be read/],
    [
      await run(
        'transaction-type',
        'put',
        TYPE,
        '--tenant',
        'ten_nobody',
        '--environment',
        'test',
        '--title',
        'A',
        '--schema',
        schema,
      ),
      /there is no tenant/,
    ],
  ] as const) {
    assert.equal(output.code, 2)
    assert.match(output.err, message)
  }
  assert.equal((await json('transaction-type', 'list', ...here)).data.length, 5)
})
