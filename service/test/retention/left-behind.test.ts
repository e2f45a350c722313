// Tests that nothing of an erased verification or a dropped day is left or added later, without foreign keys.

import assert from 'node:assert/strict'
import test from 'node:test'
import { takeCode } from '../../src/core/transactions/store/codes.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { takeBundle } from '../../src/features/evidence/store/bundles.ts'
import { takeUse } from '../../src/features/links/store/openings.ts'
import { insertAuthorizations } from '../../src/features/oidc/store/authorizations.ts'
import { insertCorrelation } from '../../src/features/oidc/store/correlations.ts'
import { loadDays } from '../../src/features/retention/store/day-partitions.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { insertStepDelivery } from '../../src/features/webhooks/store/deliveries.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import { StoreUnavailable } from '../../src/platform/store-unavailable.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { testClient } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { declined, deliverAllDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService({}, LOOPBACK)
const wallet = await testWallet(service)
const { call, clock, deps } = service
const { db } = deps
await runJob(deps, 'make-days')

const today = () => dayAt(clock.now())
const toNextDay = (days = 1) => clock.advance((today() + days) * DAY_MS - clock.now() + 900_000)
const now = () => instantOf(clock.now())

async function tenantKeepingADay(): Promise<{ realm: { tenantId: string; environment: 'test' }; key: string }> {
  const tenantId = await service.tenant()
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = 1 where id = $1' }, [tenantId])
  return { realm: { tenantId, environment: 'test' }, key: await service.key(tenantId) }
}

const rowsOf = (table: string, tenantId: string) =>
  db.query({ name: `test_rows_${table}`, text: `select * from ${table} where tenant_id = $1` }, [tenantId])

const step = (verificationId: string) =>
  ({ id: `whd_${verificationId}`, verificationId, type: 'authorization_request_retrieved', createdAt: now() }) as const

/** Inserts a row for each verification of a tenant, all with the same time, like the steps of a busy millisecond. */
const DERIVED = {
  webhook_deliveries: `insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at, state)
    select 'evt_' || id, tenant_id, environment, id, 'step', expires_at, expires_at, 'delivered' from verifications where tenant_id = $1`,
  oid4vp_requests: `insert into oid4vp_requests (tenant_id, environment, correlation, verification_id)
    select tenant_id, environment, sha256(id::bytea), id from verifications where tenant_id = $1`,
  evidence_bundles: `insert into evidence_bundles (tenant_id, environment, verification_id, jwe, drop_at)
    select tenant_id, environment, id, 'e', expires_at + interval '9 days' from verifications where tenant_id = $1`,
  authentication_codes: `insert into authentication_codes (tenant_id, environment, digest, verification_id, used_at)
    select tenant_id, environment, sha256(id::bytea), id, expires_at from verifications where tenant_id = $1`,
}

test('after an erasure nothing more is written: no step, no correlation id, no authentication code', async () => {
  const { realm, key } = await tenantKeepingADay()
  const { id } = await create(service, key)
  const code = { digest: Buffer.alloc(32, 1), verificationId: id, now: now() }
  const kept = (await create(service, key)).id
  assert.equal((await call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  await insertStepDelivery(db, realm, step(id))
  await insertCorrelation(db, realm, { correlation: Buffer.alloc(32, 2), verificationId: id })
  assert.equal(await takeCode(db, realm, code), false)
  for (const table of ['webhook_deliveries', 'oid4vp_requests', 'authentication_codes'])
    assert.deepEqual(await rowsOf(table, realm.tenantId), [], table)
  await insertStepDelivery(db, realm, step(kept))
  await insertCorrelation(db, realm, { correlation: Buffer.alloc(32, 2), verificationId: kept })
  assert.equal(await takeCode(db, realm, { ...code, verificationId: kept }), true)
  assert.equal(await takeCode(db, realm, { ...code, verificationId: kept }), true, 'the wallet answered again')
  for (const table of ['webhook_deliveries', 'oid4vp_requests', 'authentication_codes'])
    assert.equal((await rowsOf(table, realm.tenantId)).length, 1, table)
  assert.equal((await call('DELETE', `/v1/verifications/${kept}`, { key })).status, 200)
})

test('a step that is reported during an erasure waits for it and writes nothing', async () => {
  const { realm, key } = await tenantKeepingADay()
  const { id } = await create(service, key)
  let reported: Promise<void> | null = null
  await db.transaction(async (tx) => {
    await tx.query({ name: 'test_erase', text: 'delete from verifications where id = $1' }, [id])
    reported = insertStepDelivery(db, realm, step(id))
    await Promise.race([reported, new Promise((resolve) => setTimeout(resolve, 200))])
  })
  await reported
  assert.deepEqual(await rowsOf('webhook_deliveries', realm.tenantId), [])
})

test('a sign-in that begins during an erasure waits for it and leaves nothing', async () => {
  const { realm, key } = await tenantKeepingADay()
  const { client } = await testClient(service, realm.tenantId, { redirectUris: ['https://shop.example.com/callback'] })
  const [redirectUri = ''] = client.redirectUris
  const authorization = {
    redirectUri,
    responseMode: 'query',
    state: null,
    nonce: null,
    codeChallenge: null,
    claims: null,
  } as const
  const begin = (verificationId: string) => ({
    ...{
      ...realm,
      id: `oau_${verificationId.slice(4)}`,
      clientId: client.id,
      verificationId,
      networkHash: null,
      code: null,
    },
    ...{ request: { ...authorization, acrEssential: null, presReqConfId: null }, browserHash: Buffer.alloc(32, 3) },
    ...{ createdAt: now(), endsAt: now() },
  })
  const [{ id }, { id: gone }, { id: kept }] = [
    await create(service, key),
    await create(service, key),
    await create(service, key),
  ]
  assert.equal((await call('DELETE', `/v1/verifications/${gone}`, { key })).status, 200)
  let begun: Promise<void> | null = null
  await db.transaction(async (tx) => {
    await tx.query({ name: 'test_erase', text: 'delete from verifications where id = $1' }, [id])
    begun = insertAuthorizations(db, [id, gone, kept].map(begin))
    await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, 200))])
  })
  await begun
  const left = (await rowsOf('oidc_authorizations', realm.tenantId)) as { verification_id: string }[]
  assert.deepEqual(
    left.map(({ verification_id }) => verification_id),
    [kept],
  )
})

