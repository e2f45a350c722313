// Lists changed device authentication of an mdoc (N175-N192): the credential is genuine, but its presentation is not.

import type { CborValue } from '../../src/encoding/cbor.ts'
import { embedded, encodeCbor, mapOf, Raw } from '../../src/encoding/cbor.ts'
import { algorithmHeader, coseKey, coseMac0, coseSign1, LABEL } from '../../src/encoding/cose.ts'
import { TYPE } from '../../src/issuer.ts'
import type { PrivateJwk } from '../../src/keys.ts'
import { fromBase64url, generateKey, publicJwk, sha256, thumbprint } from '../../src/keys.ts'
import type { Handover } from '../../src/mdoc.ts'
import { deviceMac, deviceSignature, macKey, sessionTranscript } from '../../src/mdoc.ts'
import { wideHead } from '../heads.ts'
import type { Mutation } from '../mutation.ts'
import { spoiledMdoc } from '../spoiled.ts'
import type { World } from '../world.ts'
import { CLIENT_ID, expectationsFor, handoverFor, MDL_NAMESPACE, MDL_QUERY, NONCE, RESPONSE_URI } from '../world.ts'
import type { CborMap, MdocHooks } from './mdoc-trial.ts'
import { changed, inner, mdocTrial } from './mdoc-trial.ts'

const accepted = (id: string, title: string, hooks: (world: World) => MdocHooks): Mutation =>
  spoiledMdoc(id, title, 'accepted', hooks)

const PROOF = 'holder_signature_valid'

/** The device signs another handover than the request's. */
const handover = (id: string, title: string, change: (usual: Handover, world: World) => Handover): Mutation =>
  spoiledMdoc(id, title, PROOF, (world) => ({
    transcript: () => sessionTranscript(change(handoverFor(expectationsFor(world, MDL_QUERY)), world)),
  }))

const transcript = (id: string, title: string, make: (world: World) => CborValue): Mutation =>
  spoiledMdoc(id, title, PROOF, (world) => ({ transcript: () => encodeCbor(make(world)) }))

const TRANSCRIPTS: readonly Mutation[] = [
  handover('N177', 'another nonce', (usual) => ({ ...usual, nonce: `${NONCE}x` })),
  handover('N178', 'the client id without its prefix', (usual) => ({
    ...usual,
    clientId: CLIENT_ID.slice('x509_hash:'.length),
  })),
  handover('N178', 'the client id of another verifier', (usual) => ({
    ...usual,
    clientId: 'x509_san_dns:other-verifier.example',
  })),
  handover('N179', 'the response_uri with a trailing slash', (usual) => ({
    ...usual,
    responseUri: `${RESPONSE_URI}/`,
  })),
  handover('N179', 'the response_uri of another host', (usual) => ({
    ...usual,
    responseUri: 'https://other-verifier.example/response',
  })),
  handover('N180', 'no thumbprint although the response is encrypted', (usual) => ({ ...usual, thumbprint: null })),
  {
    ...handover('N180', 'a thumbprint although the response is in clear', (usual) => usual),
    only: ['redirect', 'dc_api'],
    make: (world) => {
      const trial = mdocTrial(world)
      return { ...trial, expectations: { ...trial.expectations, responseMode: 'direct_post', encryptionKey: null } }
    },
  },
  handover('N181', 'the thumbprint of another key', (usual, world) => ({
    ...usual,
    thumbprint: thumbprint(world.otherKey),
  })),
  transcript('N182', 'the transcript of ISO 18013-7 Annex B', () => {
    const own = '1234567890abcdefgh'
    return [null, null, [sha256(encodeCbor([CLIENT_ID, own])), sha256(encodeCbor([RESPONSE_URI, own])), NONCE]]
  }),
  transcript('N183', 'the transcript of the Digital Credentials API', (world) => [
    null,
    null,
    [
      'OpenID4VPDCAPIHandover',
      sha256(encodeCbor(['https://verifier.example', NONCE, thumbprint(world.encryptionKey)])),
    ],
  ]),
  spoiledMdoc('N145', 'the device signed another docType', PROOF, { deviceDocType: TYPE.pidMdoc }),
]

/** Changes deviceSigned after everything was signed. */
const deviceSigned = (
  id: string,
  title: string,
  expectedCheck: string,
  change: (usual: CborMap, document: CborMap) => CborValue | undefined,
): Mutation =>
  spoiledMdoc(id, title, expectedCheck, {
    document: (document) => changed(document, 'deviceSigned', change(inner(document, 'deviceSigned'), document)),
  })

const macOf = (world: World, authentication: Uint8Array, bytes: Uint8Array): CborMap => {
  const mac = deviceMac(authentication, world.holderKey, { key: publicJwk(world.encryptionKey), transcript: bytes })
  return mac instanceof Map ? mac : new Map()
}

