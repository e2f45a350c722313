// The recipe of docs/oidc.md for Passport, as it stands there, against a running service.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import * as openid from 'openid-client'
import { Strategy } from 'openid-client/passport'
import { listeningService } from '../harness/listening.ts'
import { quickSignIn, testClient } from '../harness/openid-client.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Wine shop' })
// The library compares times, and the service under test lives at another one.
mock.timers.enable({ apis: ['Date'], now: service.clock.now() })

test('Passport', async () => {
  const callbackURL = 'http://localhost:3000/callback'
  const made = await testClient(service, tenant, { redirectUris: [callbackURL] })
  const config = await openid.discovery(new URL(made.issuer), made.client.id, made.secret ?? '', undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const strategy = new Strategy({ config, scope: 'openid vidimus:identity', callbackURL }, (tokens, verified) =>
    verified(null, tokens.claims()),
  )
  const session = {}
  /** What Passport itself does with a strategy: one of these is called. */
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
    return promise
  }
  const { redirect = '' } = await run('http://localhost:3000/sign-in')
  const { location } = await quickSignIn(service, { url: new URL(redirect), wallet })
  const { user } = await run(location.href)
  assert.equal(user?.given_name, 'Vida')
})
