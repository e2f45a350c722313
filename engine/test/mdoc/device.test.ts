// Tests device authentication: made with the holder's key, for our request, over elements that the issuer allowed.

import assert from 'node:assert/strict'
import { generateKeyPairSync, hash } from 'node:crypto'
import { test } from 'node:test'
import { LIMITS } from '../../src/limits.ts'
import { encodeTransaction, readTransaction } from '../../src/transaction/item.ts'
import { accepts, examine, rejects } from './examine.ts'
import {
  cbor,
  channel,
  coseKey,
  deviceKey,
  ELEMENTS,
  embedded,
  encryptionKey,
  MDL,
  MDL_SPACE,
  type MdocPlan,
  macCose,
  mintMdoc,
  p256,
  query,
  Raw,
  signCose,
  Tagged,
  transcriptOf,
} from './mint-mdoc.ts'

const SIGNATURE = 'holder_signature_valid'
const BINDING = 'holder_binding_invalid'

const transcripts: [string, MdocPlan][] = [
  ['another nonce', { transcript: { nonce: 'nonce-of-another-request' } }],
  ['another client_id', { transcript: { clientId: 'x509_hash:other' } }],
  ['the client_id without its prefix', { transcript: { clientId: 'invented' } }],
  ['another response_uri', { transcript: { responseUri: `${channel.responseUri}/` } }],
  ['no thumbprint although encryption was requested', { transcript: { thumbprint: null } }],
  ['the thumbprint of another key', { transcript: { thumbprint: Buffer.alloc(32, 8) } }],
  [
    'the transcript of the Digital Credentials API',
    { transcriptBytes: cbor([null, null, ['OpenID4VPDCAPIHandover', Buffer.alloc(32)]]) },
  ],
  [
    'the transcript of ISO 18013-7 Annex B',
    { transcriptBytes: cbor([null, null, [Buffer.alloc(32), Buffer.alloc(32), 'nonce']]) },
  ],
]
for (const [title, plan] of transcripts) {
  test(`rejects a device signature over ${title}`, () => rejects(plan, SIGNATURE, BINDING))
}

test('a transcript without a thumbprint counts only if no encryption was requested', () => {
  accepts({ transcript: { thumbprint: null } }, { expected: { encryption: null } })
  rejects({}, SIGNATURE, BINDING, { expected: { encryption: null } })
})

test('rejects the signature of another device', () => rejects({ device: p256() }, SIGNATURE, BINDING))

test('rejects a device signature from another document or over other name spaces', () => {
  const over = (document: unknown, nameSpaces: unknown): MdocPlan => ({
    deviceAuth: (_, transcript) => {
      const authentication = cbor(embedded(['DeviceAuthentication', new Raw(transcript), document, nameSpaces]))
      return { deviceSignature: signCose(authentication, deviceKey.privateKey) }
    },
  })
  rejects(over('org.example.other', embedded({})), SIGNATURE, BINDING)
  rejects(over(MDL, embedded({ a: { b: 1 } })), SIGNATURE, BINDING)
  // Signs the same name spaces with a longer head than the response contains.
  rejects(over(MDL, new Raw(Buffer.from('d8185801a0', 'hex'))), SIGNATURE, BINDING)
})

test('rejects a device signature that has a payload, or another algorithm', () => {
  const signed = (change: (parts: unknown[]) => unknown): MdocPlan => ({
    deviceAuth: (authentication) => ({ deviceSignature: change(signCose(authentication, deviceKey.privateKey)) }),
  })
  rejects(
    signed(([a, b, , d]) => [a, b, Buffer.of(1), d]),
    SIGNATURE,
    BINDING,
  )
  rejects(
    signed(([, b, c, d]) => [cbor(new Map([[1, -35]])), b, c, d]),
    SIGNATURE,
    BINDING,
  )
  rejects(
    signed(([, , c, d]) => [cbor(new Map()), new Map([[1, -7]]), c, d]),
    SIGNATURE,
    BINDING,
  )
  rejects(
    signed(([a, b, c]) => [a, b, c, Buffer.alloc(64)]),
    SIGNATURE,
    BINDING,
  )
  accepts(signed((parts) => new Tagged(18, parts)))
})

const malformed: [string, (authentication: Buffer, transcript: Buffer) => unknown][] = [
  ['neither signature nor MAC', () => ({})],
  ['both signature and MAC', (a, t) => ({ deviceSignature: signCose(a, deviceKey.privateKey), deviceMac: mac(a, t) })],
  ['a signature that is null', () => ({ deviceSignature: null })],
  ['a MAC and a null signature', (a, t) => ({ deviceSignature: null, deviceMac: mac(a, t) })],
  ['a signature that is an empty array', () => ({ deviceSignature: [] })],
  ['a list instead of a map', () => []],
]
for (const [title, deviceAuth] of malformed) {
  test(`rejects device authentication with ${title}`, () =>
    rejects({ deviceAuth }, 'well_formed', 'credential_invalid'))
}

