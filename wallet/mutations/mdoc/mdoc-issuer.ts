// Lists changed issuer parts of an mdoc: types, digests, times and the issuer's signature (N144-N163).

import { mintDocumentSigner } from '../../src/authorities.ts'
import type { CborValue } from '../../src/encoding/cbor.ts'
import { embedded, encodeCbor, mapOf, Raw, Tagged } from '../../src/encoding/cbor.ts'
import { LABEL, x5chain } from '../../src/encoding/cose.ts'
import { TYPE } from '../../src/issuer.ts'
import { generateKey, sha256 } from '../../src/keys.ts'
import type { Item } from '../../src/mdoc.ts'
import { mintItem, valueDigests } from '../../src/mdoc.ts'
import { certificateBytes } from '../../src/pki.ts'
import type { Mutation } from '../mutation.ts'
import { spoiledMdoc } from '../spoiled.ts'
import type { World } from '../world.ts'
import { DAY, MDL_NAMESPACE, MDL_QUERY, NOW } from '../world.ts'
import type { CborMap, MdocHooks } from './mdoc-trial.ts'
import { changed, inner, mdocTrial } from './mdoc-trial.ts'

const accepted = (id: string, title: string, hooks: MdocHooks | ((world: World) => MdocHooks)): Mutation =>
  spoiledMdoc(id, title, 'accepted', hooks)

const mso = (id: string, title: string, expectedCheck: string, change: (usual: CborMap) => CborMap): Mutation =>
  spoiledMdoc(id, title, expectedCheck, { mso: change })

const PID = 'eu.europa.ec.eudi.pid.1'

const TYPES: readonly Mutation[] = [
  {
    ...spoiledMdoc('N144', 'another docType was asked for', 'type_requested', {
      trial: (trial) => ({
        ...trial,
        expectations: {
          ...trial.expectations,
          query: { credentials: [{ ...MDL_QUERY, meta: { doctype_value: PID } }] },
        },
      }),
    }),
  },
  spoiledMdoc('N145', 'the issuer signed another docType than the device', 'type_requested', {
    documentDocType: TYPE.mdl,
    mso: (usual) => changed(usual, 'docType', TYPE.pidMdoc),
  }),
  spoiledMdoc('N145', 'the document names another docType than issuer and query', 'type_requested', {
    documentDocType: TYPE.pidMdoc,
  }),
]

/** Changes the presented family name after signing. */
const item = (id: string, title: string, change: (usual: Item, all: readonly Item[]) => Item): Mutation =>
  spoiledMdoc(id, title, 'digests_valid', {
    presentedItems: (items, all) =>
      items.map((entry) => (entry.element === 'family_name' ? change(entry, all) : entry)),
  })

const DIGESTS: readonly Mutation[] = [
  item('N146', 'a value changed', (usual) =>
    mintItem(MDL_NAMESPACE, 'family_name', { digestId: usual.digestId, value: 'Anderson' }),
  ),
  item('N146', 'the element renamed', (usual) => ({
    ...usual,
    bytes: new Uint8Array(
      Buffer.from(Buffer.from(usual.bytes).toString('latin1').replace('family_name', 'family_nome'), 'latin1'),
    ),
  })),
  item('N147', 'the digest id of another element', (usual, all) =>
    mintItem(MDL_NAMESPACE, 'family_name', { digestId: (all[1] ?? usual).digestId, value: 'Specimen' }),
  ),
  item('N149', 'a digest id that was never signed', () =>
    mintItem(MDL_NAMESPACE, 'family_name', { digestId: 4711, value: 'Specimen' }),
  ),
  item('N148', 'an element under another namespace', (usual) => ({ ...usual, namespace: 'org.iso.18013.5.1.aamva' })),
  mso('N149', 'no digests of the namespace', 'digests_valid', (usual) =>
    changed(usual, 'valueDigests', new Map([['other', inner(inner(usual, 'valueDigests'), MDL_NAMESPACE)]])),
  ),
  mso('N154', 'digest algorithm SHA-1', 'well_formed', (usual) => changed(usual, 'digestAlgorithm', 'SHA-1')),
  mso('N154', 'digest algorithm in lower case', 'well_formed', (usual) => changed(usual, 'digestAlgorithm', 'sha-256')),
  mso('N154', 'a digest algorithm that was not used', 'digests_valid', (usual) =>
    changed(usual, 'digestAlgorithm', 'SHA-512'),
  ),
  mso('V005', 'version 2.0 of the security object', 'well_formed', (usual) => changed(usual, 'version', '2.0')),
  mso('V005', 'no docType in the security object', 'well_formed', (usual) => changed(usual, 'docType', undefined)),
]

