// Lists changed encodings and structures of an mdoc (N134-N143, N151-N153), with valid signatures and digests where possible.

import type { CborValue } from '../../src/encoding/cbor.ts'
import { embedded, encodeCbor, mapOf, Raw, Tagged } from '../../src/encoding/cbor.ts'
import type { Item } from '../../src/mdoc.ts'
import { mintItem } from '../../src/mdoc.ts'
import { head, wideHead } from '../heads.ts'
import type { Mutation } from '../mutation.ts'
import type { World } from '../world.ts'
import { MDL_NAMESPACE } from '../world.ts'
import type { CborMap, MdocHooks } from './mdoc-trial.ts'
import { changed, inner, mdocTrial } from './mdoc-trial.ts'

const spoiled = (
  id: string,
  title: string,
  hooks: MdocHooks | ((world: World) => MdocHooks),
  expectedCheck = 'well_formed',
): Mutation => ({
  id,
  title,
  format: 'mso_mdoc',
  expectedCheck,
  make: (world) => mdocTrial(world, typeof hooks === 'function' ? hooks(world) : hooks),
})

const accepted = (id: string, title: string, hooks: MdocHooks): Mutation => ({
  ...spoiled(id, title, hooks, 'accepted'),
  positive: true,
})

const response = (id: string, title: string, change: (usual: CborMap) => CborValue): Mutation =>
  spoiled(id, title, { response: change })

/** Adds a member to the device response in raw bytes: four members instead of three. */
const withMember = (id: string, title: string, member: readonly Uint8Array[]): Mutation =>
  spoiled(id, title, { bytes: (bytes) => new Uint8Array(Buffer.concat([head(5, 4), bytes.slice(1), ...member])) })

const text = (value: string): Uint8Array => encodeCbor(value)

const TRANSPORT: readonly Mutation[] = [
  spoiled('N134', 'standard base64 with padding', {
    text: (encoded) =>
      Buffer.from(encoded, 'base64url')
        .toString('base64')
        .padEnd(encoded.length + 1, '='),
  }),
  spoiled('N134', 'a character outside the alphabet', {
    text: (encoded) => `${encoded.slice(0, 9)}+${encoded.slice(10)}`,
  }),
  spoiled('N134', 'white space', { text: (encoded) => `${encoded} ` }),
  spoiled('N134', 'a trailing byte', { bytes: (bytes) => new Uint8Array(Buffer.concat([bytes, Uint8Array.of(0)])) }),
  spoiled('N134', 'empty', { text: () => '' }),
  spoiled('N135', 'truncated by one byte', { bytes: (bytes) => bytes.slice(0, -1) }),
  spoiled('N135', 'truncated to a half', { bytes: (bytes) => bytes.slice(0, bytes.length / 2) }),
]

const BOMBS: readonly Mutation[] = [
  withMember('N136', 'ten thousand arrays inside each other', [
    text('extra'),
    new Uint8Array(10_000).fill(0x81),
    Uint8Array.of(0x80),
  ]),
  withMember('N136', 'ten thousand tags inside each other', [
    text('extra'),
    new Uint8Array(10_000).fill(0xc1),
    Uint8Array.of(0x00),
  ]),
  withMember('N137', 'an array that claims 2^32 items', [text('extra'), wideHead(4, 2 ** 32, 8)]),
  withMember('N137', 'a byte string that claims 2^62 bytes', [text('extra'), wideHead(2, 2n ** 62n, 8)]),
  withMember('N137', 'a map that claims 2^31 pairs', [text('extra'), wideHead(5, 2 ** 31, 4)]),
  withMember('N138', 'an array of indefinite length without end', [
    text('extra'),
    Uint8Array.of(0x9f),
    new Uint8Array(5000),
  ]),
  withMember('N138', 'a byte string in chunks', [text('extra'), Uint8Array.of(0x5f, 0x41, 0x00, 0xff)]),
  withMember('N138', 'an array of indefinite length', [text('extra'), Uint8Array.of(0x9f, 0x00, 0xff)]),
  withMember('N139', 'the documents twice', [text('documents'), Uint8Array.of(0x80)]),
  withMember('N139', 'the status twice, in another encoding', [
    Uint8Array.of(0x78, 0x06),
    Buffer.from('status'),
    Uint8Array.of(0x00),
  ]),
  withMember('N136', 'a reserved head', [text('extra'), Uint8Array.of(0x1c)]),
  withMember('N136', 'a text that is not UTF-8', [text('extra'), Uint8Array.of(0x62, 0xc3, 0x28)]),
  spoiled('N139', 'an item with two values', {
    presentedItems: (items) => items.map((item, index) => (index === 0 ? twoValued(item) : item)),
  }),
]

/** Four pairs become five: a second elementValue. */
function twoValued(item: Item): Item {
  const bytes = Buffer.from(item.bytes)
  const start = bytes.indexOf(Buffer.concat([Uint8Array.of(0xa4), text('digestID')]))
  const content = Buffer.concat([
    Uint8Array.of(0xa5),
    bytes.subarray(start + 1),
    text('elementValue'),
    text('Somebody'),
  ])
  return { ...item, bytes: encodeCbor(new Tagged(24, new Uint8Array(content))) }
}

