// Tests the outer layers of an mdoc: base64url, CBOR, DeviceResponse, items.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastCpuMs } from '../cpu-time.ts'
import { accepts, examine, rejects } from './examine.ts'
import { cbor, MDL_SPACE, type MdocPlan, mintMdoc, Raw, Tagged } from './mint-mdoc.ts'

/** The first integer that a double cannot distinguish from its neighbour. */
const TWO_TO_53 = Buffer.from('1b0020000000000000', 'hex')

test('accepts a genuine mdoc and returns what the issuer signed', () => {
  const { claims, issuer, type, expiresAt } = accepts({})
  assert.deepEqual(JSON.parse(JSON.stringify(claims)), {
    [MDL_SPACE]: {
      family_name: 'Mustermann',
      given_name: 'Erika',
      birth_date: '1990-01-02',
      issuing_country: 'UT',
      age_over_18: true,
      portrait: Buffer.alloc(40, 0xff).toString('base64url'),
    },
  })
  assert.deepEqual(issuer, { common_name: 'Invented Document Signer', country: 'UT' })
  assert.equal(type, 'org.iso.18013.5.1.mDL')
  assert.ok(expiresAt !== null)
})

test('accepts another 1.x version and unknown members', () => {
  accepts({ response: (members) => ({ ...members, version: '1.1', documentErrors: [{ other: 0 }], future: 1 }) })
})

test('accepts an mdoc that discloses nothing', () => {
  const { claims } = accepts({
    document: ({ issuerSigned, ...rest }) => ({ ...rest, issuerSigned: without(issuerSigned, 'nameSpaces') }),
  })
  assert.deepEqual(Object.keys(claims ?? { wrong: 1 }), [])
})

test('accepts CBOR with longer heads than needed, byte for byte', () => {
  const longer = (members: unknown) => Buffer.concat([Buffer.from('b90003', 'hex'), cbor(members).subarray(1)])
  accepts({ response: (members) => new Raw(longer(members)) })
  // A digest over a re-encoded item would not match.
  accepts({ itemBytes: (item) => Buffer.concat([Buffer.from('d81859', 'hex'), length16(item), item]) })
})

const outer: [string, MdocPlan][] = [
  ['status 10 with documents', { response: (members) => ({ ...members, status: 10 }) }],
  ['no status', { response: (members) => without(members, 'status') }],
  [
    'a status that is a float',
    { response: (members) => ({ ...members, status: new Raw(Buffer.from('f90000', 'hex')) }) },
  ],
  ['version 2.0', { response: (members) => ({ ...members, version: '2.0' }) }],
  ['a version that is a number', { response: (members) => ({ ...members, version: 1 }) }],
  ['no version', { response: (members) => without(members, 'version') }],
  ['no documents', { response: (members) => without(members, 'documents') }],
  ['an empty list of documents', { response: (members) => ({ ...members, documents: [] }) }],
  ['two documents', { response: twice }],
  ['only zero-knowledge documents', { response: ({ documents, ...rest }) => ({ ...rest, zkDocuments: documents }) }],
  ['documents that are a map', { response: ({ documents, ...rest }) => ({ ...rest, documents: { 0: documents } }) }],
  ['a list instead of a response', { response: (members) => [members] }],
  ['no docType', { document: (members) => without(members, 'docType') }],
  ['no issuerSigned', { document: (members) => without(members, 'issuerSigned') }],
  ['no deviceSigned', { document: (members) => without(members, 'deviceSigned') }],
  ['a name space without items', { document: withNameSpaces({ [MDL_SPACE]: [] }) }],
  ['name spaces that are a list', { document: withNameSpaces([]) }],
  ['an item that is not embedded', { document: withNameSpaces({ [MDL_SPACE]: [{ digestID: 1 }] }) }],
  ['an item under another tag', { document: withNameSpaces({ [MDL_SPACE]: [new Tagged(25, cbor({}))] }) }],
  [
    'an item with bytes after it',
    { document: withNameSpaces({ [MDL_SPACE]: [new Tagged(24, Buffer.from('a000', 'hex'))] }) },
  ],
  ['a random of four bytes', { itemMembers: (members) => ({ ...members, random: Buffer.alloc(4) }) }],
  ['a random that is text', { itemMembers: (members) => ({ ...members, random: 'a'.repeat(32) }) }],
  ['a negative digest ID', { itemMembers: (members) => ({ ...members, digestID: -1 }) }],
  ['a digest ID beyond 2^53', { itemMembers: (members) => ({ ...members, digestID: new Raw(TWO_TO_53) }) }],
  ['a digest ID that is text', { itemMembers: (members) => ({ ...members, digestID: '10' }) }],
  ['an item without a value', { itemMembers: (members) => without(members, 'elementValue') }],
  ['an item without a name', { itemMembers: (members) => without(members, 'elementIdentifier') }],
  ['an item whose name is a number', { itemMembers: (members) => ({ ...members, elementIdentifier: 1 }) }],
  ['a value of a kind that JSON does not have', { elements: { [MDL_SPACE]: { a: new Tagged(2, Buffer.alloc(9)) } } }],
]
for (const [title, plan] of outer) {
  test(`rejects a response with ${title}`, () => rejects(plan, 'well_formed', 'credential_invalid'))
}

