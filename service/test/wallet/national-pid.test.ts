// Tests that built-in templates accept a national PID if an anchor vouches for both types.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer, generateKey, issue, TYPE } from '@vidimus/wallet'
import { builtInTemplate } from '../../src/core/templates/domain/question.ts'
import { withDomesticPids } from '../../src/core/verifications/usecases/asking/domestic-pids.ts'
import { addAnchor, removeAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
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

async function trustFor(types: readonly string[], authority = issuer) {
  const added = await addAnchor(service.deps, {
    owner: { tenantId: tenant, environment: 'test' },
    kind: 'ca',
    profile: 'generic',
    types: types.map((type) => `dc+sd-jwt:${type}` as const),
    certificate: new Uint8Array(Buffer.from(authority.sdJwt.authority.certificate, 'base64')),
    actor: OPERATOR,
  })
  assert.ok(added.outcome === 'added', JSON.stringify(added))
  service.clock.advance(5_001)
  return added.anchor.id
}

async function underAnchorFor(types: readonly string[]) {
  const id = await trustFor(types)
  const created = await create(service, key, { template: 'identity' })
  const credentials = [
    issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: null, nationalType: GERMAN }),
  ]
  await respond(service, created.id, await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  await removeAnchor(service.deps, { id, actor: OPERATOR })
  return read(service, key, created.id)
}

test('a German PID answers a query for a PID, and is shown with its German type', async () => {
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

/**
 * Returns a PID as in the rulebook's example, which does not name the European type. Its wallet compares types by name.
 */
const silent = () =>
  issue(issuer, 'pid_sd_jwt', {
    holderKey: generateKey(),
    now: now(),
    statusIndex: null,
    nationalType: GERMAN,
    withoutOtherTypes: true,
  })

async function typesAsked(body: object) {
  const created = await create(service, key, body)
  const request = await wallet.request(created.wallet_uri)
  return { created, request, types: request.query.credentials.find(({ format }) => format === 'dc+sd-jwt')?.types }
}

test('if its anchor vouches for both types, the query names the national type, and a PID without the European type answers', async () => {
  const id = await trustFor([GERMAN, TYPE.pidSdJwt])
  for (const template of ['identity', 'age_over_18', 'address']) {
    const { created, request, types } = await typesAsked({ template })
    assert.deepEqual(types, [TYPE.pidSdJwt, GERMAN])
    await respond(service, created.id, await validBody(wallet, request, { credentials: [silent()] }))
    const result = await read(service, key, created.id)
    assert.equal(result.status, 'completed', JSON.stringify(result.error))
    assert.equal(result.credentials[0].doctype_or_vct, GERMAN)
    assert.equal(result.template, template)
  }
  const { created: verification } = await typesAsked({ template: 'identity' })
  const browser = await browserAnswer(wallet, (await fetchOffer(service, verification.id)).json, {
    credentials: [silent()],
  })
  assert.equal((await postAnswer(service, verification.id, browser, OWN_ORIGIN)).status, 200)
  assert.equal((await read(service, key, verification.id)).status, 'completed')
  // A merchant's own query stays unchanged.
  const query = { credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [TYPE.pidSdJwt] } }] }
  assert.deepEqual((await typesAsked({ query })).types, [TYPE.pidSdJwt])
  await removeAnchor(service.deps, { id, actor: OPERATOR })
})

test('a national type is not named if any anchor vouches only for it, and then its PID does not answer', async () => {
  const other = createIssuer({ base: 'https://other.example', now: now(), name: 'Another issuer' })
  const ids = [await trustFor([GERMAN, TYPE.pidSdJwt]), await trustFor([GERMAN], other)]
  const { created, request, types } = await typesAsked({ template: 'identity' })
  assert.deepEqual(types, [TYPE.pidSdJwt])
  const asIfNamed = request.query.credentials.map((one) =>
    one.format === 'dc+sd-jwt' ? { ...one, types: [GERMAN] } : one,
  )
  const changed = { ...request, query: { ...request.query, credentials: asIfNamed } }
  await respond(service, created.id, await validBody(wallet, changed, { credentials: [silent()] }))
  assert.equal((await read(service, key, created.id)).error.code, 'query_not_satisfied')
  for (const id of ids) await removeAnchor(service.deps, { id, actor: OPERATOR })
})

test('a creation tries no more types than a query can name, however many the anchors of a tenant name', async () => {
  const many = Array.from({ length: 300 }, (_, at) => `urn:eudi:pid:de:${at}`)
  const id = await trustFor([...many, TYPE.pidSdJwt])
  const template = builtInTemplate('identity')
  assert.ok(template !== null)
  let reads = 0
  const query = {
    ...template.query,
    get credentials() {
      reads += 1
      return template.query.credentials
    },
  }
  const named = await withDomesticPids(service.deps, { tenantId: tenant, environment: 'test' }, query, null)
  const [pid] = named?.credentials ?? []
  assert.equal(pid?.format === 'dc+sd-jwt' && pid.meta.vct_values.length, 50)
  assert.ok(reads < 200, `the query was read ${reads} times`)
  await removeAnchor(service.deps, { id, actor: OPERATOR })
})
