// Counts external signatures: one per verification, and one per batch of receipts and per log head.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyReceiptProof, verifyReceipt as verifyWithSdk } from '@vidimus/sdk'
import { copyReceiptKeys } from '../../src/features/operator/store/moved-people.ts'
import { verifyReceipt } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { signReceipts } from '../../src/features/transparency/usecases/sign-receipts.ts'
import { jobsFor } from '../../src/job-table.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { browserAnswer, fetchOffer, postAnswer } from '../harness/dc-api.ts'
import { runJob } from '../harness/jobs.ts'
import { memoryProvider } from '../harness/keys/memory-provider.ts'
import { moveKeys } from '../harness/keys/move-keys.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, decode, read } from '../wallet/verifications.ts'

const provider = memoryProvider()
const first = await testService({}, {}, { remoteKeyOptions: provider.remoteKeyOptions })
await moveKeys(first, provider.referenceOf)
const service = await testService({}, {}, { remoteKeyOptions: provider.remoteKeyOptions, sharedWith: first })
const wallet = await testWallet(service)
const tenants = [await service.tenant(), await service.tenant()]
const keys = await Promise.all(tenants.map((tenant) => service.key(tenant)))
const [key = ''] = keys
const countSignatures = (object: string) => provider.signatures.get(object) ?? 0
const askedInAll = () => [...provider.signatures.values()].reduce((sum, count) => sum + count, 0)

/** Completes verifications of two tenants alternately, and returns their ids. */
async function complete(count: number): Promise<{ readonly id: string; readonly key: string }[]> {
  const ended = []
  for (let i = 0; i < count; i += 1) {
    const owner = keys[i % 2] ?? ''
    const { id, wallet_uri } = await create(service, owner)
    await wallet.present(wallet_uri)
    assert.equal((await read(service, owner, id)).status, 'completed')
    ended.push({ id, key: owner })
  }
  return ended
}

const staff = await person(service, tenants[0] ?? '', 'viewer')

test('a verification makes one external signature; receipts and the log add one per whole batch each', async () => {
  for (const count of [3, 9]) {
    const before = { all: askedInAll(), requests: countSignatures('test-openid4vp') }
    const ended = await complete(count)
    assert.equal(countSignatures('test-openid4vp') - before.requests, count, 'one for each request')
    assert.equal(askedInAll() - before.all, count, 'and nothing else')
    const early = await service.call('GET', `/v1/verifications/${ended[0]?.id}/receipt`, { key })
    assert.deepEqual([early.status, early.headers['retry-after']], [503, '5'])
    const shown = await staff.call('GET', `@/verifications/${ended[0]?.id}/receipt`)
    assert.deepEqual([shown.status, shown.headers['retry-after']], [503, '5'], 'staff get no unsigned receipt either')

    await runJob(service.deps, 'sign-receipts')
    assert.equal(askedInAll() - before.all, count + 1, 'all receipts')
    await runJob(service.deps, 'keep-log')
    assert.equal(askedInAll() - before.all, count + 2, 'all heads')
    const published = (await service.call('GET', '/log/receipt-keys')).json
    const log = (await service.call('GET', '/log/key')).text.trim()
    for (const one of ended) {
      const { text: jws, status } = await service.call('GET', `/v1/verifications/${one.id}/receipt`, { key: one.key })
      assert.equal(status, 200, jws)
      assert.equal(decode(jws).header.alg, 'vidimus-ES256-tree')
      const verdict = verifyReceipt(jws, published)
      assert.ok(verdict.outcome === 'genuine' && verdict.receipt.jti === one.id)
      assert.equal((await verifyWithSdk(jws, published, { id: one.id })).jti, one.id)
      const proof = await service.call('GET', `/v1/verifications/${one.id}/receipt.tlog-proof`, { key: one.key })
      assert.equal((await verifyReceiptProof(proof.text, jws, { log })).origin, 'verify.example.com/log')
    }
    await runJob(service.deps, 'sign-receipts')
    assert.equal(askedInAll() - before.all, count + 2, 'nothing is signed twice')
  }
})

test("a request is signed once for its verification; with a wallet's nonce again", async () => {
  const created = await create(service, key)
  const path = new URL(created.request_uri).pathname
  const before = countSignatures('test-openid4vp')
  const one = await service.call('GET', path)
  service.clock.advance(2_000)
  assert.equal((await service.call('GET', path)).text, one.text)
  await Promise.all(Array.from({ length: 8 }, () => service.call('GET', path)))
  assert.equal(countSignatures('test-openid4vp') - before, 1)
  const post = (nonce: string) =>
    service.call('POST', path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      raw: `wallet_nonce=${nonce}`,
    })
  for (const [nonce, signatures] of [
    ['n-one', 2],
    ['n-two', 3],
  ] as const) {
    const answer = await post(nonce)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(decode(answer.text).claims.wallet_nonce, nonce)
    assert.equal(countSignatures('test-openid4vp') - before, signatures)
  }
})

test('an offer to a browser is signed once: for OpenID4VP, and by the ISO reader for each document and the whole', async () => {
  const [requests, readers] = [countSignatures('test-openid4vp'), countSignatures('test-iso-reader')]
  const created = await create(service, key)
  const offer = (await fetchOffer(service, created.id)).json
  const signed = () => [countSignatures('test-openid4vp') - requests, countSignatures('test-iso-reader') - readers]
  // ISO 18013-5 §12.5: the template asks for two documents.
  assert.deepEqual(signed(), [1, 2 + 1])
  service.clock.advance(2_000)
  await fetchOffer(service, created.id)
  assert.equal((await postAnswer(service, created.id, await browserAnswer(wallet, offer))).status, 200)
  assert.deepEqual(signed(), [1, 2 + 1])
})

