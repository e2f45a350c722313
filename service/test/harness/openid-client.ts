// Simulates a merchant's OpenID client: an independent library, a real callback and a browser.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import type { AuthMethod, ClientTerms, OidcClient } from '../../src/features/oidc/domain/client.ts'
import { issuerOf } from '../../src/features/oidc/domain/issuer.ts'
import { createClient } from '../../src/features/oidc/usecases/manage-clients.ts'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import type { Environment } from '../../src/platform/world.ts'
import { OPERATOR, type TestService } from './service.ts'
import { once } from './wait.ts'
import { fetchInto, type TestWallet } from './wallet.ts'

export interface CallbackVisit {
  readonly url: URL
  readonly method: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface RelyingParty {
  readonly callback: string
  /** A callback that redirects the browser to another origin, like identity brokers. */
  readonly broker: { readonly callback: string; readonly app: string }
  /** Every visit so far. */
  readonly visits: CallbackVisit[]
}

export async function relyingParty(): Promise<RelyingParty> {
  const visits: CallbackVisit[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const url = new URL(request.url ?? '', callback)
    if (url.pathname === '/callback') visits.push({ url, method: request.method ?? '', body, headers: request.headers })
    if (url.pathname === '/broker') return void response.writeHead(303, { location: broker.app }).end()
    response.end('<!doctype html><title>Back</title><h1>Back at the shop</h1>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const callback = `http://localhost:${port}/callback`
  const broker = { callback: `http://localhost:${port}/broker`, app: `http://127.0.0.1:${port}/app` }
  return { callback, broker, visits }
}

export const TERMS: ClientTerms = {
  name: 'Shop',
  redirectUris: [],
  templates: ['age_over_18', 'identity', 'identity_extended', 'address', 'portrait', 'nationality'],
  defaultTemplate: 'identity',
  subjectMode: 'ephemeral',
  subjectClaims: [],
  requireTrue: false,
  vpData: false,
  verifiedClaims: false,
  claimsInIdToken: true,
  idTokenAlg: 'RS256',
  rememberMinutes: 0,
  crossDevice: 'confirm',
  jwks: null,
  requestUris: [],
  profile: 'openid',
}

export interface TestClient {
  readonly client: OidcClient
  readonly secret: string | null
  readonly issuer: string
  /** Returns the library's configuration, after it has read the provider's discovery. */
  configure(auth?: openid.ClientAuth): Promise<openid.Configuration>
}

interface ClientOptions extends Partial<ClientTerms> {
  readonly authMethod?: AuthMethod
  readonly environment?: Environment
}

export async function testClient(
  service: TestService,
  tenantId: string,
  { authMethod = 'client_secret', environment = 'test', ...terms }: ClientOptions,
): Promise<TestClient> {
  const realm = { tenantId, environment }
  const created = await createClient(service.deps, {
    realm,
    actor: OPERATOR,
    authMethod,
    terms: { ...TERMS, ...terms },
  })
  assert.equal(created.outcome, 'done', JSON.stringify(created))
  const { client, secret } = created
  const issuer = issuerOf(service.deps.config.baseUrl, realm)
  return {
    client,
    secret,
    issuer,
    async configure(auth) {
      const metadata = {
        ...(secret === null ? {} : { client_secret: secret }),
        ...clockOf(service),
      }
      return openid.discovery(new URL(issuer), client.id, metadata, auth, {
        execute: [openid.allowInsecureRequests],
      })
    },
  }
}

/** Passes the time of the service under test, with a tolerance, because its clock stops while other files run. */
const clockOf = (service: TestService) => ({
  [openid.clockSkew]: Math.round((service.clock.now() - Date.now()) / 1000),
  [openid.clockTolerance]: 3_600,
})

/** Configures the library to call the application itself, without a socket. */
export function configureInto(
  service: TestService,
  { issuer, client, secret }: TestClient,
  auth?: openid.ClientAuth,
): Promise<openid.Configuration> {
  const metadata = {
    ...(secret === null ? {} : { client_secret: secret }),
    ...clockOf(service),
  }
  const into = fetchInto(service)
  return openid.discovery(new URL(issuer), client.id, metadata, auth, {
    [openid.customFetch]: (url, options) => into(url, options as RequestInit),
  })
}

/** Returns what a client learns from one sign-in, as the library reads it. */
export async function learn(
  service: TestService,
  wallet: TestWallet,
  config: openid.Configuration,
  parameters: Record<string, string>,
): Promise<{ readonly idToken: Record<string, unknown>; readonly userinfo: Record<string, unknown> }> {
  const signIn = await asking(config, { callback: parameters.redirect_uri ?? '' }, parameters)
  const { location } = await quickSignIn(service, { url: signIn.url, wallet })
  const tokens = await openid.authorizationCodeGrant(config, location, {
    pkceCodeVerifier: signIn.verifier,
    expectedState: signIn.state,
    expectedNonce: signIn.nonce,
    idTokenExpected: true,
  })
  const idToken = tokens.claims()
  assert.ok(idToken !== undefined)
  return { idToken, userinfo: await openid.fetchUserInfo(config, tokens.access_token, idToken.sub) }
}

export interface Asking {
  readonly url: URL
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

/** Returns an authorization request of the library. */
export async function asking(
  config: openid.Configuration,
  rp: Pick<RelyingParty, 'callback'>,
  parameters: Record<string, string> = {},
): Promise<Asking> {
  const [verifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()]
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: rp.callback,
    scope: 'openid',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  })
  return { url, verifier, state, nonce }
}

/** Returns the link on the hosted page, for a wallet on another device. */
export async function walletUriOn(page: Page): Promise<string> {
  const link = page.locator('a.button[href^="openid4vp:"]')
  await link.waitFor({ state: 'attached' })
  return (await link.getAttribute('href')) ?? ''
}

/** Signs in through the hosted page: a wallet on another device answers, its code confirms, and the browser returns to the client. */
export async function signIn(page: Page, { signIn: begun, rp, wallet, scenario }: SignIn): Promise<CallbackVisit> {
  const before = rp.visits.length
  await page.goto(begun.url.href)
  const { redirectUri } = await wallet.present(await walletUriOn(page), scenario ?? 'good')
  if (scenario === undefined || scenario === 'good') await typeCode(page, await codeOnPhone(String(redirectUri)))
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  const visit = rp.visits[before]
  assert.ok(visit !== undefined, 'the client was not visited')
  return visit
}

/** Returns the code on a phone that follows the wallet's redirect without the cookie of the browser that began. */
export async function codeOnPhone(redirectUri: string): Promise<string> {
  const { page: url, code } = wayBack(redirectUri)
  const body = new URLSearchParams({ response_code: code })
  const text = await (await fetch(url, { method: 'POST', body })).text()
  const shown = /data-code>([\d ]+)</.exec(text)?.[1]
  assert.ok(shown !== undefined, text)
  return shown
}

/** Splits the address from the response code in its fragment. */
export function wayBack(redirectUri: string): { readonly page: string; readonly code: string } {
  const [page = '', fragment = ''] = redirectUri.split('#')
  return { page, code: new URLSearchParams(fragment).get('response_code') ?? '' }
}

export async function typeCode(page: Page, code: string): Promise<void> {
  await page.fill('input[name=code]', code)
  await page.click('button[type=submit]')
}

interface SignIn {
  readonly signIn: Asking
  readonly rp: RelyingParty
  readonly wallet: TestWallet
  readonly scenario?: Parameters<TestWallet['present']>[1]
}

/** Redeems the code. The library checks state, issuer, nonce, signature and times. */
export function redeem(
  config: openid.Configuration,
  visit: CallbackVisit,
  signIn: Asking,
  change: Partial<Asking> = {},
) {
  const { verifier, state, nonce } = { ...signIn, ...change }
  const answer =
    visit.method === 'POST'
      ? new Request(visit.url, {
          method: 'POST',
          body: visit.body,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      : visit.url
  return openid.authorizationCodeGrant(config, answer, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
}

export interface QuickSignIn {
  /** The redirect target that the browser would get. */
  readonly location: URL
  readonly cookies: readonly string[]
  readonly verificationId: string
}

/** Signs in without a browser, for tests that need none: the wallet redirects, and the test passes on the cookie. */
export async function quickSignIn(
  service: TestService,
  { url, wallet, cookie }: { readonly url: URL; readonly wallet: TestWallet; readonly cookie?: string },
): Promise<QuickSignIn> {
  const begun = await visit(service, url.pathname + url.search, cookie)
  const verificationId = /^\/verify\/(ver_\w+)/.exec(begun.location)?.[1]
  assert.ok(verificationId !== undefined, `${begun.status} ${begun.location}`)
  const { sameDeviceUri } = await readHostedPage(service.deps, verificationId)
  const { redirectUri } = await wallet.present(sameDeviceUri)
  const finished = await comeBack(service, String(redirectUri), begun.cookies[0]?.split(';')[0])
  return { location: new URL(finished.location), cookies: finished.cookies, verificationId }
}

/** Follows the wallet's redirect like a browser. */
export function comeBack(service: TestService, redirectUri: string, cookie?: string, from?: string) {
  const { page, code } = wayBack(redirectUri)
  return visit(service, new URL(page).pathname, cookie, from, { response_code: code })
}

/** Sends one request of a browser: opens a page, or posts a form. */
export async function visit(
  service: TestService,
  path: string,
  cookie?: string,
  from = '203.0.113.7',
  form?: Readonly<Record<string, string>>,
) {
  const answer = await service.app.inject({
    method: form === undefined ? 'GET' : 'POST',
    url: path,
    remoteAddress: from,
    headers: {
      accept: 'text/html',
      ...(cookie === undefined ? {} : { cookie }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { payload: new URLSearchParams(form).toString() }),
  })
  const cookies = [answer.headers['set-cookie'] ?? []].flat()
  return { status: answer.statusCode, location: String(answer.headers.location ?? ''), cookies, text: answer.payload }
}
