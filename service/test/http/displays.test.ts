// Tests a till's customer screen on a separate device: connected by its own code, it gets only what to scan.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { displayCodeOf, hashDisplayToken } from '../../src/features/devices/domain/display.ts'
import { loadShownTillsAcrossTenants, noteDisplay } from '../../src/features/devices/store/displays.ts'
import { instantOf } from '../../src/platform/world.ts'
import { pairDevice, refresh } from '../harness/devices.ts'
import { dress } from '../harness/pages/brands.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { CARD } from '../transactions/asking.ts'

const service = await testService()
const { call, clock } = service
const wallet = await testWallet(service)
const SHOP = 'Weinhandlung Sonnenhof'
const tenant = await service.tenant({ name: SHOP })
const key = await service.key(tenant)
const MINUTE = 60_000

function newScreen() {
  const token = randomBytes(32).toString('base64url')
  const tokenHash = hashDisplayToken(token)
  return { token, tokenHash, code: displayCodeOf(tokenHash) }
}
const till = async (of = key) => (await pairDevice(service, of)).accessToken
const connect = (device: string, code: string) => call('PUT', '/till/display', { key: device, body: { code } })
const stateOf = async (device: string) => (await call('GET', '/till/display', { key: device })).json.state
const sceneOf = async (token: string) => (await call('GET', '/till/display/scene', { key: token })).json
async function trailOf(...deviceIds: readonly string[]) {
  const rows = await service.deps.db.query<{ entry: string; details: Record<string, unknown> }>(
    {
      name: 'test_display_trail',
      text: `select convert_from(e.bytes, 'UTF8') as entry, d.details from audit_entries e
             join audit_details d using (tenant_id, environment, seq)
             where e.object_id = any ($1) order by e.seq`,
    },
    [deviceIds],
  )
  return rows
    .map(({ entry, details }) => ({ ...JSON.parse(entry), details }))
    .filter(({ action }) => /display|pin|revoked/.test(action))
}
const UNCONNECTED = { kind: 'unconnected' }
const NO_LOOK = { style: null, logo: null, logo_dark: null }
const WELCOME = { kind: 'welcome', test: true, shop: SHOP, look: NO_LOOK }

test("after its code is typed at the till, a screen shows the till's verifications, and never their outcome", async () => {
  const [screen, device] = [newScreen(), await till()]
  assert.deepEqual(await sceneOf(screen.token), UNCONNECTED)
  assert.equal(await stateOf(device), 'none')
  const typed = `${screen.code.slice(0, 4).toLowerCase()}-${screen.code.slice(4)}`
  assert.deepEqual((await connect(device, typed)).json, { state: 'waiting' })
  assert.deepEqual(await sceneOf(screen.token), WELCOME)
  assert.equal(await stateOf(device), 'here')
  const created = (await call('POST', '/v1/verifications', { key: device, body: { template: 'age_over_18' } })).json
  const question = { template: 'age_over_18', title: null }
  const shown = {
    kind: 'code',
    test: true,
    shop: SHOP,
    look: NO_LOOK,
    question,
    wallet_uri: created.wallet_uri,
    agreed: [],
  }
  assert.deepEqual(await sceneOf(screen.token), shown)
  await wallet.present(created.wallet_uri)
  assert.deepEqual(await sceneOf(screen.token), WELCOME)
  // Another till of the same merchant, and the merchant itself, create verifications that it does not show.
  for (const other of [await till(), key])
    await call('POST', '/v1/verifications', { key: other, body: { template: 'age_over_18' } })
  assert.deepEqual(await sceneOf(screen.token), WELCOME)
  assert.deepEqual((await call('DELETE', '/till/display', { key: device })).json, { state: 'none' })
  assert.deepEqual(await sceneOf(screen.token), UNCONNECTED)
})

test("till and screen show the shop's public name, and the template's title", async () => {
  const tenantId = await service.tenant({ name: 'Sonnenhof GmbH' })
  const realm = { tenantId, environment: 'test' } as const
  const own = await service.key(tenantId)
  await saveTemplate(service.deps, {
    realm,
    key: 'wine_club',
    document: { title: 'Member of the wine club', query: { credentials: [CARD] } },
    actor: OPERATOR,
  })
  const [screen, device] = [newScreen(), (await pairDevice(service, own, { templates: ['wine_club'] })).accessToken]
  await connect(device, screen.code)
  const shopOf = async () => (await call('GET', '/till/shop', { key: device })).json.name
  assert.deepEqual([await shopOf(), (await sceneOf(screen.token)).shop], ['Sonnenhof GmbH', 'Sonnenhof GmbH'])
  await dress(service, tenantId, { name: 'Der Sonnenhof' })
  assert.deepEqual([await shopOf(), (await sceneOf(screen.token)).shop], ['Der Sonnenhof', 'Der Sonnenhof'])
  const { look } = (await call('GET', '/till/shop', { key: device })).json
  assert.deepEqual((await sceneOf(screen.token)).look, look)
  assert.equal(look.style, '/assets/brand/0b6b4f-x-large-inter/till.css')
  assert.equal((await call('GET', look.logo)).headers['content-type'], 'image/svg+xml')
  // The logo is served by its hash, only in its realm.
  for (const path of [
    look.logo.replace('/test/', '/live/'),
    look.logo.replace(/.$/, 'x'),
    look.logo.replace(/ten_/, 'no_'),
  ])
    assertRefused(await call('GET', path), 404, 'not_found')
  await call('POST', '/v1/verifications', { key: device, body: { template: 'wine_club' } })
  const { question } = await sceneOf(screen.token)
  assert.deepEqual(question, { template: 'wine_club', title: 'Member of the wine club' })
  assertRefused(await call('GET', '/till/shop', { key: own }), 403, 'insufficient_scope')
  assertRefused(await call('GET', '/till/shop', { key: screen.token }), 401, 'invalid_api_key')
})

