// Tests that an attacker who took over an account gains nothing from actions that end after the owner came back.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test, { after } from 'node:test'
import { replaceSignIns } from '../../src/features/staff/store/sign-in-methods.ts'
import {
  endOtherSessions,
  type FoundSession,
  findSession,
} from '../../src/features/staff/usecases/dashboard-sessions.ts'
import { invite, removeMember } from '../../src/features/staff/usecases/manage-team.ts'
import { beginOidcSignIn } from '../../src/features/staff/usecases/sign-in-with-oidc.ts'
import {
  addPasskey,
  askForPasskey,
  preparePasskey,
  removePasskey,
  signInWithPasskey,
} from '../../src/features/staff/usecases/sign-in-with-passkey.ts'
import { choosePassword, signInWithPassword } from '../../src/features/staff/usecases/sign-in-with-password.ts'
import { acceptInvitation } from '../../src/features/staff/usecases/use-sign-in-link.ts'
import { assertTurnedAway, begin, comeBack, sessionOf, throughProvider } from '../harness/oidc.ts'
import { createPasskey } from '../harness/pages/passkey.ts'
import { startProvider } from '../harness/servers/oidc-provider.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { cookieOf, FROM_PAGE, PASSWORD, type Person, person, post, signedIn, tokenOf } from '../harness/staff.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { LOOPBACK } from '../harness/webhooks.ts'

const provider = await startProvider(() => service.clock.now())
const service = await testService({}, { ...LOOPBACK, ...provider.env })
const { deps, clock } = service
const tenant = await service.tenant({ name: 'Attacker Ltd' })
const elsewhere = await service.tenant({ name: 'Elsewhere' })
const port = Number(new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).port)

async function invited(email: string, tenantId = tenant): Promise<string> {
  const invitation = await invite(deps, { tenantId, email, role: 'admin', actor: OPERATOR, byOperator: false })
  return tokenOf(invitation?.url ?? '')
}

/** Returns an account that was opened by an invitation of the attacker. */
async function takenOverAccount(email: string): Promise<Person> {
  const used = await post(service, '/links/use', { token: await invited(email), password: PASSWORD })
  assert.equal(used.status, 200, used.text)
  return signedIn(service, tenant, { email, cookie: cookieOf(used) })
}

/** Sends everything but the end of the body, until the service has found the session; returns how to finish. */
async function sendUnfinished({ id, cookie }: Person, path: string, sent: object): Promise<() => Promise<string>> {
  const body = JSON.stringify(sent)
  clock.advance(61_000)
  const socket = connect(port, '127.0.0.1')
  // Also if the test fails before it finishes the request: the service closes only when no connection is open.
  after(() => socket.destroy())
  await once(socket, 'connect')
  const headers = Object.entries({ ...FROM_PAGE, cookie, host: 'x', connection: 'close' })
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const kind = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  socket.write(`POST /dashboard/api${path} HTTP/1.1\r\n${head}${kind}\r\n${body.slice(0, 1)}`)
  const text = 'select from dashboard_sessions where person_id = $1 and seen_at = $2'
  const now = new Date(clock.now()).toISOString()
  const isSeen = async () => (await deps.db.query({ name: 'test_seen', text }, [id, now])).length > 0
  await waitUntil('the session was seen', isSeen)
  return async () => {
    socket.write(body.slice(1))
    const [answer] = await once(socket, 'data')
    socket.destroy()
    return String(answer).split('\r\n')[0] ?? ''
  }
}

test("a password whose last byte arrives after the owner's first sign-in is refused", async () => {
  const email = 'slow@example.com'
  const attacker = await takenOverAccount(email)
  const finish = await sendUnfinished(attacker, '/me/password', { password: 'the attacker keeps the key' })
  provider.account = { sub: 'sub-slow', email, email_verified: true }
  const owner = sessionOf(await throughProvider(service, provider))
  assertRefused(await attacker.call('GET', '/me'), 401, 'not_signed_in')
  assert.match(await finish(), / 401 /)
  for (const password of [PASSWORD, 'the attacker keeps the key']) {
    assertRefused(await post(service, '/sign-in/password', { email, password }), 401, 'sign_in_failed')
  }
  assert.equal((await service.call('GET', '/dashboard/api/me', { headers: { cookie: owner } })).status, 200)
})

test('a key whose request ends after its author was removed is not created', async () => {
  const author = await person(service, tenant, 'admin')
  const requested = { name: 'late', scopes: ['verifications:read'], expires_in_days: null }
  const finish = await sendUnfinished(author, `/tenants/${tenant}/test/keys`, requested)
  await removeMember(deps, { tenantId: tenant, personId: author.id, actor: OPERATOR })
  assert.match(await finish(), / 404 /)
  const keys = await deps.db.query({ name: 'test_late_keys', text: `select from api_keys where name = 'late'` })
  assert.equal(keys.length, 0)
})

interface Attacker {
  readonly email: string
  readonly session: FoundSession
  readonly passkey: ReturnType<typeof createPasskey>
}

async function equipped(email: string): Promise<Attacker> {
  const { cookie } = await takenOverAccount(email)
  const session = await findSession(deps, cookie.split('=')[1] ?? '', { tenantId: null, isPoll: true })
  assert.ok(session !== null)
  const passkey = createPasskey()
  const response = passkey.register(await challengeFor(session))
  await addPasskey(deps, { session, name: 'first', response })
  return { email, session, passkey }
}

async function challengeFor({ personId: id, email }: FoundSession): Promise<string> {
  return ((await preparePasskey(deps, { id, email })) as { challenge: string }).challenge
}

