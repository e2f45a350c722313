// Tests the link of the EU age profile, which asks only for an age, through the real routes and the hosted page.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import test from 'node:test'
import { ageLink, ageQueryOf } from '@vidimus/engine'
import { openEvidence, verifyReceipt } from '@vidimus/sdk'
import { answerAgeLink, parseAgeLink } from '@vidimus/wallet'
import { builtInTemplate } from '../../src/core/templates/domain/question.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { changeEvidence } from '../../src/features/evidence/usecases/manage-evidence.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { merchant } from '../forgetting/merchants.ts'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { CONSENT, CONSENT_SCHEMA } from '../transactions/asking.ts'
import { bindingOf, create, newCredentials, read, respond, validBody } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)

async function keyWith(change: Parameters<typeof changeSettings>[1]['change']): Promise<string> {
  const tenantId = await service.tenant()
  await changeSettings(service.deps, { tenantId, change, actor: OPERATOR })
  return service.key(tenantId)
}
const key = await keyWith({ ageLink: true })

/** Returns the link on the hosted page; null if there is none. */
async function linkOf(id: string): Promise<string | null> {
  const page = await service.call('GET', `/verify/${id}`)
  const [, href] = /data-age href="([^"]+)"/.exec(page.text) ?? []
  return href?.replaceAll('&amp;', '&').replaceAll('&#38;', '&') ?? null
}

async function createWithLink(owner = key, template = 'age_over_18') {
  const created = await create(service, owner, { template })
  const link = await linkOf(created.id)
  assert.ok(link !== null)
  return { created, link }
}

test('the age app answers by the link, unencrypted, and the template has its output', async () => {
  for (const template of ['age_over_16', 'age_over_18', 'age_over_21']) {
    const { created, link } = await createWithLink(key, template)
    const answer = await answerAgeLink(link, wallet.options)
    assert.equal(answer.status, 200)
    const result = await read(service, key, created.id)
    assert.equal(result.status, 'completed', JSON.stringify(result.error))
    assert.deepEqual(result.claims, { [template]: true })
    assert.equal(result.credentials[0].doctype_or_vct, 'eu.europa.ec.av.1')
  }
})

test('a wallet that declines or cheats gets the same error codes as with the signed request', async () => {
  for (const [scenario, code] of [
    ['declined', 'wallet_declined'],
    ['tampered', 'credential_invalid'],
    ['wrong_nonce', 'holder_binding_invalid'],
  ] as const) {
    const { created, link } = await createWithLink()
    await answerAgeLink(link, { ...wallet.options, scenario })
    assert.equal((await read(service, key, created.id)).error.code, code)
  }
})

test('receipt, evidence and staff have the link, not the signed request that others fetched', async () => {
  const one = await merchant(service, { content: 'keep' })
  const resultKey = await addMerchantKey(service, one.realm)
  const { tenantId } = one.realm
  await changeSettings(service.deps, { tenantId, change: { ageLink: true }, actor: OPERATOR })
  await changeEvidence(service.deps, { tenantId, basis: 'Youth protection act, section 5', actor: OPERATOR })
  const registrar = await testRegistrar(service)
  await registerTenant(service, registrar, one.realm)
  await addTo(service, one.realm, registrar.certify())
  const { created, link } = await createWithLink(one.key)
  assert.notEqual(
    (await wallet.request(created.wallet_uri)).verifierInfo,
    undefined,
    'the signed request has the registration',
  )
  await answerAgeLink(link, wallet.options)
  // Later settings do not change what was sent.
  await changeSettings(service.deps, { tenantId, change: { ageLink: false }, actor: OPERATOR })
  await growLog(service.deps)
  const delivery = await service.call('POST', `/v1/verifications/${created.id}/evidence`, { key: one.key })
  assert.equal(delivery.status, 200, delivery.text)
  const bundle = await openEvidence(delivery.json, resultKey.privateKey)
  assert.equal(bundle.request, link)
  const keys = (await service.call('GET', '/log/receipt-keys')).json
  const { asked } = await verifyReceipt(delivery.json.receipt, keys, { id: created.id })
  assert.equal(asked.request_sha256, hash('sha256', link, 'base64url'))
  assert.deepEqual([asked.registration_sha256, asked.intended_use], [undefined, undefined])

  const viewer = await person(service, tenantId, 'viewer')
  const shown = (await viewer.call('GET', `@/verifications/${created.id}/request`)).json
  const parameters = Object.fromEntries(new URLSearchParams(link.slice('av://?'.length)))
  const [query, metadata] = [parameters.dcql_query, parameters.client_metadata].map((text) => JSON.parse(text ?? ''))
  assert.deepEqual(shown.request, { ...parameters, dcql_query: query, client_metadata: metadata })
  // OpenID4VP §5.1: the metadata has the formats, and no key, because the answer is unencrypted.
  assert.deepEqual(Object.keys(metadata), ['vp_formats_supported'])
  assert.deepEqual(Object.keys(metadata.vp_formats_supported), ['mso_mdoc'])
  assert.deepEqual([shown.by_age_link, shown.encryption_key, shown.registration], [true, 'none', null])
  assert.deepEqual(
    shown.question.credentials.map(({ id }: { id: string }) => id),
    ['age_proof'],
  )
})

