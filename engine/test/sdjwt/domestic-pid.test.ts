// Tests domestic types of PIDs: which types a query may name because of the anchors, and how it names them.

import assert from 'node:assert/strict'
import test from 'node:test'
import { asksForPid, domesticPidTypes, nameDomesticPids, parseQuery } from '../../src/index.ts'
import type { VouchedType } from '../../src/trust/anchor.ts'

const GERMAN = 'dc+sd-jwt:urn:eudi:pid:de:1'
const EUROPEAN = 'dc+sd-jwt:urn:eudi:pid:1'
const typesOf = (...anchors: VouchedType[][]) => domesticPidTypes(anchors.map((types) => ({ types })))

test('returns a domestic type if every anchor for it also vouches for the European type', () => {
  assert.deepEqual(typesOf([GERMAN, EUROPEAN]), ['urn:eudi:pid:de:1'])
  assert.deepEqual(typesOf([GERMAN, 'dc+sd-jwt:*']), ['urn:eudi:pid:de:1'])
  assert.deepEqual(typesOf([GERMAN, EUROPEAN], ['dc+sd-jwt:urn:eudi:pid:fr:2', EUROPEAN]), [
    'urn:eudi:pid:de:1',
    'urn:eudi:pid:fr:2',
  ])
  for (const anchors of [
    [],
    [[EUROPEAN]],
    [[GERMAN]],
    [[GERMAN], [EUROPEAN]],
    [[GERMAN, EUROPEAN], [GERMAN]],
    [['dc+sd-jwt:*']],
  ] satisfies VouchedType[][][])
    assert.deepEqual(typesOf(...anchors), [], JSON.stringify(anchors))
})

test('never returns other types than domestic PIDs as SD-JWT VC', () => {
  for (const other of [
    'mso_mdoc:urn:eudi:pid:de:1',
    'dc+sd-jwt:urn:eudi:pid:2',
    'dc+sd-jwt:urn:eudi:pid:de',
    'dc+sd-jwt:urn:eudi:pid:DE:1',
    'dc+sd-jwt:urn:eudi:pid:de:1:more',
    'dc+sd-jwt:urn:eudi:mdl:de:1',
  ] satisfies VouchedType[])
    assert.deepEqual(typesOf([other, EUROPEAN]), [], other)
})

test('a query names each domestic type once, next to the European type; other credentials stay unchanged', () => {
  const sdJwt = (id: string, ...types: string[]) => ({ id, format: 'dc+sd-jwt', meta: { vct_values: types } })
  const mdoc = { id: 'mdoc', format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' } }
  const query = parseQuery({ credentials: [sdJwt('pid', 'urn:eudi:pid:1'), sdJwt('card', 'urn:card'), mdoc] })
  const named = nameDomesticPids(query, ['urn:eudi:pid:de:1', 'urn:eudi:pid:fr:1'])
  const pid = sdJwt('pid', 'urn:eudi:pid:1', 'urn:eudi:pid:de:1', 'urn:eudi:pid:fr:1')
  assert.deepEqual(named, { ...query, credentials: [pid, ...query.credentials.slice(1)] })
  assert.deepEqual(nameDomesticPids(named, ['urn:eudi:pid:de:1']), named)
  const many = Array.from({ length: 80 }, (_, at) => `urn:eudi:pid:de:${at}`)
  parseQuery(JSON.parse(JSON.stringify(nameDomesticPids(query, many))))
  assert.deepEqual([query, { credentials: query.credentials.slice(1) }].map(asksForPid), [true, false])
})

test('reads each anchor once, however many types there are, because owners of a tenant can add thousands of both', () => {
  let reads = 0
  const anchors = Array.from({ length: 40 }, (_, at) => ({
    get types(): VouchedType[] {
      reads += 1
      return [EUROPEAN, `dc+sd-jwt:urn:eudi:pid:de:${at}`]
    },
  }))
  assert.equal(domesticPidTypes(anchors).length, 40)
  assert.equal(reads, 40)
})
