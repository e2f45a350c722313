// Tests batches that are written in one statement from cached state: outdated state writes nothing.

import assert from 'node:assert/strict'
import { createPrivateKey, randomBytes } from 'node:crypto'
import test from 'node:test'
import { mintAuthority, mintSigner } from '@vidimus/wallet'
import { loadTenantSettings, updateTenantSettings } from '../../../src/core/tenants/store/settings.ts'
import type { VerificationResult } from '../../../src/core/verifications/domain/verification.ts'
import { createEndings } from '../../../src/core/verifications/usecases/answering/end-verifications.ts'
import { createCreations } from '../../../src/core/verifications/usecases/asking/commit-creations.ts'
import { createVerification } from '../../../src/core/verifications/usecases/asking/create-verification.ts'
import { findOpen } from '../../../src/core/verifications/usecases/asking/wallet-verification.ts'
import type { Deps } from '../../../src/deps.ts'
import type { HeadWithMac } from '../../../src/features/audit/domain/head-macs.ts'
import { createAudit } from '../../../src/features/audit/usecases/audit.ts'
import { verifyStored } from '../../../src/features/audit/usecases/verify-audit.ts'
import { createReceiptSigners } from '../../../src/features/transparency/store/receipt-keys.ts'
import { installCertificate } from '../../../src/features/trust/usecases/manage-certificates.ts'
import { creationContributions, endingContributions } from '../../../src/features.ts'
import { createBatcher } from '../../../src/platform/event-loop/batch.ts'
import { StoreUnavailable } from '../../../src/platform/store-unavailable.ts'
import { instantOf } from '../../../src/platform/world.ts'
import { OPERATOR, testService } from '../../harness/service.ts'

const service = await testService()
const { deps } = service

let ran: { readonly name: string; readonly failed: boolean }[] = []
deps.db.watch(({ name, failed }) => void ran.push({ name: name.replace(/_of_one$/, ''), failed }))

const WRITING = /^(?:create_at_once|end_at_once|open_|write_|end_)/
/**
 * Returns the statements of batches that `work` sent; failed ones end in an exclamation mark. A refusal is not a
 * failure.
 */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  ran = []
  await work()
  return ran.filter(({ name }) => WRITING.test(name)).map(({ name, failed }) => (failed ? `${name}!` : name))
}

async function retries(batch: 'creations' | 'endings', reason: 'stale' | 'failed'): Promise<number> {
  const { values } = await deps.metrics.batchRetries.get()
  return values.find(({ labels }) => labels.batch === batch && labels.reason === reason)?.value ?? 0
}

/** Another process, with its own batches and cached state. */
function newWorld(change: (deps: Deps) => Partial<Deps> = () => ({})): Deps {
  const audit = createAudit({ random: randomBytes, derivedKeys: deps.derivedKeys })
  const world = { ...deps, audit, batcher: createBatcher() }
  const changed = { ...world, ...change(world) }
  const composed = endingContributions({
    ...changed,
    receiptSigners: createReceiptSigners(deps.db, deps.remoteKeys.open),
  })
  return {
    ...changed,
    creations: createCreations({ ...changed, composed: creationContributions(changed) }),
    endings: createEndings({ ...changed, composed }),
  }
}

const realmOf = (tenantId: string) => ({ tenantId, environment: 'test' as const })

async function ask(world: Deps, tenantId: string, idempotencyKey: string | null = null): Promise<string> {
  const principal = { kind: 'api_key', keyId: 'key', ...realmOf(tenantId), scopes: [] } as const
  const { answer } = await createVerification(world, { principal, request: { template: 'identity' }, idempotencyKey })
  return JSON.parse(answer).id
}

const RESULT: VerificationResult = {
  outcome: 'failed',
  error: { code: 'wallet_declined', message: 'The holder declined.' },
  credentials: [],
}

async function endingOf(id: string) {
  const verification = await findOpen(deps, id)
  return {
    verification,
    result: RESULT,
    judgement: null,
    checks: [],
    responseCodeHash: null,
    channelName: 'redirect',
  } as const
}

