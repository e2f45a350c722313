// Tests the origin of a verification, the merchant's own page: listed and proven in its realm, in the form of browsers.

import assert from 'node:assert/strict'
import test from 'node:test'
import { findWalletVerification } from '../../src/core/verifications/store/wallet-verifications.ts'
import { addOrigin, readOrigins, removeOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { deps } = service
const LOCAL = 'http://localhost:5173'
const APP = 'android:apk-key-hash:7d1043473d55bfa9'
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const realm = { tenantId, environment: 'test' as const }
for (const origin of [LOCAL, APP, 'https://shop.example'])
  assert.equal((await addOrigin(deps, { realm, origin, actor: OPERATOR })).outcome, 'added')

const ask = (origin: string, as = key) =>
  service.call('POST', '/v1/verifications', { key: as, body: { template: 'age_over_18', origin } })

test('a proven origin is accepted, stored sealed, and not shown', async () => {
  for (const origin of [LOCAL, APP]) {
    const created = await ask(origin)
    assert.equal(created.status, 201, created.text)
    assert.ok(!created.text.includes(origin))
    assert.equal((await findWalletVerification(deps, created.json.id))?.origin, origin)
    const [row] = await deps.db.query<{ text: string }>(
      { name: 'test_whole_row', text: 'select v::text as text from verifications v where id = $1' },
      [created.json.id],
    )
    assert.ok(!row?.text.includes(origin) && !row?.text.includes(Buffer.from(origin).toString('hex')))
  }
  const { id } = await create(service, key, { template: 'age_over_18' })
  assert.equal((await findWalletVerification(deps, id))?.origin, null)
})

test('an origin that is unproven, in another form, or of another realm is refused', async () => {
  for (const origin of [
    'https://shop.example',
    `${LOCAL}/`,
    'HTTP://localhost:5173',
    'https://other.example',
    '*',
    'null',
  ])
    assertRefused(await ask(origin), 422, 'origin_not_allowed')
  for (const other of [await service.key(await service.tenant()), await service.key(tenantId, { environment: 'live' })])
    assertRefused(await ask(LOCAL, other), 422, 'origin_not_allowed')
  assertRefused(await ask(`${LOCAL}\u0000`), 400, 'invalid_request')
  assertRefused(await ask(''), 400, 'invalid_request')
})

test('another origin under the same idempotency key is another request', async () => {
  const send = (origin: string) =>
    service.call('POST', '/v1/verifications', {
      key,
      headers: { 'idempotency-key': 'origin-1' },
      body: { template: 'age_over_18', origin },
    })
  const first = await send(LOCAL)
  assert.equal((await send(LOCAL)).json.id, first.json.id)
  assertRefused(await send(APP), 422, 'idempotency_key_reused')
})

test('a removed origin can no longer be used', async () => {
  const listed = (await readOrigins(deps, realm)).find(({ origin }) => origin === APP)
  assert.ok(await removeOrigin(deps, { realm, id: listed?.id ?? '', actor: OPERATOR }))
  assertRefused(await ask(APP), 422, 'origin_not_allowed')
})