test('a delivery without its verification, as the release before may leave it, is deleted when it is due', async () => {
  const { realm, key } = await tenantKeepingADay()
  const { id } = await create(service, key)
  await insertStepDelivery(db, realm, step(id))
  await db.query({ name: 'test_erase', text: 'delete from verifications where id = $1' }, [id])
  assert.equal((await rowsOf('webhook_deliveries', realm.tenantId)).length, 1)
  await deliverAllDue(service)
  assert.deepEqual(await rowsOf('webhook_deliveries', realm.tenantId), [])
})

test('deliveries are deleted with their day, even if the clock that wrote them was behind at midnight', async () => {
  toNextDay()
  const { realm, key } = await tenantKeepingADay()
  const receiver = await startReceiver()
  await declined(service, { key, url: receiver.url })
  await deliverAllDue(service)
  await db.query({ name: 'test_behind', text: 'update webhook_deliveries set created_at = $2 where tenant_id = $1' }, [
    realm.tenantId,
    instantOf(today() * DAY_MS - 5_000),
  ])
  toNextDay(2)
  await applyRetention(deps)
  for (const table of ['verifications', 'webhook_deliveries', 'webhook_attempts'])
    assert.deepEqual(await rowsOf(table, realm.tenantId), [], table)
})

test('a use of a link is counted, not returned, when its day is dropped before the job has counted it', async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const { realm, key } = await tenantKeepingADay()
  const created = await create(service, key)
  const linkId = 'lnk_000000000000000000000001'
  await db.query(
    {
      name: 'test_link',
      text: `insert into links (id, tenant_id, environment, key_id, secret_hash, request, created_at, starts_at, ends_at, uses)
             select $2, $1, 'test', k.id, sha256('door'), '\\x01', $3, $3, $3::timestamptz + interval '90 days', 1
             from api_keys k where k.tenant_id = $1`,
    },
    [realm.tenantId, linkId, now()],
  )
  assert.ok(await takeUse(db, realm, { linkId, verificationId: created.id, browserHash: Buffer.alloc(32), now: now() }))
  await wallet.present(created.wallet_uri)
  toNextDay(2)
  await applyRetention(deps)
  await runJob(deps, 'count-link-openings')
  const [link] = await rowsOf('links', realm.tenantId)
  assert.deepEqual([(link as { opened: number }).opened, (link as { completed: number }).completed], [1, 1])
  assert.deepEqual(await rowsOf('link_openings', realm.tenantId), [])
})