test('only the first screen with a code is connected', async () => {
  const [screen, device] = [newScreen(), await till()]
  await connect(device, screen.code)
  await sceneOf(screen.token)
  const copy = { code: screen.code, tokenHash: newScreen().tokenHash }
  assert.deepEqual(await loadShownTillsAcrossTenants(service.deps.db, [copy], clock.now()), [])
  const [shown] = await loadShownTillsAcrossTenants(service.deps.db, [screen], clock.now())
  assert.ok(shown !== undefined)
  assert.equal(await noteDisplay(service.deps.db, shown, copy, instantOf(clock.now())), false)
  // The code is entered again, and the first screen that uses it is connected.
  await connect(device, screen.code)
  assert.equal(await noteDisplay(service.deps.db, shown, copy, instantOf(clock.now())), true)
  assert.deepEqual(await sceneOf(screen.token), UNCONNECTED)
})

test('another till of the merchant can take over the display; a foreign till only after the display has expired', async () => {
  const screen = newScreen()
  const foreignKey = await service.key(await service.tenant())
  const [first, second] = [await till(), await till()]
  const foreign = await pairDevice(service, foreignKey)
  await connect(first, screen.code)
  assertRefused(await connect(foreign.accessToken, screen.code), 400, 'invalid_pairing_code')
  await sceneOf(screen.token)
  await connect(second, screen.code)
  assert.deepEqual(await sceneOf(screen.token), WELCOME)
  assert.deepEqual([await stateOf(first), await stateOf(second)], ['none', 'here'])
  clock.advance(MINUTE)
  assert.equal(await stateOf(second), 'away')
  clock.advance(24 * 60 * MINUTE)
  assert.deepEqual(await sceneOf(screen.token), UNCONNECTED)
  const later = (await refresh(service, foreign.refreshToken)).json.access_token
  assert.equal((await connect(later, screen.code)).status, 200)
  assert.deepEqual(await sceneOf(screen.token), { ...WELCOME, shop: 'Test tenant' })
})

test('an unused code expires in ten minutes; a revoked till shows nothing', async () => {
  const [screen, device] = [newScreen(), await pairDevice(service, key)]
  await connect(device.accessToken, screen.code)
  clock.advance(10 * MINUTE)
  assert.deepEqual(await sceneOf(screen.token), UNCONNECTED)
  assert.equal(await stateOf(device.accessToken), 'none')
  await connect(device.accessToken, screen.code)
  assert.deepEqual(await sceneOf(screen.token), WELCOME)
  await call('DELETE', `/v1/devices/${device.id}`, { key })
  assert.deepEqual(await sceneOf(screen.token), UNCONNECTED)
})

test('callers that are not a device, or have no token or code, are refused; a token gives no other access', async () => {
  const screen = newScreen()
  assertRefused(await connect(key, screen.code), 403, 'insufficient_scope')
  for (const method of ['GET', 'DELETE'])
    assertRefused(await call(method, '/till/display', { key }), 403, 'insufficient_scope')
  assertRefused(await call('GET', '/till/display'), 401, 'invalid_api_key')
  const device = await till()
  for (const code of ['', 'short', '!!!!-!!!!', '123456789'])
    assert.equal((await connect(device, code)).status, 400, code)
  assert.equal((await connect(device, 'A'.repeat(2_000))).status, 413)
  for (const token of ['', 'short', `${screen.token}A`, device])
    assertRefused(await call('GET', '/till/display/scene', { key: token }), 400, 'invalid_request')
  assertRefused(await call('GET', '/till/display/scene'), 400, 'invalid_request')
  assertRefused(await call('GET', '/v1/verifications', { key: screen.token }), 401, 'invalid_api_key')
})

