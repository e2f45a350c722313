// Tests that simultaneous endings share a transaction, but not each other's failures.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { VerificationResult } from '../../src/core/verifications/domain/verification.ts'
import { findOpen } from '../../src/core/verifications/usecases/asking/wallet-verification.ts'
import type { LoggedDelivery } from '../../src/features/webhooks/domain/logged-delivery.ts'
import { readDeliveries } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { testService } from '../harness/service.ts'
import { ALL_DUE, takeDue } from '../harness/webhooks.ts'
import { create, read } from '../wallet/verifications.ts'

const service = await testService()
const key = await service.key(await service.tenant())
const { deps } = service
const RESULT: VerificationResult = {
  outcome: 'failed',
  error: { code: 'wallet_declined', message: 'The holder declined.' },
  credentials: [],
}
const ENDING = {
  result: RESULT,
  judgement: null,
  checks: [],
  responseCodeHash: null,
  channelName: 'redirect',
} as const

async function newEnding() {
  const { id } = await create(service, key)
  return { id, verification: await findOpen(deps, id), ...ENDING }
}

test('an ending that the store refuses fails alone; the others of its batch end', async () => {
  const [first, second, refused, fourth] = [await newEnding(), await newEnding(), await newEnding(), await newEnding()]
  await deps.db.query({
    name: 'test_refuse_one_function',
    text: `create function refuse_one() returns trigger language plpgsql as
           $$ begin if new.id = '${refused.id}' then raise exception 'refused'; end if; return new; end $$`,
  })
  await deps.db.query({
    name: 'test_refuse_one_trigger',
    text: 'create trigger refuse_one before update on verifications for each row execute function refuse_one()',
  })
  // All endings arrive in one turn of the event loop, and share a batch.
  const outcomes = await Promise.allSettled(
    [first, second, refused, second, fourth].map((ending) => deps.endings.end(ending)),
  )
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    [true, true, 'failed', false, true],
  )
  const states = await Promise.all([first, second, refused, fourth].map(({ id }) => read(service, key, id)))
  assert.deepEqual(
    states.map(({ status }) => status),
    ['failed', 'failed', 'pending', 'failed'],
  )
})

test('the pages of the log contain all deliveries of simultaneous endings', async () => {
  const tenantId = await service.tenant()
  const body = { template: 'identity', webhook_url: 'https://shop.example.com/hook' }
  const own = await service.key(tenantId)
  const open = await Promise.all(Array.from({ length: 12 }, () => create(service, own, body)))
  for (const met of [open.slice(0, 5), open.slice(5)]) {
    const verification = await Promise.all(met.map(({ id }) => findOpen(deps, id)))
    await Promise.all(verification.map((one) => deps.endings.end({ verification: one, ...ENDING })))
  }
  const seen: string[] = []
  // bounded: by the deliveries, three of which are read at a time.
  for (let before: string | null = null; ; ) {
    const input = { realm: { tenantId, environment: 'test' as const }, limit: 3, before, verificationId: null }
    const page: readonly LoggedDelivery[] = await readDeliveries(deps, input)
    seen.push(...page.map(({ verificationId }) => verificationId))
    const last = page.at(-1)
    if (last === undefined) break
    before = last.createdAt
  }
  assert.deepEqual(seen.toSorted(), open.map(({ id }) => id).toSorted())
  const leased = await takeDue(deps, ALL_DUE)
  assert.equal(leased.length, open.length, 'all deliveries are due at once')
})