/** Returns a tenant whose chain this process has written a few times as its only writer. */
async function rememberedBy(world: Deps, options: Parameters<typeof service.tenant>[0] = {}): Promise<string> {
  const tenantId = await service.tenant(options)
  for (let i = 0; i < 3; i += 1) await ask(world, tenantId)
  return tenantId
}

/** The chain is complete, and has an entry for each creation and ending. */
async function assertWhole(tenantId: string, wanted: { created: number; ended: number }): Promise<void> {
  const verified = await verifyStored(deps, { realm: realmOf(tenantId), log: 'whole' })
  assert.equal(verified.outcome, 'whole', JSON.stringify(verified))
  const [row] = await deps.db.query<Record<string, number>>(
    {
      name: 'test_counts_of',
      text: `select (select count(*)::int from verifications where tenant_id = $1) as created,
                    (select coalesce(sum(created), 0)::int from usage_days where tenant_id = $1) as spent,
                    (select count(*)::int from verification_results where tenant_id = $1) as results,
                    (select count(*)::int from receipts where tenant_id = $1) as receipts,
                    (select coalesce(sum(json_array_length(endings)), 0)::int from uncounted_batches where tenant_id = $1) as uncounted,
                    (select count(*)::int from audit_entries where tenant_id = $1 and object_id like 'ver_%') as entries`,
    },
    [tenantId],
  )
  const { created, ended } = wanted
  assert.deepEqual(row, {
    created,
    spent: created,
    results: ended,
    receipts: ended,
    uncounted: ended,
    entries: created + ended,
  })
}

/** Appends to the chain like another process, of which this process gets no notification. */
const appendElsewhere = (tenantId: string) =>
  deps.db.transaction((tx) =>
    newWorld().audit.record(tx, realmOf(tenantId), {
      action: 'key.created',
      actor: OPERATOR,
      object: { type: 'key', id: 'key_elsewhere' },
      now: instantOf(service.clock.now()),
    }),
  )

test('a creation and an ending are one statement each if the process has written the chain last', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  let id = ''
  assert.deepEqual(
    await statementsOf(async () => {
      id = await ask(world, tenantId)
    }),
    ['create_at_once_test'],
  )
  const ending = await endingOf(id)
  assert.deepEqual(await statementsOf(async () => assert.equal(await world.endings.end(ending), true)), ['end_at_once'])
  assert.deepEqual(await statementsOf(() => ask(world, tenantId)), ['create_at_once_test'])
  await assertWhole(tenantId, { created: 5, ended: 1 })
})

test('after another process wrote the chain, nothing is written from cached state until the cache was right again', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  await appendElsewhere(tenantId)
  let id = ''
  const creating = async () => {
    id = await ask(world, tenantId)
  }
  const slow = ['open_free_creations_test', 'write_creation']
  assert.deepEqual(await statementsOf(creating), ['create_at_once_test', ...slow])
  assert.deepEqual(await statementsOf(creating), slow)
  assert.deepEqual(await statementsOf(creating), slow)
  assert.deepEqual(await statementsOf(creating), ['create_at_once_test'])
  await appendElsewhere(tenantId)
  const ending = await endingOf(id)
  assert.deepEqual(await statementsOf(async () => assert.equal(await world.endings.end(ending), true)), [
    'end_at_once',
    'end_free_verifications',
    'write_endings',
  ])
  await assertWhole(tenantId, { created: 7, ended: 1 })
})

test('a head that another party wrote in place of the cached one gets no MAC', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  await deps.db.query({ name: 'test_forge_mac', text: 'update audit_heads set mac = $2 where tenant_id = $1' }, [
    tenantId,
    Buffer.alloc(32, 7),
  ])
  await ask(world, tenantId)
  const [head] = await deps.db.query<{ mac: Buffer | null }>(
    { name: 'test_mac', text: `select mac from audit_heads where tenant_id = $1 and environment = 'test'` },
    [tenantId],
  )
  assert.equal(head?.mac, null)
})

