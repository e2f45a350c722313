// Puts valid things in the wrong place: signers, anchors, lists, names (V007-V012).

import type { CborValue } from '../src/encoding/cbor.ts'
import { encodeCbor, mapOf, Raw } from '../src/encoding/cbor.ts'
import { coseKey } from '../src/encoding/cose.ts'
import type { JsonObject } from '../src/encoding/json.ts'
import { STATUS_INDEX, statusListUri, TYPE } from '../src/issuer.ts'
import { publicJwk } from '../src/keys.ts'
import { mintItem } from '../src/mdoc.ts'
import { PERSON } from '../src/person.ts'
import { certificateBytes } from '../src/pki.ts'
import { digestOf, encodeDisclosure, salt } from '../src/sdjwt.ts'
import { mintIdentifierListCwt, mintStatusListJwt } from '../src/status-list.ts'
import { head } from './heads.ts'
import { assembleJwe } from './jwe.ts'
import type { CborMap } from './mdoc/mdoc-trial.ts'
import { changed, inner, presentMdoc } from './mdoc/mdoc-trial.ts'
import type { Mutation } from './mutation.ts'
import { presentSdJwt } from './sd-jwt/sd-jwt-trial.ts'
import { expecting, spoiledMdoc, spoiledSdJwt } from './spoiled.ts'
import { listFields } from './status/jwt.ts'
import type { Trial, World } from './world.ts'
import { CLIENT_ID, DAY, fetched, KID, MDL_NAMESPACE, NOW, SD_JWT_QUERY, STATE, trialOf } from './world.ts'

const SIGNERS: readonly Mutation[] = [
  spoiledSdJwt('V007', 'an SD-JWT signed by the document signer of mdocs', 'issuer_trusted', (world) => ({
    signer: world.issuer.mdoc.signer,
  })),
  spoiledMdoc('V007', 'an mdoc signed by the signer of SD-JWTs', 'issuer_trusted', (world) => ({
    signer: world.issuer.sdJwt.signer,
  })),
  spoiledSdJwt('V007', 'a signer pinned for another type', 'issuer_trusted', (world) => ({
    trial: (trial) => ({
      ...trial,
      anchors: [
        {
          kind: 'pinned',
          certificate: certificateBytes(world.issuer.sdJwt.signer),
          types: [`dc+sd-jwt:${TYPE.mdl}`],
          profile: 'generic',
        },
      ],
    }),
  })),
  spoiledSdJwt(
    'V007',
    'an authority that is pinned itself does not vouch for signers below it',
    'issuer_trusted',
    (world) => ({
      trial: (trial) => ({
        ...trial,
        anchors: [
          {
            kind: 'pinned',
            certificate: certificateBytes(world.issuer.sdJwt.authority),
            types: ['dc+sd-jwt:*'],
            profile: 'generic',
          },
        ],
      }),
    }),
  ),
  spoiledSdJwt('V007', 'an anchor for no type', 'issuer_trusted', () => ({
    trial: (trial) => ({ ...trial, anchors: trial.anchors.map((anchor) => ({ ...anchor, types: [] })) }),
  })),
  spoiledSdJwt('V007', 'an anchor for every type', 'accepted', () => ({
    trial: (trial) => ({ ...trial, anchors: trial.anchors.map((anchor) => ({ ...anchor, types: ['dc+sd-jwt:*'] })) }),
  })),
  spoiledSdJwt('V007', 'a valid presentation under HAIP', 'accepted', () => ({
    trial: (trial) => ({ ...trial, haip: true }),
  })),
  spoiledMdoc('V007', 'a valid presentation under HAIP', 'accepted', () => ({
    trial: (trial) => ({ ...trial, haip: true }),
  })),
]