const RESPONSES: readonly Mutation[] = [
  response('N140', 'status 10 with documents', (usual) => changed(usual, 'status', 10)),
  response('N140', 'no status', (usual) => changed(usual, 'status', undefined)),
  response('N141', 'two documents', (usual) =>
    changed(
      usual,
      'documents',
      [usual, usual].flatMap((map) => documentsOf(map)),
    ),
  ),
  response('N142', 'no documents', (usual) => changed(usual, 'documents', undefined)),
  response('N142', 'an empty list of documents', (usual) => changed(usual, 'documents', [])),
  response('N142', 'only encrypted documents', (usual) =>
    changed(changed(usual, 'documents', undefined), 'encryptedDocuments', []),
  ),
  response('N143', 'version 2.0', (usual) => changed(usual, 'version', '2.0')),
  response('N143', 'no version', (usual) => changed(usual, 'version', undefined)),
  response('N143', 'version is a number', (usual) => changed(usual, 'version', 1)),
  response('N142', 'an array instead of a map', (usual) => [usual]),
  spoiled('V003', 'no docType', { document: (document) => changed(document, 'docType', undefined) }),
  spoiled('V003', 'no issuerSigned', { document: (document) => changed(document, 'issuerSigned', undefined) }),
]

function documentsOf(map: CborMap): readonly CborValue[] {
  const documents = map.get('documents')
  return Array.isArray(documents) ? documents : []
}

const ITEMS: readonly Mutation[] = [
  spoiled('N152', 'one element twice, each with a good digest', {
    items: (items) => [...items, mintItem(MDL_NAMESPACE, 'family_name', { digestId: 900, value: 'Anderson' })],
  }),
  spoiled('N153', 'a random of four bytes', {
    items: (items) => items.map((item) => (item.element === 'family_name' ? shortRandom(item) : item)),
  }),
  spoiled('V004', 'a digest id of 2^53', {
    items: (items) => items.map((item) => (item.element === 'family_name' ? numbered(item, 2n ** 53n) : item)),
  }),
  spoiled('V004', 'an item that is not embedded', { document: (document) => withBareItem(document) }),
]

function shortRandom(item: Item): Item {
  return itemOf(item, { digestID: item.digestId, random: new Uint8Array(4) })
}

/** An item with a floating-point number as digest id, which `Item` cannot express. */
function numbered(item: Item, digestID: bigint): Item {
  return itemOf(item, { digestID, random: new Uint8Array(32) })
}

function itemOf(item: Item, members: { readonly [member: string]: CborValue }): Item {
  const content = mapOf({ ...members, elementIdentifier: item.element, elementValue: 'Specimen' })
  return { ...item, bytes: encodeCbor(embedded(content)) }
}

function withBareItem(document: CborMap): CborMap {
  const issuerSigned = inner(document, 'issuerSigned')
  const item = mapOf({
    digestID: 0,
    random: new Uint8Array(32),
    elementIdentifier: 'family_name',
    elementValue: 'Specimen',
  })
  return changed(document, 'issuerSigned', changed(issuerSigned, 'nameSpaces', new Map([[MDL_NAMESPACE, [item]]])))
}

const ACCEPTED: readonly Mutation[] = [
  accepted('N151', 'a valid mdoc', {}),
  accepted('N151', 'a response whose map heads are longer than needed', {
    bytes: (bytes) => new Uint8Array(Buffer.concat([wideHead(5, 3, 2), bytes.slice(1)])),
  }),
  accepted('N151', 'an item whose heads are longer than needed', {
    items: (items) => items.map((item) => (item.element === 'family_name' ? wideItem(item) : item)),
  }),
  accepted('N143', 'version 1.1', { response: (usual) => changed(usual, 'version', '1.1') }),
  accepted('N142', 'an unknown member', { response: (usual) => changed(usual, 'future', mapOf({ a: 1 })) }),
  {
    id: 'N151',
    title: 'issuerAuth under tag 18',
    format: 'mso_mdoc',
    expectedCheck: 'accepted',
    positive: true,
    make: (world) => mdocTrial(world, { issuerAuth: (issuerAuth) => new Tagged(18, issuerAuth) }),
  },
]

/** Re-encodes an item with a two-byte head for the map, and eight-byte heads for the digest id and the byte string around it. */
function wideItem(item: Item): Item {
  const members = [
    text('digestID'),
    wideHead(0, item.digestId, 8),
    text('random'),
    encodeCbor(new Uint8Array(32).fill(9)),
    text('elementIdentifier'),
    text(item.element),
    text('elementValue'),
    text('Specimen'),
  ]
  const content = Buffer.concat([wideHead(5, 4, 2), ...members])
  const wrapped = new Raw(new Uint8Array(Buffer.concat([wideHead(2, content.length, 8), content])))
  return { ...item, bytes: encodeCbor(new Tagged(24, wrapped)) }
}

export const MDOC_FORM_MUTATIONS: readonly Mutation[] = [...TRANSPORT, ...BOMBS, ...RESPONSES, ...ITEMS, ...ACCEPTED]