/** Prepares an action that starts while all sign-in methods are being replaced. */
type Prepared = (attacker: Attacker) => Promise<() => Promise<unknown>>

const CHANGES: Record<string, Prepared> = {
  'a password is chosen':
    async ({ session }) =>
    () =>
      choosePassword(deps, { session, password: 'the attacker keeps the key' }),
  // Requests the challenge late, too, because earlier challenges end with the sign-in methods.
  'a passkey is added':
    async ({ session }) =>
    async () => {
      const response = createPasskey().register(await challengeFor(session))
      await addPasskey(deps, { session, name: 'second', response })
    },
  'a passkey is removed':
    async ({ session, passkey }) =>
    () =>
      removePasskey(deps, session, passkey.id),
  'other sessions are ended':
    async ({ session }) =>
    () =>
      endOtherSessions(deps, session),
  'an invitation is accepted': async ({ session, email }) => {
    const token = await invited(email, elsewhere)
    return () => acceptInvitation(deps, { token, session })
  },
  'the provider is to be connected': async ({ session }) => {
    const again = { session, person: { id: session.personId, email: session.email } }
    return () => beginOidcSignIn(deps, again)
  },
}

const SIGN_INS: Record<string, Prepared> = {
  'by password':
    async ({ email }) =>
    () =>
      signInWithPassword(deps, { email, password: PASSWORD, replaces: null, from: ['somewhere'] }),
  'by passkey': async ({ passkey }) => {
    const { challenge } = (await askForPasskey(deps)) as { challenge: string }
    const response = passkey.answer(challenge)
    return () => signInWithPasskey(deps, { response, replaces: null })
  },
}

const WAITING = {
  name: 'test_waiting',
  text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
}

/** Starts the work while another transaction has replaced every way to sign in but not committed; returns how the work ended. */
async function duringReplacement(personId: string, work: () => Promise<unknown>): Promise<unknown> {
  let isOver = false
  const ending = await deps.db.transaction(async (tx) => {
    await replaceSignIns(tx, personId, null)
    const begun = work().then(
      () => 'done',
      (error) => error.code ?? error,
    )
    const noted = begun.finally(() => {
      isOver = true
    })
    await waitUntil('it waits or is over', async () => isOver || (await deps.db.query(WAITING)).length > 0)
    return { noted }
  })
  return ending.noted
}

async function signInMethodsOf(personId: string) {
  const count = (table: string) => `(select count(*)::int from ${table} where person_id = $1) as ${table}`
  const tables = ['passkeys', 'dashboard_sessions', 'passkey_challenges', 'oidc_rounds', 'oidc_identities']
  const text = `select password, ${tables.map(count).join(', ')} from people where id = $1`
  return (await deps.db.query({ name: 'test_ways_in', text }, [personId]))[0]
}

const NONE = {
  password: null,
  passkeys: 0,
  dashboard_sessions: 0,
  passkey_challenges: 0,
  oidc_rounds: 0,
  oidc_identities: 0,
}

let attackers = 0
for (const [changes, refusal] of [
  [CHANGES, 'not_signed_in'],
  [SIGN_INS, 'sign_in_failed'],
] as const) {
  for (const [name, prepare] of Object.entries(changes)) {
    test(`refused with ${refusal} while every way to sign in is being replaced: ${name}`, async () => {
      const attacker = await equipped(`attacker-${++attackers}@example.com`)
      const work = await prepare(attacker)
      assert.equal(await duringReplacement(attacker.session.personId, work), refusal)
      assert.deepEqual(await signInMethodsOf(attacker.session.personId), NONE)
    })
  }
}

for (const [name, prepare] of Object.entries({ ...CHANGES, ...SIGN_INS })) {
  test(`succeeds without a replacement: ${name}`, async () => {
    await (await prepare(await equipped(`attacker-${++attackers}@example.com`)))()
  })
}

test('an invitation that an ended session failed to accept is still open', async () => {
  const attacker = await equipped('open@example.com')
  const token = await invited(attacker.email, elsewhere)
  const work = () => acceptInvitation(deps, { token, session: attacker.session })
  assert.equal(await duringReplacement(attacker.session.personId, work), 'not_signed_in')
  assert.equal((await post(service, '/links/look', { token })).status, 200)
})

test('open challenges and provider sign-ins end with the ways to sign in', async () => {
  const { session } = await equipped('open-rounds@example.com')
  await challengeFor(session)
  await beginOidcSignIn(deps, { session, person: { id: session.personId, email: session.email } })
  await deps.db.transaction((tx) => replaceSignIns(tx, session.personId, null))
  assert.deepEqual(await signInMethodsOf(session.personId), NONE)
})

test("a former owner's sign-in through the provider is refused while an operator's link removes the binding", async () => {
  const email = 'given-on@example.com'
  const { id } = await person(service, tenant, 'admin', email)
  provider.account = { sub: 'sub-former', email, email_verified: true }
  sessionOf(await throughProvider(service, provider))
  provider.account = { sub: 'sub-former', email: 'left@example.com', email_verified: true }
  const { url, cookie } = await begin(service)
  const path = provider.visit(url)
  let returned: ReturnType<typeof comeBack> | undefined
  await duringReplacement(id, () => {
    returned = comeBack(service, path, cookie)
    return returned
  })
  assert.ok(returned !== undefined)
  assertTurnedAway(service, await returned, 'oidc_not_invited')
  assert.deepEqual(await signInMethodsOf(id), NONE)
})
