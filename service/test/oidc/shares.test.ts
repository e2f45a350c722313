// Anybody may begin a sign-in, and each spends one of the tenant's day: what is begun and not finished has a share of it, each
// network a part of that, and the rest stays with the tenant's keys.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer, generateKey, issue, TYPE } from '@vidimus/wallet'
import { signInsOfNetwork } from '../../src/domain/tenant/quota.ts'
import type { Environment } from '../../src/domain/world.ts'
import { addAnchor } from '../../src/usecases/trust/manage-anchors.ts'
import { readHostedPage } from '../../src/usecases/verifications/reading/read-hosted-page.ts'
import { type TestClient, testClient, visit } from '../harness/openid-client.ts'
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
// Anchors are remembered for some seconds.
service.clock.advance(5_001)

let network = 0
/** Each from a network of its own. */
const elsewhere = () => `198.51.100.${(network++ % 250) + 1}`

async function begin(made: TestClient, from = elsewhere()): Promise<'asked' | 'none left' | number> {
  const url = authorizeUrl(made)
  const { status, location } = await visit(service, url.pathname + url.search, undefined, from)
  if (location.startsWith('/verify/')) return 'asked'
  return location.includes('error=temporarily_unavailable') ? 'none left' : status
}

/** There and back, with a wallet: the code. */
async function signIn(made: TestClient, from = '203.0.113.7'): Promise<string> {
  const url = authorizeUrl(made)
  const begun = await visit(service, url.pathname + url.search, undefined, from)
  const id = /^\/verify\/(ver_\w+)/.exec(begun.location)?.[1] ?? assert.fail(`${begun.status} ${begun.location}`)
  const { walletUri, onward } = await readHostedPage(service.deps, id)
  const held = [issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: null })]
  await respond(service, id, await validBody(wallet, await wallet.request(walletUri), { held }))
  const finished = await visit(service, onward ?? '', begun.cookies[0]?.split(';')[0], from)
  return new URL(finished.location).searchParams.get('code') ?? assert.fail(finished.location)
}

async function beginMany(made: TestClient, count: number): Promise<number> {
  let asked = 0
  for (let at = 0; at < count; at += 1) asked += (await begin(made)) === 'asked' ? 1 : 0
  return asked
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

test('strangers take half of a day by sign-ins of live and a quarter by those of test; the rest is the keys’', async () => {
  const shop = await shopOf(20)
  assert.equal(await beginMany(shop.test, 7), 5)
  assert.equal(await beginMany(shop.live, 12), 10, 'whatever was begun in test')
  const created = [await shop.create(shop.liveKey), await shop.create(shop.liveKey), await shop.create(shop.liveKey)]
  assert.deepEqual([...created, await shop.create(shop.liveKey)], [201, 201, 201, 201])
  assert.deepEqual([await shop.create(shop.liveKey), await shop.create(shop.liveKey)], [201, 429])
  const { json } = await service.call('GET', '/v1/usage', { key: shop.liveKey })
  assert.deepEqual([json.verifications_created, json.remaining], [20, 0])
})

test('keys may spend the whole day, and sign-ins get what is left of it', async () => {
  const shop = await shopOf(4)
  for (let at = 0; at < 3; at += 1) assert.equal(await shop.create(shop.liveKey), 201)
  assert.equal(await beginMany(shop.live, 2), 1)
  assert.equal(await shop.create(shop.liveKey), 429)
})

test('a day is shared by those who meet: sign-ins and creations at once', async () => {
  const shop = await shopOf(8)
  const [begun, created] = await Promise.all([
    Promise.all(Array.from({ length: 8 }, () => begin(shop.live))),
    Promise.all(Array.from({ length: 8 }, () => shop.create(shop.liveKey))),
  ])
  const asked = begun.filter((one) => one === 'asked').length
  const made = created.filter((status) => status === 201).length
  assert.equal(asked + made, 8)
  assert.ok(asked <= 4, `${asked} sign-ins`)
})

test('a sign-in that its client has finished holds nothing of the share in live; in test it does', async () => {
  const shop = await shopOf(40)
  const finish = async (made: TestClient) => {
    const code = await signIn(made)
    const redeem = () => callToken(service, made, { ...ownSecret(made), code })
    assert.equal((await redeem()).status, 200)
    assert.equal((await redeem()).json.error, 'invalid_grant', 'it gives back once')
  }
  for (let at = 0; at < 3; at += 1) await finish(shop.live)
  assert.equal(await beginMany(shop.live, 22), 20)
  for (let at = 0; at < 3; at += 1) await finish(shop.test)
  assert.equal(await beginMany(shop.test, 9), 7)
})

test('one network begins and does not finish so many; others, and those who finish, are not held up', async () => {
  const shop = await shopOf(1_000)
  const bound = signInsOfNetwork(1_000)
  assert.equal(bound, 50)
  const homes = Array.from({ length: bound }, (_, at) => `2001:db8:7:${at.toString(16)}::1`)
  for (const from of homes) assert.equal(await begin(shop.live, from), 'asked')
  assert.equal(await begin(shop.live, '2001:db8:7:ffff::1'), 429)
  const again = await testClient(service, shop.tenant, { redirectUris: [CALLBACK], environment: 'live' })
  assert.equal(await begin(again, '2001:db8:7:ffff::1'), 429, 'at another client of the tenant neither')
  assert.equal(await begin(shop.live, '2001:db8:8::1'), 'asked')
  for (let at = 0; at < bound + 5; at += 1) await signIn(shop.live)
})

test('what is refused, or answered without asking, costs a network nothing', async () => {
  const shop = await shopOf(0)
  for (let at = 0; at < signInsOfNetwork(0) + 2; at += 1)
    assert.equal(await begin(shop.live, '198.51.100.254'), 'none left')
})
