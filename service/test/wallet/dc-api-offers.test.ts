// Tests offers to browsers: their keys cannot be read from the database, and each accepts only what it offers.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import test from 'node:test'
import { mintAuthority, mintSigner } from '@vidimus/wallet'
import { readAnnexCOffer } from '../../../wallet/src/dc-api/annex-c-request.ts'
import { sealHpke } from '../../../wallet/src/dc-api/hpke.ts'
import { annexCTranscript } from '../../../wallet/src/dc-api/transcript.ts'
import { encodeCbor, mapOf } from '../../../wallet/src/encoding/cbor.ts'
import { authorityKeyId, basicConstraints, keyUsage, subjectAltName } from '../../../wallet/src/pki.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { ephemeralKeySealContext } from '../../src/core/verifications/domain/ephemeral-key.ts'
import { installCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from './verifications.ts'

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

async function storedKey(id: string): Promise<Buffer> {
  const text = 'select encryption_key as key from verifications where id = $1'
  const [row] = await deps.db.query<{ key: Buffer }>({ name: 'test_stored_key', text }, [id])
  assert.ok(row !== undefined)
  return row.key
}

async function storeKey(id: string, stored: Buffer): Promise<void> {
  const text = 'update verifications set encryption_key = $2 where id = $1'
  await deps.db.query({ name: 'test_store_key', text }, [id, stored])
}

async function offeredOf(query: object) {
  const { id } = await create(service, key, { query })
  const { status, json } = await fetchOffer(service, id)
  assert.equal(status, 200)
  return { id, offer: json }
}

test('keys that were changed or swapped in the database are neither offered nor used', async () => {
  const other = await storedKey((await offeredOf(MDOC)).id)
  for (const change of [
    () => other,
    (stored: Buffer) => Buffer.concat([other.subarray(0, 64), stored.subarray(64)]),
    (stored: Buffer) => Buffer.concat([stored.subarray(0, 64), other.subarray(64)]),
    (stored: Buffer) => stored.map((byte, i) => (i === stored.length - 1 ? byte ^ 1 : byte)) as Buffer,
  ]) {
    const { id, offer } = await offeredOf(MDOC)
    const answer = await browserAnswer(wallet, offer)
    const stored = await storedKey(id)
    await storeKey(id, change(stored))
    assertRefused(await fetchOffer(service, id), 500, 'internal_error')
    assertRefused(await postAnswer(service, id, answer), 500, 'internal_error')
    assert.equal((await read(service, key, id)).status, 'pending')
    await storeKey(id, stored)
    assert.equal((await postAnswer(service, id, answer)).status, 200)
  }
})

test('an answer to an unsigned request is refused in live, whatever the tenant allows in test', async () => {
  const own = await service.tenant()
  await changeSettings(deps, { tenantId: own, change: { dcApiUnsignedInTest: true }, actor: OPERATOR })
  const error = { protocol: 'openid4vp-v1-unsigned', data: { error: 'access_denied' } }
  const tested = await create(service, await service.key(own), { query: SD_JWT })
  // In test the same answer counts as a wallet's error, which ends nothing.
  assert.equal((await postAnswer(service, tested.id, error)).status, 200)
  const live = await create(service, await service.key(own, { environment: 'live' }), { query: SD_JWT })
  assertRefused(await postAnswer(service, live.id, error), 400, 'invalid_wallet_response')
})

test('an answer by a protocol that was not offered is refused', async () => {
  const { id } = await offeredOf(SD_JWT)
  for (const protocol of ['openid4vp-v1-multisigned', 'openid4vp-v1-unsigned', 'org-iso-mdoc'])
    assertRefused(
      await postAnswer(service, id, { protocol, data: { error: 'access_denied' } }),
      400,
      'invalid_wallet_response',
    )
})

test('a verification of an earlier release is offered without Annex C, and answered', async () => {
  const { id } = await create(service, key, { query: MDOC })
  const of = { tenantId, environment: 'test', id } as const
  const stored = await storedKey(id)
  const sealed = deps.db.sealer.open(stored.subarray(64), ephemeralKeySealContext(of, stored.subarray(0, 64)))
  const earlier = deps.db.sealer.seal(sealed.subarray(0, 32), ephemeralKeySealContext(of, stored.subarray(0, 64)))
  await storeKey(id, Buffer.concat([stored.subarray(0, 64), earlier]))
  const { json: offer } = await fetchOffer(service, id)
  assert.deepEqual(
    offer.requests.map(({ protocol }: { protocol: string }) => protocol),
    ['openid4vp-v1-signed'],
  )
  assert.equal((await postAnswer(service, id, await browserAnswer(wallet, offer))).status, 200)
})

test("an empty answer by Annex C counts like OpenID4VP's error: the holder may try again", async () => {
  const { id, offer } = await offeredOf(MDOC)
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

test('the hosted page uses the API in a secure context: over https, or on the local machine', async () => {
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

/** OID and value that Google Wallet requires in a certificate: the hash of the metadata. */
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