test('rejects a repeated element', () => {
  rejects({ document: repeatFirstItem }, 'well_formed', 'credential_invalid')
})

test('rejects a text that is not the base64url encoding of exactly one response', () => {
  const valid = mintMdoc()
  for (const text of [
    '',
    '!',
    `${valid}=`,
    ` ${valid}`,
    `${valid}\n`,
    `${valid}AA`,
    valid.slice(0, -4),
    'A'.repeat(2_000_001),
  ]) {
    rejects(text, 'well_formed', 'credential_invalid')
  }
  rejects(Buffer.from(valid, 'base64url').toString('base64'), 'well_formed', 'credential_invalid')
})

test('returns a verdict for every truncation', () => {
  const bytes = Buffer.from(mintMdoc(), 'base64url')
  for (let length = 0; length < bytes.length; length += 7) {
    rejects(bytes.subarray(0, length).toString('base64url'), 'well_formed', 'credential_invalid')
  }
})

test('no single changed byte changes a claim, and none causes an exception', () => {
  const bytes = Buffer.from(mintMdoc(), 'base64url')
  const genuine = JSON.stringify(examine(bytes.toString('base64url')).claims)
  let accepted = 0
  for (let index = 0; index < bytes.length; index++) {
    const spoiled = Buffer.from(bytes)
    spoiled[index] = (spoiled[index] ?? 0) ^ (1 << (index % 8))
    const { claims } = examine(spoiled.toString('base64url'))
    if (claims === null) continue
    // No signature covers the minor version, nor the name under which the items are found.
    accepted += 1
    assert.ok([genuine, '{}'].includes(JSON.stringify(claims)), `byte ${index}`)
  }
  assert.ok(accepted < 15, `${accepted} accepted`)
})

test('judges hostile input of full size in a short time', () => {
  const size = 1_400_000
  const hostile = [
    Buffer.concat([Buffer.from('9a00155cc0', 'hex'), Buffer.alloc(size)]),
    Buffer.alloc(size, 0x81),
    Buffer.concat([Buffer.from('5a00155cc0', 'hex'), Buffer.alloc(size)]),
    Buffer.from(mintMdoc({ elements: { [MDL_SPACE]: { a: Array.from({ length: 300_000 }, () => 0) } } }), 'base64url'),
  ]
  for (const bytes of hostile) {
    const text = bytes.toString('base64url')
    const cost = leastCpuMs(500, () => assert.equal(examine(text).claims, null))
    assert.ok(cost < 500, `${cost} ms of CPU`)
  }
})

function length16(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return length
}

function without(members: unknown, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members as object).filter(([key]) => key !== name))
}

function twice(members: Record<string, unknown>): unknown {
  const [document] = members.documents as unknown[]
  return { ...members, documents: [document, document] }
}

function withNameSpaces(nameSpaces: unknown): NonNullable<MdocPlan['document']> {
  return ({ issuerSigned, ...rest }) => ({ ...rest, issuerSigned: { ...(issuerSigned as object), nameSpaces } })
}

function repeatFirstItem({ issuerSigned, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const signed = issuerSigned as { nameSpaces: Record<string, unknown[]> }
  const items = signed.nameSpaces[MDL_SPACE] ?? []
  return { ...rest, issuerSigned: { ...signed, nameSpaces: { [MDL_SPACE]: [...items, items[0]] } } }
}