const SHAPES: readonly Mutation[] = [
  deviceSigned('N175', 'no deviceSigned', 'well_formed', () => undefined),
  deviceSigned('N175', 'no deviceAuth', 'well_formed', (usual) => changed(usual, 'deviceAuth', undefined)),
  deviceSigned('N175', 'no device name spaces', 'well_formed', (usual) => changed(usual, 'nameSpaces', undefined)),
  spoiledMdoc('N176', 'signature and MAC together', 'well_formed', (world) => ({
    deviceAuth: (authentication, bytes, key) => {
      const signature = deviceSignature(authentication, key)
      return new Map([...(signature instanceof Map ? signature : []), ...macOf(world, authentication, bytes)])
    },
  })),
  spoiledMdoc('N176', 'neither signature nor MAC', 'well_formed', { deviceAuth: () => new Map() }),
  spoiledMdoc('N186', 'a payload of its own', PROOF, {
    deviceAuth: (authentication, _, key) =>
      mapOf({ deviceSignature: coseSign1({ protectedHeader: algorithmHeader(key), payload: authentication, key }) }),
  }),
  spoiledMdoc('N161', 'alg of the device signature only unprotected', PROOF, {
    deviceAuth: (authentication, _, key) =>
      mapOf({
        deviceSignature: coseSign1({
          protectedHeader: new Map(),
          unprotectedHeader: new Map([[LABEL.algorithm, -7]]),
          payload: null,
          detached: authentication,
          key,
        }),
      }),
  }),
]

const KEYS: readonly Mutation[] = [
  spoiledMdoc('N184', 'signed by the key of another credential', PROOF, (world) => ({ deviceKey: world.otherKey })),
  {
    id: 'N184',
    title: 'the deviceSigned of another credential of the same issuer',
    format: 'mso_mdoc',
    expectedCheck: PROOF,
    make: (world) => mdocTrial({ ...world, holderKey: world.otherKey }, { deviceKey: world.holderKey }),
  },
  spoiledMdoc('N185', 'the device name spaces re-encoded after signing', PROOF, {
    document: (document) =>
      changed(
        document,
        'deviceSigned',
        changed(
          inner(document, 'deviceSigned'),
          'nameSpaces',
          new Raw(Uint8Array.of(0xd8, 0x18, ...wideHead(2, 1, 1), 0xa0)),
        ),
      ),
  }),
  spoiledMdoc('N191', 'a device key that is not on the curve', 'holder_key_present', (world) => ({
    mso: (mso) => withDeviceKey(mso, changed(coseKey(world.holderKey), -2, new Uint8Array(32).fill(3))),
  })),
  spoiledMdoc('N191', 'no device key', 'holder_key_present', { mso: (mso) => withDeviceKey(mso, undefined) }),
  spoiledMdoc('N191', 'a device key without a type', 'holder_key_present', (world) => ({
    mso: (mso) => withDeviceKey(mso, changed(coseKey(world.holderKey), 1, undefined)),
  })),
  spoiledMdoc('N191', 'a private device key', 'holder_key_present', (world) => ({
    mso: (mso) => withDeviceKey(mso, changed(coseKey(world.holderKey), -4, fromBase64url(world.holderKey.d))),
  })),
  spoiledMdoc('N192', 'alg -7 with an Ed25519 key', PROOF, () => {
    const key = generateKey('Ed25519')
    return {
      fields: (fields) => ({ ...fields, deviceKey: key }),
      deviceAuth: (authentication) =>
        mapOf({
          deviceSignature: coseSign1({
            protectedHeader: new Map([[LABEL.algorithm, -7]]),
            payload: null,
            detached: authentication,
            key,
          }),
        }),
    }
  }),
]

function withDeviceKey(mso: CborMap, key: CborValue | undefined): CborMap {
  return changed(mso, 'deviceKeyInfo', changed(inner(mso, 'deviceKeyInfo'), 'deviceKey', key))
}

const NICKNAME = embedded(new Map([[MDL_NAMESPACE, mapOf({ nickname: 'Vi' })]]))
const AGE = embedded(new Map([[MDL_NAMESPACE, mapOf({ age_over_18: true })]]))
const ALL_OF_NAMESPACE = mapOf({ nameSpaces: [MDL_NAMESPACE] })

const authorised = (keyAuthorizations: CborValue): MdocHooks => ({
  fields: (fields) => ({ ...fields, keyAuthorizations }),
})

