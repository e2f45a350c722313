// A small OpenID provider on loopback, over real HTTP: it follows the specification except for faults that a test sets.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { once } from '../wait.ts'

export const CLIENT = { id: 'vidimus-dashboard', secret: 'a secret + of/the client:%' }
export const CALLBACK = '/dashboard/api/sign-in/oidc/callback'

type Claims = Record<string, unknown>
type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** The faults of the provider. */
export interface Spoiling {
  metadata?: (metadata: Claims) => Claims
  claims?: (claims: Claims) => Claims
  /** Makes the ID token from the claims. */
  token?: (claims: Claims, provider: TestProvider) => string
  tokenAnswer?: (answer: Claims) => Claims
  /** Members of the answer that the browser carries back. */
  callback?: (parameters: Record<string, string>) => Record<string, string>
  userInfo?: Claims
  /** Answers instead of the route at the path. */
  at?: Record<string, Answer>
}

export interface Account {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean | string
}

export interface TestProvider {
  readonly issuer: string
  readonly env: Record<string, string>
  /** The person who uses the browser. */
  account: Account
  /** When they last proved to the provider who they are; null: now. */
  authenticatedAt: number | null
  spoiling: Spoiling
  /** Requested paths. */
  readonly requests: string[]
  readonly keys: { readonly private: KeyObject; readonly public: KeyObject; readonly kid: string }
  /** Signs in like a browser that was redirected to `url`: returns the redirect target, from its path on. */
  visit(url: string): string
}

interface Grant {
  readonly challenge: string
  readonly redirectUri: string
  readonly claims: Claims
}