const TERMS: readonly Mutation[] = [
  spoiledSdJwt('V008', 'an iat in the future delivered by a disclosure', 'within_validity', () => {
    const text = encodeDisclosure([salt(), 'iat', NOW + DAY])
    return { payload: ({ iat: _, ...payload }) => withDigest(payload, text), disclosures: (usual) => [...usual, text] }
  }),
  spoiledSdJwt('V008', 'a credential with other verifiers as audience', 'bound_to_request', () => ({
    payload: (payload) => ({ ...payload, aud: ['x509_san_dns:other-verifier.example'] }),
  })),
  {
    ...spoiledSdJwt('V008', 'a credential with us among its audiences', 'accepted', () => ({
      payload: (payload) => ({ ...payload, aud: ['x509_san_dns:other-verifier.example', CLIENT_ID] }),
    })),
    only: ['redirect'],
  },
  spoiledSdJwt('V008', 'the key binding JWT twice', 'disclosures_valid', () => ({
    presented: (presented) => `${presented}~${presented.slice(presented.lastIndexOf('~') + 1)}`,
  })),
  spoiledSdJwt('V008', 'an issuer JWT of four segments', 'well_formed', () => ({ issuerJwt: (jwt) => `${jwt}.AAAA` })),
  spoiledSdJwt('V008', 'an issuer JWT in another base64url spelling', 'well_formed', () => ({
    issuerJwt: (jwt) => respelled(jwt),
  })),
  {
    id: 'V008',
    title: 'digests and sd_hash by SHA-512',
    format: 'dc+sd-jwt',
    expectedCheck: 'accepted',
    positive: true,
    make: bySha512,
  },
]

/** The last character of a signature of 64 bytes encodes two bits; the other four must be zero. */
function respelled(jwt: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return jwt.slice(0, -1) + (alphabet[alphabet.indexOf(jwt.slice(-1)) + 1] ?? '')
}

function withDigest(payload: JsonObject, text: string): JsonObject {
  const digests = payload._sd
  return { ...payload, _sd: [...(Array.isArray(digests) ? digests : []), digestOf(text)] }
}

function bySha512(world: World): Trial {
  const text = encodeDisclosure([salt(), 'family_name', PERSON.familyName])
  const presented = presentSdJwt(world, {
    payload: ({ _sd: _, address: __, ...payload }) => ({
      ...payload,
      age_equal_or_over: {},
      _sd: [digestOf(text, 'sha512')],
      _sd_alg: 'sha-512',
    }),
    disclosures: () => [text],
    keyBindingClaims: (usual, covered) => ({ ...usual, sd_hash: digestOf(covered, 'sha512') }),
  })
  return trialOf(
    world,
    { pid: [presented] },
    { credentials: [{ ...SD_JWT_QUERY, claims: [{ path: ['family_name'] }] }] },
  )
}

const DOCUMENTS: readonly Mutation[] = [
  spoiledMdoc('V009', 'no element presented', 'query_answered', () => ({ presentedItems: () => [] })),
  spoiledMdoc('V009', 'a digest twice in the security object', 'well_formed', () => ({
    mso: (mso) => changed(mso, 'valueDigests', doubled(inner(mso, 'valueDigests'))),
  })),
  spoiledMdoc('V009', 'a protected header that is not a map', 'well_formed', () => ({
    issuerAuth: (signed) => (Array.isArray(signed) ? signed.with(0, Uint8Array.of(0x80)) : signed),
  })),
  spoiledMdoc('V009', 'a device key with a compressed point', 'accepted', (world) => ({
    mso: (mso) => withDeviceKey(mso, changed(coseKey(world.holderKey), -3, isOdd(world))),
  })),
  spoiledMdoc('V009', 'the wrong sign of a compressed point', 'holder_signature_valid', (world) => ({
    mso: (mso) => withDeviceKey(mso, changed(coseKey(world.holderKey), -3, !isOdd(world))),
  })),
  {
    ...spoiledMdoc('V010', 'namespaces and elements named like members of every object', 'accepted', () => ({
      items: (items) => [
        ...items,
        mintItem('__proto__', 'polluted', { digestId: 901, value: true }),
        mintItem(MDL_NAMESPACE, '__proto__', { digestId: 902, value: mapOf({ polluted: true }) }),
      ],
      presentedItems: (usual, all) => [...usual, ...all.slice(-2)],
    })),
  },
]

/** Writes the first digest of the map twice. */
function doubled(map: CborMap): Raw {
  const members = [...[...map].slice(0, 1), ...map].flatMap((member) => member.map((item) => encodeCbor(item)))
  return new Raw(new Uint8Array(Buffer.concat([head(5, map.size + 1), ...members])))
}

function isOdd(world: World): boolean {
  return (Buffer.from(publicJwk(world.holderKey).y ?? '', 'base64url').at(-1) ?? 0) % 2 === 1
}

function withDeviceKey(mso: CborMap, key: CborValue): CborMap {
  return changed(mso, 'deviceKeyInfo', changed(inner(mso, 'deviceKeyInfo'), 'deviceKey', key))
}

