// Tests where links of staff send their events: to the endpoint that is the default when the link is opened.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { linkSealContext } from '../../src/features/links/domain/link.ts'
import { pressLink } from '../harness/links.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { read } from '../wallet/verifications.ts'

const service = await testService({}, LOOPBACK)
const wallet = await testWallet(service)
const { deps } = service
const [first, second, chosen] = [await startReceiver(), await startReceiver(), await startReceiver()]
const counts = () => [first, second, chosen].map(({ received }) => received.length)

async function merchant() {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const owner = await person(service, tenantId, 'owner', `owner-${randomUUID()}@example.com`)
  const save = async (url: string) => {
    const saved = await owner.call('POST', '@/webhooks/endpoints', { body: { name: 'hook', url, is_default: true } })
    assert.equal(saved.status, 201, saved.text)
    return saved.json.id as string
  }
  const answerOne = async (url: string) => {
    const opened = await pressLink(service, new URL(url).pathname)
    const id = /\/verify\/(ver_\w+)/.exec(String(opened.headers.location))?.[1] ?? ''
    await wallet.present((await read(service, key, id)).wallet_uri)
    await deliverDue(service)
  }
  const replace = async (id: string) => {
    const replaced = await owner.call('POST', `@/links/${id}/replace`)
    assert.equal(replaced.status, 201, replaced.text)
    return replaced.json as { id: string; url: string }
  }
  return { tenantId, key, owner, save, answerOne, replace }
}

test('a link of staff sends nothing to an endpoint that was removed or replaced, also after the link was replaced', async () => {
  const { tenantId, owner, save, answerOne, replace } = await merchant()
  const old = await save(first.url)
  const body = { template: 'age_over_18', uses: null, idempotency_key: randomUUID() }
  const link = (await owner.call('POST', '@/links', { body })).json
  const before = counts()
  const sent = () => counts().map((count, at) => count - (before[at] ?? 0))
  await answerOne(link.url)
  assert.deepEqual(sent(), [1, 0, 0])
  assert.equal((await owner.call('POST', `@/webhooks/endpoints/${old}/remove`)).status, 200)
  await answerOne(link.url)
  assert.deepEqual(sent(), [1, 0, 0])
  await save(second.url)
  await answerOne(link.url)
  assert.deepEqual(sent(), [1, 1, 0])

  // Earlier, the link stored the address that was the default when it was created.
  const request = Buffer.from(JSON.stringify({ template: 'age_over_18', webhook_url: first.url }), 'utf8')
  const sealed = deps.db.sealer.seal(request, linkSealContext({ tenantId, environment: 'test', id: link.id }))
  await deps.db.query(
    { name: 'test_frozen_address', text: 'update links set request = $3 where tenant_id = $1 and id = $2' },
    [tenantId, link.id, sealed],
  )
  await answerOne(link.url)
  assert.deepEqual(sent(), [1, 2, 0])
  await answerOne((await replace(link.id)).url)
  assert.deepEqual(sent(), [1, 3, 0])
})

test('a link of a key keeps the address that the key chose, or none, also after a person replaced it', async () => {
  const { key, save, answerOne, replace } = await merchant()
  await save(second.url)
  const before = counts()
  const sent = () => counts().map((count, at) => count - (before[at] ?? 0))
  for (const [address, expected] of [
    [{ webhook_url: chosen.url }, [0, 0, 1]],
    [{}, [0, 0, 3]],
  ] as const) {
    const body = { template: 'age_over_18', uses: null, ...address }
    const link = (await service.call('POST', '/v1/links', { key, body })).json
    await answerOne(link.url)
    assert.deepEqual(sent(), expected)
    const once = await replace(link.id)
    await answerOne(once.url)
    await answerOne((await replace(once.id)).url)
    assert.deepEqual(sent(), [0, 0, 3])
  }
})
