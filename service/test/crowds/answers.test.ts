// Tests that answers which arrive at once, or wait for one status list together, are examined in several turns of the
// event loop.

import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createIssuer, generateKey, issue, issuerAnchors, statusListJwt } from '@vidimus/wallet'
import { loadTenantSettings, updateTenantSettings } from '../../src/core/tenants/store/settings.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { withTurns } from '../harness/event-loop.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, FORM, read, respond, validBody } from '../wallet/verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const wallet = await testWallet(service)
const CALLS = 6
const now = Math.floor(service.clock.now() / 1000)

function assertApart(turns: readonly number[]) {
  assert.equal(turns.length, CALLS)
  assert.equal(new Set(turns).size, CALLS, turns.join(' '))
}

test('bodies that become complete at once are decrypted in turns', async (t) => {
  const base = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }))
  const key = await service.key(await service.tenant())
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const { id, wallet_uri: uri } = await create(service, key)
      return { id, body: await validBody(wallet, await wallet.request(uri)) }
    }),
  )
  const turns: number[] = []
  await withTurns(t, 5, async (turn) => {
    let found = 0
    const { batcher } = service.deps
    const { sealer } = service.deps.db
    const open = sealer.open.bind(sealer)
    t.mock.method(sealer, 'open', (sealed: Uint8Array, context: string) => {
      if (context.startsWith('verifications.encryption_key')) turns.push(turn())
      return open(sealed, context)
    })
    const add = batcher.add.bind(batcher)
    t.mock.method(batcher, 'add', async (...input: Parameters<typeof add>) => {
      const result = await add(...input)
      found += 1
      return result
    })
    const sent = answers.map(({ id, body }) => {
      const headers = { ...FORM, 'content-length': Buffer.byteLength(body) }
      const call = request(new URL(`/wallet/response/${id}`, base), { method: 'POST', headers, agent: false })
      call.write(body.slice(0, -1))
      const status = new Promise<number | undefined>((resolve, reject) => {
        call.on('error', reject)
        call.on('response', (response) => resolve(response.resume().statusCode))
      })
      return { end: () => call.end(body.slice(-1)), status }
    })
    await waitUntil('the service has found all verifications', () => found >= CALLS)
    for (const { end } of sent) end()
    assert.deepEqual(await Promise.all(sent.map(({ status }) => status)), Array(CALLS).fill(200))
  })
  assertApart(turns)
})

test('answers that wait for one status list continue in turns', async (t) => {
  const waiting: (() => void)[] = []
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/statuslist+jwt')
    waiting.push(() => response.end(statusListJwt(issuer, now)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const issuer = createIssuer({ base: `http://127.0.0.1:${port}`, now, name: 'Issuer' })
  const tenantId = await service.tenant()
  const settings = (await loadTenantSettings(service.deps.db, tenantId)) ?? assert.fail()
  await updateTenantSettings(service.deps.db, tenantId, { ...settings, statusPolicyTest: 'require' })
  for (const anchor of issuerAnchors(issuer))
    await addAnchor(service.deps, { ...anchor, owner: { tenantId, environment: 'test' }, actor: OPERATOR })
  const key = await service.key(tenantId)
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const { id, wallet_uri: uri } = await create(service, key)
      const credentials = [issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now, statusIndex: 0 })]
      return { id, body: await validBody(wallet, await wallet.request(uri), { credentials }) }
    }),
  )
  const turns: number[] = []
  await withTurns(t, 5, async (turn) => {
    const { endings } = service.deps
    const end = endings.end.bind(endings)
    t.mock.method(endings, 'end', (ending: Parameters<typeof end>[0]) => {
      turns.push(turn())
      return end(ending)
    })
    const taken = Promise.all(answers.map(({ id, body }) => respond(service, id, body)))
    await waitUntil('the list is fetched', () => waiting.length > 0)
    for (const serve of waiting.splice(0)) serve()
    for (const { status } of await taken) assert.equal(status, 200)
  })
  assertApart(turns)
  for (const { id } of answers) assert.equal((await read(service, key, id)).status, 'completed')
})
