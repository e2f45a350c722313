// Tests the mail for lost access: the link, its browser, its single use, what strangers learn, and the limits.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { runJob } from '../harness/jobs.ts'
import { partOf, smtpServer } from '../harness/servers/smtp.ts'
import { testService } from '../harness/service.ts'
import { cookieOf, PASSWORD, person, post } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'

const HOUR = 3_600_000
const NEW = 'another horse that counts to ten'
const server = await smtpServer({ after })
const MAIL = { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
const service = await testService({}, MAIL)
const { deps, clock } = service
const tenant = await service.tenant({ name: 'Demo' })

let addresses = 0
/** Returns a client with its own address, so that other tests' budgets do not matter. */
const from = () => `198.51.${Math.floor(++addresses / 200)}.${addresses % 200}`

const ask = (email: string, headers: Record<string, string> = {}) =>
  post(service, '/sign-in/lost-access', { email }, { from: from(), headers })
const use = (token: string, cookie: string, password = NEW) =>
  post(service, '/sign-in/lost-access/use', { token, password }, { from: from(), headers: { cookie } })
const signIn = (email: string, password: string) =>
  post(service, '/sign-in/password', { email, password }, { from: from() })

const counted = async () => {
  const text = `select count(*)::integer as found from mails where kind = 'lost_access'`
  const [row] = await deps.db.query<{ found: number }>({ name: 'test_lost_mails', text }, [])
  return row?.found ?? 0
}

/** Asks, waits for the mail, and returns the links in it with the cookie of the browser. */
async function askAndRead(email: string, headers: Record<string, string> = {}) {
  const before = await counted()
  const answer = await ask(email, headers)
  assert.deepEqual([answer.status, answer.json], [200, {}])
  await waitUntil('the mail is queued', async () => (await counted()) > before)
  await runJob(deps, 'send-mails')
  const text = partOf(server.accepted.at(-1)?.raw ?? '', 'text/plain')
  const tokens = [...text.matchAll(/https:\/\/verify\.example\.com\/dashboard\/lost-access#(\S{43})/g)].map(
    ([, token]) => token ?? '',
  )
  return { tokens, token: tokens[0] ?? '', cookie: cookieOf(answer), text }
}

describe('a link for lost access', () => {
  it('replaces the password, ends every session and works once', async () => {
    const erika = await person(service, tenant, 'owner')
    const { token, cookie, text } = await askAndRead(erika.email.toUpperCase(), { 'accept-language': 'fr' })
    assert.match(text, /Choisissez un nouveau mot de passe/)
    const answer = await use(token, cookie)
    assert.equal(answer.status, 200, answer.text)
    const me = await service.call('GET', '/dashboard/api/me', { headers: { cookie: cookieOf(answer) } })
    assert.deepEqual([me.json.email, me.json.signed_in_with], [erika.email, 'link'])
    assert.equal((await erika.call('GET', '/me')).status, 401)
    assert.deepEqual(
      [(await signIn(erika.email, PASSWORD)).status, (await signIn(erika.email, NEW)).status],
      [401, 200],
    )
    assert.equal((await use(token, cookie)).json.error.code, 'link_not_valid')
    const trail = await service.call('GET', `/dashboard/api/tenants/${tenant}/test/audit`, {
      headers: { cookie: cookieOf(answer) },
    })
    assert.ok(trail.text.includes('user.sign_ins_replaced'))
  })

  it('works only in the browser that asked, and an attempt elsewhere does not end it', async () => {
    const erika = await person(service, tenant, 'viewer')
    const { token, cookie } = await askAndRead(erika.email)
    const stranger = cookieOf(await ask('unknown@example.org'))
    for (const other of ['', stranger, cookie.replace(/=.*/, '=')])
      assert.equal((await use(token, other)).json.error.code, 'link_not_valid', other)
    assert.equal((await use(token, cookie)).status, 200)
  })

  it('ends after 15 minutes, and its row is deleted', async () => {
    const erika = await person(service, tenant, 'viewer')
    const { token, cookie } = await askAndRead(erika.email)
    clock.advance(15 * 60_000)
    assert.equal((await use(token, cookie)).json.error.code, 'link_not_valid')
    clock.advance(1)
    await runJob(deps, 'forget-sign-ins')
    const left = await deps.db.query({ name: 'test_access_links', text: 'select 1 from access_links' }, [])
    assert.equal(left.length, 0)
  })

  it('refuses a weak password and stays valid', async () => {
    const erika = await person(service, tenant, 'viewer')
    const { token, cookie } = await askAndRead(erika.email)
    assert.equal((await use(token, cookie, 'short')).json.error.code, 'password_not_taken')
    assert.equal((await use(token, cookie)).status, 200)
  })

  it('ends when the password is replaced in another way', async () => {
    const erika = await person(service, tenant, 'owner')
    const mailed = await askAndRead(erika.email)
    const changed = await erika.call('POST', '/me/password', { body: { password: `${PASSWORD} or ten` } })
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await use(mailed.token, mailed.cookie)).json.error.code, 'link_not_valid')
    const again = await askAndRead(erika.email)
    await person(service, tenant, 'owner', erika.email)
    assert.equal((await use(again.token, again.cookie)).json.error.code, 'link_not_valid')
    assert.equal((await signIn(erika.email, PASSWORD)).status, 200)
  })

  it('is used by one of two attempts at the same time', async () => {
    const erika = await person(service, tenant, 'viewer')
    const { token, cookie } = await askAndRead(erika.email)
    const statuses = (await Promise.all([use(token, cookie), use(token, cookie)])).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [200, 400])
  })
})

