// Tests `vidimus requests`: the operator lists and answers requests of merchants on a real store.

import assert from 'node:assert/strict'
import test from 'node:test'
import { askOperator, recordMandate } from '../../src/features/registration/usecases/going-live/ask-operator.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const cli = commandLine(service)

const requests = (...args: string[]) => cli.run('requests', ...args)

test('requests are listed with their next step; done or declined, a request is no longer open', async () => {
  const tenantId = await service.tenant()
  const realm = { tenantId, environment: 'live' } as const
  const actor = { type: 'user', id: 'usr_1' } as const
  assert.match((await requests('list')).out, /There are no open requests/)
  const identity = { identifier: 'VATUT-1', tradeName: "O'Shop; rm", registryUri: 'https://register.example' }
  const requested = await askOperator(service.deps, { realm, kind: 'identity', identity, actor })
  service.clock.advance(1)
  const mandate = { kind: 'order', sha256: 'ab'.repeat(32), dated: '2024-05-01' } as const
  const recorded = await recordMandate(service.deps, { realm, mandate, actor })
  assert.ok(requested.outcome === 'asked' && recorded.outcome === 'asked')
  const { out: stdout } = await requests('list')
  assert.ok(stdout.includes(`--tenant ${tenantId} --environment live --identifier 'VATUT-1'`), stdout)
  assert.ok(stdout.includes(`--trade-name 'O'\\''Shop; rm' --registry 'https://register.example'`), stdout)
  assert.ok(stdout.includes(`the document of 2024-05-01 with SHA-256 ${mandate.sha256}`), stdout)
  assert.match((await requests('decline', requested.request.id)).err, /--because/)
  assert.equal((await requests('decline', requested.request.id, '--because', 'Not in the register')).code, 0)
  assert.equal((await requests('done', recorded.request.id)).code, 0)
  assert.match((await requests('done', recorded.request.id)).err, /no request ask_\w+ waits/)
  assert.deepEqual(JSON.parse((await requests('list', '--json')).out).data, [])
  const all = JSON.parse((await requests('list', '--all', '--json')).out).data
  const states = all.map(({ kind, state, answer }: Record<string, unknown>) => [kind, state, answer])
  assert.deepEqual(states, [
    ['identity', 'declined', 'Not in the register'],
    ['mandate', 'done', null],
  ])
})
