// Mutates single bytes and members of an mdoc that only one line of a verifier checks (V013-V017).

import type { CborValue } from '../../src/encoding/cbor.ts'
import { embedded, encodeCbor, mapOf, Raw, Tagged } from '../../src/encoding/cbor.ts'
import { coseKey, LABEL } from '../../src/encoding/cose.ts'
import { statusListUri } from '../../src/issuer.ts'
import { sha256 } from '../../src/keys.ts'
import { mintItem } from '../../src/mdoc.ts'
import { certificateBytes } from '../../src/pki.ts'
import type { Mutation } from '../mutation.ts'
import { spoiledMdoc } from '../spoiled.ts'
import { DAY, MDL_NAMESPACE, NOW } from '../world.ts'
import type { CborMap } from './mdoc-trial.ts'
import { changed, inner } from './mdoc-trial.ts'

/** Replaces issuerAuth as an array. */
const message = (title: string, change: (parts: readonly CborValue[]) => CborValue): Mutation =>
  spoiledMdoc('V013', title, 'well_formed', {
    issuerAuth: (signed) => (Array.isArray(signed) ? change(signed) : signed),
  })

const MESSAGES: readonly Mutation[] = [
  message('a COSE message of three parts', (parts) => parts.slice(0, 3)),
  message('a COSE message of five parts', (parts) => [...parts, null]),
  message('a COSE_Sign1 under the tag of COSE_Mac0', (parts) => new Tagged(17, parts)),
  message('a protected header as a map', (parts) => parts.with(0, new Map([[1, -7]]))),
  message('an unprotected header as an array', (parts) => parts.with(1, [])),
  message('a payload as text', (parts) => parts.with(2, 'payload')),
  message('a signature as text', (parts) => parts.with(3, 'signature')),
]

/** x5t (RFC 9360) in the protected header. */
const thumbprint = (title: string, expectedCheck: string, x5t: (certificate: Uint8Array) => CborValue): Mutation =>
  spoiledMdoc('V014', title, expectedCheck, (world) => ({
    issuerAuthFields: (fields) => ({
      ...fields,
      protectedHeader: new Map<CborValue, CborValue>([
        [LABEL.algorithm, -7],
        [34, x5t(certificateBytes(world.issuer.mdoc.signer))],
      ]),
    }),
  }))

const THUMBPRINTS: readonly Mutation[] = [
  thumbprint('the thumbprint of another certificate', 'issuer_certificate_present', () => [-16, new Uint8Array(32)]),
  thumbprint('a thumbprint by another hash', 'issuer_certificate_present', (certificate) => [
    -15,
    sha256(certificate).slice(0, 8),
  ]),
  thumbprint('a malformed thumbprint', 'issuer_certificate_present', (certificate) => sha256(certificate)),
  thumbprint('the right thumbprint', 'accepted', (certificate) => [-16, sha256(certificate)]),
]

const deviceKey = (title: string, expectedCheck: string, change: (usual: CborMap) => CborMap): Mutation =>
  spoiledMdoc('V015', title, expectedCheck, (world) => ({
    mso: (mso) =>
      changed(
        mso,
        'deviceKeyInfo',
        changed(inner(mso, 'deviceKeyInfo'), 'deviceKey', change(coseKey(world.holderKey))),
      ),
  }))

const KEYS: readonly Mutation[] = [
  deviceKey('a device key without x', 'holder_key_present', (usual) => changed(usual, -2, undefined)),
  deviceKey('a device key without y', 'holder_key_present', (usual) => changed(usual, -3, undefined)),
  deviceKey('a device key with a short x', 'holder_key_present', (usual) =>
    changed(usual, -2, new Uint8Array(31).fill(1)),
  ),
  deviceKey('a device key with x padded', 'holder_key_present', (usual) => changed(usual, -2, padded(usual.get(-2)))),
  deviceKey('a device key of an unknown curve', 'holder_key_present', (usual) => changed(usual, -1, 8)),
  deviceKey('a device key for encryption only', 'holder_key_present', (usual) => changed(usual, 4, [3])),
  deviceKey('a device key for another algorithm', 'holder_key_present', (usual) => changed(usual, 3, -35)),
  deviceKey('a device key with key_ops and alg', 'accepted', (usual) => changed(changed(usual, 4, [2]), 3, -7)),
]

function padded(x: CborValue | undefined): Uint8Array {
  return Uint8Array.of(0, ...(x instanceof Uint8Array ? x : []))
}

const member = (title: string, change: (mso: CborMap) => CborMap): Mutation =>
  spoiledMdoc('V016', title, 'well_formed', { mso: change })

const authorised = (title: string, keyAuthorizations: CborValue): Mutation =>
  spoiledMdoc('V016', title, 'well_formed', { fields: (fields) => ({ ...fields, keyAuthorizations }) })

const status = (title: string, reference: (uri: string) => CborValue): Mutation =>
  spoiledMdoc('V016', title, 'well_formed', (world) => ({
    fields: (fields) => ({ ...fields, status: reference(statusListUri(world.issuer.base, 'cwt')) }),
  }))

