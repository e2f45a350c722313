// Tests sign-ins that anyone may start: open ones are limited and free, answered ones count for the daily quota.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer, generateKey, issue, TYPE } from '@vidimus/wallet'
import { openSignInBound } from '../../src/core/quota/domain/quota.ts'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import type { Environment } from '../../src/platform/world.ts'
import { comeBack, type TestClient, testClient, visit } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { respond, validBody } from '../wallet/verifications.ts'
import { authorizeUrl, CALLBACK, callToken, ownSecret } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const now = () => Math.floor(service.clock.now() / 1000)
const issuer = createIssuer({ base: 'https://issuer.example', now: now(), name: 'An issuer of live and test' })
for (const environment of ['live', 'test'] as const) {
  const added = await addAnchor(service.deps, {
    owner: { tenantId: null, environment },
    kind: 'ca',
    profile: 'generic',
    types: [`dc+sd-jwt:${TYPE.pidSdJwt}`],
    certificate: new Uint8Array(Buffer.from(issuer.sdJwt.authority.certificate, 'base64')),
    actor: OPERATOR,
  })
  assert.equal(added.outcome, 'added')
}
// Anchors are cached for some seconds.
service.clock.advance(5_001)

let network = 0
/** Returns an address of another network at each call. */
const elsewhere = () => `198.51.100.${(network++ % 250) + 1}`

async function begin(registered: TestClient, from = elsewhere()): Promise<'asked' | 'none left' | number> {
  const url = authorizeUrl(registered)
  const { status, location } = await visit(service, url.pathname + url.search, undefined, from)
  if (location.startsWith('/verify/')) return 'asked'
  return location.includes('error=temporarily_unavailable') ? 'none left' : status
}

async function beginAsked(registered: TestClient, from: string, change: Record<string, string> = {}) {
  const url = authorizeUrl(registered, change)
  const begun = await visit(service, url.pathname + url.search, undefined, from)
  const id = /^\/verify\/(ver_\w+)/.exec(begun.location)?.[1] ?? assert.fail(`${begun.status} ${begun.location}`)
  const { walletUri } = await readHostedPage(service.deps, id)
  return { begun, id, walletUri }
}

async function answer(registered: TestClient, from = '203.0.113.7') {
  const signIn = await beginAsked(registered, from)
  return { begun: signIn.begun, redirectUri: await present(signIn) }
}

async function present({ id, walletUri }: Awaited<ReturnType<typeof beginAsked>>): Promise<string> {
  const credentials = [issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: null })]
  const { json } = await respond(service, id, await validBody(wallet, await wallet.request(walletUri), { credentials }))
  return json.redirect_uri
}

/** Lets the wallet decline, and returns its redirect. */
async function decline({ id, walletUri }: Awaited<ReturnType<typeof beginAsked>>): Promise<string> {
  const { state } = await wallet.request(walletUri)
  const body = new URLSearchParams({ error: 'access_denied', state: state ?? '' }).toString()
  const { status, json } = await respond(service, id, body)
  assert.equal(status, 200)
  return json.redirect_uri
}

/** Signs in with a wallet, and returns the code. */
async function signIn(registered: TestClient, from = '203.0.113.7'): Promise<string> {
  const { begun, redirectUri } = await answer(registered, from)
  const finished = await comeBack(service, redirectUri, begun.cookies[0]?.split(';')[0], from)
  return new URL(finished.location).searchParams.get('code') ?? assert.fail(finished.location)
}

async function shopOf(dailyQuota: number) {
  const tenant = await service.tenant({ dailyQuota })
  const clientIn = (environment: Environment) =>
    testClient(service, tenant, { redirectUris: [CALLBACK], environment, requireTrue: false })
  const create = async (key: string) =>
    (await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })).status
  return {
    tenant,
    live: await clientIn('live'),
    test: await clientIn('test'),
    liveKey: await service.key(tenant, { environment: 'live' }),
    create,
  }
}

test('sign-ins without an answer cost no daily quota, however many are started', async () => {
  const shop = await shopOf(20)
  // Five addresses, ten each, which used to end a client's day.
  for (let at = 0; at < 50; at += 1) assert.equal(await begin(shop.live, `192.0.2.${at % 5}`), 'asked', `${at}`)
  const { json } = await service.call('GET', '/v1/usage', { key: shop.liveKey })
  assert.deepEqual([json.verifications_created, json.remaining], [0, 20])
  await signIn(shop.live)
  for (let at = 0; at < 19; at += 1) assert.equal(await shop.create(shop.liveKey), 201)
  assert.equal(await shop.create(shop.liveKey), 429)
})