test('accepts a device MAC for the key that the response is encrypted to', () => {
  accepts({ deviceAuth: (authentication, transcript) => ({ deviceMac: mac(authentication, transcript) }) })
})

test('rejects a device MAC with another key, a shorter tag, another algorithm, or its own payload', () => {
  const withMac = (
    change: (parts: unknown[]) => unknown[],
    keys = { device: deviceKey, reader: encryptionKey },
  ): MdocPlan => ({
    deviceAuth: (authentication, transcript) => ({ deviceMac: change(macCose(authentication, transcript, keys)) }),
  })
  const same = (parts: unknown[]) => parts
  rejects(withMac(same, { device: p256(), reader: encryptionKey }), SIGNATURE, BINDING)
  rejects(withMac(same, { device: deviceKey, reader: p256() }), SIGNATURE, BINDING)
  rejects(
    withMac(([a, b, c, d]) => [a, b, c, (d as Buffer).subarray(0, 8)]),
    SIGNATURE,
    BINDING,
  )
  rejects(
    withMac(([a, b, c]) => [a, b, c, Buffer.alloc(0)]),
    SIGNATURE,
    BINDING,
  )
  rejects(
    withMac(([, b, c, d]) => [cbor(new Map([[1, 4]])), b, c, d]),
    SIGNATURE,
    BINDING,
  )
  rejects(
    withMac(([, b, c, d]) => [cbor(new Map([[1, -7]])), b, c, d]),
    SIGNATURE,
    BINDING,
  )
  rejects(
    withMac(([a, b, , d]) => [a, b, Buffer.of(1), d]),
    SIGNATURE,
    BINDING,
  )
})

test('rejects a device MAC if no encryption was requested', () => {
  const plan: MdocPlan = {
    transcript: { thumbprint: null },
    deviceAuth: (authentication, transcript) => ({ deviceMac: mac(authentication, transcript) }),
  }
  rejects(plan, SIGNATURE, BINDING, { expected: { encryption: null } })
})

test('rejects a device MAC of a key on another curve', () => {
  const device = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const reader = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const plan: MdocPlan = {
    mso: withDeviceKey(coseKey(device.publicKey)),
    deviceAuth: (a, t) => ({ deviceMac: macCose(a, t, { device, reader }) }),
  }
  rejects(plan, SIGNATURE, BINDING)
})

const authorised: [string, unknown][] = [
  ['its name space', { nameSpaces: ['org.example.device'] }],
  ['the element', { dataElements: { 'org.example.device': ['seat'] } }],
]
const deviceNameSpaces = embedded({ 'org.example.device': { seat: 7 } })
for (const [title, authorizations] of authorised) {
  test(`accepts a device-signed element if the issuer authorised ${title}, and does not return the element`, () => {
    const { claims } = accepts({ deviceNameSpaces, mso: withAuthorizations(authorizations) })
    assert.deepEqual(Object.keys(claims ?? {}), [MDL_SPACE])
  })
}

test('T21 a device must confirm transaction data by a signature, because the verifier could compute a MAC itself', () => {
  const type = 'https://shop.example/terms'
  const text = encodeTransaction({ type, credential_ids: [query.id], transaction_data_hashes_alg: ['sha-256'] })
  const element = { transaction_data_hash: hash('sha256', text, 'buffer'), transaction_data_hash_alg: 'sha-256' }
  const confirming: MdocPlan = {
    deviceNameSpaces: embedded({ [type]: element }),
    mso: withAuthorizations({ nameSpaces: [type] }),
  }
  const deviceAuth = (authentication: Buffer, transcript: Buffer) => ({ deviceMac: mac(authentication, transcript) })
  const situation = { expected: { transaction: readTransaction([text]) } }
  assert.equal(accepts(confirming, situation).confirmed.length, 1)
  rejects({ ...confirming, deviceAuth }, 'transaction_data_valid', 'transaction_not_confirmed', situation)
  assert.deepEqual(accepts({ deviceAuth }, situation).confirmed, [])
})

const unauthorised: [string, unknown][] = [
  ['nothing', undefined],
  ['another name space', { nameSpaces: ['org.example'] }],
  ['another element', { dataElements: { 'org.example.device': ['row'] } }],
  ['the element elsewhere', { dataElements: { 'org.example': ['seat'] } }],
  ['empty lists', { nameSpaces: [], dataElements: {} }],
]
for (const [title, authorizations] of unauthorised) {
  test(`rejects a device-signed element if the issuer authorised ${title}`, () => {
    rejects({ deviceNameSpaces, mso: withAuthorizations(authorizations) }, 'device_claims_authorised', BINDING)
  })
}

