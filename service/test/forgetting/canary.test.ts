// Searches everything that the service stores, logs and measures for a word that is in every claim (cases E01 and R17).

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { createIssuer, generateKey, issueAll, PERSON } from '@vidimus/wallet'
import { openResult } from '../../../sdk/typescript/src/result.ts'
import { forgetDueContent } from '../../src/core/verifications/usecases/forgetting/forget-due-content.ts'
import { testService } from '../harness/service.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { dumpedWith, isIn, sealedWith } from '../harness/word-search.ts'
import { create } from '../wallet/verifications.ts'
import { addMerchantKey } from './merchant-keys.ts'
import { assertWithoutContent, merchant, present } from './merchants.ts'

const service = await testService({}, LOOPBACK)
const { deps } = service

const newWord = () => `canary${randomBytes(8).toString('hex')}`
/** Returns a person with the word in every text claim. */
const personWith = (word: string) => ({
  ...PERSON,
  familyName: `${word} family`,
  givenName: `${word} given`,
  birthLocality: `${word} birthplace`,
  street: `${word} street`,
  city: `${word} city`,
  region: `${word} region`,
  postalCode: word,
  administrativeNumber: word,
  documentNumber: word,
  email: `${word}@example.com`,
  phone: word,
})

async function filesWith(word: string, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && isIn(word, await readUnlessGone(path))) found.push(path)
  }
  return found
}

/** The shared test server removes and renames its own files during the search. */
async function readUnlessGone(path: string): Promise<Buffer | string> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Asserts that the word is nowhere unencrypted: not in rows, files, logs or metrics. */
async function assertNowhere(word: string): Promise<void> {
  assert.deepEqual(await dumpedWith(deps, word), [])
  const { database } = await service.flushed()
  assert.deepEqual(await filesWith(word, database), [])
  assert.equal(isIn(word, service.logged.join('\n')), false)
  assert.equal(isIn(word, await metrics()), false)
}

const metrics = async () => (await service.call('GET', '/metrics', { from: '127.0.0.1' })).text

/** Returns a verification that completes and one that fails, each with the word in every claim; both are delivered. */
async function ask(of: Awaited<ReturnType<typeof merchant>>, word: string, stranger = word) {
  const receiver = await startReceiver()
  const body = { template: 'identity_extended', webhook_url: receiver.url }
  const answered = await create(service, of.key, body)
  const failed = await create(service, of.key, body)
  const address = await create(service, of.key, { template: 'address', webhook_url: receiver.url })
  const person = personWith(word)
  const genuine: Parameters<typeof present>[2] = (issuer, now) =>
    issueAll(issuer, { holderKey: generateKey(), now, person })
  await present(service, answered, genuine)
  await present(service, address, genuine)
  await present(service, failed, (issuer, now) =>
    issueAll(createIssuer({ base: issuer.base, now, name: stranger }), { holderKey: generateKey(), now, person }),
  )
  return { receiver, answered: answered.id, address: address.id, failed: failed.id }
}

test('the search works: kept content is found sealed in its row, and nowhere unencrypted', async () => {
  const word = newWord()
  const { answered } = await ask(await merchant(service, { content: 'keep' }), word)
  await deliverDue(service)
  assert.ok(answered)
  assert.deepEqual(await sealedWith(deps, word), ['verification_results.sealed'])
  assert.equal(isIn(word, JSON.stringify({ claims: { name: `${word} x` } })), true)
  await assertNowhere(word)
})

test('R17 after delivery with `forward` no claim is left, not even for the master key', async () => {
  const word = newWord()
  const of = await merchant(service, { content: 'forward' })
  const { receiver, answered, address, failed } = await ask(of, word)
  assert.deepEqual(
    await sealedWith(deps, word),
    ['verification_results.sealed'],
    'the content is kept until it is delivered',
  )
  await deliverDue(service)
  assert.equal(receiver.received.filter(({ body }) => isIn(word, body)).length, 2, 'the merchant has it')
  assertWithoutContent(await of.read(answered), 'completed')
  assertWithoutContent(await of.read(address), 'completed')
  assertWithoutContent(await of.read(failed), 'failed')
  assert.deepEqual(await sealedWith(deps, word), [])
  await assertNowhere(word)
})

test('without a delivery no claim is left after the hold time', async () => {
  const word = newWord()
  const of = await merchant(service, { content: 'forward', holdSeconds: 60 })
  const { receiver } = await ask(of, word)
  receiver.answer = () => ({ status: 500 })
  await deliverDue(service)
  service.clock.advance(60_000)
  await forgetDueContent(deps)
  assert.deepEqual(await sealedWith(deps, word), [])
  await assertNowhere(word)
})

test("E01 with a merchant's key nothing is readable at any time, before and after delivery, even with the master key", async () => {
  const word = newWord()
  const of = await merchant(service, { content: 'keep' })
  const { privateKey } = await addMerchantKey(service, of.realm)
  // The name of an issuer is not a claim: it stays readable, even for an unknown issuer.
  const { receiver, answered } = await ask(of, word, 'Nobody')
  assert.deepEqual(await sealedWith(deps, word), [])
  await assertNowhere(word)
  await deliverDue(service)
  assert.equal(
    receiver.received.filter(({ body }) => isIn(word, body)).length,
    0,
    'the word is not unencrypted during the delivery either',
  )
  assert.deepEqual(await sealedWith(deps, word), [])
  await assertNowhere(word)
  // The write-ahead log does not contain the word either.
  assert.deepEqual(await filesWith(word, join((await service.flushed()).cluster, 'pg_wal')), [])
  assert.equal((await openResult(await of.read(answered), privateKey)).claims?.family_name, `${word} family`)
})

test('no address and no user agent of a wallet is linked to its presentation, anywhere', async () => {
  const of = await merchant(service, { content: 'forward' })
  const agent = `wallet-${randomBytes(8).toString('hex')}`
  const sender = { from: '198.51.100.77', headers: { 'user-agent': agent } }
  const created = await create(service, of.key, { template: 'identity' })
  await present(service, created, (issuer, now) => issueAll(issuer, { holderKey: generateKey(), now }), sender)
  await service.call('GET', `/v1/verifications/${created.id}/status`, sender)
  for (const word of [agent, sender.from]) {
    assert.deepEqual(await dumpedWith(deps, word), [])
    assert.deepEqual(await sealedWith(deps, word), [])
    assert.equal(
      service.logged.some((line) => isIn(word, line)),
      false,
    )
    assert.equal(isIn(word, await metrics()), false)
  }
  // A verification is not even named with a request, because an id is a capability.
  assert.equal(
    service.logged.some((line) => line.includes(created.id)),
    false,
  )
})
