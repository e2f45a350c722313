// What is remembered of a list spares work and nothing else: every judgement that may change is made anew.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { createChainCache } from '../../src/trust/cache.ts'
import { anchor, establish, mintCwt, mintJwt, NOW, pack, type Situation, stranger, URI } from './mint-status.ts'

const FORMS = {
  jwt: { kind: 'status_list_jwt', format: 'dc+sd-jwt', contentType: 'application/statuslist+jwt' },
  cwt: { kind: 'status_list_cwt', format: 'mso_mdoc', contentType: 'application/statuslist+cwt' },
} as const

const packed = deflateSync(pack({ 5: 1 }))
const lists = {
  jwt: mintJwt({ list: { bits: 1, lst: packed.toString('base64url') } }),
  cwt: mintCwt({ claims: new Map([[65533, { bits: 1, lst: packed }]]) }),
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
}
