// Tests marks of a sole type: each anchor and key is visited once, and unknown facts contradict. Counts, measures no time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Anchor, SoleType, VouchedType } from '@vidimus/engine'
import { soleTypeAmong } from '../../src/core/verifications/domain/provable.ts'
import { type ListedKey, listedKeysOf, typesByKey, withListedKeys } from '../../src/features/trust/domain/sole-type.ts'
import { atOnce } from '../../src/platform/event-loop/slices.ts'

const soleOf = (docType: string): SoleType => ({ docType, nameSpace: 'org.example', withoutStatus: false })
const MDL = 'org.iso.18013.5.1.mDL'
const keysIn = (listed: readonly ListedKey[]) => atOnce(typesByKey(listed))

test('keys that lists name are visited once, however many types are marked', () => {
  const walked = (marks: number) => {
    let reads = 0
    const listed = Array.from({ length: 100 }, (_, at) => ({
      keySha256: `key ${at}`,
      get docType() {
        reads += 1
        return 'org.example.other'
      },
    }))
    const anchors = Array.from({ length: marks }, (_, at) => ({
      types: [`mso_mdoc:type ${at}`] as const,
      sole: soleOf(`type ${at}`),
    }))
    const marked = withListedKeys(anchors, keysIn(listed), () => 'own key')
    const maps = new Set(marked.map((anchor) => ('listedKeys' in anchor ? anchor.listedKeys : null)))
    assert.equal(maps.size, 1, 'all anchors share one map')
    return reads
  }
  assert.equal(walked(50), walked(2))
})

test('a key that two lists name for two types contradicts the mark for each', () => {
  const anchor = { types: [`mso_mdoc:${MDL}`] as const, sole: soleOf(MDL) }
  const holds = (...types: (string | null)[]) => {
    const listed = types.map((docType) => ({ keySha256: 'key', docType }))
    return withListedKeys([anchor], keysIn(listed), () => 'key').every((one) => 'sole' in one)
  }
  assert.equal(holds(), true)
  assert.equal(holds(MDL, MDL), true)
  for (const types of [['other'], [MDL, 'other'], ['other', MDL], [MDL, 'other', MDL], [null], [MDL, null]])
    assert.equal(holds(...types), false, types.join())
})

test('a list that names no document types and was granted none contradicts every mark of its keys', () => {
  const named = [{ keySha256: 'key', docTypes: null }]
  const anchor = { types: [`mso_mdoc:${MDL}`] as const, sole: soleOf(MDL) }
  const holdsBeside = (granted: readonly VouchedType[]) =>
    withListedKeys([anchor], keysIn(listedKeysOf(named, granted)), () => 'key').every((one) => 'sole' in one)
  assert.deepEqual(listedKeysOf(named, ['dc+sd-jwt:urn:eudi:pid:1']), [{ keySha256: 'key', docType: null }])
  assert.equal(holdsBeside(['dc+sd-jwt:urn:eudi:pid:1']), false)
  assert.equal(holdsBeside(['dc+sd-jwt:urn:eudi:pid:1', 'mso_mdoc:eu.europa.ec.eudi.pid.1']), false)
  assert.equal(holdsBeside(['dc+sd-jwt:urn:a', `mso_mdoc:${MDL}`]), true)
})

test('an array of anchors is searched once for whether a proof may be requested', () => {
  let reads = 0
  const anchors = Array.from({ length: 10 }, () => ({
    kind: 'ca' as const,
    certificate: Buffer.of(),
    profile: 'generic' as const,
    sole: soleOf(MDL),
    get types() {
      reads += 1
      return [`mso_mdoc:${MDL}`] as const
    },
  }))
  assert.deepEqual(soleTypeAmong(anchors, MDL), soleOf(MDL))
  for (let query = 0; query < 20; query++) assert.equal(soleTypeAmong(anchors, `other ${query}`), null)
  assert.equal(reads, anchors.length)
})

test('a proof is requested only if every anchor of the type has the same mark', () => {
  const anchor = (sole: SoleType | undefined, types: readonly VouchedType[], sandbox = false) =>
    ({ kind: 'ca', certificate: Buffer.of(), profile: 'generic', types, sandbox, ...(sole && { sole }) }) as Anchor
  const types: VouchedType[] = [`mso_mdoc:${MDL}`]
  const marked = anchor(soleOf(MDL), types)
  const isAsked = (...anchors: readonly Anchor[]) => soleTypeAmong(anchors, MDL) !== null
  assert.equal(isAsked(marked, marked), true)
  assert.equal(isAsked(marked, anchor(undefined, types, true)), true, 'anchors of the sandbox do not count')
  assert.equal(isAsked(), false)
  const unmarked = anchor(undefined, types)
  const otherwise = anchor({ ...soleOf(MDL), nameSpace: 'another' }, types)
  for (const other of [unmarked, otherwise, anchor(undefined, ['mso_mdoc:*'])]) {
    assert.equal(isAsked(marked, other), false)
    assert.equal(isAsked(other, marked), false)
    assert.equal(isAsked(marked, other, marked), false)
  }
})