test('two processes that always trust their cached state write the same chains at the same time, and none forks', async () => {
  const trusting = () =>
    newWorld(({ audit }) => {
      const known = new Map<string, HeadWithMac>()
      const remember = (realm: { tenantId: string }, head: HeadWithMac) => void known.set(realm.tenantId, head)
      const remembered = {
        recall: (realm: { tenantId: string }) => known.get(realm.tenantId) ?? null,
        compare: remember,
        remember,
        forget: (realm: { tenantId: string }) => void known.delete(realm.tenantId),
      }
      return { audit: { ...audit, remembered } }
    })
  const worlds = [trusting(), trusting()]
  const tenantIds = [await service.tenant(), await service.tenant()]
  for (const world of worlds) for (const id of tenantIds) await ask(world, id)
  const ROUNDS = 30
  const before = (await retries('creations', 'stale')) + (await retries('endings', 'stale'))
  const names = await statementsOf(() =>
    Promise.all(
      worlds.map(async (world) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const ids = await Promise.all(tenantIds.map((id) => ask(world, id)))
          const endings = await Promise.all(ids.map(endingOf))
          assert.deepEqual(await Promise.all(endings.map((one) => world.endings.end(one))), [true, true])
        }
      }),
    ),
  )
  const count = (wanted: RegExp) => names.filter((name) => wanted.test(name)).length
  assert.equal(count(/!$/), 0, 'a statement failed')
  const stale = (await retries('creations', 'stale')) + (await retries('endings', 'stale')) - before
  assert.ok(stale > 0, 'no cached state was ever wrong')
  assert.ok(count(/at_once/) > stale, 'nothing was written from cached state')
  for (const id of tenantIds) await assertWhole(id, { created: 2 + 2 * ROUNDS, ended: 2 * ROUNDS })
})

test('settings of the tenant apply to the next creation, whatever the process remembers', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  await deps.db.query(
    { name: 'test_in_clear', text: `update tenants set response_mode = 'direct_post' where id = $1` },
    [tenantId],
  )
  const id = await ask(world, tenantId)
  assert.equal((await findOpen(deps, id)).responseMode, 'direct_post')
})

test('the quota is spent exactly, and a new day starts over', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world, { dailyQuota: 6 })
  const created = await Promise.allSettled(Array.from({ length: 5 }, () => ask(world, tenantId)))
  assert.deepEqual(
    created.map((one) => (one.status === 'fulfilled' ? 'created' : one.reason.code)),
    ['created', 'created', 'created', 'quota_exceeded', 'quota_exceeded'],
  )
  assert.deepEqual(
    await statementsOf(() => assert.rejects(ask(world, tenantId))),
    ['open_free_creations_test'],
    'no attempt from cached state while the day is spent',
  )
  await assertWhole(tenantId, { created: 6, ended: 0 })
  service.clock.advance(86_400_000)
  await ask(world, tenantId)
})

test('a verification that ended, was erased or expired in between is not ended from cached state', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  const [twice, erased, late, open] = await Promise.all(
    Array.from({ length: 4 }, async () => endingOf(await ask(world, tenantId))),
  )
  assert.ok(twice && erased && late && open)
  assert.deepEqual(await Promise.all([twice, twice].map((one) => world.endings.end({ ...one }))), [true, false])
  assert.equal(await world.endings.end(twice), false)
  await deps.db.query({ name: 'test_erase', text: 'delete from verifications where id = $1' }, [erased.verification.id])
  await deps.db.query(
    {
      name: 'test_expire',
      text: `update verifications set expires_at = created_at - interval '1 minute' where id = $1`,
    },
    [late.verification.id],
  )
  assert.deepEqual(await Promise.all([erased, late, open].map((one) => world.endings.end(one))), [false, false, true])
  const [row] = await deps.db.query<{ results: number }>(
    {
      name: 'test_results_of',
      text: 'select count(*)::int as results from verification_results where verification_id = any ($1)',
    },
    [[erased.verification.id, late.verification.id]],
  )
  assert.equal(row?.results, 0)
})

test('a request that was recorded after the row was read is in the receipt', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  const ending = await endingOf(await ask(world, tenantId))
  const sha256 = randomBytes(32)
  await deps.db.query({ name: 'test_served', text: 'update verifications set request_sha256 = $2 where id = $1' }, [
    ending.verification.id,
    sha256,
  ])
  const after = ['end_free_verifications', 'write_endings']
  assert.deepEqual(await statementsOf(() => world.endings.end(ending)), ['end_at_once', ...after])
  const [row] = await deps.db.query<{ jws: string }>(
    { name: 'test_receipt', text: 'select jws from receipts where verification_id = $1' },
    [ending.verification.id],
  )
  const payload = JSON.parse(Buffer.from(row?.jws.split('.')[1] ?? '', 'base64url').toString())
  assert.equal(payload.asked.request_sha256, sha256.toString('base64url'))
})

