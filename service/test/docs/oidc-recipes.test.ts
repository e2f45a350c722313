// Tests the recipes of docs/oidc.md for Passport and Auth.js against a running service.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Auth, type AuthConfig } from '@auth/core'
import * as openid from 'openid-client'
import { Strategy } from 'openid-client/passport'
import { listeningService } from '../harness/listening.ts'
import { quickSignIn, testClient } from '../harness/openid-client.ts'
import { within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Wine shop' })
// The libraries compare times, and the service under test has its own clock.
mock.timers.enable({ apis: ['Date'], now: service.clock.now() })

test('Passport', async () => {
  const callbackURL = 'http://localhost:3000/callback'
  const registered = await testClient(service, tenant, { redirectUris: [callbackURL], claimsInIdToken: false })
  const config = await openid.discovery(
    new URL(registered.issuer),
    registered.client.id,
    registered.secret ?? '',
    undefined,
    {
      execute: [openid.allowInsecureRequests],
    },
  )
  const strategy = new Strategy({ config, scope: 'openid vidimus:identity', callbackURL }, async (tokens, verified) =>
    verified(null, await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')),
  )
  const session = {}
  /** Runs the strategy as Passport does. The strategy calls one of redirect, success, fail and error. */
  const run = (href: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ redirect?: string; user?: { given_name?: string } }>()
    const url = new URL(href)
    const request = {
      ...{ session, method: 'GET', protocol: 'http', host: url.host, originalUrl: url.pathname + url.search },
      ...{ url: url.pathname + url.search, query: Object.fromEntries(url.searchParams), get: () => url.host },
      headers: { host: url.host },
    }
    const called = Object.assign(Object.create(strategy), {
      redirect: (to: string) => resolve({ redirect: to }),
      success: (user: object) => resolve({ user }),
      fail: (why: unknown) => reject(new Error(JSON.stringify(why))),
      error: reject,
    })
    called.authenticate(request, {})
    return within('Passport has decided', promise)
  }
  const { redirect = '' } = await run('http://localhost:3000/sign-in')
  const { location } = await quickSignIn(service, { url: new URL(redirect), wallet })
  const { user } = await run(location.href)
  assert.equal(user?.given_name, 'Vida')
})

test('Auth.js', async () => {
  const site = 'http://localhost:3000'
  const registered = await testClient(service, tenant, {
    redirectUris: [`${site}/api/auth/callback/vidimus`],
    claimsInIdToken: false,
  })
  const profiles: { given_name?: unknown }[] = []
  const config: AuthConfig = {
    basePath: '/api/auth',
    secret: 'of the site in this test',
    trustHost: true,
    providers: [
      {
        ...{ id: 'vidimus', name: 'Wallet', type: 'oidc', issuer: registered.issuer },
        ...{ clientId: registered.client.id, clientSecret: registered.secret ?? '' },
        authorization: { params: { scope: 'openid vidimus:identity' } },
        checks: ['pkce', 'state', 'nonce'],
        idToken: false,
      },
    ],
    events: { signIn: ({ profile }) => void profiles.push(profile ?? {}) },
  }
  const jar = new Map<string, string>()
  /** One request of a browser at the site. */
  const step = async (path: string, form?: Record<string, string>) => {
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }
    const init = form === undefined ? { headers } : { headers, method: 'POST', body: new URLSearchParams(form) }
    const answer = await Auth(new Request(`${site}${path}`, init), config)
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    return answer
  }
  const { csrfToken } = (await (await step('/api/auth/csrf')).json()) as { csrfToken: string }
  const begun = await step('/api/auth/signin/vidimus', { csrfToken, callbackUrl: site })
  const url = new URL(begun.headers.get('location') ?? '')
  const { location } = await quickSignIn(service, { url, wallet })
  const ended = await step(location.pathname + location.search)
  assert.equal(ended.headers.get('location'), site)
  assert.equal(profiles[0]?.given_name, 'Vida')
})
