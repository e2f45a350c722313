// A client of the OpenID provider, as merchants have it: an independent library, a callback that really listens, and a browser
// between the two.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import type { AuthMethod, ClientTerms, OidcClient } from '../../src/domain/oidc/client.ts'
import { issuerOf } from '../../src/domain/oidc/issuer.ts'
import type { Environment } from '../../src/domain/world.ts'
import { createClient } from '../../src/usecases/oidc/manage-clients.ts'
import { readHostedPage } from '../../src/usecases/verifications/reading/read-hosted-page.ts'
import { OPERATOR, type TestService } from './service.ts'
import { once } from './wait.ts'
import type { TestWallet } from './wallet.ts'

export interface CallbackVisit {
  readonly url: URL
  readonly method: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface RelyingParty {
  readonly callback: string
  /** One that sends the browser on to another origin, as identity brokers do. */
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
  idTokenAlg: 'RS256',
  rememberMinutes: 0,
  jwks: null,
}

export interface TestClient {
  readonly client: OidcClient
  readonly secret: string | null
  readonly issuer: string
  /** The library, after it has read the provider's discovery. */
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
  const made = await createClient(service.deps, { realm, actor: OPERATOR, authMethod, terms: { ...TERMS, ...terms } })
  assert.equal(made.outcome, 'done', JSON.stringify(made))
  const { client, secret } = made
  const issuer = issuerOf(service.deps.config.baseUrl, realm)
  return {
    client,
    secret,
    issuer,
    async configure(auth) {
      const metadata = {
        ...(secret === null ? {} : { client_secret: secret }),
        // The service under test lives at another time.
        [openid.clockSkew]: Math.round((service.clock.now() - Date.now()) / 1000),
      }
      return openid.discovery(new URL(issuer), client.id, metadata, auth, {
        execute: [openid.allowInsecureRequests],
      })
    },
  }
}

export interface Asking {
  readonly url: URL
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

/** An authorization request as the library makes it. */
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

/** The link that the hosted page shows, for a wallet elsewhere. */
export async function walletUriOn(page: Page): Promise<string> {
  const link = page.locator('a.button[href^="openid4vp:"]')
  await link.waitFor({ state: 'attached' })
  return (await link.getAttribute('href')) ?? ''
}

/** Through the hosted page, answered by a wallet on another device, and back to the client. */
export async function signIn(page: Page, { asked, rp, wallet, scenario }: SignIn): Promise<CallbackVisit> {
  const before = rp.visits.length
  await page.goto(asked.url.href)
  await wallet.present(await walletUriOn(page), scenario ?? 'good')
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  const visit = rp.visits[before]
  assert.ok(visit !== undefined, 'the client was not visited')
  return visit
}

interface SignIn {
  readonly asked: Asking
  readonly rp: RelyingParty
  readonly wallet: TestWallet
  readonly scenario?: Parameters<TestWallet['present']>[1]
}

/** The library checks state, issuer, nonce, signature and times. */
export function redeem(
  config: openid.Configuration,
  visit: CallbackVisit,
  asked: Asking,
  change: Partial<Asking> = {},
) {
  const { verifier, state, nonce } = { ...asked, ...change }
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
  /** Where the browser would have been sent. */
  readonly location: URL
  readonly cookies: readonly string[]
  readonly verificationId: string
}

/** The same without a browser, for what is not about one: its cookie is carried by hand. */
export async function quickSignIn(
  service: TestService,
  { url, wallet, cookie }: { readonly url: URL; readonly wallet: TestWallet; readonly cookie?: string },
): Promise<QuickSignIn> {
  const begun = await visit(service, url.pathname + url.search, cookie)
  const verificationId = /^\/verify\/(ver_\w+)/.exec(begun.location)?.[1]
  assert.ok(verificationId !== undefined, `${begun.status} ${begun.location}`)
  const { walletUri, onward } = await readHostedPage(service.deps, verificationId)
  await wallet.present(walletUri)
  const finished = await visit(service, onward ?? '', begun.cookies[0]?.split(';')[0])
  return { location: new URL(finished.location), cookies: finished.cookies, verificationId }
}

/** One step of a browser. */
export async function visit(service: TestService, path: string, cookie?: string, from = '203.0.113.7') {
  const answer = await service.app.inject({
    url: path,
    remoteAddress: from,
    headers: { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }) },
  })
  const cookies = [answer.headers['set-cookie'] ?? []].flat()
  return { status: answer.statusCode, location: String(answer.headers.location ?? ''), cookies, text: answer.payload }
}