test('rejects a device-signed element that the issuer signed too, authorised or not', () => {
  const overriding = embedded({ [MDL_SPACE]: { age_over_18: true } })
  const elements = { [MDL_SPACE]: { ...ELEMENTS[MDL_SPACE], age_over_18: false } }
  rejects({ elements, deviceNameSpaces: overriding }, 'device_claims_authorised', BINDING)
  const mso = withAuthorizations({ nameSpaces: [MDL_SPACE] })
  rejects({ elements, deviceNameSpaces: overriding, mso }, 'device_claims_authorised', BINDING)
})

test('never returns a device-signed element in place of one that the issuer did not disclose', () => {
  const elements = { [MDL_SPACE]: { family_name: 'Mustermann' } }
  const mso = withAuthorizations({ nameSpaces: [MDL_SPACE] })
  const { claims } = accepts({ elements, deviceNameSpaces: embedded({ [MDL_SPACE]: { age_over_18: true } }), mso })
  assert.deepEqual(JSON.parse(JSON.stringify(claims)), { [MDL_SPACE]: { family_name: 'Mustermann' } })
})

const badSpaces: [string, unknown][] = [
  ['that are not embedded', {}],
  ['that are a list', embedded([])],
  ['with an empty name space', embedded({ a: {} })],
  ['with bytes after them', new Tagged(24, Buffer.from('a0a0', 'hex'))],
  ['under another tag', new Tagged(23, Buffer.from('a0', 'hex'))],
]
for (const [title, spaces] of badSpaces) {
  test(`rejects device name spaces ${title}`, () =>
    rejects({ deviceNameSpaces: spaces }, 'well_formed', 'credential_invalid'))
}

test('the number of device-signed elements in all name spaces together is limited', () => {
  const signing = (count: number): MdocPlan => ({
    deviceNameSpaces: embedded({
      a: Object.fromEntries(Array.from({ length: count - 1 }, (_, i) => [`e${i}`, 0])),
      b: { e: 0 },
    }),
    mso: withAuthorizations({ nameSpaces: ['a', 'b'] }),
  })
  accepts(signing(LIMITS.deviceElements))
  rejects(signing(LIMITS.deviceElements + 1), 'well_formed', 'credential_invalid')
})

for (const [title, name] of [
  ['a control character', 'org.example\u0001'],
  ['a mark of text direction', 'org.example\u202e'],
] as const) {
  test(`rejects names with ${title}, signed by the device or by the issuer`, () => {
    const mso = withAuthorizations({ nameSpaces: [name, 'a'] })
    for (const signed of [{ [name]: { a: 0 } }, { a: { [name]: 0 } }])
      rejects({ deviceNameSpaces: embedded(signed), mso }, 'well_formed', 'credential_invalid')
    for (const elements of [{ [name]: { a: 0 } }, { a: { [name]: 0 } }])
      rejects({ elements }, 'well_formed', 'credential_invalid')
  })
}

test('rejects malformed key authorisations', () => {
  for (const value of [
    [],
    { nameSpaces: 'all' },
    { nameSpaces: [1] },
    { dataElements: [] },
    { dataElements: { a: 'b' } },
  ]) {
    rejects({ mso: withAuthorizations(value) }, 'well_formed', 'credential_invalid')
  }
})

test('a presentation for one request is not accepted for another', () => {
  const presented = mintMdoc()
  for (const change of [
    { nonce: 'other' },
    { channel: { ...channel, clientId: 'other' } },
    { channel: { ...channel, responseUri: 'https://other.example' } },
  ]) {
    assert.equal(examine(presented, { expected: change }).failure?.code, BINDING)
  }
  assert.equal(transcriptOf({}).equals(transcriptOf({ nonce: 'other' })), false)
})

function mac(authentication: Buffer, transcript: Buffer): unknown[] {
  return macCose(authentication, transcript, { device: deviceKey, reader: encryptionKey })
}

function withDeviceKey(key: unknown): NonNullable<MdocPlan['mso']> {
  return (members) => ({ ...members, deviceKeyInfo: { deviceKey: key } })
}

function withAuthorizations(keyAuthorizations: unknown): NonNullable<MdocPlan['mso']> {
  const info = {
    deviceKey: coseKey(deviceKey.publicKey),
    ...(keyAuthorizations === undefined ? {} : { keyAuthorizations }),
  }
  return (members) => ({ ...members, deviceKeyInfo: info })
}
