// Tests alerts by mail: people subscribe for themselves, each alert is mailed once, and a link ends it without sign-in.

import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import { utcDayOf } from '../../src/core/quota/domain/quota.ts'
import { mailAlerts } from '../../src/features/alerts/usecases/mail-alerts.ts'
import { removeMember } from '../../src/features/staff/usecases/manage-team.ts'
import { runJob } from '../harness/jobs.ts'
import { partOf, smtpServer } from '../harness/servers/smtp.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { type Person, person } from '../harness/staff.ts'
import { declined, deliverDue, LOOPBACK } from '../harness/webhooks.ts'
import { dumpedWith, sealedWith } from '../harness/word-search.ts'

const server = await smtpServer({ after })
const MAIL = { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
const service = await testService({}, MAIL)
const { deps, clock } = service

const subscribe = async (who: Person, topics: readonly string[], language = 'en') => {
  const answer = await who.call('POST', '@/alerts/mail', { body: { topics }, headers: { 'accept-language': language } })
  assert.equal(answer.status, 200, answer.text)
}
const topicsOf = async (who: Person) => (await who.call('GET', '@/alerts/mail')).json.topics

async function setUsage(tenantId: string, created: number): Promise<void> {
  const text = `insert into usage_days (tenant_id, day, created) values ($1, $2, $3)
                on conflict (tenant_id, day) do update set created = excluded.created`
  await deps.db.query({ name: 'test_usage', text }, [tenantId, utcDayOf(clock.now()), created])
}

async function setQuota(tenantId: string, quota: number): Promise<void> {
  await deps.db.query({ name: 'test_quota', text: 'update tenants set daily_quota = $2 where id = $1' }, [
    tenantId,
    quota,
  ])
}

/** Returns the mails about alerts since the last call. */
async function mailed(): Promise<{ to: string | undefined; raw: string; text: string }[]> {
  await runJob(deps, 'mail-alerts')
  await runJob(deps, 'send-mails')
  return server.accepted
    .splice(0)
    .filter(({ raw }) => /^List-Unsubscribe:/im.test(raw))
    .map(({ to, raw }) => ({ to: to[0], raw, text: partOf(raw, 'text/plain') }))
}

/** Returns a header as mail programs read it, with folded lines joined. */
const headerOf = (raw: string, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(raw.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim() ?? ''

function linkOf(raw: string): string {
  assert.equal(headerOf(raw, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  const url = /^<(\S+)>$/.exec(headerOf(raw, 'List-Unsubscribe').replaceAll(' ', ''))?.[1] ?? ''
  assert.ok(url.startsWith('https://verify.example.com/mail/unsubscribe/'), url)
  return new URL(url).pathname
}

const visit = (method: 'GET' | 'HEAD' | 'POST', path: string, payload?: string, type?: string) =>
  service.app.inject({
    method,
    url: path,
    ...(payload === undefined
      ? {}
      : { payload, headers: { 'content-type': type ?? 'application/x-www-form-urlencoded' } }),
  })

it('quota alerts are off at first; subscribed members of the team get one at 80 % and one at 100 %', async () => {
  const tenant = await service.tenant({ name: 'Demo' })
  await setQuota(tenant, 1_000)
  const [ada, bob, carl] = [
    await person(service, tenant, 'viewer'),
    await person(service, tenant, 'owner'),
    await person(service, tenant, 'admin'),
  ]
  assert.deepEqual(await topicsOf(ada), [])
  await subscribe(ada, ['quota'], 'de')
  await subscribe(carl, ['quota'])
  await removeMember(deps, { tenantId: tenant, personId: carl.id, actor: OPERATOR })
  await setUsage(tenant, 799)
  assert.deepEqual(await mailed(), [])
  await setUsage(tenant, 800)
  const [first, ...more] = await mailed()
  assert.deepEqual([first?.to, more], [ada.email, []])
  assert.match(first?.text ?? '', /Demo hat heute 800 von 1\.000 Prüfungen angelegt/)
  await setUsage(tenant, 990)
  assert.deepEqual(await mailed(), [])
  await setUsage(tenant, 1_000)
  assert.equal((await mailed()).length, 1)
  assert.deepEqual(await topicsOf(bob), [])
  clock.advance(86_400_000)
  await setUsage(tenant, 800)
  assert.equal((await mailed()).length, 1, 'the next day has its own alert')
})

it('a failing webhook is mailed once when it is reported and once when it is disabled, to subscribers of its own company', async () => {
  const [tenant, other] = [await service.tenant({ name: 'Demo' }), await service.tenant()]
  const ada = await person(service, tenant, 'admin')
  const eve = await person(service, other, 'owner')
  for (const who of [ada, eve]) await subscribe(who, ['webhooks'])
  const insert = `insert into webhook_destinations (tenant_id, environment, origin, failing_since, failed_at, failures)
                  values ($1, 'live', 'https://hooks.example.com', $2, $2, 40)`
  const now = () => new Date(clock.now()).toISOString()
  await deps.db.query({ name: 'test_failing', text: insert }, [tenant, now()])
  assert.deepEqual(await mailed(), [], 'not before it is noticed')
  const mark = (column: string) =>
    deps.db.query(
      { name: `test_mark_${column}`, text: `update webhook_destinations set ${column} = $2 where tenant_id = $1` },
      [tenant, now()],
    )
  await mark('noticed_at')
  const [failing, ...more] = await mailed()
  assert.deepEqual([failing?.to, more], [ada.email, []])
  assert.match(failing?.text ?? '', /to hooks\.example\.com have been failing/)
  assert.deepEqual(await mailed(), [])
  await mark('disabled_at')
  assert.match((await mailed())[0]?.text ?? '', /We have stopped sending webhooks there/)
})

it("erasing the last verification that failed at a receiver leaves nothing of the receiver's host", async () => {
  const own = await testService({}, { ...LOOPBACK, ...MAIL })
  const tenant = await own.tenant()
  const key = await own.key(tenant)
  await subscribe(await person(own, tenant, 'admin'), ['webhooks'])
  // No server listens there, so each attempt fails.
  const host = '127.0.0.1:9'
  const id = await declined(own, { key, url: `http://${host}/hook` })
  for (let attempt = 0; attempt < 40; attempt += 1) {
    await deliverDue(own)
    own.clock.advance(3 * 3_600_000)
  }
  await runJob(own.deps, 'mail-alerts')
  const [row] = await own.deps.db.query<{ count: number }>({
    name: 'test_alert_mails',
    text: 'select count(*)::int as count from alert_mails',
  })
  assert.equal(row?.count, 1)
  await runJob(own.deps, 'send-mails')
  assert.equal(server.accepted.splice(0).length, 1)
  assert.equal((await own.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  assert.deepEqual(await dumpedWith(own.deps, host), [])
  assert.deepEqual(await sealedWith(own.deps, host), [])
})

/** A service with a subscriber, and verifications whose webhooks fail at these receivers, where no server listens. */
async function failingAt(...hosts: readonly string[]) {
  const own = await testService({}, { ...LOOPBACK, ...MAIL })
  const tenant = await own.tenant()
  const key = await own.key(tenant)
  await subscribe(await person(own, tenant, 'admin'), ['webhooks'])
  const ids: string[] = []
  for (const host of hosts) ids.push(await declined(own, { key, url: `http://${host}/hook` }))
  for (let attempt = 0; attempt < 40; attempt += 1) {
    await deliverDue(own)
    own.clock.advance(3 * 3_600_000)
  }
  const erase = async (id = '') =>
    assert.equal((await own.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  const hostsMailed = async () => {
    await runJob(own.deps, 'send-mails')
    const texts = server.accepted.splice(0).map(({ raw }) => partOf(raw, 'text/plain'))
    return texts.map((text) => hosts.find((host) => text.includes(host)))
  }
  return { own, ids, erase, hostsMailed }
}

it('an alert that waits is not sent once the last verification that failed at its receiver is erased', async () => {
  const [erased, kept, lapsed] = ['127.0.0.1:9', '127.0.0.1:10', '127.0.0.1:11'] as const
  const { own, ids, erase, hostsMailed } = await failingAt(erased, kept, lapsed)
  await runJob(own.deps, 'mail-alerts')
  await erase(ids[0])
  assert.deepEqual(await dumpedWith(own.deps, erased), [])
  assert.deepEqual(await sealedWith(own.deps, erased), [])
  // A dropped day deletes deliveries; the job deletes their destinations.
  const text = 'delete from webhook_deliveries where verification_id = $1'
  await own.deps.db.query({ name: 'test_lapse_deliveries', text }, [ids[2]])
  await runJob(own.deps, 'forget-destinations')
  assert.deepEqual(await sealedWith(own.deps, kept), ['mails.sealed', 'verifications.particulars'])
  assert.deepEqual(await hostsMailed(), [kept])
})

it('no alert is mailed about a receiver whose host is erased while alerts are collected', async () => {
  const { own, ids, erase, hostsMailed } = await failingAt('127.0.0.1:9')
  const { db } = own.deps
  const query: typeof db.query = async (statement, values) => {
    const rows = await db.query(statement, values)
    if (statement.name === 'find_subscribed_destinations') await erase(ids[0])
    return rows as never
  }
  await mailAlerts({ ...own.deps, db: { ...db, query } })
  assert.deepEqual(await hostsMailed(), [])
})

it("loading an alert's link changes nothing; posting it ends the alert, also in one click; other tokens end nothing", async () => {
  const tenant = await service.tenant()
  await setQuota(tenant, 10)
  const ada = await person(service, tenant, 'viewer')
  const all = ['quota', 'webhooks']
  await subscribe(ada, all)
  await setUsage(tenant, 10)
  const [mail] = await mailed()
  const path = linkOf(mail?.raw ?? '')
  assert.ok(mail?.text.includes(path), 'and in the text')
  assert.ok(!path.includes(ada.id) && !path.includes(tenant))
  for (const language of LANGUAGES) {
    const page = await visit('GET', `${path}?lang=${language}`)
    assert.equal(page.statusCode, 200)
    assert.match(page.payload, new RegExp(`<html lang="${language}"[\\s\\S]*<form method="post"`))
  }
  await visit('HEAD', path)
  assert.deepEqual(await topicsOf(ada), all)
  for (const wrong of ['x', path.slice(-20), `${path.slice(22)}A`, path.slice(22).replace(/.$/, '_'), '%00'])
    for (const method of ['GET', 'POST'] as const)
      assert.equal((await visit(method, `/mail/unsubscribe/${wrong}`)).statusCode, 404, wrong)
  assert.deepEqual(await topicsOf(ada), all)
  const clicked = await visit('POST', path, 'List-Unsubscribe=One-Click')
  assert.equal(clicked.statusCode, 200, clicked.payload)
  assert.deepEqual(await topicsOf(ada), ['webhooks'])
  const multipart = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
  assert.equal(
    (await visit('POST', path, multipart, 'multipart/form-data; boundary=b')).statusCode,
    200,
    'ending it twice is not an error',
  )
  assert.equal((await visit('POST', path)).statusCode, 200)
  assert.equal((await visit('POST', path, 'x'.repeat(5_000))).statusCode, 413)
})

it('strangers cannot read or change a subscription, and unknown topics are refused', async () => {
  const tenant = await service.tenant()
  const ada = await person(service, tenant, 'viewer')
  const stranger = await person(service, await service.tenant(), 'owner')
  assertRefused(await stranger.call('GET', '@/alerts/mail', { tenant }), 404, 'not_found')
  assertRefused(await stranger.call('POST', '@/alerts/mail', { tenant, body: { topics: ['quota'] } }), 404, 'not_found')
  assertRefused(await ada.call('POST', '@/alerts/mail', { body: { topics: ['gossip'] } }), 400, 'invalid_request')
})

it('a member who was removed gets no alert that was waiting', async () => {
  const tenant = await service.tenant({ name: 'Secret Ltd' })
  await setQuota(tenant, 1_000)
  const [ada] = [await person(service, tenant, 'viewer'), await person(service, tenant, 'owner')]
  await subscribe(ada, ['quota'])
  await setUsage(tenant, 800)
  await runJob(deps, 'mail-alerts')
  await removeMember(deps, { tenantId: tenant, personId: ada.id, actor: OPERATOR })
  await runJob(deps, 'send-mails')
  assert.deepEqual(
    server.accepted.splice(0).filter(({ to }) => to[0] === ada.email),
    [],
  )
})