test('a sign-in counts when it was answered, whether the client redeems the code or not', async () => {
  const shop = await shopOf(3)
  const used = async () => (await service.call('GET', '/v1/usage', { key: shop.liveKey })).json.verifications_created
  const code = await signIn(shop.live)
  assert.equal(await used(), 1)
  assert.equal((await callToken(service, shop.live, { ...ownSecret(shop.live), code })).status, 200)
  assert.equal(await used(), 1)
  await answer(shop.live)
  assert.equal(await used(), 2, 'it counts even if the browser does not come back')
  await decline(await beginAsked(shop.live, '203.0.113.8'))
  assert.equal(await used(), 2, 'a declined sign-in does not count')
  assert.equal(await shop.create(shop.liveKey), 201)
  assert.equal(await begin(shop.live), 'none left', 'a used-up quota ends sign-ins, too')
})

test('answered test sign-ins may use a quarter of the quota', async () => {
  const shop = await shopOf(8)
  await signIn(shop.test)
  await signIn(shop.test)
  assert.equal(await begin(shop.test), 'none left')
  assert.equal(await begin(shop.live), 'asked')
  for (let at = 0; at < 6; at += 1) assert.equal(await shop.create(shop.liveKey), 201)
  assert.equal(await shop.create(shop.liveKey), 429)
})

test('answered test sign-ins use at most a quarter of the quota, even if many are open before the first is answered', async () => {
  const shop = await shopOf(8)
  const open = await Promise.all(Array.from({ length: 8 }, () => beginAsked(shop.test, elsewhere())))
  for (const one of open) await present(one)
  const { json } = await service.call('GET', '/v1/usage', { key: shop.liveKey })
  assert.deepEqual([json.verifications_created, json.remaining], [2, 6])
  await signIn(shop.live)
  for (let at = 0; at < 5; at += 1) assert.equal(await shop.create(shop.liveKey), 201, `${at}`)
  assert.equal(await shop.create(shop.liveKey), 429)
})

test('a network has a limited number of open sign-ins at a client; other networks, and answered sign-ins, are not affected', async () => {
  const shop = await shopOf(1_000)
  const bound = openSignInBound(1_000).network
  assert.equal(bound, 50)
  const homes = Array.from({ length: bound }, (_, at) => `2001:db8:7:${at.toString(16)}::1`)
  for (const from of homes) assert.equal(await begin(shop.live, from), 'asked')
  const url = authorizeUrl(shop.live)
  const refused = await visit(service, url.pathname + url.search, undefined, '2001:db8:7:ffff::1')
  assert.equal(refused.status, 429)
  assert.equal(await begin(shop.live, '2001:db8:8::1'), 'asked')
  for (let at = 0; at < bound + 5; at += 1) await signIn(shop.live)
  // Ten minutes later they no longer count.
  service.clock.advance(600_001)
  assert.equal(await begin(shop.live, '2001:db8:7:ffff::1'), 'asked')
})

test('a declined sign-in counts as open until its browser comes back', async () => {
  const shop = await shopOf(100)
  /** Counts the addresses of one network. */
  let home = 0
  const from = () => `2001:db8:9:${(home++).toString(16)}::1`
  const declined = await beginAsked(shop.live, from())
  const cancelled = await beginAsked(shop.live, from())
  for (let at = 2; at < openSignInBound(100).network; at += 1)
    assert.equal(await begin(shop.live, from()), 'asked', `${at}`)
  assert.equal(await begin(shop.live, from()), 429)
  const redirectUri = await decline(declined)
  assert.equal(await begin(shop.live, from()), 429, 'it counts until then, because anyone can send an error')
  const cookieOf = ({ begun }: typeof declined) => begun.cookies[0]?.split(';')[0]
  const { location } = await comeBack(service, redirectUri, cookieOf(declined), from())
  assert.match(location, /error=access_denied&error_description=declined/)
  const reloaded = await comeBack(service, redirectUri, cookieOf(declined), from())
  assert.deepEqual([reloaded.status, reloaded.location], [404, ''], 'a client gets one response')
  assert.equal(await begin(shop.live, from()), 'asked')
  assert.equal(await begin(shop.live, from()), 429)
  const { onward } = await readHostedPage(service.deps, cancelled.id)
  const left = await visit(service, `${onward}/cancel`, cookieOf(cancelled), from())
  assert.match(left.location, /error_description=cancelled/)
  assert.equal(await begin(shop.live, from()), 'asked', 'a sign-in that the person gave up does not count')
})