const MEMBERS: readonly Mutation[] = [
  member('no digests', (mso) => changed(mso, 'valueDigests', undefined)),
  member('digests in an array', (mso) => changed(mso, 'valueDigests', new Map([[MDL_NAMESPACE, []]]))),
  member('no key information', (mso) => changed(mso, 'deviceKeyInfo', undefined)),
  member('no validity', (mso) => changed(mso, 'validityInfo', undefined)),
  spoiledMdoc('V016', 'a time with a fraction, as some issuers write it', 'accepted', {
    mso: (mso) =>
      changed(
        mso,
        'validityInfo',
        changed(inner(mso, 'validityInfo'), 'signed', new Tagged(0, new Date((NOW - 2 * DAY) * 1000).toISOString())),
      ),
  }),
  authorised('key authorisations in an array', []),
  authorised('authorised name spaces as text', mapOf({ nameSpaces: MDL_NAMESPACE })),
  authorised('authorised name spaces as numbers', mapOf({ nameSpaces: [1] })),
  authorised('authorised elements in an array', mapOf({ dataElements: [] })),
  authorised('authorised elements under a number', mapOf({ dataElements: new Map([[1, ['x']]]) })),
  status('a status list reference as text', (uri) => mapOf({ status_list: uri })),
  status('a status list without an address', () => mapOf({ status_list: mapOf({ idx: 0 }) })),
  status('a status list with an address that is not a text', () => mapOf({ status_list: mapOf({ idx: 0, uri: 1 }) })),
  status('a status certificate as text', (uri) => mapOf({ status_list: mapOf({ idx: 0, uri, certificate: 'MII' }) })),
  status('an empty identifier', (uri) => mapOf({ identifier_list: mapOf({ id: new Uint8Array(), uri }) })),
]

/** A presented element whose digest is right and whose value has no plain meaning. */
const value = (title: string, expectedCheck: string, content: CborValue): Mutation =>
  spoiledMdoc('V017', title, expectedCheck, {
    items: (items) => [
      ...items.filter((item) => item.element !== 'family_name'),
      mintItem(MDL_NAMESPACE, 'family_name', { digestId: 950, value: content }),
    ],
    presentedItems: (usual, all) => [...usual.filter((item) => item.element !== 'family_name'), ...all.slice(-1)],
  })

const bytes = (hex: string): Raw => new Raw(new Uint8Array(Buffer.from(hex, 'hex')))

const VALUES: readonly Mutation[] = [
  value('not a number', 'well_formed', bytes('f97e00')),
  value('infinity', 'well_formed', bytes('f97c00')),
  value('undefined', 'well_formed', bytes('f7')),
  value('an unassigned simple value', 'well_formed', bytes('f8ff')),
  value('an integer of 2^53', 'well_formed', 2n ** 53n),
  value('a big number', 'well_formed', bytes('c249010000000000000000')),
  value('a date under an unknown tag', 'well_formed', new Tagged(1003, '1990-07-14')),
  value('a date that is a number', 'well_formed', new Tagged(1004, 1)),
  value('embedded CBOR', 'well_formed', embedded(1)),
  value('embedded CBOR that is text', 'well_formed', new Tagged(24, 'text')),
  value('a map with numbers as keys', 'well_formed', new Map([[1, 'x']])),
  value('a text that is not UTF-8', 'well_formed', bytes('62c328')),
  value(
    'a list of too many items',
    'well_formed',
    Array.from({ length: 150_000 }, () => 0),
  ),
  value('a fraction', 'accepted', 1.5),
  value('a fraction in half precision', 'accepted', bytes('f93e00')),
  value('nested lists and maps', 'accepted', [mapOf({ a: [1, true, null, new Uint8Array(2)] })]),
]

const SHAPES: readonly Mutation[] = [
  spoiledMdoc('V017', 'an item without a value', 'well_formed', {
    items: (items) =>
      items.map((item) =>
        item.element === 'family_name'
          ? {
              ...item,
              bytes: encodeCbor(
                embedded(
                  mapOf({ digestID: item.digestId, random: new Uint8Array(32), elementIdentifier: 'family_name' }),
                ),
              ),
            }
          : item,
      ),
  }),
  spoiledMdoc('V017', 'a name space without items', 'well_formed', {
    document: (document) =>
      changed(
        document,
        'issuerSigned',
        changed(inner(document, 'issuerSigned'), 'nameSpaces', new Map([[MDL_NAMESPACE, []]])),
      ),
  }),
  spoiledMdoc('V017', 'a device name space without elements', 'well_formed', {
    deviceNamespaces: embedded(new Map([[MDL_NAMESPACE, new Map()]])),
  }),
  spoiledMdoc('V017', 'device name spaces that are not embedded', 'well_formed', {
    document: (document) =>
      changed(document, 'deviceSigned', changed(inner(document, 'deviceSigned'), 'nameSpaces', new Map())),
  }),
  spoiledMdoc('V017', 'a portrait of 1.6 megabytes', 'query_not_satisfied', {
    elements: (elements) => ({ ...elements, portrait: new Uint8Array(1_600_000) }),
  }),
  spoiledMdoc('V017', 'a portrait of 400 kilobytes', 'accepted', {
    elements: (elements) => ({ ...elements, portrait: new Uint8Array(400_000) }),
  }),
]

export const MDOC_DETAIL_MUTATIONS: readonly Mutation[] = [
  ...MESSAGES,
  ...THUMBPRINTS,
  ...KEYS,
  ...MEMBERS,
  ...VALUES,
  ...SHAPES,
]