test('if the signed request is answered, staff see the signed request', async () => {
  const tenantId = await service.tenant()
  await changeSettings(service.deps, { tenantId, change: { ageLink: true }, actor: OPERATOR })
  const { created } = await createWithLink(await service.key(tenantId))
  await wallet.present(created.wallet_uri)
  const viewer = await person(service, tenantId, 'viewer')
  const shown = (await viewer.call('GET', `@/verifications/${created.id}/request`)).json
  assert.deepEqual([shown.by_age_link, shown.request.response_mode], [false, 'direct_post.jwt'])
})

test('the signed request stays available, too', async () => {
  const { created } = await createWithLink()
  const body = await validBody(wallet, await wallet.request(created.wallet_uri))
  assert.equal((await respond(service, created.id, body)).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')
})

test('there is no link for another question, without the setting, or under HAIP', async () => {
  for (const [owner, body] of [
    [key, { template: 'identity' }],
    [key, { query: { credentials: [builtInTemplate('age_over_18')?.query.credentials[0]] } }],
    [await keyWith({}), { template: 'age_over_18' }],
    [await keyWith({ ageLink: true, haip: true }), { template: 'age_over_18' }],
  ] as const) {
    const { id } = await create(service, owner, body)
    assert.equal(await linkOf(id), null)
  }
})

test('there is no link beside a transaction, which it cannot carry', async () => {
  const tenantId = await service.tenant()
  await changeSettings(service.deps, { tenantId, change: { ageLink: true }, actor: OPERATOR })
  const owner = await service.key(tenantId)
  const type = { type: CONSENT.type, title: 'Terms of use', schema: CONSENT_SCHEMA }
  await saveType(service.deps, { realm: { tenantId, environment: 'test' }, ...type, actor: OPERATOR })
  await createWithLink(owner)
  const { id } = await create(service, owner, { template: 'age_over_18', transaction: [CONSENT] })
  assert.equal(await linkOf(id), null)
})

const clear = (state: string, vpToken: object) =>
  new URLSearchParams({ vp_token: JSON.stringify(vpToken), state }).toString()

test('an unencrypted answer counts only for the link: with its state, and if there is a link', async () => {
  const { created, link } = await createWithLink()
  const request = await wallet.request(created.wallet_uri)
  assertRefused(
    await respond(service, created.id, clear(request.state ?? '', { age_proof: ['x'] })),
    400,
    'invalid_wallet_response',
  )
  const without = await create(service, await keyWith({}), { template: 'age_over_18' })
  const other = await wallet.request(without.wallet_uri)
  assertRefused(
    await respond(service, without.id, clear(`${other.state}.av`, { age_proof: ['x'] })),
    400,
    'invalid_wallet_response',
  )
  assert.equal((await read(service, key, created.id)).status, 'pending')
  assert.equal(parseAgeLink(link).state, `${request.state}.av`)
})

test('by the link only the age attestation counts, bound to its own client identifier', async () => {
  const { presentCredential } = await import('@vidimus/wallet')
  const credentials = newCredentials(wallet)
  const mdoc = (type: string) => {
    const found = credentials.find((one) => one.format === 'mso_mdoc' && one.type === type)
    assert.ok(found !== undefined)
    return found
  }
  const [age, mdl] = ['eu.europa.ec.av.1', 'org.iso.18013.5.1.mDL'].map(mdoc)
  assert.ok(age !== undefined && mdl !== undefined)
  for (const [id, credential, path, own] of [
    ['mdl', mdl, ['org.iso.18013.5.1', 'age_over_18'], true],
    ['age_proof', age, ['eu.europa.ec.av.1', 'age_over_18'], false],
  ] as const) {
    const { created, link } = await createWithLink()
    const request = parseAgeLink(link)
    const signed = bindingOf(wallet, await wallet.request(created.wallet_uri))
    const binding = own ? { ...signed, ...request, encryptionKey: null } : { ...signed, encryptionKey: null }
    const presented = presentCredential(credential, [path], binding)
    await respond(service, created.id, clear(request.state ?? '', { [id]: [presented] }))
    const result = await read(service, key, created.id)
    assert.equal(result.status, 'failed')
    assert.equal(result.error.code, own ? 'query_not_satisfied' : 'holder_binding_invalid')
  }
})

test('a query that asks an attestation for more than an age has no link', () => {
  const of = (claims: object[], more: object = {}) => ({
    credentials: [
      { id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.av.1' }, claims, ...more },
    ] as never,
  })
  const flag = { path: ['eu.europa.ec.av.1', 'age_over_18'] }
  assert.notEqual(ageQueryOf(of([flag])), null)
  for (const query of [
    of([flag, { path: ['eu.europa.ec.av.1', 'family_name'] }]),
    of([{ path: ['org.iso.18013.5.1', 'age_over_18'] }]),
    of([flag], { claims: undefined }),
    of([flag], { multiple: true }),
    of([flag], { meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }),
  ]) {
    assert.equal(ageQueryOf(query), null)
    const link = { responseUri: 'https://a.example/r', nonce: 'n'.repeat(32), state: 's'.repeat(32), query }
    assert.throws(() => ageLink(link), /bug:/)
  }
})
