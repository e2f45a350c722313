// Tests a killed `vidimus tenant move`: before the decision the tenant stays, after it the other installation opens it.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { diagnoseArrivals } from '../../src/features/operator/usecases/moving/open-arrived-tenants.ts'
import { parseCidr } from '../../src/platform/cidr.ts'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { runJob } from '../harness/jobs.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { type TestService, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { create } from '../wallet/verifications.ts'
import { ask, NEW, settles } from './installations.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const reserved = await reservePort('127.0.0.1')
const old = `http://127.0.0.1:${reserved.port}`
const masterKey = randomBytes(32)
const source = await testService({ baseUrl: old })
await reserved.release()
await source.app.listen({ host: '127.0.0.1', port: reserved.port })
const egressAllow = [parseCidr('127.0.0.1/32')].filter((block) => block !== null)
const target = await testService({ baseUrl: NEW, egressAllow }, {}, { masterKey })
const both = { source, target }
const folder = await mkdtemp(join(tmpdir(), 'vidimus-move-'))
after(() => rm(folder, { recursive: true, force: true }))
const file = join(folder, 'new.env')
await writeFile(
  file,
  `DATABASE_URL=${target.url}\nVIDIMUS_BASE_URL=${NEW}\nVIDIMUS_MASTER_KEY="${masterKey.toString('base64')}"\n`,
  { mode: 0o600 },
)

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>
}

function move(...args: string[]): Started {
  const env = {
    ...BARE_ENVIRONMENT,
    DATABASE_URL: source.url,
    VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    VIDIMUS_BASE_URL: old,
  }
  const child = spawn(process.execPath, [MAIN, 'tenant', 'move', ...args, '--to', file], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, output }))
  })
  return { child, ended }
}

/** Kills the command while its store executes this change of the tenant, which then cannot commit. */
async function killedAt(tenantId: string, { deps: { db } }: TestService, change: string): Promise<void> {
  const run = (text: string) => db.query({ name: `test_${text.length}`, text, replanEachCall: true })
  await run('create table gate (is_open boolean)')
  await run(`create function wait_at_gate() returns trigger language plpgsql as $$ begin
    while not exists (select from gate) loop perform pg_sleep(0.02); end loop; return new; end $$`)
  await run(
    `create trigger at_gate before update on tenants for each row when (${change}) execute function wait_at_gate()`,
  )
  const { child, ended } = move('switch', tenantId, '--stop-seconds', '20')
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'
    and query like 'update tenants%'`
  let early: string | null = null
  void ended.then(({ output }) => {
    early = output
  })
  await waitUntil('the command changes the tenant', async () => {
    assert.equal(early, null, 'it ended before')
    return (await run(waiting)).length === 1
  })
  child.kill('SIGKILL')
  await ended
  await run('insert into gate values (true)')
  await waitUntil('its transaction is rolled back', async () => (await run(waiting)).length === 0)
  await run('drop trigger at_gate on tenants')
  await run('drop function wait_at_gate')
  await run('drop table gate')
}

it('after the command is killed, one installation serves the tenant, or will soon', async () => {
  const tenantId = await source.tenant({ name: 'Mover' })
  const key = await source.key(tenantId)
  await create(source, key)
  const copied = await move('copy', tenantId).ended
  assert.equal(copied.code, 0, copied.output)
  assert.match(copied.output, /Copied\. \d+ rows in \d+ tables/)

  await killedAt(tenantId, source, 'new.moved_to is distinct from old.moved_to')
  await settles(both, key, '200 503', /200$/)
  // The copy is verified, but the move is not decided: the job asks, and leaves the tenant closed.
  assert.match((await diagnoseArrivals(target.deps))[0]?.remedy ?? '', new RegExp(`switch ${tenantId}`))
  await runJob(target.deps, 'open-arrived-tenants')
  await settles(both, key, '200 503', /200$/)
  await create(source, key)

  await killedAt(tenantId, target, 'new.arrived_at is distinct from old.arrived_at')
  await settles(both, key, '308 503', /200/)
  await runJob(target.deps, 'open-arrived-tenants')
  await settles(both, key, '308 200')
  assert.equal((await ask(target, '/v1/verifications', { key })).text.match(/"id":"ver_/g)?.length, 2)
  assert.deepEqual(await diagnoseArrivals(target.deps), [])

  const again = await move('switch', tenantId).ended
  assert.equal(again.code, 0, again.output)
  assert.match(again.output, /an earlier run/)
  const verdict = await verifyStored(target.deps, { realm: { tenantId, environment: 'test' }, log: 'newest' })
  assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
})

it('a move says how long the tenant was closed', async () => {
  const tenantId = await source.tenant()
  const { code, output } = await move('switch', tenantId, '--stop-seconds', '60').ended
  assert.equal(code, 0, output)
  assert.match(output, /Moved\. It was closed for \d+\.\d s\. \d+ rows/)
})
