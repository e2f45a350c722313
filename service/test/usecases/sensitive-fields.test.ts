// Tests that sensitive fields are sealed, searchable by exact value, and sealed later if an older release wrote them.

import assert from 'node:assert/strict'
import test from 'node:test'
import { openSensitiveFields } from '../../src/core/verifications/store/sealed-sensitive-fields.ts'
import { sealPlainSensitiveFields } from '../../src/core/verifications/usecases/forgetting/seal-plain-sensitive-fields.ts'
import { keepDerivedKeys } from '../../src/features/operator/usecases/keep-derived-keys.ts'
import { readDeliveries } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { runJob } from '../harness/jobs.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { declined, deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create, read } from '../wallet/verifications.ts'

const service = await testService({}, LOOPBACK)
const { deps } = service
const { db } = deps

const plainColumns = (id: string) =>
  db.query<{ metadata: unknown; redirect_url: unknown; webhook_url: unknown; sealed: boolean }>(
    {
      name: 'test_plain_columns',
      text: `select metadata, redirect_url, webhook_url, particulars is not null as sealed from verifications where id = $1`,
    },
    [id],
  )

test('metadata and addresses are stored only sealed, and read back unchanged', async () => {
  const key = await service.key(await service.tenant())
  const body = {
    template: 'identity',
    metadata: { order: '4711', 'ключ 🗝': 'ünï' },
    redirect_url: 'https://shop.example/back',
    webhook_url: 'http://127.0.0.1:9/hook',
  }
  const { id } = await create(service, key, body)
  assert.deepEqual(await plainColumns(id), [{ metadata: null, redirect_url: null, webhook_url: null, sealed: true }])
  const found = await read(service, key, id)
  assert.deepEqual(found.metadata, body.metadata)
  assert.equal(found.redirect_url, body.redirect_url)
})