/** N150: the digests cover the content of tag 24, without the tag. */
function innerDigests(items: readonly Item[]): CborMap {
  return new Map([
    [MDL_NAMESPACE, new Map<CborValue, CborValue>(items.map((entry) => [entry.digestId, sha256(innerBytes(entry))]))],
  ])
}

function innerBytes(entry: Item): Uint8Array {
  const start = Buffer.from(entry.bytes).indexOf(Uint8Array.of(0xa4))
  return entry.bytes.slice(start)
}

/** Keeps the items, so that their digests can be computed differently. */
const digested = (
  id: string,
  title: string,
  expectedCheck: string,
  digests: (items: readonly Item[]) => CborMap,
  algorithm = 'SHA-256',
): Mutation => ({
  id,
  title,
  format: 'mso_mdoc',
  expectedCheck,
  ...(expectedCheck === 'accepted' ? { positive: true as const } : {}),
  make: (world) => {
    let kept: readonly Item[] = []
    return mdocTrial(world, {
      items: (items) => {
        kept = items
        return items
      },
      mso: (usual) => changed(changed(usual, 'valueDigests', digests(kept)), 'digestAlgorithm', algorithm),
    })
  },
})

/** Changes one of the times; the others stay. */
const time = (
  id: string,
  title: string,
  change: { readonly signed?: number; readonly validFrom?: number; readonly validUntil?: number },
): Mutation => spoiledMdoc(id, title, 'within_validity', { fields: (fields) => ({ ...fields, ...change }) })

const TIMES: readonly Mutation[] = [
  time('N155', 'expired', { validUntil: NOW - 3600 }),
  time('N156', 'an mdoc that is not valid yet', { validFrom: NOW + DAY }),
  time('N157', 'an mdoc signed before its certificate was valid', { signed: NOW - 50 * DAY }),
  time('N157', 'an mdoc signed after its certificate expired', {
    signed: NOW + 380 * DAY,
    validFrom: NOW + 381 * DAY,
    validUntil: NOW + 382 * DAY,
  }),
  time('N158', 'a validity that ends before it begins', { validFrom: NOW - DAY, validUntil: NOW - 2 * DAY }),
  mso('N155', 'no validUntil', 'well_formed', (usual) =>
    changed(usual, 'validityInfo', changed(inner(usual, 'validityInfo'), 'validUntil', undefined)),
  ),
  mso('N155', 'validUntil as plain text', 'well_formed', (usual) =>
    changed(usual, 'validityInfo', changed(inner(usual, 'validityInfo'), 'validUntil', '2099-01-01T00:00:00Z')),
  ),
  mso('N155', 'validUntil as a number', 'well_formed', (usual) =>
    changed(usual, 'validityInfo', changed(inner(usual, 'validityInfo'), 'validUntil', new Tagged(1, NOW + DAY))),
  ),
  mso('N155', 'a day that does not exist', 'well_formed', (usual) =>
    changed(
      usual,
      'validityInfo',
      changed(inner(usual, 'validityInfo'), 'validUntil', new Tagged(0, '2099-02-30T00:00:00Z')),
    ),
  ),
]

/** Replaces one part of the signed COSE array. */
const part = (
  id: string,
  title: string,
  expectedCheck: string,
  index: number,
  change: (usual: CborValue) => CborValue,
): Mutation =>
  spoiledMdoc(id, title, expectedCheck, {
    issuerAuth: (signed) =>
      Array.isArray(signed) ? signed.map((entry: CborValue, at) => (at === index ? change(entry) : entry)) : signed,
  })

function flipped(value: CborValue): CborValue {
  return value instanceof Uint8Array ? value.map((byte, index) => (index === 9 ? byte ^ 1 : byte)) : value
}