test('the audit trail says which till got a screen, which lost it, by whom, and each change of a PIN', async () => {
  const [screen, first, second] = [newScreen(), await pairDevice(service, key), await pairDevice(service, key)]
  await connect(first.accessToken, screen.code)
  await connect(second.accessToken, screen.code)
  for (let times = 0; times < 2; times += 1) await call('DELETE', '/till/display', { key: second.accessToken })
  assertRefused(await connect(first.accessToken, 'short'), 400, 'invalid_pairing_code')
  for (const pin of ['set', 'removed'])
    assert.equal((await call('POST', '/till/kiosk', { key: first.accessToken, body: { pin } })).status, 200)
  for (const body of [{}, { pin: '4711' }, { pin: 'set', digits: '4711' }])
    assert.equal((await call('POST', '/till/kiosk', { key: first.accessToken, body })).status, 400)
  assertRefused(await call('POST', '/till/kiosk', { key, body: { pin: 'set' } }), 403, 'insufficient_scope')
  const trail = await trailOf(first.id, second.id)
  assert.deepEqual(
    trail.map(({ action, actor, object }) => [action, actor.type, actor.id, object.id]),
    [
      ['device.display_connected', 'device', first.id, first.id],
      ['device.display_disconnected', 'device', second.id, first.id],
      ['device.display_connected', 'device', second.id, second.id],
      ['device.display_disconnected', 'device', second.id, second.id],
      ['device.pin_set', 'device', first.id, first.id],
      ['device.pin_removed', 'device', first.id, first.id],
    ],
  )
  assert.ok(trail.every(({ details }) => typeof details.actor_name === 'string'))
  assert.ok(!JSON.stringify(trail).includes(screen.code))
})

test('unpairing a till ends its own device and nothing else: its tokens, its screen, with one audit entry', async () => {
  const [screen, leaving, staying] = [newScreen(), await pairDevice(service, key), await pairDevice(service, key)]
  await connect(leaving.accessToken, screen.code)
  assert.deepEqual(await sceneOf(screen.token), WELCOME)
  assertRefused(await call('DELETE', '/till/pairing', { key }), 403, 'insufficient_scope')
  assertRefused(await call('DELETE', '/till/pairing'), 401, 'invalid_api_key')
  assert.equal((await call('DELETE', '/till/pairing', { key: leaving.accessToken })).status, 200)
  assertRefused(await call('DELETE', '/till/pairing', { key: leaving.accessToken }), 401, 'invalid_api_key')
  assertRefused(await call('GET', '/v1/templates', { key: leaving.accessToken }), 401, 'invalid_api_key')
  assertRefused(await refresh(service, leaving.refreshToken), 400, 'invalid_refresh_token')
  assert.deepEqual(await sceneOf(screen.token), UNCONNECTED)
  assert.equal((await call('GET', '/v1/templates', { key: staying.accessToken })).status, 200)
  const revoked = (await trailOf(leaving.id, staying.id)).filter(({ action }) => action === 'device.revoked')
  assert.deepEqual(
    revoked.map(({ actor, object }) => [actor.type, actor.id, object.id]),
    [['device', leaving.id, leaving.id]],
  )
})

test('if tills of many merchants enter one code at once, one gets the screen and the others are refused', async () => {
  const tills = await Promise.all(
    Array.from({ length: 8 }, async () => till(await service.key(await service.tenant()))),
  )
  for (let round = 0; round < 3; round += 1) {
    const { code } = newScreen()
    const answers = await Promise.all(tills.map((device) => connect(device, code)))
    assert.deepEqual(
      answers.map(({ status }) => status).sort(),
      [200, 400, 400, 400, 400, 400, 400, 400],
      answers.map(({ text }) => text).join('\n'),
    )
  }
})

test('two tills that swap their screens at once have one screen each', async () => {
  const [one, other] = [newScreen(), newScreen()]
  const [left, right] = [await till(), await till()]
  for (let round = 0; round < 8; round += 1) {
    const pairs = [
      [left, round % 2 === 0 ? one.code : other.code],
      [right, round % 2 === 0 ? other.code : one.code],
    ] as const
    const answers = await Promise.all(pairs.map(([device, code]) => connect(device, code)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.deepEqual([await stateOf(left), await stateOf(right)], ['waiting', 'waiting'])
  }
})

test('a till may send many changes, but the audit trail grows at a limited rate', async () => {
  const device = await pairDevice(service, key)
  const note = () => call('POST', '/till/kiosk', { key: device.accessToken, body: { pin: 'set' } })
  for (let times = 0; times < 20; times += 1) assert.equal((await note()).status, 200)
  assertRefused(await note(), 429, 'rate_limit_exceeded')
  assertRefused(await connect(device.accessToken, newScreen().code), 429, 'rate_limit_exceeded')
  assert.equal(await stateOf(device.accessToken), 'none')
  assert.equal((await trailOf(device.id)).length, 20)
})

test('a code is derived from its token as the screen does it (till/test/counter.test.ts)', () => {
  assert.equal(displayCodeOf(hashDisplayToken('a token')), '3HEBFBPG')
})
