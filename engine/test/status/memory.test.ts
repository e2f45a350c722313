// What is remembered of a list spares work and nothing else: every judgement that may change is made anew.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { standingInCrl } from '../../src/status/crl.ts'
import { createListMemory, type ListMemory } from '../../src/status/memory.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { mintAuthority } from '../trust/mint-pki.ts'
import {
  anchor,
  authority,
  establish,
  mintCrl,
  mintCwt,
  mintJwt,
  NOW,
  pack,
  type Situation,
  stranger,
  URI,
} from './mint-status.ts'

const FORMS = {
  jwt: { kind: 'status_list_jwt', format: 'dc+sd-jwt', contentType: 'application/statuslist+jwt' },
  cwt: { kind: 'status_list_cwt', format: 'mso_mdoc', contentType: 'application/statuslist+cwt' },
} as const

const packed = deflateSync(pack({ 5: 1 }))
const lists = {
  jwt: mintJwt({ list: { bits: 1, lst: packed.toString('base64url') } }),
  cwt: mintCwt({ claims: new Map([[65533, { bits: 1, lst: packed }]]) }),
}

/** One that is not has an empty sheet of its own each time. */
function isKept(memory: ListMemory, bytes: Uint8Array): boolean {
  const sheet = memory.of(bytes)
  return memory.of(bytes) === sheet
}

for (const form of ['jwt', 'cwt'] as const) {
  const cache = createChainCache(100)
  const ask = async (
    index: number,
    change: Partial<Situation> & { uri?: string; anchors?: readonly (typeof anchor)[] } = {},
  ) => {
    const { kind, format, contentType } = FORMS[form]
    const source = { uri: change.uri ?? URI, kind, format }
    const references = [{ kind: 'list', source, index, certificate: null }] as const
    const trust = { cache, anchors: change.anchors ?? [anchor] }
    const [own] = await establish({ references, answer: lists[form], contentType, ...change, trust })
    return own?.outcome
  }

  test(`a remembered list answers each index by itself (${form})`, async () => {
    for (let round = 0; round < 2; round++) {
      assert.equal(await ask(4), 'valid')
      assert.equal(await ask(5), 'revoked')
      assert.equal(await ask(4096), 'invalid')
    }
  })

  test(`time, address and anchors are judged anew (${form})`, async () => {
    assert.equal(await ask(4, { expected: { now: NOW + 86_400 } }), 'unknown')
    assert.equal(await ask(4, { uri: `${URI}/other` }), 'unknown')
    // The authority of a list in CWT form is the one above the credential's signer, whatever the anchors.
    if (form === 'jwt') assert.equal(await ask(4, { anchors: [] }), 'unknown')
    assert.equal(await ask(4), 'valid')
  })

  test(`another list, however alike, is another list (${form})`, async () => {
    const spoiled = Buffer.from(lists[form])
    spoiled[spoiled.length - 5] = (spoiled[spoiled.length - 5] ?? 0) ^ (form === 'jwt' ? 2 : 1)
    assert.equal(await ask(4, { answer: spoiled }), 'unknown')
    const foreign = form === 'jwt' ? mintJwt({ by: stranger }) : mintCwt({ by: stranger })
    assert.equal(await ask(4, { answer: foreign }), 'unknown')
    assert.equal(await ask(4, { answer: foreign }), 'unknown')
  })

  test(`a list is kept when its signature held, and not before (${form})`, async () => {
    const sheet = (bytes: Uint8Array) => isKept(cache.lists, bytes)
    assert.equal(await ask(4), 'valid')
    assert.ok(sheet(lists[form]))
    for (let count = 0; count < 70; count++) {
      const foreign = form === 'jwt' ? mintJwt({ by: stranger }) : mintCwt({ by: stranger })
      assert.equal(await ask(4, { answer: foreign }), 'unknown')
      assert.ok(!sheet(foreign), 'what nobody signed is not kept')
    }
    const junk = Buffer.from('a.b.c')
    assert.equal(await ask(4, { answer: junk }), 'unknown')
    assert.ok(!sheet(junk))
    assert.ok(sheet(lists[form]), 'and takes nobody its place')
    const past = NOW - 3600
    const old = form === 'jwt' ? mintJwt({ claims: { exp: past } }) : mintCwt({ claims: new Map([[4, past]]) })
    assert.equal(await ask(4, { answer: old }), 'unknown')
    assert.ok(!sheet(old), 'nor is one whose time has passed')
  })
}

