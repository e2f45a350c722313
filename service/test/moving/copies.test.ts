// Copies of a tenant that another installation serves: erasures do not reach them, so they do not stay.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, it } from 'node:test'
import { loadVerification } from '../../src/core/verifications/store/verifications.ts'
import { diagnoseCopies } from '../../src/features/operator/usecases/moving/delete-copies.ts'
import { copyTenant, switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { runJob } from '../harness/jobs.ts'
import { type TestService, testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'
import { ask, completed, moveOf, settles, twoInstallations } from './installations.ts'

const DAY = 86_400_000
const STOP = { stopSeconds: 30 }

const isThere = async ({ deps }: TestService, tenantId: string, id: string) =>
  (await loadVerification(deps.db, { tenantId, environment: 'test' }, { id, deviceId: null })) !== null

it('a rehearsed copy is deleted after a day, and doctor names it until then', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const tenantId = await source.tenant()
  const key = await source.key(tenantId)
  const id = await completed(source, key)
  await copyTenant(moveOf(both, tenantId))
  assert.match((await diagnoseCopies(target.deps))[0]?.finding ?? '', new RegExp(`^${tenantId} was copied here`))
  assert.deepEqual(await diagnoseCopies(source.deps), [])
  target.clock.advance(DAY - 60_000)
  await runJob(target.deps, 'delete-copies')
  assert.ok(await isThere(target, tenantId, id))
  await copyTenant(moveOf(both, tenantId))
  target.clock.advance(DAY - 60_000)
  await runJob(target.deps, 'delete-copies')
  assert.ok(await isThere(target, tenantId, id), 'a day after the last copy')
  target.clock.advance(120_000)
  await runJob(target.deps, 'delete-copies')
  assert.ok(!(await isThere(target, tenantId, id)))
  assert.ok(await isThere(source, tenantId, id))
  assert.deepEqual(await diagnoseCopies(target.deps), [])
  await settles(both, key, '200 401')
  await switchTenant(moveOf(both, tenantId), STOP)
  await settles(both, key, '308 200')
})

it('what has moved is deleted at the old installation once nothing is open and the new one serves it', async () => {
  // The old installation asks the public address of the new one.
  const answers = { status: 503 }
  const asked: string[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url ?? '')
    response.writeHead(answers.status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  after(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const source = await testService({ baseUrl: 'https://old.example.com' }, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
  const target = await testService({ baseUrl: address })
  const both = { source, target }
  const tenantId = await source.tenant()
  const key = await source.key(tenantId)
  const id = await completed(source, key)
  await create(source, key)
  await switchTenant(moveOf(both, tenantId), STOP)
  assert.match(
    (await diagnoseCopies(source.deps))[0]?.finding ?? '',
    new RegExp(`^${tenantId} has moved to ${address}`),
  )
  assert.deepEqual(await diagnoseCopies(target.deps), [])
  await runJob(source.deps, 'delete-copies')
  assert.ok(await isThere(source, tenantId, id), 'a wallet may still fetch the open one here')
  assert.deepEqual(asked, [])
  source.clock.advance(3_700_000)
  await runJob(source.deps, 'delete-copies')
  assert.ok(await isThere(source, tenantId, id), 'the new one does not serve it yet')
  answers.status = 200
  await runJob(source.deps, 'delete-copies')
  assert.ok(!(await isThere(source, tenantId, id)))
  assert.ok(await isThere(target, tenantId, id))
  assert.match(asked[0] ?? '', new RegExp(`^/oidc/${tenantId}/live/`))
  assert.deepEqual(await diagnoseCopies(source.deps), [])
  assert.equal((await ask(source, '/v1/verifications', { key })).status, 308)
})

it('receipts that come with a tenant make no batch of the log larger, and enter in the place of padding', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const size = async () => Number((await target.call('GET', '/log/checkpoint')).text.split('\n')[1])
  const minute = async () => {
    const before = await size()
    target.clock.advance(60_000)
    await growLog(target.deps)
    return (await size()) - before
  }
  await completed(target, await target.key(await target.tenant()))
  await growLog(target.deps)
  const usual = [await minute(), await minute()]
  assert.deepEqual(usual, [16, 16])
  const tenantId = await source.tenant()
  const id = await completed(source, await source.key(tenantId))
  await source.deps.db.query(
    {
      name: 'test_more_receipts',
      text: `insert into receipts (verification_id, tenant_id, environment, jws)
             select 'ver_' || md5(n::text), r.tenant_id, r.environment, r.jws || n from receipts r, generate_series(1, 99) n
             where r.verification_id = $1`,
    },
    [id],
  )
  await switchTenant(moveOf(both, tenantId), STOP)
  const waiting = async () => {
    const text = 'select count(*)::int as count from receipts where tenant_id = $1 and leaf_index is null'
    const [row] = await target.deps.db.query<{ count: number }>({ name: 'test_waiting', text }, [tenantId])
    return row?.count
  }
  assert.equal(await waiting(), 100)
  for (let at = 0; at < 9; at += 1) assert.equal(await minute(), 16)
  assert.equal(await waiting(), 0)
  assert.equal((await target.call('GET', `/log/checkpoint`)).status, 200)
})