const CLAIMS: readonly Mutation[] = [
  spoiledMdoc('N187', 'an element that the issuer did not authorise the device to sign', 'device_claims_authorised', {
    deviceNamespaces: NICKNAME,
  }),
  spoiledMdoc(
    'N187',
    'an element beside the only element of its namespace that the issuer authorised the device to sign',
    'device_claims_authorised',
    { ...authorised(mapOf({ dataElements: mapOf({ [MDL_NAMESPACE]: ['other'] }) })), deviceNamespaces: NICKNAME },
  ),
  spoiledMdoc(
    'N188',
    'age_over_18 signed by the device, although the issuer signed it, too',
    'device_claims_authorised',
    {
      ...authorised(ALL_OF_NAMESPACE),
      deviceNamespaces: AGE,
    },
  ),
  spoiledMdoc('N188', 'age_over_18 signed by the device alone answers no query', 'query_answered', {
    ...authorised(ALL_OF_NAMESPACE),
    deviceNamespaces: AGE,
    presentedItems: (items) => items.filter((item) => item.element !== 'age_over_18'),
  }),
]

/** A device MAC that is computed differently. */
const mac = (
  id: string,
  title: string,
  make: (world: World, authentication: Uint8Array, bytes: Uint8Array) => CborValue,
): Mutation =>
  spoiledMdoc(id, title, PROOF, (world) => ({
    deviceAuth: (authentication, bytes) => mapOf({ deviceMac: make(world, authentication, bytes) }),
  }))

const secretOf = (world: World, own: PrivateJwk, bytes: Uint8Array): Uint8Array =>
  macKey(own, publicJwk(world.encryptionKey), bytes)

const MACS: readonly Mutation[] = [
  mac('N189', 'by another device key', (world, authentication, bytes) =>
    coseMac0(secretOf(world, world.otherKey, bytes), authentication),
  ),
  mac('N189', 'by the encryption key of another request', (world, authentication, bytes) =>
    coseMac0(macKey(world.holderKey, publicJwk(world.otherKey), bytes), authentication),
  ),
  mac('N189', 'a truncated tag', (world, authentication, bytes) =>
    coseMac0(secretOf(world, world.holderKey, bytes), authentication).map((part, index) =>
      index === 3 && part instanceof Uint8Array ? part.slice(0, 16) : part,
    ),
  ),
  mac('N189', 'an empty tag', (world, authentication, bytes) =>
    coseMac0(secretOf(world, world.holderKey, bytes), authentication).with(3, new Uint8Array()),
  ),
  mac('N189', 'alg 4', (world, authentication, bytes) =>
    coseMac0(secretOf(world, world.holderKey, bytes), authentication, 4),
  ),
  {
    id: 'N190',
    title: 'a MAC where the response is in clear',
    format: 'mso_mdoc',
    expectedCheck: PROOF,
    make: (world) => {
      const bytes = sessionTranscript({
        clientId: CLIENT_ID,
        nonce: NONCE,
        responseUri: RESPONSE_URI,
        thumbprint: null,
      })
      const trial = mdocTrial(world, {
        transcript: () => bytes,
        deviceAuth: (authentication) => macOf(world, authentication, bytes),
      })
      return { ...trial, expectations: { ...trial.expectations, responseMode: 'direct_post', encryptionKey: null } }
    },
  },
]

const ACCEPTED: readonly Mutation[] = [
  accepted('N189', 'a device MAC', (world) => ({
    deviceAuth: (authentication, bytes) => macOf(world, authentication, bytes),
  })),
  accepted('N187', 'an element that the issuer authorised the device to sign', () => ({
    ...authorised(mapOf({ dataElements: mapOf({ [MDL_NAMESPACE]: ['nickname'] }) })),
    deviceNamespaces: NICKNAME,
  })),
  accepted('N192', 'a holder with an Ed25519 key', () => {
    const key = generateKey('Ed25519')
    return { fields: (fields) => ({ ...fields, deviceKey: key }), deviceKey: key }
  }),
  accepted('N185', 'device name spaces with a head longer than needed, before signing', () => ({
    deviceNamespaces: new Raw(Uint8Array.of(0xd8, 0x18, ...wideHead(2, 1, 1), 0xa0)),
  })),
  {
    id: 'N180',
    title: 'no thumbprint where the response is in clear',
    only: ['redirect'],
    format: 'mso_mdoc',
    expectedCheck: 'accepted',
    positive: true,
    make: (world) => {
      const trial = mdocTrial(world, {
        transcript: () =>
          sessionTranscript({ clientId: CLIENT_ID, nonce: NONCE, responseUri: RESPONSE_URI, thumbprint: null }),
      })
      return { ...trial, expectations: { ...trial.expectations, responseMode: 'direct_post', encryptionKey: null } }
    },
  },
]

export const DEVICE_AUTH_MUTATIONS: readonly Mutation[] = [
  ...TRANSCRIPTS,
  ...SHAPES,
  ...KEYS,
  ...CLAIMS,
  ...MACS,
  ...ACCEPTED,
]