test('a sign-in that failed after its answer counts as open until its client gets the error', async () => {
  const shop = await shopOf(100)
  const home = (at: number) => `2001:db8:a:${at.toString(16)}::1`
  const beginHere = (change = {}) => beginAsked(shop.live, home(0), change)
  const cookieOf = ({ begun }: Awaited<ReturnType<typeof beginAsked>>) => begun.cookies[0]?.split(';')[0]
  const acr = { essential: true, values: ['urn:other'] }
  const refused = await beginHere({ claims: JSON.stringify({ id_token: { acr } }) })
  const guessed = await beginHere()
  for (let at = 2; at < openSignInBound(100).network; at += 1) assert.equal(await begin(shop.live, home(at)), 'asked')
  assert.equal(await begin(shop.live, home(0)), 429)
  const unmet = await comeBack(service, await present(refused), cookieOf(refused))
  assert.match(unmet.location, /error_description=unmet_authentication_requirements/)
  assert.equal(await begin(shop.live, home(0)), 'asked')
  assert.equal(await begin(shop.live, home(0)), 429)
  const redirectUri = await present(guessed)
  const { onward } = await readHostedPage(service.deps, guessed.id)
  const failed = []
  for (const code of ['00000000', '11111111', '22222222'])
    failed.push((await visit(service, onward ?? '', cookieOf(guessed), undefined, { code })).location)
  assert.match(failed[2] ?? '', /error_description=confirmation_failed/)
  assert.deepEqual(failed.slice(0, 2), ['', ''])
  assert.equal(await begin(shop.live, home(0)), 'asked')
  const late = await comeBack(service, redirectUri, cookieOf(guessed))
  assert.deepEqual([late.status, late.location], [404, ''], 'it stays ended')
})

test('a client has a limited number of open sign-ins, and a reserve for networks that have none; all processes count together', async () => {
  const shop = await shopOf(20)
  const { client, reserve } = openSignInBound(20)
  assert.deepEqual([client, reserve], [1_000, 250])
  await begin(shop.live, '203.0.113.50')
  await fillOpen(shop.live, client - 1)
  assert.equal(await begin(shop.live, '203.0.113.50'), 429, 'a network that has one open')
  assert.equal(await begin(shop.live, '203.0.113.51'), 'asked', 'one that has none')
  await fillOpen(shop.live, reserve - 1)
  assert.equal(await begin(shop.live, '203.0.113.52'), 429)
  assert.equal(await begin(shop.test, '203.0.113.52'), 'asked', 'another client')
  service.clock.advance(600_001)
  assert.equal(await begin(shop.live, '203.0.113.52'), 'asked')
})

test('neighbouring networks may use an eighth of the reserve, and leave the rest to others', async () => {
  for (const [neighbour, far] of [
    [(at: number) => `192.0.2.${at + 1}`, '203.0.113.60'],
    [(at: number) => `2001:db8:${(at + 16).toString(16)}::1`, '2001:db9::1'],
  ] as const) {
    const shop = await shopOf(20)
    const { client, reserve } = openSignInBound(20)
    await begin(shop.live, '203.0.113.50')
    await fillOpen(shop.live, client - 1)
    const share = Math.ceil(reserve / 8)
    for (let at = 0; at < share; at += 1) assert.equal(await begin(shop.live, neighbour(at)), 'asked', `${at}`)
    assert.equal(await begin(shop.live, neighbour(share)), 429)
    assert.equal(await begin(shop.live, far), 'asked')
    service.clock.advance(600_001)
    assert.equal(await begin(shop.live, neighbour(share)), 'asked')
  }
})

test('sign-ins that are refused, or answered without asking, open nothing', async () => {
  const shop = await shopOf(0)
  for (let at = 0; at < openSignInBound(0).network + 2; at += 1)
    assert.equal(await begin(shop.live, '198.51.100.254'), 'none left')
})

/** Adds `count` open sign-ins, each from its own network, as another process would. */
async function fillOpen({ client }: TestClient, count: number): Promise<void> {
  await service.deps.db.query(
    {
      name: 'test_fill_open',
      text: `insert into oidc_authorizations (id, tenant_id, environment, client_id, verification_id, browser_hash, request, created_at, ends_at, network_hash)
             select 'fill' || gen_random_uuid(), a.tenant_id, a.environment, a.client_id, a.verification_id, a.browser_hash, a.request,
                    a.created_at, a.ends_at, sha256(gen_random_uuid()::text::bytea)
             from (select * from oidc_authorizations where client_id = $1 order by created_at desc limit 1) a, generate_series(1, $2)`,
    },
    [client.id, count],
  )
}