test('the memory is bounded by count and by bytes, and forgets what was unused for longest', () => {
  const fill = (bounds: { lists: number; bytes: number }, count: number, size: number, statuses = 0) => {
    const memory = createListMemory(bounds)
    const made = Array.from({ length: count }, () => Buffer.alloc(size))
    for (const bytes of made) memory.keep(bytes, { ...memory.of(bytes), statuses: Buffer.alloc(statuses) })
    return made.map((bytes) => isKept(memory, bytes))
  }
  assert.deepEqual(fill({ lists: 2, bytes: 1e9 }, 3, 10), [false, true, true])
  assert.deepEqual(fill({ lists: 99, bytes: 1700 }, 3, 100), [false, true, true])
  assert.deepEqual(fill({ lists: 99, bytes: 3000 }, 3, 100, 700), [false, true, true])
  assert.deepEqual(fill({ lists: 99, bytes: 700 }, 2, 100), [false, false], 'not even one that is too large by itself')
  const memory = createListMemory({ lists: 2, bytes: 1e9 })
  const [first, second, third] = [Buffer.alloc(1), Buffer.alloc(1), Buffer.alloc(1)]
  for (const bytes of [first, second]) memory.keep(bytes, memory.of(bytes))
  memory.of(first)
  memory.keep(third, memory.of(third))
  assert.deepEqual(
    [first, second, third].map((bytes) => isKept(memory, bytes)),
    [true, false, true],
  )
})

test('a revocation list is verified and walked once; its time and its authority are judged anew', () => {
  const memory = createListMemory()
  const crl = mintCrl({ revoked: [{ serial: Buffer.of(7) }] })
  const ask = (serial: number, changes: { now?: number; authority?: Uint8Array } = {}) =>
    standingInCrl(
      crl,
      { serial: Buffer.of(serial), authority: changes.authority ?? authority.der },
      { now: changes.now ?? NOW, skewSeconds: 60 },
      memory,
    ).outcome
  assert.deepEqual([ask(7), ask(8)], ['revoked', 'valid'])
  // Nobody changes a list that is kept; here it shows that what was found in it is not looked for again.
  crl.fill(0)
  assert.deepEqual([ask(7), ask(8)], ['revoked', 'valid'])
  assert.equal(ask(9), 'unknown')
  assert.equal(ask(8, { now: NOW + 10 * 365 * 86_400 }), 'unknown')
  assert.equal(ask(8, { authority: mintAuthority({ subject: { CN: 'Other' } }).der }), 'unknown')
})

test('what speaks against a revocation list is remembered as well, and only the time judged anew', () => {
  const memory = createListMemory()
  const ask = (crl: Uint8Array, changes: { now?: number; serial?: number } = {}) => {
    const question = { serial: Buffer.of(changes.serial ?? 7), authority: authority.der }
    return standingInCrl(crl, question, { now: changes.now ?? NOW, skewSeconds: 60 }, memory)
  }
  const faulty: [Buffer, RegExp][] = [
    [mintCrl({ by: mintAuthority({ subject: { CN: 'Invented Root' } }) }), /not signed by the authority/],
    [mintCrl({ extensions: [] }), /not a complete one/],
  ]
  for (const [crl, detail] of faulty) {
    assert.match(ask(crl).detail, detail)
    crl.fill(0)
    assert.match(ask(crl).detail, detail)
  }
  const lapsed = mintCrl({ nextUpdate: '20260301110000Z' })
  assert.match(ask(lapsed).detail, /not current/)
  const entries = Buffer.from(lapsed)
  // Neither hashed nor verified again: with its signature gone it is still the list that was verified.
  lapsed.fill(0, lapsed.length - 40)
  assert.match(ask(lapsed).detail, /not current/)
  assert.equal(ask(lapsed, { now: NOW - 2 * 3600 }).outcome, 'valid')
  const unreadable = Buffer.alloc(entries.length)
  assert.match(ask(unreadable).detail, /cannot be read/)
  entries.copy(unreadable)
  assert.match(ask(unreadable, { now: NOW - 2 * 3600 }).detail, /cannot be read/)
})
