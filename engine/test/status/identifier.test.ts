// Tests identifier lists: a listed credential is revoked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cbor, Raw } from '../mdoc/mint-mdoc.ts'
import { establish, mintCwt, stranger, URI } from './mint-status.ts'

const ID = Buffer.from('cafe42', 'hex')

test('a listed identifier is revoked, others are valid', async () => {
  assert.equal(await revocationStatusOf(identifiers(ID)), 'revoked')
  assert.equal(await revocationStatusOf(identifiers(Buffer.from('cafe43', 'hex'), Buffer.from('cafe', 'hex'))), 'valid')
  assert.equal(await revocationStatusOf(new Raw(Buffer.from('a0', 'hex'))), 'valid')
})

test('an identifier written as text is found as text and as bytes', async () => {
  const text = Buffer.from('450')
  assert.equal(await revocationStatusOf({ 450: {} }, { id: text }), 'revoked')
  assert.equal(await revocationStatusOf(identifiers(text), { id: text }), 'revoked')
})

test('a list of another form, type or signer gives no status', async () => {
  assert.equal(await revocationStatusOf([]), 'unknown')
  assert.equal(await revocationStatusOf(undefined), 'unknown')
  assert.equal(await revocationStatusOf(identifiers(ID, ID)), 'unknown')
  assert.equal(await revocationStatusOf(identifiers(ID), { type: 'application/statuslist+cwt' }), 'unknown')
  assert.equal(await revocationStatusOf(identifiers(), { by: stranger }), 'unknown')
})

test('finds one identifier among a hundred thousand', async () => {
  const many = Array.from({ length: 100_000 }, (_, number) => {
    const id = Buffer.alloc(4)
    id.writeUInt32BE(number)
    return id
  })
  assert.equal(await revocationStatusOf(identifiers(...many, ID)), 'revoked')
})

function identifiers(...ids: readonly Uint8Array[]): Raw {
  const head = Buffer.alloc(5, 0xba)
  head.writeUInt32BE(ids.length, 1)
  return new Raw(Buffer.concat([head, ...ids.flatMap((id) => [cbor(id), cbor({})])]))
}

async function revocationStatusOf(
  list: unknown,
  change: { id?: Uint8Array; type?: string; by?: typeof stranger } = {},
) {
  const answer = mintCwt({
    type: change.type ?? 'application/identifierlist+cwt',
    claims: new Map<number, unknown>([
      [65533, undefined],
      [65530, list === undefined ? undefined : { identifiers: list }],
    ]),
    ...(change.by && { by: change.by }),
  })
  const source = { uri: URI, kind: 'identifier_list_cwt', format: 'mso_mdoc' } as const
  const reference = { kind: 'identifier', source, id: change.id ?? ID, certificate: null } as const
  const [own] = await establish({ references: [reference], answer, contentType: 'application/identifierlist+cwt' })
  return own?.outcome
}
