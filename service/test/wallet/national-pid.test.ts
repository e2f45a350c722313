// A PID of a national type that its issuer says is a European one too: the built-in templates take it, where an anchor
// vouches for both types.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer, generateKey, issue, TYPE } from '@vidimus/wallet'
import { addAnchor, removeAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from './verifications.ts'

const GERMAN = 'urn:eudi:pid:de:1'

const service = await testService()
const wallet = await testWallet(service)
const now = () => Math.floor(service.clock.now() / 1000)
const issuer = createIssuer({ base: 'https://issuer.example', now: now(), name: 'National issuer' })
const tenant = await service.tenant()
const key = await service.key(tenant)

async function underAnchorFor(types: readonly string[]) {
  const added = await addAnchor(service.deps, {
    owner: { tenantId: tenant, environment: 'test' },
    kind: 'ca',
    profile: 'generic',
    types: types.map((type) => `dc+sd-jwt:${type}` as const),
    certificate: new Uint8Array(Buffer.from(issuer.sdJwt.authority.certificate, 'base64')),
    actor: OPERATOR,
  })
  assert.ok(added.outcome === 'added', JSON.stringify(added))
  service.clock.advance(5_001)
  const made = await create(service, key, { template: 'identity' })
  const held = [
    issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: null, nationalType: GERMAN }),
  ]
  await respond(service, made.id, await validBody(wallet, await wallet.request(made.wallet_uri), { held }))
  await removeAnchor(service.deps, { id: added.anchor.id, actor: OPERATOR })
  return read(service, key, made.id)
}

test('a German PID answers a question for a PID, and is shown as what it is', async () => {
  const result = await underAnchorFor([GERMAN, TYPE.pidSdJwt])
  assert.equal(result.status, 'completed', JSON.stringify(result))
  assert.equal(result.credentials[0].doctype_or_vct, GERMAN)
  assert.ok(result.claims.family_name)
})

for (const type of [GERMAN, TYPE.pidSdJwt]) {
  test(`an anchor for ${type} alone is not enough`, async () => {
    const result = await underAnchorFor([type])
    assert.equal(result.error.code, 'issuer_untrusted')
    assert.equal(result.credentials[0].trusted, false)
  })
}
