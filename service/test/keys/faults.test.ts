// Tests an external key that does not sign: wallets get 503 and retry, and verifications stay open.

import assert from 'node:assert/strict'
import test from 'node:test'
import { runJob } from '../harness/jobs.ts'
import { memoryProvider, type ProviderMode } from '../harness/keys/memory-provider.ts'
import { installExternal, moveKeys } from '../harness/keys/move-keys.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { assertRefused, type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { type Created, create, decode, read, respond, validBody } from '../wallet/verifications.ts'

const provider = memoryProvider()
const first = await testService({}, {}, { remoteKeyOptions: provider.remoteKeyOptions })
await moveKeys(first, provider.referenceOf)
const tenant = await first.tenant()
const key = await first.key(tenant)

/** Starts a further process, because failures are counted per process. */
const startProcess = () => testService({}, {}, { remoteKeyOptions: provider.remoteKeyOptions, sharedWith: first })
const fetchRequest = (service: TestService, { request_uri }: Created) =>
  service.call('GET', new URL(request_uri).pathname)

async function assertAway(service: TestService, created: Created): Promise<void> {
  const answer = await fetchRequest(service, created)
  assertRefused(answer, 503, 'unavailable')
  assert.equal(answer.headers['retry-after'], '5')
  assert.doesNotMatch(answer.text, /pkcs11|memory|test-openid4vp/, 'wallets do not learn where keys are')
  assert.equal((await read(service, key, created.id)).status, 'pending')
}

/** Returns a request that a wallet fetched before, and its later answer. */
async function openAnswer(service: TestService) {
  const wallet = await testWallet(service)
  const created = await create(service, key)
  const body = await validBody(wallet, await wallet.request(created.wallet_uri))
  return {
    async send() {
      assert.equal((await respond(service, created.id, body)).status, 200)
      assert.equal((await read(service, key, created.id)).status, 'completed')
      const receipt = await service.call('GET', `/v1/verifications/${created.id}/receipt`, { key })
      assertRefused(receipt, 503, 'unavailable')
      return created.id
    },
  }
}

/**
 * Asserts that creating, reading, answers and jobs work without the keys. Returns a verification that ended without them.
 */
async function assertOthersGoOn(service: TestService, answer: Awaited<ReturnType<typeof openAnswer>>): Promise<string> {
  assert.equal((await service.call('GET', '/v1/usage', { key })).status, 200)
  assert.equal((await service.call('GET', '/v1/verifications?limit=5', { key })).status, 200)
  const id = await answer.send()
  await runJob(service.deps, 'sign-receipts')
  await runJob(service.deps, 'apply-retention')
  return id
}

/** Asserts that the same verification continues when its wallet tries again. */
async function assertBack(service: TestService, created: Created, ended: string): Promise<void> {
  provider.set('signs')
  await (await testWallet(service)).present(created.wallet_uri)
  assert.equal((await read(service, key, created.id)).status, 'completed')
  await runJob(service.deps, 'sign-receipts')
  for (const id of [created.id, ended])
    assert.equal((await service.call('GET', `/v1/verifications/${id}/receipt`, { key })).status, 200)
}

test('a process starts without its key provider, and signs when the provider is available', async () => {
  const answer = await openAnswer(first)
  provider.set('away')
  const service = await startProcess()
  const created = await create(service, key)
  await assertAway(service, created)
  await assertBack(service, created, await assertOthersGoOn(service, answer))
})

const MODES: readonly [string, ProviderMode, string][] = [
  ['unreachable for a while', 'away', 'away'],
  ['slow to sign', 'hangs', 'late'],
  ['another key signs', 'signs_with_another_key', 'wrong_signature'],
  ['DER for raw', 'der_for_raw', 'wrong_signature'],
  ['disabled', 'disabled', 'refused'],
]
for (const [name, mode, outcome] of MODES)
  test(`an external key that is faulty (${name}) gives 503, nothing else stops, and the same verification continues afterwards`, async () => {
    const service = await startProcess()
    const answer = await openAnswer(service)
    const created = await create(service, key)
    provider.set(mode)
    await assertAway(service, created)
    const { values } = await service.deps.metrics.keySignatures.get()
    assert.ok(
      values.some(({ labels, value }) => labels.outcome === outcome && value > 0),
      JSON.stringify(values),
    )
    await assertBack(service, created, await assertOthersGoOn(service, answer))
  })

test('after a key is disabled, signed requests are still served, and new ones are not', async () => {
  const service = await startProcess()
  const [before, after] = [await create(service, key), await create(service, key)]
  const { text } = await fetchRequest(service, before)
  provider.set('disabled', 'test-openid4vp')
  assert.equal((await fetchRequest(service, before)).text, text)
  await assertAway(service, after)
  assert.match(
    (await commandLine(service).run('doctor')).out,
    /FAIL {2}key outside: \S+object=test-openid4vp does not sign: the key is disabled/,
  )
  provider.set('signs')
  assert.equal((await fetchRequest(service, after)).status, 200)
})

test('after a rotation open verifications keep their first certificate, whichever key is disabled', async () => {
  const before = await create(first, key)
  await installExternal(first, {
    ...{ environment: 'test', purpose: 'openid4vp' },
    reference: provider.referenceOf('test-openid4vp-2'),
  })
  const service = await startProcess()
  const after = await create(service, key)
  const chainOf = async (created: Created) => {
    const answer = await fetchRequest(service, created)
    assert.equal(answer.status, 200, answer.text)
    return JSON.stringify(decode(answer.text).header.x5c)
  }
  const countSignatures = (object: string) => provider.signatures.get(object) ?? 0
  const counts = () => [countSignatures('test-openid4vp'), countSignatures('test-openid4vp-2')] as const
  const [old, next] = counts()
  const chain = await chainOf(before)
  assert.notEqual(chain, await chainOf(after))
  assert.deepEqual(counts(), [old + 1, next + 1])

  const fresh = await startProcess()
  provider.set('disabled', 'test-openid4vp')
  await assertAway(fresh, before)
  assert.equal((await fetchRequest(fresh, after)).status, 200, 'disabling the old key does not affect the new one')
  provider.set('signs')
  const again = await fetchRequest(fresh, before)
  assert.equal(JSON.stringify(decode(again.text).header.x5c), chain)
})

test('a log whose key is unavailable writes no checkpoint, and continues when it is back', async () => {
  const service = await startProcess()
  const ended = await (await openAnswer(service)).send()
  await runJob(service.deps, 'sign-receipts')
  provider.set('away', 'log')
  await assert.rejects(runJob(service.deps, 'keep-log'), { code: 'unavailable' })
  const proof = () => service.call('GET', `/v1/verifications/${ended}/receipt.tlog-proof`, { key })
  assertRefused(await proof(), 503, 'unavailable')
  provider.set('signs')
  await runJob(service.deps, 'keep-log')
  assert.equal((await proof()).status, 200)
})