describe('recipients of a mail', () => {
  it('are only staff with a password; strangers see the same answer', async () => {
    const passkeyOnly = await person(service, tenant, 'viewer')
    const bound = await person(service, tenant, 'viewer')
    const removed = await person(service, tenant, 'viewer')
    const run = (text: string, id: string) => deps.db.query({ name: `test_${text.slice(0, 6)}`, text }, [id])
    await run('update people set password = null where id = $1', passkeyOnly.id)
    await run(
      `insert into oidc_identities (issuer, subject, person_id, created_at) values ('https://idp.example', 's', $1, now())`,
      bound.id,
    )
    await run('delete from members where person_id = $1', removed.id)
    const before = await counted()
    for (const email of [passkeyOnly.email, bound.email, removed.email, 'unknown@example.org', 'no address']) {
      const answer = await ask(email)
      assert.deepEqual([answer.status, answer.json], [200, {}])
      assert.match(cookieOf(answer), /^__Host-vidimus-lost=\S{43}$/)
    }
    // Requests are handled in order, so this one shows that the earlier ones have been handled.
    const erika = await person(service, tenant, 'viewer')
    await askAndRead(erika.email)
    assert.equal(await counted(), before + 1)
  })

  it('a link is void if the provider is connected after the mail was sent', async () => {
    const erika = await person(service, tenant, 'viewer')
    const { token, cookie } = await askAndRead(erika.email)
    const text = `insert into oidc_identities (issuer, subject, person_id, created_at) values ('https://idp.example', 't', $1, now())`
    await deps.db.query({ name: 'test_bind', text }, [erika.id])
    assert.equal((await use(token, cookie)).json.error.code, 'link_not_valid')
  })

  it('is not offered if mail is off', async () => {
    const off = await testService()
    assert.equal((await off.call('GET', '/dashboard/api/sign-in/ways')).json.lost_access, null)
    assert.equal((await post(off, '/sign-in/lost-access', { email: 'a@example.org' })).status, 404)
  })
})

describe('limits', () => {
  it('an address gets five mails in an hour, and the sixth request looks the same', async () => {
    const erika = await person(service, tenant, 'viewer')
    for (let count = 0; count < 5; count += 1) await askAndRead(erika.email)
    const before = await counted()
    const sixth = await ask(erika.email)
    assert.deepEqual([sixth.status, sixth.json], [200, {}])
    const other = await person(service, tenant, 'viewer')
    await askAndRead(other.email)
    assert.equal(await counted(), before + 1)
    clock.advance(HOUR)
    const { token, cookie } = await askAndRead(erika.email)
    assert.equal((await use(token, cookie)).status, 200)
  })

  it('one network may ask for an address twice, which leaves mails for the owner of the address', async () => {
    clock.advance(HOUR)
    for (const email of ['unknown@example.org', (await person(service, tenant, 'viewer')).email]) {
      const once = (text = email) => post(service, '/sign-in/lost-access', { email: text }, { from: '203.0.113.9' })
      assert.deepEqual(
        [(await once()).status, (await once()).status, (await once(` ${email.toUpperCase()}`)).status],
        [200, 200, 429],
      )
    }
  })

  it('accounts of one tenant get a hundred mails, and people of another tenant still get theirs', async () => {
    clock.advance(HOUR)
    const crowd = await service.tenant({ name: 'Crowd' })
    const text = `with added as (insert into people (id, email, password, created_at)
        select 'usr_crowd' || n, 'crowd-' || n || '@example.org', 'x', now() from generate_series(1, 101) n returning id)
      insert into members (tenant_id, person_id, role, created_at) select $1, id, 'viewer', now() from added`
    await deps.db.query({ name: 'test_crowd', text }, [crowd])
    for (let count = 1; count <= 100; count += 1) {
      const before = await counted()
      // The limit of all requests has its own test.
      clock.advance(100)
      await ask(`crowd-${count}@example.org`)
      await waitUntil('the mail is queued', async () => (await counted()) > before)
    }
    const before = await counted()
    await ask('crowd-101@example.org')
    // The person is a member of both tenants, so the mail counts for the tenant that has sent fewer.
    const both = await person(service, tenant, 'viewer')
    await person(service, crowd, 'viewer', both.email)
    await askAndRead(both.email)
    assert.equal(await counted(), before + 1)
  })

  it('one network may ask 20 times at once, and all networks together 200 times', async () => {
    clock.advance(HOUR)
    let requestCount = 0
    const once = (address: string) =>
      post(service, '/sign-in/lost-access', { email: `unknown-${++requestCount}@example.org` }, { from: address })
    for (let count = 0; count < 20; count += 1) assert.equal((await once('203.0.113.1')).status, 200)
    assert.equal((await once('203.0.113.1')).status, 429)
    for (let count = 20; count < 200; count += 1) assert.equal((await once(from())).status, 200)
    assert.equal((await once(from())).status, 429)
    clock.advance(1_000)
    assert.equal((await once(from())).status, 200)
  })
})
