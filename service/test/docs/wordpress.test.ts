// Tests examples/wordpress in WordPress: a sign-in works, and answers for others are refused.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { npmStart, runShell, stopGroup } from './blocks.ts'
import {
  CLIENT,
  nowSeconds,
  type Script,
  type ScriptedProvider,
  scriptedProvider,
} from './wordpress/scripted-provider.ts'
import { installWordPress, missingProgram, type WordPress } from './wordpress/site.ts'

const missing = await missingProgram()
if (missing === null) describe('the WordPress plugin', testPlugin)
else console.log(`skipped: no WordPress on this machine: there is no ${missing}`)

function testPlugin(): void {
  let wordpress: WordPress
  before(async () => {
    wordpress = await installWordPress()
  })
  // All stay open until the end: WordPress caches by issuer, so a reused port would look like the same one.
  const providers: ScriptedProvider[] = []
  const openProvider = async (discovery: Readonly<Record<string, string>> = {}) => {
    const provider = await scriptedProvider(discovery)
    providers.push(provider)
    return provider
  }
  after(async () => {
    for (const provider of providers) provider.close()
    await wordpress.close()
  })

  test('a person signs in with a wallet, signs out, and comes back to the same account', async () => {
    const { site, close } = await serveWithService(wordpress)
    try {
      const { testBrowser } = await import('../harness/pages/browser.ts')
      const page = await (await (await testBrowser()).newContext({ locale: 'en-GB' })).newPage()
      await answerWithWallet(page, site, 'decline')
      await page.waitForSelector('#login_error')
      assert.match(await page.innerText('#login_error'), /nothing was shared/)
      const logins: string[] = []
      for (let round = 1; round <= 2; round += 1) {
        await answerWithWallet(page, site, 'consent')
        await page.waitForURL((url) => url.pathname === '/wp-admin/profile.php', { waitUntil: 'load' })
        logins.push(await page.inputValue('#user_login'))
        await page.goto(
          String(await page.locator('#wp-admin-bar-logout a').evaluate((link: HTMLAnchorElement) => link.href)),
        )
        await page.goto(`${site}/wp-admin/profile.php`)
        assert.equal(new URL(page.url()).pathname, '/wp-login.php')
      }
      assert.match(logins[0] ?? '', /^wallet-[0-9a-f]{16}$/)
      assert.equal(logins[1], logins[0])
      await page.context().close()
    } finally {
      await close()
    }
    const [administrator, account, ...others] = await wordpress.readAccounts()
    assert.deepEqual(others, [])
    const { password, reset, applications } = administrator ?? assert.fail('there is no administrator')
    assert.deepEqual({ password, reset, applications }, { password: true, reset: true, applications: true })
    const { login, ...rest } = account ?? assert.fail('no account was created')
    assert.deepEqual(rest, {
      ...{ roles: ['subscriber'], email: '', name: 'Wallet user' },
      ...{ password: false, reset: false, applications: false },
    })
  })

  test('only an answer for this browser, client and sign-in counts', async () => {
    const provider = await openProvider()
    const site = await wordpress.serve(await reservePort('127.0.0.1'), settingsOf(provider))
    const count = async () => (await wordpress.readAccounts()).length
    const before = await count()
    for (const [name, attempt] of Object.entries(REFUSED)) {
      const { shown = 'failed' } = attempt
      // An answer for another browser does not end the sign-in that this one began.
      const refused = {
        isSignedIn: false,
        isOver: shown !== 'expired',
        location: `${site}/wp-login.php?vidimus=${shown}`,
      }
      assert.deepEqual(await signIn(site, provider, attempt), refused, name)
    }
    assert.equal(await count(), before, 'no refused answer makes an account')
    // A valid answer signs in, so the refusals above had no other reason.
    const redeemed = provider.redeemed()
    const signedIn = { isSignedIn: true, isOver: true, location: `${site}/wp-admin/` }
    assert.deepEqual(await signIn(site, provider, {}), signedIn)
    assert.equal(provider.redeemed(), redeemed + 1)
    assert.equal(await count(), before + 1)
    await signIn(site, provider, {})
    assert.equal(await count(), before + 1, 'the same subject has the same account')
    await signIn(site, provider, { token: { claims: { sub: 'vida' } } })
    assert.equal(await count(), before + 2, 'a subject in other letters is another person')
    for (const redirectTo of ['https://elsewhere.example/', `${site}/?${'x'.repeat(4000)}`])
      assert.deepEqual(await signIn(site, provider, { redirectTo }), signedIn)
    const inside = `${site}/wp-admin/profile.php`
    assert.deepEqual(await signIn(site, provider, { redirectTo: inside }), { ...signedIn, location: inside })

    const second = await wordpress.serve(await reservePort('127.0.0.1'), settingsOf(provider))
    const people = ['a', 'b', 'c', 'd']
    for (const sub of people)
      await Promise.all([site, second].map((address) => signIn(address, provider, { token: { claims: { sub } } })))
    assert.equal(await count(), before + 2 + people.length, 'two first sign-ins at once make one account')

    const { VIDIMUS_CREATE_USERS: _, ...withoutSignUp } = settingsOf(provider)
    const closed = await wordpress.serve(await reservePort('127.0.0.1'), withoutSignUp)
    const stranger = await signIn(closed, provider, { token: { claims: { sub: 'stranger' } } })
    const location = `${closed}/wp-login.php?vidimus=no_account`
    assert.deepEqual(stranger, { isSignedIn: false, isOver: true, location })
    assert.equal((await signIn(closed, provider, {})).isSignedIn, true, 'existing accounts can still sign in')
  })

  test('the provider must be the configured one, the cookie of one host, and without settings there is no button', async () => {
    const elsewhere = [
      ...[{ issuer: 'http://localhost' }, { token_endpoint: 'http://localhost:1/token' }],
      ...[{ authorization_endpoint: 'https://elsewhere.example/' }, { jwks_uri: 'http://localhost:1/jwks' }],
    ]
    for (const discovery of elsewhere) {
      const provider = await openProvider(discovery)
      const site = await wordpress.serve(await reservePort('127.0.0.1'), settingsOf(provider))
      const answer = await fetch(`${site}/wp-login.php?action=vidimus-start`, { redirect: 'manual' })
      assert.equal(answer.headers.get('location'), `${site}/wp-login.php?vidimus=failed`, JSON.stringify(discovery))
      assert.deepEqual(roundCookieOf(answer), [])
    }
    const provider = await openProvider()
    const settings = { ...settingsOf(provider), WORDPRESS_URL: 'https://shop.example' }
    const site = await wordpress.serve(await reservePort('127.0.0.1'), settings)
    const headers = { 'x-forwarded-proto': 'https' }
    const answer = await fetch(`${site}/wp-login.php?action=vidimus-start`, { headers, redirect: 'manual' })
    const cookies = answer.headers.getSetCookie().filter((cookie) => cookie.startsWith('__Host-vidimus='))
    assert.match(cookies.join(), /; path=\/; secure; HttpOnly; SameSite=Lax$/i)
    const complete = {
      VIDIMUS_ISSUER: 'https://verify.example',
      VIDIMUS_CLIENT_ID: 'oic',
      VIDIMUS_CLIENT_SECRET: 'vcs',
    }
    for (const [settings, hasButton] of [
      [complete, true],
      [{ ...complete, VIDIMUS_ISSUER: 'http://verify.example' }, false],
      [{ ...complete, VIDIMUS_CLIENT_SECRET: '' }, false],
      [{}, false],
    ] as const) {
      const site = await wordpress.serve(await reservePort('127.0.0.1'), settings)
      const page = await (await fetch(`${site}/wp-login.php`)).text()
      assert.equal(page.includes('id="vidimus"'), hasButton, JSON.stringify(settings))
    }
  })
}

