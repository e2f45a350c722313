// Tests the mail with a link for a person: who asks and why, in their language; what is stored; the limits.

import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import { MAIL_BOUNDS } from '../../src/features/mail/domain/mail.ts'
import { runJob } from '../harness/jobs.ts'
import { partOf, smtpServer } from '../harness/servers/smtp.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { sealedWith } from '../harness/word-search.ts'

const server = await smtpServer({ after })
const MAIL = { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
const service = await testService({}, MAIL)
const { deps } = service
const tenant = await service.tenant({ name: 'Grünhof' })
const key = await service.key(tenant)

const makeLink = (body: object, { by = key, idempotencyKey = '' } = {}) =>
  service.call('POST', '/v1/links', {
    key: by,
    body: { template: 'age_over_18', ...body },
    ...(idempotencyKey === '' ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
  })

async function sent(): Promise<{ to: string | undefined; raw: string; text: string; html: string }[]> {
  await runJob(deps, 'send-mails')
  return server.accepted
    .splice(0)
    .map(({ to, raw }) => ({ to: to[0], raw, text: partOf(raw, 'text/plain'), html: partOf(raw, 'text/html') }))
}

it("says who asks and why in six languages; opening the link's page uses nothing", async () => {
  for (const language of LANGUAGES) {
    const to = `erika-${language}@example.org`
    const link = await makeLink({ purpose: 'To sell you wine', mail: { to, language } })
    assert.equal(link.status, 201, link.text)
    const [mail, ...more] = await sent()
    assert.ok(mail !== undefined && more.length === 0)
    assert.equal(mail.to, to)
    assert.ok(mail.text.includes(link.json.url) && mail.html.includes(link.json.url))
    for (const expected of ['Grünhof', 'To sell you wine'])
      assert.ok(mail.text.includes(expected), `${language}: ${expected}`)
    assert.match(mail.html, new RegExp(`<html lang="${language}">`))
    const page = await service.app.inject({ method: 'GET', url: new URL(link.json.url).pathname })
    assert.equal(page.statusCode, 200)
    assert.equal((await service.call('GET', `/v1/links/${link.json.id}`, { key })).json.opened, 0)
  }
})

it("a merchant's text stays one short plain line: no header, no markup, no address", async () => {
  const evil = await service.tenant({ name: 'Bank <b>of</b> evil.example' })
  const by = await service.key(evil)
  const purpose = 'See https://evil.example/win NOW and pay at www.evil.example <script>alert(1)</script>'
  const link = await makeLink({ purpose, mail: { to: 'victim@example.org' } }, { by })
  assert.equal(link.status, 201, link.text)
  const [mail] = await sent()
  assert.ok(mail !== undefined)
  for (const part of [mail.text, mail.html]) {
    assert.doesNotMatch(part, /evil\.example|<script|<b>/)
    const addresses = [...part.matchAll(/https?:\/\/[^\s"<]+/g)].map(([address]) => address)
    assert.deepEqual(new Set(addresses), new Set([link.json.url]))
  }
  for (const to of [
    'a@example.org\r\nBcc: b@example.org',
    'a@example.org,b@example.org',
    '"a b"@example.org',
    'nobody',
  ])
    assertRefused(await makeLink({ mail: { to } }), 400, 'invalid_request')
  assert.deepEqual(await sent(), [])
})

it('the address is only in the sealed mail, and nowhere after it is sent', async () => {
  const to = 'needle-7f3a@example.org'
  const idempotencyKey = 'order-4711'
  const link = await makeLink({ mail: { to } }, { idempotencyKey })
  assert.equal(link.status, 201, link.text)
  const again = await makeLink({ mail: { to } }, { idempotencyKey })
  assert.equal(again.text, link.text)
  assertRefused(
    await makeLink({ mail: { to: 'another@example.org' } }, { idempotencyKey }),
    422,
    'idempotency_key_reused',
  )
  assert.equal((await sent()).length, 1, 'one mail for a repeated request')
  assert.doesNotMatch(link.text, /needle/)
  const tables = await deps.db.query<{ name: string }>({
    name: 'test_tables',
    text: `select tablename as name from pg_tables where schemaname = current_schema()`,
  })
  assert.ok(tables.length > 20)
  for (const { name } of tables) {
    const text = `select 1 from "${name}" t where t::text like '%needle-7f3a%' or t::text like '%6e6565646c652d37663361%' limit 1`
    assert.equal((await deps.db.query({ name: `test_needle_${name}`, text })).length, 0, name)
  }
  const [row] = await deps.db.query<{ sealed: Buffer | null }>({
    name: 'test_link_mail',
    text: `select sealed from mails where kind = 'verification_link' order by created_at desc limit 1`,
  })
  assert.equal(row?.sealed, null)
  assert.ok(!service.logged.some((line) => line.includes('needle')))
})

it('the mail of a link that is revoked or replaced before it is sent is withdrawn and erased', async () => {
  const admin = await person(service, tenant, 'admin')
  const ids: string[] = []
  for (const name of ['kept', 'revoked', 'by-staff', 'replaced']) {
    const { json } = await makeLink({ mail: { to: `waiting-${name}@example.org` } })
    ids.push(json.id)
  }
  const [, revoked, byStaff, replaced] = ids
  assert.equal((await service.call('DELETE', `/v1/links/${revoked}`, { key })).status, 200)
  assert.equal((await admin.call('POST', `@/links/${byStaff}/revoke`)).status, 200)
  assert.equal((await admin.call('POST', `@/links/${replaced}/replace`)).status, 201)
  for (const name of ['revoked', 'by-staff', 'replaced'])
    assert.deepEqual(await sealedWith(deps, `waiting-${name}@example.org`), [], name)
  assert.deepEqual(
    (await sent()).map(({ to }) => to),
    ['waiting-kept@example.org'],
  )
})

it('a mailbox gets five mails a day, in any spelling and from any tenant; without a mail there is no link', async () => {
  const spellings = ['bounded@example.org', 'b.ounded@example.org', 'bounded+a@EXAMPLE.org', 'bounded+b@example.org']
  const others = await service.key(await service.tenant())
  for (let i = 0; i < MAIL_BOUNDS.verification_link.perMailbox; i += 1)
    assert.equal((await makeLink({ mail: { to: spellings[i % 4] } }, { by: i % 2 === 0 ? key : others })).status, 201)
  const count = async () => (await service.call('GET', '/v1/links?limit=100', { key })).json.data.length
  const before = await count()
  const refused = await makeLink({ mail: { to: 'bounded+c@example.org' } })
  assertRefused(refused, 429, 'rate_limit_exceeded')
  assert.equal(refused.headers['retry-after'], '3600')
  assert.equal(await count(), before)
  assert.equal((await sent()).length, MAIL_BOUNDS.verification_link.perMailbox)
  service.clock.advance(25 * 3_600_000)
  assert.equal((await makeLink({ mail: { to: 'bounded@example.org' } })).status, 201)
  await sent()
})

it('a link that starts later is not mailed', async () => {
  const starts_at = new Date(service.clock.now() + 3_600_000).toISOString()
  assertRefused(await makeLink({ starts_at, mail: { to: 'later@example.org' } }), 400, 'invalid_request')
})

it('if mail is off, the refusal says so', async () => {
  const silent = await testService()
  const by = await silent.key(await silent.tenant())
  const body = { template: 'age_over_18', mail: { to: 'erika@example.org' } }
  const answer = await silent.call('POST', '/v1/links', { key: by, body })
  assertRefused(answer, 400, 'invalid_request')
  assert.match(answer.json.error.message, /sends no e-mail/)
})
