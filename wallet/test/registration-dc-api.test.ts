// Tests the rules on registrations for requests through the browser: `verifier_info` and `euWrprc`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerDcApi } from '../src/dc-api/answer.ts'
import { annexCTranscript } from '../src/dc-api/transcript.ts'
import { embedded, encodeCbor, mapOf, Raw } from '../src/encoding/cbor.ts'
import { algorithmHeader, coseKey, coseSign1, LABEL } from '../src/encoding/cose.ts'
import { createIssuer, TYPE } from '../src/issuer.ts'
import { generateKey, toBase64url } from '../src/keys.ts'
import { certificateBytes, type Identity } from '../src/pki.ts'
import { NoMatchingCredential } from '../src/refusal.ts'
import {
  accessOf,
  hashIdOf,
  INTERMEDIARY,
  issued,
  providersOf,
  registrarWithMerchant,
  statusFetch,
} from './merchant.ts'
import { metadata, now, requestClaims, signRequest } from './verifier.ts'

const origin = 'https://shop.example'
const state = registrarWithMerchant()
const { jwt } = issued(state)
const access = accessOf(state, { serviceIdentifier: 'shop', intermediary: INTERMEDIARY })
const reader = accessOf(state, { serviceIdentifier: 'shop', intermediary: INTERMEDIARY, purpose: 'iso-reader' })
const issuer = createIssuer({ base: 'https://issuer.example/sandbox', now })
const trustedVerifiers = [certificateBytes(state.access)]
const policy = { trustedProviders: providersOf(state), onWarning: 'present' } as const
const options = { origin, now, issuer, trustedVerifiers, fetch: statusFetch(state), registration: policy }
const info = [{ format: 'registration_cert', data: jwt }]

const answer = (protocol: string, data: unknown, change: object = {}) =>
  answerDcApi({ requests: [{ protocol, data }] }, { ...options, ...change })
const codesOf = async (answered: ReturnType<typeof answer>) =>
  (await answered).registration?.warnings.map(({ code }) => code)

function claims(change: object) {
  const { response_uri: _, state: __, ...rest } = requestClaims()
  const mode = { response_mode: 'dc_api.jwt', expected_origins: [origin], client_metadata: metadata() }
  return { ...rest, client_id: hashIdOf(access), ...mode, ...change }
}

test('checks verifier_info of a signed request', async () => {
  const signed = async (change: object) => ({ request: await signRequest(claims(change), { signer: access }) })
  const good = await answer('openid4vp-v1-signed', await signed({ verifier_info: info }))
  assert.deepEqual([good.registration?.service, good.registration?.warnings], ['Muster online shop', []])
  assert.deepEqual(await codesOf(answer('openid4vp-v1-signed', await signed({}))), ['unregistered'])
  const declining = { registration: { ...policy, onWarning: 'decline' } }
  const declined = await answer('openid4vp-v1-signed', await signed({}), declining)
  assert.deepEqual([declined.disclosed, declined.data], [[], { error: 'access_denied' }])
})

test('reads verifier_info from the header of the signature that it uses, not from the shared payload', async () => {
  const general = async (header: object, payload: object) => {
    const { client_id: clientId, ...rest } = claims(payload)
    const compact = await signRequest(rest, { signer: access, header: { client_id: clientId, ...header } })
    const [head, body, signature] = compact.split('.')
    return { request: { payload: body, signatures: [{ protected: head, signature }] } }
  }
  const protocol = 'openid4vp-v1-multisigned'
  assert.deepEqual(await codesOf(answer(protocol, await general({ verifier_info: info }, {}))), [])
  assert.deepEqual(await codesOf(answer(protocol, await general({}, { verifier_info: info }))), ['unregistered'])
})

test('does not check the registration of an unsigned request', async () => {
  const { client_id: _, expected_origins: __, ...unsigned } = claims({ verifier_info: info })
  assert.equal((await answer('openid4vp-v1-unsigned', unsigned)).registration, null)
})

/** A request with one document for each registration; null: a document without a registration. */
function annexC(carried: readonly (string | Uint8Array | null)[], by: Identity = reader) {
  const key = coseKey(generateKey())
  const encryption = mapOf({ nonce: new Uint8Array(16), recipientPublicKey: key })
  const encryptionInfo = toBase64url(encodeCbor(['dcapi', encryption]))
  const transcript = new Raw(annexCTranscript(encryptionInfo, origin))
  const docRequests = carried.map((euWrprc) => {
    const nameSpaces = mapOf({ [TYPE.pidMdoc]: mapOf({ family_name: false }) })
    const requestInfo = euWrprc === null ? {} : { requestInfo: mapOf({ euWrprc }) }
    const itemsRequest = embedded(mapOf({ docType: TYPE.pidMdoc, nameSpaces, ...requestInfo }))
    const readerAuth = coseSign1({
      protectedHeader: algorithmHeader(by.key),
      unprotectedHeader: new Map([[LABEL.x5chain, certificateBytes(by)]]),
      payload: null,
      detached: encodeCbor(embedded(['ReaderAuthentication', transcript, itemsRequest])),
      key: by.key,
    })
    return mapOf({ itemsRequest, readerAuth })
  })
  return { deviceRequest: toBase64url(encodeCbor(mapOf({ version: '1.0', docRequests }))), encryptionInfo }
}

test('checks euWrprc of an Annex C request: a text or its bytes, the same in every document', async () => {
  const iso = (...carried: (string | Uint8Array | null)[]) => answer('org-iso-mdoc', annexC(carried))
  assert.deepEqual(await codesOf(iso(jwt)), [])
  assert.deepEqual(await codesOf(iso(Buffer.from(jwt))), [])
  assert.deepEqual(await codesOf(iso(jwt, jwt)), [])
  assert.deepEqual(await codesOf(iso(null)), ['unregistered'])
  assert.deepEqual(await codesOf(iso(jwt, null)), ['unregistered'])
  assert.deepEqual(await codesOf(iso(jwt, issued(state, { days: 3 }).jwt)), ['several_registrations'])
  const revoked = issued(state, { defect: 'revoked_registration' })
  const data = annexC([revoked.jwt])
  assert.deepEqual(await codesOf(answer('org-iso-mdoc', data, { fetch: statusFetch(revoked.state) })), [
    'revoked_registration',
  ])
  const declining = { registration: { ...policy, onWarning: 'decline' } }
  await assert.rejects(answer('org-iso-mdoc', annexC([null]), declining), NoMatchingCredential)
})