export async function startProvider(now: () => number): Promise<TestProvider> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const grants = new Map<string, Grant>()
  const server = createServer((request, response) => void serve(provider, grants, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`
  const provider: TestProvider = {
    issuer,
    env: {
      VIDIMUS_OIDC_ISSUER: issuer,
      VIDIMUS_OIDC_CLIENT_ID: CLIENT.id,
      VIDIMUS_OIDC_CLIENT_SECRET: CLIENT.secret,
      VIDIMUS_OIDC_NAME: 'Sonnenhof ID',
    },
    account: { sub: 'nobody' },
    authenticatedAt: null,
    spoiling: {},
    requests: [],
    keys: { private: pair.privateKey, public: pair.publicKey, kid: 'key-1' },
    visit: (url) => authorize(provider, grants, { url: new URL(url), now: now() }),
  }
  return provider
}

/** OpenID Connect Core 1.0 §3.1.2: everything a request must have, and its answer. */
function authorize(provider: TestProvider, grants: Map<string, Grant>, request: { url: URL; now: number }): string {
  const { searchParams } = request.url
  const one = (name: string): string => {
    assert.equal(searchParams.getAll(name).length, 1, `${name} once`)
    return searchParams.get(name) ?? ''
  }
  assert.equal(request.url.href.split('?')[0], `${provider.issuer}/authorize`)
  assert.equal(one('response_type'), 'code')
  assert.equal(one('client_id'), CLIENT.id)
  assert.equal(one('scope'), 'openid email')
  assert.equal(one('code_challenge_method'), 'S256')
  assert.match(one('code_challenge'), /^[A-Za-z0-9_-]{43}$/)
  assert.match(one('state'), /^[A-Za-z0-9_-]{43}$/)
  assert.match(one('nonce'), /^[A-Za-z0-9_-]{43}$/)
  const redirect = new URL(one('redirect_uri'))
  assert.equal(redirect.pathname, CALLBACK)
  const seconds = Math.floor(request.now / 1000)
  const again = searchParams.get('prompt') === 'login' && searchParams.get('max_age') === '0'
  const code = createHash('sha256')
    .update(`${one('state')}${grants.size}`)
    .digest('base64url')
  grants.set(code, {
    challenge: one('code_challenge'),
    redirectUri: redirect.href,
    claims: {
      iss: provider.issuer,
      aud: CLIENT.id,
      ...provider.account,
      nonce: one('nonce'),
      iat: seconds,
      exp: seconds + 300,
      auth_time: again || provider.authenticatedAt === null ? seconds : Math.floor(provider.authenticatedAt / 1000),
    },
  })
  const parameters = { code, state: one('state'), iss: provider.issuer }
  const query = new URLSearchParams(provider.spoiling.callback?.(parameters) ?? parameters)
  return `${redirect.pathname}?${query}`
}

async function serve(
  provider: TestProvider,
  grants: Map<string, Grant>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', provider.issuer)
  provider.requests.push(url.pathname)
  const spoilt = provider.spoiling.at?.[url.pathname]
  if (spoilt !== undefined) return spoilt(request, response)
  if (url.pathname === '/realm/.well-known/openid-configuration') return json(response, 200, metadataOf(provider))
  if (url.pathname === '/realm/jwks') return json(response, 200, { keys: [publicJwk(provider)] })
  if (url.pathname === '/realm/userinfo')
    return json(response, 200, provider.spoiling.userInfo ?? { sub: provider.account.sub })
  if (url.pathname === '/realm/authorize') {
    // The browser's part: a page with one button, like those of providers.
    if (url.searchParams.get('agreed') === null) return page(response, url)
    url.searchParams.delete('agreed')
    const { origin } = new URL(url.searchParams.get('redirect_uri') ?? '')
    response.writeHead(302, { Location: `${origin}${provider.visit(url.href)}` }).end()
    return
  }
  if (url.pathname === '/realm/token') return token(provider, grants, request, response)
  // Browsers ask every site for its icon.
  if (url.pathname === '/favicon.ico') return void response.writeHead(204).end()
  json(response, 404, {})
}

function page(response: ServerResponse, url: URL): void {
  const fields = [...url.searchParams].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
  response
    .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    .end(
      `<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1><form>${fields.join('')}<button name="agreed" value="1">It is me</button></form></html>`,
    )
}

function metadataOf(provider: TestProvider): Claims {
  const metadata = {
    issuer: provider.issuer,
    authorization_endpoint: `${provider.issuer}/authorize`,
    token_endpoint: `${provider.issuer}/token`,
    jwks_uri: `${provider.issuer}/jwks`,
    userinfo_endpoint: `${provider.issuer}/userinfo`,
    response_types_supported: ['code'],
    // A careless provider's metadata: we must not use all of it.
    id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
  return provider.spoiling.metadata?.(metadata) ?? metadata
}

async function token(
  provider: TestProvider,
  grants: Map<string, Grant>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
  const grant = grants.get(body.get('code') ?? '')
  grants.delete(body.get('code') ?? '')
  const challenge = createHash('sha256')
    .update(body.get('code_verifier') ?? '')
    .digest('base64url')
  if (!isClient(request, body)) return json(response, 401, { error: 'invalid_client' })
  if (grant?.challenge !== challenge || grant.redirectUri !== body.get('redirect_uri')) {
    return json(response, 400, { error: 'invalid_grant' })
  }
  const { spoiling } = provider
  const claims = spoiling.claims?.(grant.claims) ?? grant.claims
  const idToken = spoiling.token?.(claims, provider) ?? signed(claims, provider)
  const answer = { access_token: 'an access token', token_type: 'Bearer', expires_in: 60, id_token: idToken }
  json(response, 200, spoiling.tokenAnswer?.(answer) ?? answer)
}

function isClient(request: IncomingMessage, body: URLSearchParams): boolean {
  if (body.get('client_secret') !== null) return body.get('client_secret') === CLIENT.secret
  const [scheme, value = ''] = (request.headers.authorization ?? '').split(' ')
  const parts = Buffer.from(value, 'base64').toString('utf8').split(':')
  const [id, secret] = parts.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  return scheme === 'Basic' && id === CLIENT.id && secret === CLIENT.secret
}

export function signed(
  claims: Claims,
  provider: Pick<TestProvider, 'keys'>,
  header: Claims = { alg: 'ES256', kid: provider.keys.kid },
): string {
  const input = `${part(header)}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(input), { key: provider.keys.private, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

export const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function publicJwk(provider: TestProvider): Claims {
  return { ...provider.keys.public.export({ format: 'jwk' }), kid: provider.keys.kid, alg: 'ES256', use: 'sig' }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
