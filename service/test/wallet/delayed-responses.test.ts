// Tests delayed responses to one verification that arrive at once: one is judged, however many there are.

import assert from 'node:assert/strict'
import test from 'node:test'
import { acceptWalletResponse } from '../../src/core/verifications/usecases/answering/accept-wallet-response.ts'
import { findOpen } from '../../src/core/verifications/usecases/asking/wallet-verification.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, newCredentials, read, respond, validBody } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
const credentials = newCredentials(wallet)
const AT_ONCE = 25

/** Counts how often a presentation is examined. */
function counting() {
  let judged = 0
  const { examine } = service.deps
  const counted: typeof examine = (presentation) => {
    judged += 1
    return examine(presentation)
  }
  return { deps: { ...service.deps, examine: counted }, judged: () => judged }
}

async function refusalOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return error.code
  }
}

test(`of ${AT_ONCE} responses at once one is judged and ends the verification, two wait and find it ended, the others are refused`, async () => {
  const created = await create(service, key)
  const body = Buffer.from(await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  const { deps, judged } = counting()
  const verification = await findOpen(deps, created.id)
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => refusalOf(acceptWalletResponse(deps, { verification, body }))),
  )
  assert.deepEqual(answers.slice(0, 3), ['accepted', 'session_already_responded', 'session_already_responded'])
  assert.deepEqual(new Set(answers.slice(3)), new Set(['rate_limit_exceeded']))
  assert.equal(judged(), 1)
  assert.equal((await read(service, key, created.id)).status, 'completed')
})

test('responses whose bodies arrive one after the other are not judged after the end', async () => {
  const created = await create(service, key)
  const body = Buffer.from(await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  const { deps, judged } = counting()
  const verification = await findOpen(deps, created.id)
  assert.equal(await refusalOf(acceptWalletResponse(deps, { verification, body })), 'accepted')
  for (let i = 0; i < AT_ONCE; i++) {
    assert.equal(await refusalOf(acceptWalletResponse(deps, { verification, body })), 'session_already_responded')
  }
  assert.equal(judged(), 1)
})

test('an unreadable response does not block the genuine one after it', async () => {
  const created = await create(service, key)
  const body = await validBody(wallet, await wallet.request(created.wallet_uri), { credentials })
  const [unreadable, answer] = await Promise.all([
    respond(service, created.id, 'unreadable'),
    respond(service, created.id, body),
  ])
  assert.deepEqual([unreadable.status, answer.status], [400, 200])
})

test('over HTTP exactly one response gets 200, and every other gets 409, or 429 with Retry-After', async () => {
  const created = await create(service, key)
  const body = await validBody(wallet, await wallet.request(created.wallet_uri), { credentials })
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => respond(service, created.id, body)))
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  assert.equal(count(200), 1)
  assert.equal(count(409) + count(429), AT_ONCE - 1)
})