const settingsOf = ({ issuer }: Pick<ScriptedProvider, 'issuer'>, { id, secret } = CLIENT) => ({
  ...{ VIDIMUS_ISSUER: issuer, VIDIMUS_CLIENT_ID: id, VIDIMUS_CLIENT_SECRET: secret, VIDIMUS_CREATE_USERS: 'true' },
})

/** Uses the service's real clock, because WordPress does. */
async function serveWithService(wordpress: WordPress): Promise<{ readonly site: string; close(): Promise<void> }> {
  const data = await mkdtemp(join(tmpdir(), 'vidimus-wp-service-'))
  const reader = { PATH: process.env.PATH, HOME: process.env.HOME, VIDIMUS_DATA_DIR: join(data, 'data') }
  await mkdir(reader.VIDIMUS_DATA_DIR)
  const service = await npmStart({ ...reader, PORT: '0' })
  const close = async () => {
    await stopGroup(service)
    await rm(data, { recursive: true, force: true })
  }
  try {
    const env = { ...reader, PORT: String(service.port) }
    const reserved = await reservePort('127.0.0.1')
    const tenant = JSON.parse(await runShell('npm run -s vidimus -- tenant list --json', env)).data[0].id
    const created = JSON.parse(
      await runShell(
        `npm run -s vidimus -- client create --tenant ${tenant} --name WordPress --template identity --json \
         --redirect-uri 'http://localhost:${reserved.port}/wp-login.php?action=vidimus' --subject derived \
         --subject-claim given_name --subject-claim family_name --subject-claim birth_date`,
        env,
      ),
    )
    const client = { id: created.id, secret: created.client_secret }
    return { site: await wordpress.serve(reserved, settingsOf(created, client)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function answerWithWallet(page: Page, site: string, answer: 'consent' | 'decline'): Promise<void> {
  // WordPress redirects a visitor who is not signed in like this.
  await page.goto(`${site}/wp-admin/profile.php`)
  await page.click('#vidimus')
  await page.click('a[href^="/sandbox/wallet"]')
  await page.click(`button[name="answer"][value="${answer}"]`)
  await page.click('a[href*="/return/"]')
}

interface Attempt {
  readonly token?: Script
  /** Changes what the browser brings back. */
  readonly callback?: (parameters: URLSearchParams) => void
  readonly cookie?: 'none' | 'of another browser' | 'malformed'
  readonly redirectTo?: string
  readonly shown?: 'declined' | 'expired'
}

const past = nowSeconds() - 3600
/** Answers, each of which differs from a good answer in one thing. */
const REFUSED: Readonly<Record<string, Attempt>> = {
  'another state': { callback: (query) => query.set('state', 'f'.repeat(64)), shown: 'expired' },
  'no state': { callback: (query) => query.delete('state'), shown: 'expired' },
  'no cookie': { cookie: 'none', shown: 'expired' },
  'the cookie of another browser': { cookie: 'of another browser', shown: 'expired' },
  'a malformed cookie': { cookie: 'malformed', shown: 'expired' },
  'no code': { callback: (query) => query.delete('code') },
  'an unknown code': { callback: (query) => query.set('code', 'unknown') },
  'another issuer in the answer': { callback: (query) => query.set('iss', 'https://elsewhere.example') },
  'no issuer in the answer': { callback: (query) => query.delete('iss') },
  'an error beside a code': { callback: (query) => query.set('error', 'server_error') },
  'the person declined': {
    callback: (query) => {
      query.delete('code')
      query.set('error', 'access_denied')
    },
    shown: 'declined',
  },
  'no ID token': { token: { withoutToken: true } },
  'another nonce': { token: { claims: { nonce: '0'.repeat(64) } } },
  'no nonce': { token: { claims: { nonce: undefined } } },
  'a token of another client': { token: { claims: { aud: 'oic_other' } } },
  'a token for two clients': { token: { claims: { aud: [CLIENT.id, 'oic_other'] } } },
  'no audience': { token: { claims: { aud: undefined } } },
  'a token that another client requested': { token: { claims: { azp: 'oic_other' } } },
  'another issuer': { token: { claims: { iss: 'https://elsewhere.example' } } },
  'an expired token': { token: { claims: { exp: past } } },
  'no expiry': { token: { claims: { exp: undefined } } },
  'an old token': { token: { claims: { iat: past } } },
  'no subject': { token: { claims: { sub: undefined } } },
  'an empty subject': { token: { claims: { sub: '' } } },
  'a key that is not published': { token: { signedBy: 'other' } },
  'a key of 1024 bits': { token: { signedBy: 'small' } },
  'an unknown key': { token: { header: { kid: 'unknown' } } },
  'no key': { token: { header: { kid: undefined } } },
  'no signature': { token: { header: { alg: 'none' } } },
  'another algorithm': { token: { header: { alg: 'HS256' } } },
  'an extension that must be understood': { token: { header: { crit: ['exp'] } } },
}

const roundCookieOf = (answer: Response) =>
  answer.headers.getSetCookie().filter((cookie) => /^vidimus=[0-9a-f]/.test(cookie))

/** Follows the redirects like a browser, from the plugin to the provider and back. */
async function signIn(site: string, provider: ScriptedProvider, attempt: Attempt) {
  const begin = async () => {
    const query = new URLSearchParams({ action: 'vidimus-start', redirect_to: attempt.redirectTo ?? '' })
    const answer = await fetch(`${site}/wp-login.php?${query}`, { redirect: 'manual' })
    const [cookie = assert.fail('no cookie')] = roundCookieOf(answer)
    assert.match(cookie, /; path=\/; HttpOnly; SameSite=Lax$/i)
    const request = new URL(answer.headers.get('location') ?? assert.fail('no redirect'))
    assert.equal(request.origin + request.pathname, `${provider.issuer}/authorize`)
    return { cookie: cookie.split(';')[0] ?? '', request }
  }
  const { cookie, request } = await begin()
  const callback = new URL(request.searchParams.get('redirect_uri') ?? '')
  const state = request.searchParams.get('state') ?? ''
  const code = provider.issueCode(request, attempt.token ?? {})
  for (const [name, value] of Object.entries({ code, state, iss: provider.issuer }))
    callback.searchParams.set(name, value)
  attempt.callback?.(callback.searchParams)
  const sent = {
    none: '',
    malformed: 'vidimus=1',
    'of another browser': attempt.cookie === 'of another browser' ? (await begin()).cookie : '',
    own: cookie,
  }[attempt.cookie ?? 'own']
  const answer = await fetch(callback, { redirect: 'manual', headers: { cookie: sent } })
  const isSignedIn = answer.headers.getSetCookie().some((text) => /^wordpress_logged_in_[^=]*=[^; ]/.test(text))
  const isOver = answer.headers.getSetCookie().some((text) => text.startsWith('vidimus=deleted;'))
  return { isSignedIn, isOver, location: answer.headers.get('location') }
}