const SIGNATURES: readonly Mutation[] = [
  part('N159', 'one bit of the signature flipped', 'issuer_signature_valid', 3, flipped),
  part('N159', 'a signature of zeros', 'issuer_signature_valid', 3, () => new Uint8Array(64)),
  part('N159', 'no signature', 'issuer_signature_valid', 3, () => new Uint8Array()),
  spoiledMdoc('N159', 'signed by another key', 'issuer_signature_valid', (world) => ({
    issuerAuthFields: (fields) => ({ ...fields, key: world.otherKey }),
  })),
  part('N160', 'payload null', 'well_formed', 2, () => null),
  spoiledMdoc('N160', 'a payload that is not embedded', 'well_formed', {
    issuerAuthFields: (fields) => ({ ...fields, payload: unwrapped(fields.payload) }),
  }),
  spoiledMdoc('N161', 'alg in the unprotected header only', 'algorithm_allowed', {
    issuerAuthFields: (fields) => ({
      ...fields,
      protectedHeader: new Map(),
      unprotectedHeader: changed(fields.unprotectedHeader ?? new Map(), LABEL.algorithm, -7),
    }),
  }),
  spoiledMdoc('N161', 'no alg', 'algorithm_allowed', {
    issuerAuthFields: (fields) => ({ ...fields, protectedHeader: new Map() }),
  }),
  spoiledMdoc('N161', 'an alg that is not accepted (ML-DSA-87)', 'algorithm_allowed', {
    issuerAuthFields: (fields) => ({ ...fields, protectedHeader: new Map([[LABEL.algorithm, -50]]) }),
  }),
  spoiledMdoc('N161', 'HMAC as alg', 'algorithm_allowed', {
    issuerAuthFields: (fields) => ({ ...fields, protectedHeader: new Map([[LABEL.algorithm, 5]]) }),
  }),
  spoiledMdoc('N162', 'alg -7 with a P-384 key', 'issuer_signature_valid', (world) => ({
    signer: p384Signer(world),
    issuerAuthFields: (fields) => ({ ...fields, protectedHeader: new Map([[LABEL.algorithm, -7]]) }),
  })),
  spoiledMdoc('N162', 'alg -35 with a P-256 key', 'issuer_signature_valid', {
    issuerAuthFields: (fields) => ({ ...fields, protectedHeader: new Map([[LABEL.algorithm, -35]]) }),
  }),
  spoiledMdoc('N161', 'a critical header', 'well_formed', {
    issuerAuthFields: (fields) => ({
      ...fields,
      protectedHeader: new Map<CborValue, CborValue>([
        [LABEL.algorithm, -7],
        [LABEL.critical, [99]],
      ]),
    }),
  }),
]

function unwrapped(payload: Uint8Array | null): Uint8Array {
  const bytes = payload ?? new Uint8Array()
  return bytes.slice(Buffer.from(bytes).indexOf(Uint8Array.of(0xa7)))
}

function p384Signer(world: World) {
  return mintDocumentSigner(
    world.issuer.mdoc.authority,
    { country: 'DE', commonName: 'P-384 document signer' },
    {
      notBefore: NOW - 10 * DAY,
      notAfter: NOW + 10 * DAY,
      subjectKey: generateKey('P-384'),
      crl: `${world.issuer.base}/iaca.crl`,
    },
  )
}

const CERTIFICATES: readonly Mutation[] = [
  spoiledMdoc('N163', 'no x5chain', 'issuer_certificate_present', {
    issuerAuthFields: (fields) => ({ ...fields, unprotectedHeader: new Map() }),
  }),
  spoiledMdoc('N163', 'an empty x5chain', 'issuer_certificate_present', {
    issuerAuthFields: (fields) => ({ ...fields, unprotectedHeader: new Map([[LABEL.x5chain, []]]) }),
  }),
  spoiledMdoc('N163', 'x5chain as text', 'issuer_certificate_present', (world) => ({
    issuerAuthFields: (fields) => ({
      ...fields,
      unprotectedHeader: new Map([[LABEL.x5chain, world.issuer.mdoc.signer.certificate]]),
    }),
  })),
  spoiledMdoc('N163', 'different certificates in the two headers', 'issuer_certificate_present', (world) => ({
    issuerAuthFields: (fields) => ({
      ...fields,
      protectedHeader: new Map<CborValue, CborValue>([
        [LABEL.algorithm, -7],
        [LABEL.x5chain, certificateBytes(p384Signer(world))],
      ]),
    }),
  })),
]

const ACCEPTED: readonly Mutation[] = [
  accepted('N163', 'x5chain in the protected header', (world) => ({
    issuerAuthFields: (fields) => ({
      ...fields,
      unprotectedHeader: new Map(),
      protectedHeader: new Map<CborValue, CborValue>([
        [LABEL.algorithm, -7],
        [LABEL.x5chain, x5chain([certificateBytes(world.issuer.mdoc.signer)])],
      ]),
    }),
  })),
  accepted('N162', 'the fully specified algorithm -9', {
    issuerAuthFields: (fields) => ({ ...fields, protectedHeader: new Map([[LABEL.algorithm, -9]]) }),
  }),
  accepted('N162', 'a document signer on P-384', (world) => ({ signer: p384Signer(world) })),
  digested('N150', 'digests over the inner bytes only', 'digests_valid', innerDigests),
  digested('N154', 'digests by SHA-512', 'accepted', (items) => valueDigests(items, 'sha512'), 'SHA-512'),
  accepted('N151', 'an unknown member in the security object', {
    mso: (usual) => changed(usual, 'future', mapOf({ a: new Raw(encodeCbor(embedded(1))) })),
  }),
]

export const MDOC_ISSUER_MUTATIONS: readonly Mutation[] = [
  ...TYPES,
  ...DIGESTS,
  ...TIMES,
  ...SIGNATURES,
  ...CERTIFICATES,
  ...ACCEPTED,
]
