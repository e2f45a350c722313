// Tests that metadata never changes some rules (rule 1), and requests without metadata (rules 6 to 8).

import assert from 'node:assert/strict'
import test from 'node:test'
import { SCENARIO_NAMES, SCENARIOS, type WalletOptions } from '@vidimus/wallet'
import { decode as decodeCbor, type Tag } from 'cbor2'
import { listBuiltInTemplates } from '../../src/core/templates/domain/question.ts'
import { fetchOffer } from '../harness/dc-api.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, decode, FORM, read, respond, validBody } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())

const BOTH = {
  'dc+sd-jwt': { 'sd-jwt_alg_values': ['none', 'HS256', 'ES256'], 'kb-jwt_alg_values': ['none', 'ES256'] },
  mso_mdoc: { issuerauth_alg_values: [-7, 5], deviceauth_alg_values: [-7, 5] },
}
/** Metadata that claims everything that might loosen a check, and leaves something out. */
const BOLD = {
  vp_formats_supported: BOTH,
  response_modes_supported: ['direct_post', 'direct_post.jwt'],
  authorization_encryption_alg_values_supported: ['none', 'dir'],
  authorization_encryption_enc_values_supported: ['none'],
  require_cryptographic_holder_binding: false,
  trusted_authorities: [],
  dcql_query: { credentials: [] },
}

/** Fetches the request like the wallet, with this metadata and its nonce. */
const fetchSaying =
  (metadata: object): WalletOptions['fetch'] =>
  (url, init) => {
    if (!String(url).includes('/wallet/request/')) return wallet.options.fetch(url, init)
    const body = new URLSearchParams(String(init?.body))
    body.set('wallet_metadata', JSON.stringify(metadata))
    return wallet.options.fetch(url, { ...init, body: body.toString() })
  }

for (const format of ['dc+sd-jwt', 'mso_mdoc'] as const)
  for (const [what, metadata] of [
    ['bold', BOLD],
    ['narrow', { vp_formats_supported: { [format]: BOTH[format] } }],
  ] as const)
    test(`rule 1: after ${what} metadata each scenario ends as without (${format})`, async () => {
      for (const name of SCENARIO_NAMES) {
        const created = await create(service, key)
        await wallet.present(created.wallet_uri, name, { formats: [format], fetch: fetchSaying(metadata) })
        const { status, error } = await read(service, key, created.id)
        const expected: { status: string; code?: string } = SCENARIOS[name].expected
        assert.deepEqual([status, error?.code], [expected.status, expected.code], name)
      }
    })

test('rule 1: encryption is our policy: an unencrypted answer is refused whatever the metadata says', async () => {
  const created = await create(service, key)
  const request = await wallet.request(created.wallet_uri, { fetch: fetchSaying(BOLD) })
  assert.ok(request.encryption !== null)
  const clear = await validBody(wallet, request, { encryption: null })
  assertRefused(await respond(service, created.id, clear), 400, 'invalid_wallet_response')
  assert.equal((await read(service, key, created.id)).status, 'pending')
  assert.equal((await respond(service, created.id, await validBody(wallet, request))).status, 200)
})

test("rule 6: GET, and POST without metadata, get the merchant's whole query", async () => {
  for (const { key: template, query } of listBuiltInTemplates()) {
    const { id } = await create(service, key, { template })
    const path = `/wallet/request/${id}`
    const fetches = [
      await service.call('GET', path),
      await service.call('POST', path, { headers: FORM, raw: '' }),
      await service.call('POST', path, { headers: FORM, raw: 'vp_formats_supported=%7B%22mso_mdoc%22%3A%7B%7D%7D' }),
    ]
    for (const { text } of fetches) {
      const sent = decode(text).claims.dcql_query as unknown as { credentials: { id: string; format: string }[] }
      assert.deepEqual(
        sent.credentials.map((one) => [one.id, one.format]),
        query.credentials.map((one) => [one.id, one.format]),
      )
    }
  }
})

interface Offer {
  readonly protocol: string
  readonly data: { readonly request: string; readonly deviceRequest: string }
}

async function offersOf(template: string): Promise<ReadonlyMap<string, Offer['data']>> {
  const { id } = await create(service, key, { template })
  const { requests } = (await fetchOffer(service, id)).json as { requests: readonly Offer[] }
  return new Map(requests.map(({ protocol, data }) => [protocol, data]))
}

/** Returns the document types of a device request, one for each document request. */
function docTypesOf(deviceRequest: string): readonly string[] {
  const { docRequests } = decodeCbor<{ docRequests: { itemsRequest: Tag }[] }>(Buffer.from(deviceRequest, 'base64url'))
  return docRequests.map(
    ({ itemsRequest }) => decodeCbor<{ docType: string }>(itemsRequest.contents as Uint8Array).docType,
  )
}

test('rule 7: by Annex C there is one document request for each type', async () => {
  for (const { key: template, query } of listBuiltInTemplates()) {
    const device = (await offersOf(template)).get('org-iso-mdoc')
    const docTypes = query.credentials.flatMap(({ format, meta }) =>
      format === 'mso_mdoc' ? [meta.doctype_value] : [],
    )
    assert.ok(device !== undefined, `${template} is not offered by Annex C`)
    assert.deepEqual([...docTypesOf(device.deviceRequest)].sort(), [...new Set(docTypes)].sort(), template)
  }
})

test('rule 8: the browser gets both protocols, and the OpenID4VP query has all formats as alternatives', async () => {
  for (const { key: template, query } of listBuiltInTemplates()) {
    const offers = await offersOf(template)
    assert.deepEqual([...offers.keys()], ['openid4vp-v1-signed', 'org-iso-mdoc'], template)
    const { dcql_query: sent } = decode(offers.get('openid4vp-v1-signed')?.request ?? '').claims as unknown as {
      dcql_query: { credentials: { id: string }[]; credential_sets?: unknown }
    }
    assert.deepEqual(
      sent.credentials.map(({ id }) => id),
      query.credentials.map(({ id }) => id),
    )
    assert.equal(sent.credential_sets === undefined, query.credentials.length === 1, template)
  }
})