test('a worker signs receipts wherever their key is: every minute, and more often with a configured provider', () => {
  const everySeconds = (env: Record<string, string>) =>
    jobsFor(readConfig(env)).find(({ name }) => name === 'sign-receipts')?.everySeconds
  assert.equal(everySeconds({}), 60)
  for (const env of [
    { VIDIMUS_PKCS11_MODULE: '/m.so', VIDIMUS_PKCS11_PIN_FILE: '/pin' },
    { AWS_REGION: 'eu-central-1' },
    { VIDIMUS_OIDC_KEYS: provider.referenceOf('oidc') },
  ])
    assert.equal(everySeconds(env), 5, Object.keys(env).join())
})

test('a key that was destroyed does not delay the receipts of the next one', async () => {
  const [lost] = await complete(1)
  await commandLine(service).json('receipt', 'rotate-key', '--key', provider.referenceOf('receipt-2'))
  provider.set('disabled', 'receipt')
  service.clock.advance(3_600_000 + 60_001)
  const [next] = await complete(1)
  await runJob(service.deps, 'sign-receipts')
  const statusOf = async (one: typeof next) =>
    (await service.call('GET', `/v1/verifications/${one?.id}/receipt`, { key: one?.key ?? '' })).status
  assert.deepEqual([await statusOf(lost), await statusOf(next)], [503, 200])
  assert.equal(countSignatures('receipt-2'), 1)
  provider.set('signs')
  await runJob(service.deps, 'sign-receipts')
  assert.equal(await statusOf(lost), 200, 'it comes back')
})

test('keys that a tenant brought from another installation are published, and delay no receipts', async () => {
  const other = await testService()
  await copyReceiptKeys(other.deps.db, service.deps.db, 'ten_brought')
  const [own, brought] = await complete(2)
  const [foreign] = (await other.call('GET', '/log/receipt-keys')).json.keys
  const header = Buffer.from(
    JSON.stringify({ alg: 'vidimus-ES256-tree', kid: foreign.kid, typ: 'vidimus-receipt+jwt' }),
  )
  const text = `update receipts set jws = $2 || '.' || split_part(jws, '.', 2) || '.' where verification_id = $1`
  await service.deps.db.query({ name: 'test_bring_receipt', text }, [brought?.id, header.toString('base64url')])
  await runJob(service.deps, 'sign-receipts')
  const statusOf = async (one: typeof own) =>
    (await service.call('GET', `/v1/verifications/${one?.id}/receipt`, { key: one?.key ?? '' })).status
  assert.deepEqual([await statusOf(own), await statusOf(brought)], [200, 503])
})

test('more receipts than a batch has leaves are signed in several batches; each keeps the first signature it got', async () => {
  const [owned] = await complete(1)
  const find = `select tenant_id, jws from receipts where verification_id = $1`
  const [row] = await service.deps.db.query<{ tenant_id: string; jws: string }>(
    { name: 'test_find_receipt', text: find },
    [owned?.id],
  )
  assert.ok(row !== undefined)
  assert.ok(row.jws.endsWith('.'))
  const copy = `insert into receipts (tenant_id, environment, verification_id, jws)
                select $1, 'test', 'ver_copy_' || n, $2 from generate_series(1, 300) n`
  await service.deps.db.query({ name: 'test_copy_receipts', text: copy }, [row.tenant_id, row.jws])
  const before = countSignatures('receipt-2')
  // Two workers run at once, as after an expired lease.
  await Promise.all([signReceipts(service.deps), signReceipts(service.deps)])
  assert.ok(countSignatures('receipt-2') - before <= 12)
  const all = `select jws from receipts where verification_id like 'ver_copy_%' or verification_id = $1`
  const signed = await service.deps.db.query<{ jws: string }>({ name: 'test_all_receipts', text: all }, [owned?.id])
  assert.equal(signed.length, 301)
  const published = (await service.call('GET', '/log/receipt-keys')).json
  for (const { jws } of signed) assert.equal(verifyReceipt(jws, published).outcome, 'genuine')
})

test('how many receipts share a signature is random, so who fills a batch cannot count the receipts of others in it', async () => {
  const [owned] = await complete(1)
  const copy = `insert into receipts (tenant_id, environment, verification_id, jws)
                select tenant_id, environment, 'ver_filled_' || n, split_part(jws, '.', 1) || '.copy' || n || '.'
                from generate_series(1, 1536) n, receipts r
                where r.verification_id = $1`
  await service.deps.db.query({ name: 'test_copy_receipt', text: copy }, [owned?.id])
  await signReceipts(service.deps)
  const shared = `select count(*)::integer as count from receipts where verification_id like 'ver_filled_%'
                  group by substr(split_part(jws, '.', 3), 1, 85)`
  const batches = await service.deps.db.query<{ count: number }>({ name: 'test_shared_signatures', text: shared })
  const full = batches.filter(({ count }) => count > 254)
  assert.ok(full.length < 5, batches.map(({ count }) => count).join())
})
