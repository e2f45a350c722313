// Specification 4.1 (devices), 4.2 (enroll, token) and their limits of part 8. One test per sentence.

import assert from 'node:assert/strict'
import test from 'node:test'
import { SCOPES } from '../../../wire/values/keys.ts'
import { mintPair } from '../../src/features/devices/domain/token.ts'
import { enroll, pairDevice, refresh, registerDevice } from '../harness/devices.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()
const { call, clock } = service
const tenant = await service.tenant()
const key = await service.key(tenant)
const VALID = { name: 'Till 1', allowed_templates: ['age_over_18'] }
const DAY = 86_400_000

const register = (body: unknown) => call('POST', '/v1/devices', { key, body })

test('4.1 POST, GET and DELETE /v1/devices need the scope devices:manage, checked before the body is read', async () => {
  const { id } = (await registerDevice(service, key)).json.device
  for (const scope of SCOPES.filter((scope) => scope !== 'devices:manage')) {
    const other = await service.key(tenant, { scopes: [scope] })
    const answers = [
      await call('POST', '/v1/devices', { key: other, body: VALID }),
      await call('POST', '/v1/devices', { key: other, raw: '{', headers: { 'content-type': 'application/json' } }),
      await call('GET', '/v1/devices', { key: other }),
      await call('DELETE', `/v1/devices/${id}`, { key: other }),
    ]
    for (const answer of answers) {
      assertRefused(answer, 403, 'insufficient_scope')
      assert.match(answer.json.error.message, /devices:manage/)
    }
  }
})

test('4.1 the pairing code has the format VD-XXXX-XXXX and appears only in this response', async () => {
  const { json, text } = await registerDevice(service, key)
  assert.match(json.pairing_code, /^VD-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  assert.deepEqual(Object.keys(json).sort(), ['device', 'pairing_code'])
  assert.ok(text.includes(json.pairing_code))
  const bare = json.pairing_code.slice(3).replace('-', '')
  for (const answer of [await call('GET', '/v1/devices', { key }), await enroll(service, json.pairing_code)]) {
    assert.ok(!answer.text.includes(json.pairing_code) && !answer.text.includes(bare))
  }
})

test('4.1 only hashes of the pairing code and of tokens are stored, and nothing of them is logged', async () => {
  const { json } = await registerDevice(service, key)
  const waiting = await register(VALID)
  const bare = (code: string) => code.slice(3).replace('-', '')
  const pair = (await enroll(service, json.pairing_code)).json
  const rows = await service.deps.db.query<{ row: string }>({
    name: 'test_device_rows',
    text: `select to_jsonb(d)::text as row from devices d union all select to_jsonb(t)::text from device_token_pairs t
           union all select to_jsonb(a)::text from audit_details a union all select encode(bytes, 'escape') from audit_entries`,
  })
  const kept = rows.map(({ row }) => row).join('\n') + service.logged.join('\n')
  for (const secret of [
    bare(json.pairing_code),
    bare(waiting.json.pairing_code),
    pair.access_token.slice(3),
    pair.refresh_token.slice(4),
  ]) {
    assert.ok(!kept.includes(secret))
  }
  const [row] = await service.deps.db.query<{ pairing_code_hash: Buffer }>(
    { name: 'test_code_hash', text: 'select pairing_code_hash from devices where id = $1' },
    [waiting.json.device.id],
  )
  assert.equal(row?.pairing_code_hash.length, 32)
})

const BAD_BODIES: readonly (readonly [string, unknown])[] = [
  ['no body member', {}],
  ['no name', { allowed_templates: ['age_over_18'] }],
  ['an empty name', { ...VALID, name: '' }],
  ['a name of 65', { ...VALID, name: 'x'.repeat(65) }],
  ['a name with a NUL', { ...VALID, name: 'a\0b' }],
  ['a name of another type', { ...VALID, name: 7 }],
  ['no allowed_templates', { name: 'Till' }],
  ['empty allowed_templates', { ...VALID, allowed_templates: [] }],
  ['21 allowed_templates', { ...VALID, allowed_templates: Array.from({ length: 21 }, (_, at) => `t${at}`) }],
  ['an empty template key', { ...VALID, allowed_templates: [''] }],
  ['a template key of 65', { ...VALID, allowed_templates: ['x'.repeat(65)] }],
  ['pairing_ttl_seconds 59', { ...VALID, pairing_ttl_seconds: 59 }],
  ['pairing_ttl_seconds 86401', { ...VALID, pairing_ttl_seconds: 86_401 }],
  ['pairing_ttl_seconds as text', { ...VALID, pairing_ttl_seconds: '900' }],
  ['pairing_ttl_seconds with a fraction', { ...VALID, pairing_ttl_seconds: 900.5 }],
  ['an unknown member', { ...VALID, colour: 'red' }],
]

for (const [title, body] of BAD_BODIES) {
  test(`4.1 POST /v1/devices with ${title} answers 400 invalid_request`, async () => {
    assertRefused(await register(body), 400, 'invalid_request')
  })
}

test('8 device name 1-64 characters, allowed_templates 1-20 entries of 1-64, pairing_ttl_seconds 60-86400 are accepted', async () => {
  const long = '𝒯'.repeat(64)
  const twenty = Array.from({ length: 20 }, (_, at) => `${at}`.padStart(64, 'k'))
  for (const body of [
    { name: 'x', allowed_templates: ['y'], pairing_ttl_seconds: 60 },
    { name: long, allowed_templates: twenty, pairing_ttl_seconds: 86_400 },
  ]) {
    const answer = await register(body)
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.device.name, body.name)
    assert.deepEqual(answer.json.device.allowed_templates, body.allowed_templates)
    const { created_at, pairing_expires_at } = answer.json.device
    assert.equal(Date.parse(pairing_expires_at) - Date.parse(created_at), body.pairing_ttl_seconds * 1000)
  }
})