test('a sign-in is never ended from cached state, so that it is charged; nor is an ending with its own statement', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  const signIn = await endingOf(await ask(world, tenantId))
  await deps.db.query(
    { name: 'test_sign_in', text: `update verifications set actor_type = 'oidc_client' where id = $1` },
    [signIn.verification.id],
  )
  const after = ['end_free_verifications', 'write_endings']
  assert.deepEqual(await statementsOf(() => world.endings.end(signIn)), ['end_at_once', ...after])
  for (let i = 0; i < 3; i += 1) await ask(world, tenantId)
  const { verification, ...rest } = await endingOf(await ask(world, tenantId))
  const webhook = { ...rest, verification: { ...verification, webhookUrl: 'https://shop.example.com/hook' } }
  assert.deepEqual(await statementsOf(() => world.endings.end(webhook)), after)
  const [delivery] = await deps.db.query<{ count: number }>(
    {
      name: 'test_deliveries_of',
      text: 'select count(*)::int as count from webhook_deliveries where verification_id = $1',
    },
    [verification.id],
  )
  assert.equal(delivery?.count, 1)
})

test('a lost idempotency key is refused, and nothing is created from cached state', async () => {
  const world = newWorld()
  const tenantId = await rememberedBy(world)
  const batcher: Deps['batcher'] = {
    isBusy: world.batcher.isBusy,
    async add(work, needs, input) {
      const result = await world.batcher.add(work, needs, input)
      if (result === 'taken')
        await deps.db.query(
          { name: 'test_steal', text: `update idempotency_keys set fence = 'thief' where tenant_id = $1` },
          [tenantId],
        )
      return result
    },
  }
  await assert.rejects(ask({ ...world, batcher }, tenantId, 'lost'), { code: 'idempotency_key_in_flight' })
  await assertWhole(tenantId, { created: 3, ended: 0 })
})

test('a batch from cached state waits for no lock of another transaction, and batches of other tenants are written', async () => {
  const world = newWorld()
  const [blocked, free] = [await rememberedBy(world), await rememberedBy(world)]
  for (const text of [
    'select from audit_heads where tenant_id = $1 for update',
    'select from usage_days where tenant_id = $1 for update',
  ]) {
    const { waiting } = await deps.db.transaction(async (tx) => {
      await tx.query({ name: `test_hold_${text.length}`, text }, [blocked])
      const waiting = ask(world, blocked)
      await ask(world, free)
      return { waiting }
    })
    await waiting
  }
  await assertWhole(blocked, { created: 5, ended: 0 })
  await assertWhole(free, { created: 5, ended: 0 })
})

test('a batch whose commit has an unknown outcome fails and is not retried', async () => {
  let isLost = false
  const transaction: Deps['db']['transaction'] = async (work) => {
    const result = await deps.db.transaction(work)
    if (isLost) throw new StoreUnavailable('the answer was lost')
    return result
  }
  const world = newWorld(() => ({ db: { ...deps.db, transaction } }))
  const tenantId = await rememberedBy(world)
  const ending = await endingOf(await ask(world, tenantId))
  isLost = true
  assert.deepEqual(await statementsOf(() => assert.rejects(ask(world, tenantId), StoreUnavailable)), [
    'create_at_once_test',
  ])
  isLost = false
  for (let i = 0; i < 3; i += 1) await ask(world, tenantId)
  isLost = true
  assert.deepEqual(await statementsOf(() => assert.rejects(world.endings.end(ending), StoreUnavailable)), [
    'end_at_once',
  ])
  isLost = false
  assert.equal(await world.endings.end(ending), false)
  await assertWhole(tenantId, { created: 8, ended: 1 })
})

