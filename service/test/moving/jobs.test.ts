// Tests that jobs ignore tenants that are not served here, and do their work for the others.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, it } from 'node:test'
import { usageAlertSealContext } from '../../src/features/alerts/index.ts'
import { copyTenant, switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { destroyKeysOfExpiredAcrossTenants } from '../../src/features/retention/store/overdue.ts'
import { JOBS } from '../../src/job-table.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { smtpServer } from '../harness/servers/smtp.ts'
import { type TestService, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'
import { create } from '../wallet/verifications.ts'
import { completed, moveOf, run } from './installations.ts'

const server = await smtpServer({ after })
const MAIL = { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
const source = await testService({ baseUrl: 'https://old.example.com' }, MAIL)
const target = await testService({ baseUrl: 'https://new.example.com' }, MAIL, { masterKey: randomBytes(32) })
const both = { source, target }

/** A tenant with work for every job that could record or report it. */
async function busyTenant(service: TestService, email: string): Promise<string> {
  const tenantId = await service.tenant({ dailyQuota: 2 })
  const owner = await person(service, tenantId, 'owner', email)
  const key = await service.key(tenantId)
  await completed(service, key)
  const link = await service.call('POST', '/v1/links', { key, body: { template: 'identity' } })
  assert.equal(link.status, 201, link.text)
  await create(service, key)
  for (const topic of ['quota', 'webhooks'])
    await run(
      service,
      `insert into alert_subscriptions (person_id, tenant_id, topic, language, created_at) values ($1, $2, $3, 'en', now())`,
      [owner.id, tenantId, topic],
    )
  const { sealer } = service.deps.db
  const url = sealer.seal(
    Buffer.from('https://hook.example/'),
    usageAlertSealContext({ tenantId, environment: 'test' }),
  )
  await run(
    service,
    `insert into usage_alerts (tenant_id, environment, sealed_url, thresholds, changed_at) values ($1, 'test', $2, '{50}', now())`,
    [tenantId, url],
  )
  await run(
    service,
    `insert into webhook_destinations (tenant_id, environment, origin, failing_since, failed_at, failures, noticed_at)
     values ($1, 'test', 'https://gone.example', $2, $2, 9, $2)`,
    [tenantId, instantOf(service.clock.now())],
  )
  return tenantId
}

it('every job runs in an installation with an arriving and a moved tenant', async () => {
  const copied = await busyTenant(source, 'copied@example.org')
  const moved = await busyTenant(source, 'moved@example.org')
  const atOld = await busyTenant(source, 'old@example.org')
  const atNew = await busyTenant(target, 'new@example.org')
  await copyTenant(moveOf(both, copied))
  await switchTenant(moveOf(both, moved), { stopSeconds: 30 })
  const unserved = [
    [target, copied],
    [source, moved],
  ] as const
  const trails = () =>
    Promise.all(
      unserved.map(([{ deps }, id]) =>
        deps.db.query({ name: 'test_trail', text: 'select seq from audit_heads where tenant_id = $1' }, [id]),
      ),
    )
  const before = await trails()
  for (const days of [0, 0, 1, 40]) {
    for (const service of [source, target]) {
      service.clock.advance(days * 86_400_000)
      for (const { name } of JOBS)
        await assert.doesNotReject(runJob(service.deps, name), `${name}, ${service.deps.config.baseUrl}`)
    }
    if (days === 0) assert.deepEqual(await trails(), before)
  }
  const hosts = new Map<string, Set<string>>()
  for (const { to, raw } of server.accepted)
    for (const [, host = ''] of raw.matchAll(/https:\/\/(old|new)\.example\.com/g))
      hosts.set(String(to), (hosts.get(String(to)) ?? new Set()).add(host))
  const notifiedTenants = (service: TestService) =>
    run(service, 'select distinct tenant_id from usage_alerts_told order by 1')
  assert.deepEqual(await notifiedTenants(source), [{ tenant_id: atOld }, { tenant_id: copied }].toSorted(byTenant))
  assert.deepEqual(await notifiedTenants(target), [{ tenant_id: atNew }, { tenant_id: moved }].toSorted(byTenant))
  const sentBy = (email: string) => [...(hosts.get(email) ?? [])]
  assert.deepEqual(
    ['copied', 'moved', 'old', 'new'].map((name) => sentBy(`${name}@example.org`)),
    [['old'], ['new'], ['old'], ['new']],
  )
})

const byTenant = (a: { tenant_id: string }, b: { tenant_id: string }) => (a.tenant_id < b.tenant_id ? -1 : 1)

it('the key of a verification that expired long before the move is destroyed at the new installation', async () => {
  const tenantId = await source.tenant()
  const { id } = await create(source, await source.key(tenantId), { template: 'identity', ttl_seconds: 60 })
  // The job at the old installation does not run again before the move.
  for (const { clock } of [source, target]) clock.advance(900_000)
  await runJob(target.deps, 'apply-retention')
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  const hasKey = async () =>
    (await run(target, 'select encryption_key is not null as key from verifications where id = $1', [id]))[0]?.key
  assert.equal(await hasKey(), true)
  await runJob(target.deps, 'apply-retention')
  assert.equal(await hasKey(), false)
})

it('a job that begins before the moved tenant is open does not hide what the tenant brought', async () => {
  const tenantId = await source.tenant()
  const { id } = await create(source, await source.key(tenantId), { template: 'identity', ttl_seconds: 60 })
  for (const { clock } of [source, target]) clock.advance(900_000)
  await runJob(target.deps, 'apply-retention')
  const waiting = async () => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await run(target, text)).length
  }
  const running: Promise<unknown>[] = []
  await target.deps.db.transaction(async (tx) => {
    // Both the opening and the job stop here, in this order.
    await tx.query({ name: 'test_lock_mark', text: 'select from expired_key_mark for update' })
    running.push(switchTenant(moveOf(both, tenantId), { stopSeconds: 30 }))
    await waitUntil('the tenant is being opened', async () => (await waiting()) === 1)
    running.push(destroyKeysOfExpiredAcrossTenants(target.deps.db, instantOf(target.clock.now() - 60_000), 500))
    await waitUntil('the job has begun', async () => (await waiting()) === 2)
  })
  await Promise.all(running)
  await runJob(target.deps, 'apply-retention')
  const [kept] = await run(target, 'select encryption_key is not null as key from verifications where id = $1', [id])
  assert.deepEqual(kept, { key: false })
})