for (const isPaged of [false, true])
  test(`rows that are derived from a large day are all deleted, ${isPaged ? 'page by page' : 'searched in small tables'}`, async () => {
    toNextDay()
    await runJob(deps, 'make-days')
    const { realm, key } = await tenantKeepingADay()
    const { id } = await create(service, key)
    const count = 5_100
    await db.query(
      {
        name: `test_clone_${today()}`,
        text: `insert into verifications_${today()} select (jsonb_populate_record(v, jsonb_build_object(
                 'id', 'ver_' || lpad(g::text, 32, '0'), 'created_at', v.created_at + g * interval '1 microsecond'))).*
               from verifications_${today()} v, generate_series(1, ${count}) g where v.id = $1`,
      },
      [id],
    )
    toNextDay()
    const kept = (await create(service, key)).id
    for (const [table, text] of Object.entries(DERIVED)) {
      await db.query({ name: `test_derive_${table}`, text }, [realm.tenantId])
      assert.equal((await rowsOf(table, realm.tenantId)).length, count + 2, table)
    }
    toNextDay()
    const pagedOnly = deps.forgetting.map(({ derivedTables: _, ...one }) => one)
    await applyRetention({ ...deps, forgetting: isPaged ? pagedOnly : deps.forgetting })
    assert.deepEqual((await loadDays(db)).lapsed, [])
    for (const table of Object.keys(DERIVED)) {
      const named = (await rowsOf(table, realm.tenantId)) as { verification_id: string | null }[]
      assert.deepEqual(new Set(named.map((row) => row.verification_id ?? kept)), new Set([kept]), table)
      assert.equal(named.length, table === 'authentication_codes' ? count + 2 : 1, table)
    }
    toNextDay()
    await applyRetention(deps)
  })

test('a day that cannot be finished is reported and retried; other days and other rows do not wait for it', async () => {
  toNextDay()
  await runJob(deps, 'make-days')
  const { realm, key } = await tenantKeepingADay()
  await create(service, key)
  const single = (await create(service, key)).id
  await db.query({ name: 'test_single', text: 'update verifications set day = 0 where id = $1' }, [single])
  toNextDay()
  await runJob(deps, 'make-days')
  await create(service, key)
  toNextDay(3)
  const failing = { name: 'failing', forgetLapsed: () => Promise.reject(new Error('took too long')) }
  const logged = service.logged.length
  for (let runs = 0; runs < 2; runs += 1) {
    await applyRetention({ ...deps, forgetting: [...deps.forgetting, failing] })
    assert.deepEqual(await rowsOf('verifications', realm.tenantId), [])
    assert.equal((await loadDays(db)).lapsed.length, 2)
  }
  assert.match(await deps.metrics.registry.metrics(), /alarm="retention_not_applied"\} 4/)
  assert.ok(service.logged.slice(logged).some((line) => line.includes('was not dropped')))
  const gone = { name: 'gone', forgetLapsed: () => Promise.reject(new StoreUnavailable('no answer')) }
  await assert.rejects(applyRetention({ ...deps, forgetting: [...deps.forgetting, gone] }), StoreUnavailable)
  await applyRetention(deps)
  assert.deepEqual((await loadDays(db)).lapsed, [])
})

test('evidence of a lapsed verification is not handed out, even while its day is being dropped', async () => {
  const { realm, key } = await tenantKeepingADay()
  await runJob(deps, 'make-days')
  const { id } = await create(service, key)
  await db.query({ name: 'test_derive_evidence_bundles', text: DERIVED.evidence_bundles }, [realm.tenantId])
  toNextDay(2)
  const failing = { name: 'failing', derivedTables: [], forgetLapsed: () => Promise.reject(new Error('not now')) }
  await applyRetention({ ...deps, forgetting: [failing, ...deps.forgetting] })
  assert.equal((await rowsOf('evidence_bundles', realm.tenantId)).length, 1)
  assert.equal(await takeBundle(db, realm, { id, now: now() }), null)
  assert.equal((await call('GET', `/v1/verifications/${id}`, { key })).status, 404)
  assert.equal((await call('POST', `/v1/verifications/${id}/evidence`, { key })).status, 404)
  await applyRetention(deps)
  assert.deepEqual(await rowsOf('evidence_bundles', realm.tenantId), [])
})

test('if the clock goes back while its day is being dropped, the day has tables again, and no trail loses details', async () => {
  const { realm, key } = await tenantKeepingADay()
  await runJob(deps, 'make-days')
  const day = today()
  await create(service, key)
  toNextDay(2)
  const failing = { name: 'failing', forgetLapsed: () => Promise.reject(new Error('not now')) }
  await applyRetention({ ...deps, forgetting: [...deps.forgetting, failing] })
  assert.ok((await loadDays(db)).lapsed.includes(day))
  const then = clock.now()
  clock.set(day * DAY_MS + 80_000_000)
  await runJob(deps, 'make-days')
  const { id } = await create(service, key)
  await applyRetention(deps)
  assert.equal((await call('GET', `/v1/verifications/${id}`, { key })).status, 200)
  assert.equal((await verifyStored(deps, { realm, log: 'whole' })).outcome, 'whole')
  clock.set(then + 2 * DAY_MS)
  await applyRetention(deps)
  const days = await loadDays(db)
  assert.ok(!days.partitioned.includes(day) && !days.lapsed.includes(day))
  assert.equal((await call('GET', `/v1/verifications/${id}`, { key })).status, 404)
  assert.equal((await verifyStored(deps, { realm, log: 'whole' })).outcome, 'whole')
})