test('4.1 pairing_ttl_seconds is 900 by default', async () => {
  const { created_at, pairing_expires_at } = (await register(VALID)).json.device
  assert.equal(Date.parse(pairing_expires_at) - Date.parse(created_at), 900_000)
})

test('4.1 GET /v1/devices lists newest first, without parameters, and only the own tenant and environment', async () => {
  const other = await service.tenant()
  const testKey = await service.key(other)
  const liveKey = await service.key(other, { environment: 'live' })
  const ids = []
  for (const name of ['one', 'two', 'three'])
    ids.push((await registerDevice(service, testKey, { name })).json.device.id)
  const live = (await registerDevice(service, liveKey)).json.device.id
  const list = await call('GET', '/v1/devices', { key: testKey })
  assert.deepEqual(
    list.json.data.map(({ id }: { id: string }) => id),
    ids.reverse(),
  )
  assert.deepEqual(Object.keys(list.json), ['data'])
  const liveList = await call('GET', '/v1/devices', { key: liveKey })
  assert.deepEqual(
    liveList.json.data.map(({ id }: { id: string }) => id),
    [live],
  )
})

test("4.1 DELETE of an unknown id, another tenant's, another environment's or a malformed one answers one 404", async () => {
  const foreignKey = await service.key(await service.tenant())
  const foreign = (await registerDevice(service, foreignKey)).json.device.id
  const liveKey = await service.key(tenant, { environment: 'live' })
  const live = (await registerDevice(service, liveKey)).json.device.id
  const texts = new Set<string>()
  for (const id of [foreign, live, '00000000-0000-4000-8000-000000000000', 'no-uuid', '%00', 'x'.repeat(400)]) {
    const answer = await call('DELETE', `/v1/devices/${id}`, { key })
    assertRefused(answer, 404, 'device_not_found')
    texts.add(answer.text)
  }
  assert.equal(texts.size, 1)
  const [device] = (await call('GET', '/v1/devices', { key: foreignKey })).json.data
  assert.equal(device.status, 'pending')
})

test('4.2 enrollment ignores case and dashes', async () => {
  const shapes: ((code: string) => string)[] = [
    (code) => code.toLowerCase(),
    (code) => code.replaceAll('-', ''),
    (code) => code.slice(3),
    (code) => ` ${code.replaceAll('-', ' ')} `,
    (code) => code.replaceAll('-', '–'),
  ]
  for (const shape of shapes) {
    const { json } = await registerDevice(service, key)
    assert.equal((await enroll(service, shape(json.pairing_code))).status, 200)
  }
})

test('4.2 a code already consumed, wrong, expired, revoked or malformed yields the same invalid-code failure', async () => {
  const used = (await pairDevice(service, key)).pairingCode
  const lapsed = (await registerDevice(service, key, { ttlSeconds: 60 })).json.pairing_code
  const gone = (await registerDevice(service, key)).json
  await call('DELETE', `/v1/devices/${gone.device.id}`, { key })
  clock.advance(60_001)
  const texts = new Set<string>()
  for (const code of [used, lapsed, gone.pairing_code, 'VD-0000-0000', 'VD', '?', 'U'.repeat(32)]) {
    const answer = await enroll(service, code)
    assertRefused(answer, 400, 'invalid_pairing_code')
    texts.add(answer.text)
  }
  assert.equal(texts.size, 1)
})

test('8 pairing_code input has 1-32 characters', async () => {
  for (const code of ['', 'x'.repeat(33)]) assertRefused(await enroll(service, code), 400, 'invalid_request')
  for (const body of [{}, { pairing_code: 7 }, { pairing_code: 'VD-0000-0000', device: 'x' }]) {
    assertRefused(await call('POST', '/v1/devices/enroll', { body }), 400, 'invalid_request')
  }
})

test('4.2 a refresh token of at least 1 char that is unknown, malformed or an access token answers 400 and changes nothing', async () => {
  const device = await pairDevice(service, key)
  assertRefused(await refresh(service, ''), 400, 'invalid_request')
  const unknown = mintPair(service.deps.random).refreshToken
  for (const token of ['x', unknown, device.accessToken, `${device.refreshToken} `, device.refreshToken.slice(0, -1)]) {
    assertRefused(await refresh(service, token), 400, 'invalid_refresh_token')
  }
  assert.equal((await refresh(service, device.refreshToken)).status, 200)
})

test('4.2 an expired refresh token is refused without revoking; the boundary is inclusive', async () => {
  const early = await pairDevice(service, key)
  const late = await pairDevice(service, key)
  clock.advance(30 * DAY - 1)
  assert.equal((await refresh(service, early.refreshToken)).status, 200)
  clock.advance(1)
  assertRefused(await refresh(service, late.refreshToken), 400, 'invalid_refresh_token')
  const list = (await call('GET', '/v1/devices', { key })).json.data
  assert.equal(list.find(({ id }: { id: string }) => id === late.id).status, 'active')
})

test('4.2 after a year a device must be paired again, however often it refreshes', async () => {
  let { refreshToken } = await pairDevice(service, key)
  let left = 0
  for (let day = 0; day < 364; day += 14) {
    clock.advance(14 * DAY)
    const answer = await refresh(service, refreshToken)
    assert.equal(answer.status, 200)
    refreshToken = answer.json.refresh_token
    left = answer.json.refresh_expires_in
  }
  assert.equal(left, 86_400)
  clock.advance(DAY)
  assertRefused(await refresh(service, refreshToken), 400, 'invalid_refresh_token')
})
