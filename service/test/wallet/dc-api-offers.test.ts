// What is kept of an offer to a browser: nobody who writes to the database changes it, and it goes with its verification.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import test from 'node:test'
import { mintAuthority, mintSigner } from '@vidimus/wallet'
import { encodeCbor, mapOf } from '../../../wallet/src/cbor.ts'
import { readAnnexCOffer } from '../../../wallet/src/dc-api/annex-c-request.ts'
import { sealHpke } from '../../../wallet/src/dc-api/hpke.ts'
import { annexCTranscript } from '../../../wallet/src/dc-api/transcript.ts'
import { authorityKeyId, basicConstraints, keyUsage, subjectAltName } from '../../../wallet/src/pki.ts'
import { newOfferKey, type SealedOffer, sealOffer } from '../../src/domain/verification/sealed-offer.ts'
import { instantOf } from '../../src/domain/world.ts'
import { insertOffersAcrossTenants } from '../../src/store/verifications/dc-api-offers.ts'
import { installCertificate } from '../../src/usecases/trust/manage-certificates.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from './verifications.ts'

const service = await testService()
const { deps } = service
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const SD_JWT = {
  credentials: [
    { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['given_name'] }] },
  ],
}
const MDL = 'org.iso.18013.5.1.mDL'
const MDOC = {
  credentials: [
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: MDL },
      claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
    },
  ],
}

async function offerRow(id: string): Promise<SealedOffer | undefined> {
  const text = 'select requests, sealed from dc_api_offers where verification_id = $1'
  return (await deps.db.query<SealedOffer>({ name: 'test_offer_row', text }, [id]))[0]
}

async function writeRow(id: string, { requests, sealed }: SealedOffer): Promise<void> {
  const text = 'update dc_api_offers set requests = $2, sealed = $3 where verification_id = $1'
  await deps.db.query({ name: 'test_write_offer', text }, [id, requests, sealed])
}

async function offeredRow(query: object): Promise<{ readonly id: string; readonly row: SealedOffer }> {
  const { id } = await create(service, key, { query })
  assert.equal((await fetchOffer(service, id)).status, 200)
  const row = await offerRow(id)
  assert.ok(row !== undefined)
  return { id, row }
}

test('an offer that somebody changed or swapped in the database is neither shown nor answered', async () => {
  const other = await offeredRow(MDOC)
  for (const change of [
    (row: SealedOffer) => ({ ...row, requests: row.requests.replace('openid4vp-v1-signed', 'openid4vp-v1-unsigned') }),
    (row: SealedOffer) => ({ ...row, requests: other.row.requests }),
    (row: SealedOffer) => ({ ...row, sealed: other.row.sealed }),
    () => other.row,
  ]) {
    const { id, row } = await offeredRow(MDOC)
    const answer = await browserAnswer(wallet, JSON.parse(row.requests))
    await writeRow(id, change(row))
    assertRefused(await fetchOffer(service, id), 500, 'internal_error')
    assertRefused(await postAnswer(service, id, answer), 500, 'internal_error')
    assert.equal((await read(service, key, id)).status, 'pending')
    await writeRow(id, row)
    assert.equal((await postAnswer(service, id, answer)).status, 200)
  }
})

test('an answer to an unsigned request is none in live, whatever was kept', async () => {
  const live = await service.key(tenantId, { environment: 'live' })
  const { id } = await create(service, live, { query: SD_JWT })
  const of = { tenantId, environment: 'live', id } as const
  const offer = { protocols: ['openid4vp-v1-unsigned'], jweKey: newOfferKey(deps.random), annexC: null } as const
  const sealed = sealOffer(deps.sealer, of, { ...offer, requests: '{"requests":[]}' })
  const now = instantOf(service.clock.now())
  assert.deepEqual(await insertOffersAcrossTenants(deps.db, { offers: [{ ...of, ...sealed }], now }), [id])
  // In test the same is a wallet's error, which ends nothing.
  const error = { protocol: 'openid4vp-v1-unsigned', data: { error: 'access_denied' } }
  assertRefused(await postAnswer(service, id, error), 400, 'invalid_wallet_response')
})

for (const [how, end] of [
  ['answered', async (id: string, form: string) => (await respond(service, id, form)).status],
  ['cancelled', async (id: string) => (await service.call('POST', `/v1/verifications/${id}/cancel`, { key })).status],
] as const) {
  test(`an offer written while its verification waits to be ${how} goes with it`, async () => {
    const made = await create(service, key, { query: SD_JWT })
    const form = await validBody(wallet, await wallet.request(made.wallet_uri))
    const offers = [{ tenantId, environment: 'test' as const, id: made.id, requests: '{}', sealed: Buffer.of(1) }]
    const now = instantOf(service.clock.now())
    const { ending } = await deps.db.transaction(async (tx) => {
      assert.deepEqual(await insertOffersAcrossTenants(tx, { offers, now }), [made.id])
      const begun = end(made.id, form)
      const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await deps.db.query({ name: 'test_waiting', text })).length === 0);
      return { ending: begun }
    })
    assert.equal(await ending, 200)
    assert.equal(await offerRow(made.id), undefined)
  })
}