const LISTS: readonly Mutation[] = [
  spoiledSdJwt('V011', 'a list signed by the document signer of mdocs', 'not_revoked', (world) => ({
    trial: (trial) => {
      const uri = statusListUri(world.issuer.base, 'jwt')
      const list = mintStatusListJwt(listFields(world, 'jwt'), world.issuer.mdoc.signer)
      return {
        ...trial,
        status: new Map([...trial.status, [uri, fetched(Buffer.from(list), 'application/statuslist+jwt')]]),
      }
    },
  })),
  spoiledSdJwt('V011', 'an address with an unsupported scheme', 'not_revoked', () => ({
    template: (claims) => ({ ...claims, status: { status_list: { idx: 0, uri: 'file:///etc/hosts' } } }),
  })),
  spoiledMdoc('V011', 'valid in the status list, revoked in the identifier list', 'not_revoked', (world) => {
    const id = Uint8Array.of(4, 7, 1, 1)
    const uri = `${world.issuer.base}/identifiers.cwt`
    const bytes = mintIdentifierListCwt(
      { uri, issuedAt: NOW - 60, expiresAt: NOW + DAY, ttlSeconds: 300, revoked: [id] },
      world.issuer.mdoc.signer,
    )
    const status = mapOf({
      status_list: mapOf({ idx: STATUS_INDEX.valid, uri: statusListUri(world.issuer.base, 'cwt') }),
      identifier_list: mapOf({ id, uri }),
    })
    return {
      fields: (fields) => ({ ...fields, status }),
      trial: (trial) => ({
        ...trial,
        status: new Map([...trial.status, [uri, fetched(bytes, 'application/identifierlist+cwt')]]),
      }),
    }
  }),
]

const envelope = (
  id: string,
  title: string,
  expectedCheck: string,
  body: (jwe: string, world: World) => string,
  state: string | null = null,
): Mutation => ({
  ...expecting(expectedCheck),
  id,
  title,
  format: 'envelope',
  make: (world) => {
    const trial = trialOf(world, null, { credentials: [SD_JWT_QUERY] })
    const jwe = assembleJwe({
      payload: { vp_token: { pid: [presentSdJwt(world)] } },
      key: publicJwk(world.encryptionKey),
      kid: KID,
    })
    return { ...trial, body: body(jwe, world), expectations: { ...trial.expectations, state } }
  },
})

const ANSWERS: readonly Mutation[] = [
  envelope('N006', 'the state only outside the JWE', 'malformed', (jwe) => `response=${jwe}&state=${STATE}`, STATE),
  envelope(
    'N008',
    'a vp_token in clear beside the encrypted one',
    'malformed',
    (jwe) => `response=${jwe}&vp_token=%7B%7D`,
  ),
  envelope(
    'N010',
    'an error in clear beside the encrypted response',
    'malformed',
    (jwe) => `response=${jwe}&error=access_denied`,
  ),
  envelope(
    'V012',
    'an unknown field beside the response',
    'accepted',
    (jwe) => `response=${jwe}&iss=https%3A%2F%2Fwallet.example`,
  ),
  envelope('V012', 'a percent sign that begins no escape', 'malformed', (jwe) => `response=${jwe}&x=%zz`),
  envelope('V012', 'a field that is not UTF-8', 'malformed', (jwe) => `response=${jwe}&x=%ff`),
  envelope('V012', 'an empty body', 'malformed', () => ''),
  multiple('two presentations where several were asked for', 'accepted', (world) => [
    presentSdJwt(world),
    presentSdJwt(world),
  ]),
  multiple('two presentations, the second for another request', 'bound_to_request', (world) => [
    presentSdJwt(world),
    presentSdJwt(world, { keyBindingClaims: (usual) => ({ ...usual, nonce: 'another' }) }),
  ]),
  multiple('two presentations, the second an mdoc', 'well_formed', (world) => [
    presentSdJwt(world),
    presentMdoc(world),
  ]),
]

function multiple(title: string, expectedCheck: string, presented: (world: World) => readonly string[]): Mutation {
  return {
    ...expecting(expectedCheck),
    id: 'N050',
    title,
    format: 'vp_token',
    make: (world) => trialOf(world, { pid: presented(world) }, { credentials: [{ ...SD_JWT_QUERY, multiple: true }] }),
  }
}

export const MISPLACED_MUTATIONS: readonly Mutation[] = [...SIGNERS, ...TERMS, ...DOCUMENTS, ...LISTS, ...ANSWERS]
