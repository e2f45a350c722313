// Tests creations of many tenants at once: they share a transaction; quota, locks, keys and failures stay separate.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { VerificationResult } from '../../src/core/verifications/domain/verification.ts'
import { createEndings } from '../../src/core/verifications/usecases/answering/end-verifications.ts'
import { createCreations } from '../../src/core/verifications/usecases/asking/commit-creations.ts'
import { createVerification } from '../../src/core/verifications/usecases/asking/create-verification.ts'
import { findOpen } from '../../src/core/verifications/usecases/asking/wallet-verification.ts'
import type { Deps } from '../../src/deps.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { createReceiptSigners } from '../../src/features/transparency/store/receipt-keys.ts'
import { creationContributions, endingContributions } from '../../src/features.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { deps } = service

const realmOf = (tenantId: string) => ({ tenantId, environment: 'test' as const })

function ask(world: Deps, tenantId: string, idempotencyKey: string | null = null) {
  const principal = { kind: 'api_key', keyId: 'key', ...realmOf(tenantId), scopes: [] } as const
  return createVerification(world, { principal, request: { template: 'identity' }, idempotencyKey })
}

const idOf = ({ answer }: { readonly answer: string }): string => JSON.parse(answer).id

/** Tenants that already have usage on this day. */
async function tenants(count: number, options: { dailyQuota?: number } = {}): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => service.tenant(options)))
  for (const id of ids) await ask(deps, id)
  return ids
}

/** Returns the same deps, with a counter of transactions. */
function counting(): { readonly world: Deps; readonly count: () => number } {
  let count = 0
  const transaction: Deps['db']['transaction'] = (work) => {
    count += 1
    return deps.db.transaction(work)
  }
  const world = { ...deps, db: { ...deps.db, transaction } }
  const creations = createCreations({ ...world, composed: creationContributions(deps) })
  const endings = createEndings({
    ...world,
    composed: endingContributions({ ...deps, receiptSigners: createReceiptSigners(deps.db, deps.remoteKeys.open) }),
  })
  return { world: { ...world, creations, endings }, count: () => count }
}

async function assertSound(ids: readonly string[], entries: number): Promise<void> {
  for (const id of ids) {
    const verified = await verifyStored(deps, { realm: realmOf(id), log: 'whole' })
    assert.equal(verified.outcome, 'whole', JSON.stringify(verified))
    const [row] = await deps.db.query<{ count: number }>(
      {
        name: 'test_entries_of',
        text: `select count(*)::int as count from audit_entries where tenant_id = $1 and object_id like 'ver_%'`,
      },
      [id],
    )
    assert.equal(row?.count, entries)
  }
}

/** Runs work while another transaction has the locks of this statement. */
async function whileLocked<T>(text: string, values: readonly unknown[], work: () => Promise<T>): Promise<T> {
  return deps.db.transaction(async (tx) => {
    await tx.query({ name: `test_${text.length}_${values.length}`, text }, values)
    return work()
  })
}

test('simultaneous creations of many tenants are one transaction; only the one over the quota is refused', async () => {
  const ids = await tenants(8)
  const [poor = ''] = await tenants(1, { dailyQuota: 1 })
  const { world, count } = counting()
  // All creations arrive in one turn of the event loop.
  const created = await Promise.allSettled(
    [ids[0] ?? '', ...ids, poor, ...ids].map((id, i) => ask(world, id, `key-${i}`)),
  )
  const refused = created.filter((one) => one.status === 'rejected')
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    ['quota_exceeded'],
  )
  assert.ok(count() <= 3, `${count()} transactions`)
  await assertSound(ids.slice(1), 3)
  await assertSound([poor], 1)
})

test('a locked chain or usage row delays only its own tenant', async () => {
  const [blocked = '', ...free] = await tenants(5)
  for (const text of [
    'select from audit_heads where tenant_id = $1 for update',
    'select from usage_days where tenant_id = $1 for update',
  ]) {
    const waits = await whileLocked(text, [blocked], async () => {
      await ask(deps, free[0] ?? '')
      const waiting = ask(deps, blocked)
      // The lock is released after these creations, so waiting for the locked rows would never end.
      await Promise.all(free.map((id) => ask(deps, id)))
      return { waiting }
    })
    await waits.waiting
  }
  await assertSound([blocked], 3)
})

test('a creation that lost its key in a batch is refused, and the others are created', async () => {
  const ids = await tenants(4)
  const [loser = ''] = ids
  const batcher: Deps['batcher'] = {
    isBusy: deps.batcher.isBusy,
    async add(work, needs, input) {
      const result = await deps.batcher.add(work, needs, input)
      // Between the lease and the creation, another request takes the key.
      if (result === 'taken')
        await deps.db.query(
          {
            name: 'test_steal',
            text: `update idempotency_keys set fence = 'thief' where tenant_id = $1 and key = 'lost'`,
          },
          [loser],
        )
      return result
    },
  }
  const created = await Promise.allSettled(ids.map((id) => ask({ ...deps, batcher }, id, 'lost')))
  assert.deepEqual(
    created.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code)),
    ['idempotency_key_in_flight', 'made', 'made', 'made'],
  )
  await assertSound([loser], 1)
})

const RESULT: VerificationResult = {
  outcome: 'failed',
  error: { code: 'wallet_declined', message: 'The holder declined.' },
  credentials: [],
}

async function endingOf(tenantId: string) {
  const verification = await findOpen(deps, idOf(await ask(deps, tenantId)))
  return {
    verification,
    result: RESULT,
    judgement: null,
    checks: [],
    responseCodeHash: null,
    channelName: 'redirect',
  } as const
}

test('simultaneous endings of many tenants are one transaction, each with its receipt and its entry', async () => {
  const ids = await tenants(8)
  const endings = await Promise.all([...ids, ...ids].map(endingOf))
  const { world, count } = counting()
  const ended = await Promise.all([...endings, ...endings].map((ending) => world.endings.end({ ...ending })))
  assert.deepEqual(ended, [...endings.map(() => true), ...endings.map(() => false)])
  assert.ok(count() <= 2, `${count()} transactions`)
  const rows = await deps.db.query<{ id: string; tenant: string }>(
    {
      name: 'test_receipts_of',
      text: `select r.verification_id as id, r.tenant_id as tenant from receipts r join verification_results v
             on v.verification_id = r.verification_id and v.tenant_id = r.tenant_id where r.verification_id = any ($1)`,
    },
    [endings.map(({ verification }) => verification.id)],
  )
  assert.deepEqual(
    new Map(rows.map(({ id, tenant }) => [id, tenant])),
    new Map(endings.map(({ verification }) => [verification.id, verification.tenantId])),
  )
  await assertSound(ids, 5)
})

test('a locked verification or chain delays only its own ending', async () => {
  const [blocked = '', ...free] = await tenants(4)
  const own = await endingOf(blocked)
  for (const [text, value] of [
    ['select from verifications where id = $1 for update', own.verification.id],
    ['select from audit_heads where tenant_id = $1 for update', blocked],
  ] as const) {
    const others = await Promise.all(free.map(endingOf))
    const [before, ...met] = others
    assert.ok(before !== undefined)
    const waits = await whileLocked(text, [value], async () => {
      const first = deps.endings.end(before)
      const waiting = deps.endings.end(own)
      assert.deepEqual(await Promise.all([first, ...met.map((one) => deps.endings.end(one))]), [true, true, true])
      return { waiting }
    })
    // The verification ended the first time, and is found as ended the second time.
    assert.equal(await waits.waiting, value === own.verification.id)
  }
  await assertSound([blocked], 3)
})