test("a device that returns nothing by Annex C says what OpenID4VP's error says: the holder may try again", async () => {
  const { id, row } = await offeredRow(MDOC)
  const offer = JSON.parse(row.requests)
  const { data } = offer.requests.find(({ protocol }: { protocol: string }) => protocol === 'org-iso-mdoc')
  const page = { origin: OWN_ORIGIN, now: wallet.options.now, trusted: [], readerAuth: 'required' } as const
  const { recipient, encryptionInfo } = readAnnexCOffer(data, page)
  for (const nothing of [{ status: 10 }, { status: 0 }, { status: 0, documentErrors: [mapOf({ [MDL]: 0 })] }]) {
    const plaintext = encodeCbor(mapOf({ version: '1.0', ...nothing }))
    const sealed = await sealHpke({ recipient, info: annexCTranscript(encryptionInfo, OWN_ORIGIN), plaintext })
    const response = Buffer.from(encodeCbor(['dcapi', mapOf({ ...sealed })])).toString('base64url')
    const posted = await postAnswer(service, id, { protocol: 'org-iso-mdoc', data: { response } })
    assert.deepEqual([posted.status, posted.json], [200, {}])
    assert.equal((await read(service, key, id)).status, 'pending')
  }
  assert.equal((await postAnswer(service, id, await browserAnswer(wallet, offer))).status, 200)
})

test('the hosted page asks where it is a secure context: over https, or on the own machine', async () => {
  for (const [baseUrl, status] of [
    ['http://127.0.0.1:8080', 200],
    ['http://[::1]:8080', 200],
    ['http://10.0.0.1:8080', 422],
  ] as const) {
    const local = await testService({ baseUrl })
    const { id } = await create(local, await local.key(await local.tenant()), { query: MDOC })
    const answer = await fetchOffer(local, id, baseUrl)
    assert.equal(answer.status, status, answer.text)
  }
})

/** OID and value of what Google Wallet wants in a certificate: the hash of the metadata. */
const METADATA_HASH = {
  oid: '1.3.6.1.4.1.11129.10.1',
  critical: false,
  value: Buffer.concat([Buffer.of(4, 32), new Uint8Array(32)]),
}

test('a tenant with two chains of certificates also offers a multisigned request, and its answer counts', async () => {
  const own = await service.tenant()
  const ownKey = await service.key(own)
  const seconds = Math.floor(service.clock.now() / 1000)
  const period = { notBefore: seconds - 1000, notAfter: seconds + 20 * 86_400 }
  const authority = mintAuthority({ commonName: 'Second CA' }, period)
  const extensions = [
    basicConstraints(false),
    authorityKeyId(authority.key),
    subjectAltName({ dns: ['verify.example.com'] }),
    keyUsage('digitalSignature'),
    METADATA_HASH,
  ]
  const minted = mintSigner(authority, { commonName: 'Shop' }, { ...period, extensions })
  const installed = await installCertificate(deps, {
    owner: { tenantId: own, environment: 'test' },
    purpose: 'google',
    chain: [new Uint8Array(Buffer.from(minted.certificate, 'base64'))],
    privateKey: new Uint8Array(
      createPrivateKey({ key: { ...minted.key }, format: 'jwk' }).export({ format: 'der', type: 'pkcs8' }),
    ),
    actor: OPERATOR,
  })
  assert.equal(installed.outcome, 'installed', JSON.stringify(installed))
  deps.certificates.forget()
  const { id } = await create(service, ownKey, { query: MDOC })
  const { json: offer } = await fetchOffer(service, id)
  const protocols = offer.requests.map(({ protocol }: { protocol: string }) => protocol)
  assert.deepEqual(protocols, ['openid4vp-v1-signed', 'openid4vp-v1-multisigned', 'org-iso-mdoc'])
  const { payload, signatures } = offer.requests[1].data.request
  const read64 = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
  assert.deepEqual(read64(payload).expected_origins, [OWN_ORIGIN])
  assert.ok(!('client_id' in read64(payload)))
  const clients = signatures.map(({ protected: header }: { protected: string }) => read64(header).client_id)
  assert.equal(new Set(clients).size, 2)
  const answer = await browserAnswer(wallet, offer, { protocols: ['openid4vp-v1-multisigned'] })
  assert.equal((await postAnswer(service, id, answer)).status, 200)
  assert.equal((await read(service, ownKey, id)).status, 'completed')
})