async function setPrefix(tenantId: string, clientIdPrefix: 'x509_hash' | 'x509_san_dns'): Promise<void> {
  const settings = await loadTenantSettings(deps.db, tenantId)
  assert.ok(settings !== null)
  await updateTenantSettings(deps.db, tenantId, { ...settings, clientIdPrefix })
}

/** A certificate that does not name our host: requests under `x509_san_dns` cannot be signed with it. */
async function installOfAnotherHost(tenantId: string): Promise<void> {
  const now = Math.floor(service.clock.now() / 1000)
  const period = { notBefore: now - 1000, notAfter: now + 1_000_000 }
  const authority = mintAuthority({ commonName: 'Access CA' }, period)
  const leaf = mintSigner(authority, { commonName: 'Shop' }, { ...period, dns: 'elsewhere.example.com' })
  const key = createPrivateKey({ key: { ...leaf.key }, format: 'jwk' })
  const done = await installCertificate(deps, {
    owner: realmOf(tenantId),
    purpose: 'openid4vp',
    chain: [new Uint8Array(Buffer.from(leaf.certificate, 'base64'))],
    privateKey: new Uint8Array(key.export({ format: 'der', type: 'pkcs8' })),
    actor: OPERATOR,
  })
  assert.equal(done.outcome, 'installed')
  deps.certificates.forget()
}

test('a tenant whose creation cannot be prepared from cached state fails alone, and works once its setting is corrected', async () => {
  const world = newWorld()
  const broken = await service.tenant()
  await setPrefix(broken, 'x509_san_dns')
  for (let i = 0; i < 5; i += 1) await ask(world, broken)
  const other = await rememberedBy(world)
  const together = async () => {
    const all = await Promise.allSettled([broken, other].map((tenantId) => ask(world, tenantId)))
    return all.map(({ status }) => status)
  }
  await installOfAnotherHost(broken)
  for (let i = 0; i < 3; i += 1) assert.deepEqual(await together(), ['rejected', 'fulfilled'])
  await setPrefix(broken, 'x509_hash')
  assert.deepEqual(await together(), ['fulfilled', 'fulfilled'])
})

test('after a batch of two tenants, the chain of the tenant that another process did not write stays cached', async () => {
  const world = newWorld()
  const [changed, same] = [await rememberedBy(world), await rememberedBy(world)]
  await appendElsewhere(changed)
  const before = await retries('creations', 'stale')
  const together = () => Promise.all([changed, same].map((tenantId) => ask(world, tenantId)))
  const slow = ['open_free_creations_test', 'write_creation']
  assert.deepEqual(await statementsOf(together), ['create_at_once_test', ...slow])
  assert.equal(await retries('creations', 'stale'), before + 1)
  assert.deepEqual(await statementsOf(() => ask(world, same)), ['create_at_once_test'])
  assert.deepEqual(await statementsOf(() => ask(world, changed)), slow)
  await assertWhole(same, { created: 5, ended: 0 })
  await assertWhole(changed, { created: 5, ended: 0 })
})

test('an error that no check explains is counted and logged, and the batch is written after reading', async () => {
  let isBroken = false
  const transaction: Deps['db']['transaction'] = (work) =>
    deps.db.transaction((tx) =>
      work({
        ...tx,
        finish: (statement, values) =>
          isBroken && statement.name.includes('at_once')
            ? Promise.reject(new Error('a bug of the statement'))
            : tx.finish(statement, values),
      }),
    )
  const world = newWorld(() => ({ db: { ...deps.db, transaction } }))
  const tenantId = await rememberedBy(world)
  const ending = await endingOf(await ask(world, tenantId))
  const before = { creations: await retries('creations', 'failed'), endings: await retries('endings', 'failed') }
  const logged = service.logged.length
  isBroken = true
  await ask(world, tenantId)
  isBroken = false
  for (let i = 0; i < 3; i += 1) await ask(world, tenantId)
  isBroken = true
  assert.equal(await world.endings.end(ending), true)
  assert.equal(await retries('creations', 'failed'), before.creations + 1)
  assert.equal(await retries('endings', 'failed'), before.endings + 1)
  const faults = service.logged.slice(logged).filter((line) => line.includes('were not written from memory'))
  assert.equal(faults.length, 2)
  await assertWhole(tenantId, { created: 8, ended: 1 })
})
