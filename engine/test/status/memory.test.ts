// Tests that the cache of lists only saves work: every result that may change is computed again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { newBudget } from '../../src/limits.ts'
import { readList } from '../../src/status/content.ts'
import { readCrlStatus } from '../../src/status/crl.ts'
import type { CrlContent, ListContent, TokenContent } from '../../src/status/list-types.ts'
import { createListMemory } from '../../src/status/memory.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { fingerprintOf, parseCertificate } from '../../src/trust/certificate.ts'
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

  test(`a cached list answers each index separately (${form})`, async () => {
    for (let round = 0; round < 2; round++) {
      assert.equal(await ask(4), 'valid')
      assert.equal(await ask(5), 'revoked')
      assert.equal(await ask(4096), 'invalid')
    }
  })

  test(`checks time, address and anchors of a cached list again (${form})`, async () => {
    assert.equal(await ask(4, { expected: { now: NOW + 86_400 } }), 'unknown')
    assert.equal(await ask(4, { uri: `${URI}/other` }), 'unknown')
    // A list in CWT form is judged by the authority above the credential's signer, independent of the anchors.
    if (form === 'jwt') assert.equal(await ask(4, { anchors: [] }), 'unknown')
    assert.equal(await ask(4), 'valid')
  })

  test(`does not take a similar list for the cached list (${form})`, async () => {
    assert.equal(await ask(4, { answer: spoiled(lists[form], form) }), 'unknown')
    const foreign = form === 'jwt' ? mintJwt({ by: stranger }) : mintCwt({ by: stranger })
    assert.equal(await ask(4, { answer: foreign }), 'unknown')
    assert.equal(await ask(4, { answer: foreign }), 'unknown')
  })

  test(`verifies a valid or invalid signature only once for each key (${form})`, async () => {
    for (const [answer, outcome] of [
      [Buffer.from(lists[form]), 'valid'],
      [spoiled(lists[form], form), 'unknown'],
    ] as const) {
      const content = readList(answer, FORMS[form].kind)
      assert.ok(content !== null)
      const fetched = {
        outcome: 'fetched',
        bytes: answer,
        contentType: FORMS[form].contentType,
        stale: false,
        content,
      } as const
      assert.equal(await ask(4, { answer: fetched }), outcome)
      // No code changes a cached list. Here the change shows that the signature is not verified again.
      const { signature } = (content.list as TokenContent).signed
      signature.fill(1)
      assert.equal(await ask(4, { answer: fetched }), outcome)
    }
  })

  test(`a list of another kind gives no status (${form})`, async () => {
    const other = form === 'jwt' ? 'cwt' : 'jwt'
    const content = readList(lists[other], FORMS[other].kind)
    assert.ok(content !== null)
    const { contentType } = FORMS[form]
    const answer = { outcome: 'fetched', bytes: lists[form], contentType, stale: false, content } as const
    assert.equal(await ask(4, { answer }), 'unknown')
  })
}

function spoiled(list: Buffer, form: keyof typeof FORMS): Buffer {
  const changed = Buffer.from(list)
  const at = changed.length - 5
  // In a JWT, another letter of base64url keeps the list readable. Unreadable lists are tested elsewhere.
  changed[at] = form === 'cwt' ? (changed[at] ?? 0) ^ 1 : changed[at] === 0x41 ? 0x42 : 0x41
  return changed
}

function crlIn(bytes: Uint8Array): CrlContent | null {
  const list = readList(bytes, 'crl')?.list
  return list?.kind === 'crl' ? list : null
}

test('verifies a revocation list once, and checks its time and its authority each time', async () => {
  const memory = createListMemory()
  const crl = mintCrl({ revoked: [{ serial: Buffer.of(7) }] })
  const content = crlIn(crl)
  const ask = async (serial: number, changes: { now?: number; authority?: Uint8Array } = {}) => {
    const question = { serial: Buffer.of(serial), authority: parseCertificate(changes.authority ?? authority.der) }
    const { outcome } = await readCrlStatus(
      content,
      question,
      { now: changes.now ?? NOW, skewSeconds: 60 },
      { memory, budget: newBudget() },
    )
    return outcome
  }
  assert.deepEqual([await ask(7), await ask(8)], ['revoked', 'valid'])
  // No code changes a cached list. Here the change shows that the signature is not verified again.
  crl.fill(0, crl.length - 40)
  assert.deepEqual([await ask(7), await ask(8)], ['revoked', 'valid'])
  assert.equal(await ask(8, { now: NOW + 10 * 365 * 86_400 }), 'unknown')
  assert.equal(await ask(8, { authority: mintAuthority({ subject: { CN: 'Other' } }).der }), 'unknown')
})

test('caches why a revocation list was refused, and checks only its time again', async () => {
  const memory = createListMemory()
  const ask = (content: CrlContent | null, now = NOW) => {
    const question = { serial: Buffer.of(7), authority: parseCertificate(authority.der) }
    return readCrlStatus(content, question, { now, skewSeconds: 60 }, { memory, budget: newBudget() })
  }
  const faulty: [Buffer, RegExp][] = [
    [mintCrl({ by: mintAuthority({ subject: { CN: 'Invented Root' } }) }), /not signed by the authority/],
    [mintCrl({ extensions: [] }), /not a complete one/],
  ]
  for (const [crl, detail] of faulty) {
    const content = crlIn(crl)
    assert.match((await ask(content)).detail, detail)
    crl.fill(0)
    assert.match((await ask(content)).detail, detail)
  }
  const lapsed = crlIn(mintCrl({ nextUpdate: '20260301110000Z' }))
  assert.match((await ask(lapsed)).detail, /not current/)
  assert.equal((await ask(lapsed, NOW - 2 * 3600)).outcome, 'valid')
  assert.match((await ask(crlIn(Buffer.alloc(100)))).detail, /cannot be read/)
})

test("the reader's result for the signature counts only for the certificate that the reader used", async () => {
  const ask = async (content: ListContent) => {
    const source = { uri: URI, kind: 'status_list_jwt', format: 'dc+sd-jwt' } as const
    const references = [{ kind: 'list', source, index: 1, certificate: null }] as const
    const trust = { cache: createChainCache(9), anchors: [anchor] }
    const { contentType } = FORMS.jwt
    const answer = { outcome: 'fetched', bytes: lists.jwt, contentType, stale: false, content } as const
    const [own] = await establish({ references, answer, trust })
    return own?.outcome
  }
  const good = readList(lists.jwt, 'status_list_jwt')
  const bad = readList(spoiled(lists.jwt, 'jwt'), 'status_list_jwt')
  assert.ok(good !== null && good.list.kind !== 'crl' && bad !== null && bad.list.kind !== 'crl')
  assert.deepEqual([good.list.ownSignature?.holds, bad.list.ownSignature?.holds], [true, false])
  assert.deepEqual([await ask(good), await ask(bad)], ['valid', 'unknown'])
  const ofAnother = { fingerprint: fingerprintOf(stranger.der), holds: true }
  assert.equal(await ask({ ...bad, list: { ...bad.list, ownSignature: ofAnother } }), 'unknown')
  assert.equal(await ask({ ...bad, list: { ...bad.list, ownSignature: null } }), 'unknown')
  assert.equal(await ask({ ...good, list: { ...good.list, ownSignature: null } }), 'valid')
  const withoutChain = readList(mintJwt({ header: { x5c: undefined } }), 'status_list_jwt')
  assert.ok(withoutChain !== null && withoutChain.list.kind !== 'crl')
  assert.equal(withoutChain.list.ownSignature, null)
})
