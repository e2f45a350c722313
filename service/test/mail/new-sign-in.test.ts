// Tests that a person gets a mail about a sign-in from a browser that they have not used before.

import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { hashSecret } from '../../src/core/tenants/domain/api-key.ts'
import { replaceSignIns } from '../../src/features/staff/store/sign-in-methods.ts'
import { runJob } from '../harness/jobs.ts'
import { partOf, smtpServer } from '../harness/servers/smtp.ts'
import { testService } from '../harness/service.ts'
import { PASSWORD, person, post } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'

const server = await smtpServer({ after })
const MAIL = { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
const service = await testService({}, MAIL)
const { deps, clock } = service
const tenant = await service.tenant({ name: 'Demo' })
const MINUTE = 60_000

let clients = 0
/** Signs in with this cookie of a known browser; returns the new cookie. */
async function signIn(email: string, browser = '', headers: Record<string, string> = {}): Promise<string> {
  clients += 1
  const call = { from: `198.51.100.${clients}`, headers: { cookie: browser, ...headers } }
  const answer = await post(service, '/sign-in/password', { email, password: PASSWORD }, call)
  assert.equal(answer.status, 200, answer.text)
  const cookies = [answer.headers['set-cookie'] ?? []].flat().map(String)
  const kept = cookies.find((one) => one.startsWith('__Host-vidimus-browser='))
  assert.match(kept ?? '', /; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure$/)
  const cookie = kept?.split(';')[0] ?? ''
  await waitUntil('the browser is noted', () => isNoted(email, cookie))
  return cookie
}

/** Whether the sign-in of this browser is recorded. The answer does not wait for that. */
async function isNoted(email: string, cookie: string): Promise<boolean> {
  const hash = hashSecret(cookie.replace(/^[^=]*=/, ''))
  const text = `select from known_browsers b join people p on p.id = b.person_id
                where p.email = $1 and b.hash = $2 and b.seen_at = $3`
  const seen = [email, hash, new Date(clock.now()).toISOString()]
  return (await deps.db.query({ name: 'test_noted', text }, seen)).length > 0
}

/** Returns the mails to this address since the last call. */
async function mailsTo(email: string): Promise<string[]> {
  await runJob(deps, 'send-mails')
  return server.accepted
    .splice(0)
    .filter(({ to }) => to[0] === email)
    .map(({ raw }) => partOf(raw, 'text/plain'))
}

it('the person is notified once for each new browser, in their language', async () => {
  const erika = await person(service, tenant, 'owner')
  assert.deepEqual(await mailsTo(erika.email), [], 'the person who opened the account knows of it')
  clock.advance(5 * MINUTE)
  const browser = await signIn(erika.email, '', { 'accept-language': 'nl' })
  const [mail, ...more] = await mailsTo(erika.email)
  assert.equal(more.length, 0)
  assert.match(mail ?? '', /vanuit een nieuwe browser ingelogd op uw Vidimus-account, met een wachtwoord/)
  assert.equal(await signIn(erika.email, browser), browser)
  assert.deepEqual(await mailsTo(erika.email), [])
  await signIn(erika.email)
  assert.equal((await mailsTo(erika.email)).length, 1)
})

it('a browser that is known to one person is new to another, and an invented token is not a known browser', async () => {
  const [one, two] = [await person(service, tenant, 'viewer'), await person(service, tenant, 'viewer')]
  clock.advance(5 * MINUTE)
  const browser = await signIn(one.email)
  await mailsTo(one.email)
  await signIn(two.email, browser)
  assert.equal((await mailsTo(two.email)).length, 1)
  assert.notEqual(await signIn(one.email, '__Host-vidimus-browser=short'), '__Host-vidimus-browser=short')
  assert.equal((await mailsTo(one.email)).length, 1)
})

it('a person gets ten such mails a day, and twenty browsers are remembered for 400 days', async () => {
  const erika = await person(service, tenant, 'viewer')
  clock.advance(5 * MINUTE)
  for (let count = 0; count < 21; count += 1) {
    clock.advance(1)
    await signIn(erika.email)
  }
  assert.equal((await mailsTo(erika.email)).length, 10)
  const kept = () =>
    deps.db.query({ name: 'test_browsers', text: 'select 1 from known_browsers where person_id = $1' }, [erika.id])
  assert.equal((await kept()).length, 20)
  clock.advance(400 * 86_400_000 + MINUTE)
  await runJob(deps, 'forget-sign-ins')
  assert.equal((await kept()).length, 0)
})

it('a known browser is new again when all ways to sign in were replaced', async () => {
  const erika = await person(service, tenant, 'viewer')
  clock.advance(5 * MINUTE)
  const browser = await signIn(erika.email)
  await mailsTo(erika.email)
  const [row] = await deps.db.query<{ password: string }>(
    { name: 'test_password', text: 'select password from people where id = $1' },
    [erika.id],
  )
  await deps.db.transaction((tx) => replaceSignIns(tx, erika.id, row?.password ?? null))
  await signIn(erika.email, browser)
  assert.equal((await mailsTo(erika.email)).length, 1)
})

it('a sign-in does not wait while the queue of mails is locked', async () => {
  const erika = await person(service, tenant, 'viewer')
  clock.advance(5 * MINUTE)
  await deps.db.transaction(async (tx) => {
    const text = `select pg_advisory_xact_lock(hashtextextended('mails|new_sign_in', 0))`
    await tx.query({ name: 'test_lock_queue', text }, [])
    const answer = await post(
      service,
      '/sign-in/password',
      { email: erika.email, password: PASSWORD },
      { from: '203.0.113.9' },
    )
    assert.equal(answer.status, 200, answer.text)
  })
  await waitUntil('the mail is sent', async () => (await mailsTo(erika.email)).length === 1)
})