test('staff find a verification by the exact value of its metadata or the number in its reference, and only in its own realm', async () => {
  const tenantId = await service.tenant()
  const [test, live] = [await service.key(tenantId), await service.key(tenantId, { environment: 'live' })]
  const other = await service.key(await service.tenant())
  const metadata = { order: '4711', till: 'north' }
  const wanted = await create(service, test, { template: 'identity', metadata })
  await create(service, test, { template: 'identity', metadata: { order: '47110', '4711': 'south' } })
  await create(service, test, { template: 'identity' })
  await create(service, live, { template: 'identity', metadata })
  await create(service, other, { template: 'identity', metadata })
  const staff = await person(service, tenantId, 'viewer')
  const search = async (value: string) => {
    const answer = await staff.call('GET', '@/verifications', {
      headers: { 'vidimus-search': encodeURIComponent(value) },
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await search('4711'), [wanted.id])
  assert.deepEqual(await search('north'), [wanted.id])
  for (const same of ['North', '4711 ', '#4711']) assert.deepEqual(await search(same), [wanted.id], same)
  for (const none of ['471', 'order', 'nort']) assert.deepEqual(await search(none), [], none)
  const prose = { note: 'see 1357', reference: 'Order #8642-b (12 boxes), till 3' }
  const written = await create(service, test, { template: 'identity', metadata: prose })
  for (const part of [prose.reference, '8642-b', '#8642-B', '8642', prose.note, 'SEE 1357'])
    assert.deepEqual(await search(part), [written.id], part)
  for (const none of ['864', '12', '3', 'Order', 'boxes', '1357']) assert.deepEqual(await search(none), [], none)
  const wordy = await create(service, test, {
    template: 'identity',
    metadata: { order: 'N1 n22 n333 n444 n555 n666 n777 n888 n999 n000' },
  })
  assert.deepEqual([await search('n999'), await search('n000')], [[wordy.id], []], 'eight numbers at most')
  const indexes = await db.query<{ hex: string }>({
    name: 'test_indexes',
    text: `select encode(metadata_index, 'hex') as hex from verifications where metadata_index is not null`,
  })
  const digests = indexes.flatMap(({ hex }) => hex.match(/.{32}/g) ?? [])
  assert.equal(new Set(digests).size, digests.length, 'equal values of different realms have nothing in common')
})

test('plain values of an earlier release can be read, are then sealed, and nothing is lost', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const receiver = await startReceiver()
  const id = await declined(service, { key, url: receiver.url })
  const many = await Promise.all(Array.from({ length: 5 }, () => create(service, key, { template: 'identity' })))
  const plain = { metadata: { order: '4711' }, redirect: 'https://shop.example/back', url: receiver.url }
  await db.query(
    {
      name: 'test_write_plain',
      text: `update verifications set particulars = null, metadata_index = null, metadata = $2, redirect_url = $3, webhook_url = $4
             where id = any ($1)`,
    },
    [[id, ...many.map((one) => one.id)], JSON.stringify(plain.metadata), plain.redirect, plain.url],
  )
  const before = await read(service, key, id)
  assert.deepEqual(before.metadata, plain.metadata)
  await deliverDue(service)
  await db.query({ name: 'test_write_url', text: 'update webhook_attempts set url = $1' }, [plain.url])
  assert.equal(await sealPlainSensitiveFields(deps), 6)
  assert.equal(await sealPlainSensitiveFields(deps), 0)
  for (const one of [id, ...many.map((created) => created.id)])
    assert.deepEqual(await plainColumns(one), [{ metadata: null, redirect_url: null, webhook_url: null, sealed: true }])
  assert.deepEqual(await read(service, key, id), before)
  const [left] = await db.query<{ many: number }>({
    name: 'test_urls_left',
    text: 'select count(url)::int as many from webhook_attempts',
  })
  assert.equal(left?.many, 0)
  const realm = { tenantId, environment: 'test' as const }
  const [delivery] = await readDeliveries(deps, { realm, limit: 1, before: null, verificationId: null })
  assert.equal(delivery?.log[0]?.url, plain.url, 'the delivery log still names the destination')
  assert.equal(receiver.received.length, 1)
  const staff = await person(service, tenantId, 'viewer')
  assert.equal(
    (await staff.call('GET', '@/verifications', { headers: { 'vidimus-search': '4711' } })).json.data.length,
    6,
  )
})

test('once all plain values are sealed, new plain values are neither used nor sealed', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const { id } = await create(service, key, { template: 'identity' })
  const forged = {
    redirectUrl: null,
    webhookUrl: 'https://thief.example/hook',
    metadata: null,
    origin: null,
    universal: null,
  }
  const plain = { plainRedirectUrl: null, plainWebhookUrl: forged.webhookUrl, plainMetadata: null }
  const stored = { id, tenantId, environment: 'test', sealedSensitiveFields: null, ...plain } as const
  const started = async () => {
    const sealer = testSealer()
    await keepDerivedKeys({ ...deps, db: { ...db, sealer } })
    return { sealer }
  }
  const write = () =>
    db.query({ name: 'test_forge', text: 'update verifications set webhook_url = $2 where id = $1' }, [
      id,
      forged.webhookUrl,
    ])
  const upgraded = (at: number) =>
    db.query({ name: 'test_upgraded', text: 'update schema_migrations set applied_at = $1 where number = 10' }, [
      new Date(at).toISOString(),
    ])
  const DAY = 86_400_000
  await upgraded(service.clock.now() - DAY + 1_000)
  await runJob(deps, 'seal-plain-particulars')
  assert.deepEqual(
    openSensitiveFields(await started(), stored),
    forged,
    'replicas of an earlier release may still write',
  )
  await write()
  assert.equal(await sealPlainSensitiveFields(deps), 1)
  await upgraded(service.clock.now() - DAY - 1_000)
  await runJob(deps, 'seal-plain-particulars')
  await write()
  assert.equal(await sealPlainSensitiveFields(deps), 0)
  assert.deepEqual(openSensitiveFields(await started(), stored), {
    redirectUrl: null,
    webhookUrl: null,
    metadata: null,
    origin: null,
    universal: null,
  })
  const forge = { name: 'test_forge_note', text: `update kept_keys set sealed = $1 where label like 'particulars%'` }
  await db.query(forge, [deps.db.sealer.seal(Buffer.from('x'), 'another context')])
  assert.equal(await sealPlainSensitiveFields(deps), 0)
  await assert.rejects(started(), 'no process starts with an unknown marker')
})
