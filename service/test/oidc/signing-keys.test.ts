// Tests a realm's signing keys: created once, replaced in time, and published long enough before and after.

import assert from 'node:assert/strict'
import test from 'node:test'
import { rotateSigningKeys } from '../../src/features/oidc/usecases/signing-keys.ts'
import { runJob } from '../harness/jobs.ts'
import { testClient } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { CALLBACK, callToken, codeFor, ownSecret, pathOf } from './callers.ts'

const DAY = 86_400_000
const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const realm = { tenantId: tenant, environment: 'test' } as const
const shop = await testClient(service, tenant, { redirectUris: [CALLBACK] })

interface PublicKey {
  readonly kid: string
  readonly alg: string
}

const shownKeys = async (): Promise<PublicKey[]> => (await service.call('GET', pathOf(shop, '/jwks'))).json.keys

async function signer(): Promise<string> {
  const code = await codeFor(service, wallet, shop)
  const { id_token: token } = (await callToken(service, shop, { ...ownSecret(shop), code })).json
  return JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()).kid
}

test('simultaneous callers get the same keys, one of each kind, and nothing private', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, shownKeys))
  assert.equal(new Set(answers.map((keys) => JSON.stringify(keys))).size, 1)
  assert.deepEqual(answers[0]?.map(({ alg }) => alg).sort(), ['ES256', 'RS256'])
  for (const key of answers[0] ?? [])
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi']) assert.ok(!(member in key))
})

test('a new key is published a day before it signs, and the old one for a day after', async () => {
  const before = await signer()
  await rotateSigningKeys(service.deps, realm)
  await rotateSigningKeys(service.deps, realm)
  assert.equal((await shownKeys()).length, 4, 'one prepared key is enough')
  assert.equal(await signer(), before)
  service.clock.advance(DAY)
  const after = await signer()
  assert.notEqual(after, before)
  await runJob(service.deps, 'renew-signing-keys')
  assert.ok(
    (await shownKeys()).some(({ kid }) => kid === before),
    'tokens that it signed still verify',
  )
  service.clock.advance(DAY)
  await runJob(service.deps, 'renew-signing-keys')
  assert.deepEqual((await shownKeys()).map(({ kid }) => kid).includes(before), false)
  assert.equal((await shownKeys()).length, 2)
})

test('old keys are replaced automatically', async () => {
  const before = await signer()
  service.clock.advance(89 * DAY)
  await runJob(service.deps, 'renew-signing-keys')
  assert.equal((await shownKeys()).length, 4)
  service.clock.advance(DAY)
  assert.notEqual(await signer(), before)
})
