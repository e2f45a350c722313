// Does a query ask for more than is registered? Each rule by itself, as wallets judge it.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClaimsPath, CredentialQuery, DcqlQuery, RegisteredCredential } from '@vidimus/engine'
import { describeOverAsking, findOverAsking, findUnderUse } from '../../src/domain/registration/over-asking.ts'

const VCT = 'urn:eudi:pid:1'
const MDL = 'org.iso.18013.5.1.mDL'

const asking = (...paths: ClaimsPath[]): DcqlQuery => ({ credentials: [pid(paths)] })
const pid = (paths: readonly ClaimsPath[], types = [VCT], id = 'pid'): CredentialQuery => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: types },
  claims: paths.map((path) => ({ path })),
})
const registering = (...paths: ClaimsPath[]): RegisteredCredential => ({ format: 'dc+sd-jwt', types: [VCT], paths })
const isCovered = (asked: ClaimsPath, registered: ClaimsPath) =>
  findOverAsking(asking(asked), [registering(registered)]).length === 0

test('R11: a registered path covers itself and what lies below it, and nothing beside or above it', () => {
  assert.ok(isCovered(['address'], ['address']))
  assert.ok(isCovered(['address', 'locality'], ['address']))
  assert.ok(!isCovered(['address'], ['address', 'locality']))
  assert.ok(!isCovered(['address', 'country'], ['address', 'locality']))
  assert.ok(!isCovered(['Address'], ['address']))
  assert.ok(!isCovered(['addresses'], ['address']))
})

test('R12: a registered null covers null and every index; a requested null is covered by null alone', () => {
  assert.ok(isCovered(['nationalities', null], ['nationalities', null]))
  assert.ok(isCovered(['nationalities', 0], ['nationalities', null]))
  assert.ok(isCovered(['degrees', 3, 'type'], ['degrees', null, 'type']))
  assert.ok(!isCovered(['nationalities', null], ['nationalities', 0]))
  assert.ok(!isCovered(['nationalities', 1], ['nationalities', 0]))
  assert.ok(isCovered(['nationalities', 1], ['nationalities', 1]))
  assert.ok(!isCovered(['nationalities', 'first'], ['nationalities', null]))
  assert.ok(!isCovered(['nationalities', 1], ['nationalities', '1']))
})

test('a type that is not registered is one finding, whatever is asked of it', () => {
  const found = findOverAsking({ credentials: [pid([['a'], ['b']], ['urn:other'])] }, [registering(['a'])])
  assert.deepEqual(found, [{ queryId: 'pid', path: null, reason: 'type_not_registered', wouldBeCoveredBy: [] }])
  assert.equal(findOverAsking(asking(['a']), []).length, 1)
})

test('of a query that names several types each must be registered, and formats are not mixed', () => {
  const both = { credentials: [pid([['a']], [VCT, 'urn:other'])] }
  assert.equal(findOverAsking(both, [registering(['a'])]).length, 1)
  assert.equal(findOverAsking(both, [{ ...registering(['a']), types: [VCT, 'urn:other'] }]).length, 0)
  const mdoc: DcqlQuery = {
    credentials: [
      { id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: MDL }, claims: [{ path: ['org.iso.18013.5.1', 'age'] }] },
    ],
  }
  const registered = { format: 'mso_mdoc', types: [MDL], paths: [['org.iso.18013.5.1', 'age']] }
  assert.deepEqual(findOverAsking(mdoc, [registered]), [])
  assert.equal(findOverAsking(mdoc, [{ ...registered, format: 'dc+sd-jwt' }]).length, 1)
  assert.equal(findOverAsking(mdoc, [{ ...registered, types: ['org.iso.18013.5.1.mdl'] }]).length, 1)
})

test('R13: what only an optional set or one of several claim sets asks for counts', () => {
  const query: DcqlQuery = {
    credentials: [
      pid([['age']]),
      {
        ...pid([], [VCT], 'more'),
        claims: [
          { id: 'a', path: ['age'] },
          { id: 'b', path: ['portrait'] },
        ],
        claim_sets: [['a'], ['b']],
      },
    ],
    credential_sets: [{ options: [['pid']] }, { options: [['more']], required: false }],
  }
  const found = findOverAsking(query, [registering(['age'])])
  assert.deepEqual(
    found.map(({ queryId, path }) => [queryId, path]),
    [['more', ['portrait']]],
  )
})

test('values are not registered, and a query without claims is covered by its type', () => {
  const query: DcqlQuery = {
    credentials: [
      { ...pid([]), claims: [{ path: ['age'], values: [18] }] },
      { id: 'bare', format: 'dc+sd-jwt', meta: { vct_values: [VCT] } },
    ],
  }
  assert.deepEqual(findOverAsking(query, [registering(['age'])]), [])
})

test('what would cover it is named', () => {
  const others = [
    { intendedUse: 'delivery', credentials: [registering(['address'])] },
    { intendedUse: 'age', credentials: [registering(['age'])] },
  ]
  const found = findOverAsking(asking(['age'], ['address', 'locality']), [registering(['age'])], others)
  assert.deepEqual(found, [
    {
      queryId: 'pid',
      path: ['address', 'locality'],
      reason: 'path_not_registered',
      wouldBeCoveredBy: ['delivery'],
    },
  ])
  assert.equal(
    describeOverAsking('age', found),
    `The intended use 'age' does not register ["address","locality"] of 'pid' ('delivery' covers it).`,
  )
  const many = findOverAsking(asking(...'abcdefgh'.split('').map((name) => [name.repeat(200)])), [registering()])
  assert.ok(describeOverAsking('age', many).length <= 600)
})

test('under-use: what is registered and never asked for', () => {
  const registered = [
    registering(['age'], ['address'], ['nationalities', null]),
    { ...registering(['x']), types: ['y'] },
  ]
  assert.deepEqual(findUnderUse([asking(['age'], ['nationalities', 0])], registered), [
    { format: 'dc+sd-jwt', types: [VCT], path: ['address'] },
    { format: 'dc+sd-jwt', types: ['y'], path: null },
  ])
  assert.deepEqual(
    findUnderUse(
      [asking(['age'], ['address', 'locality'], ['nationalities', null])],
      [registered[0]].flatMap((one) => one ?? []),
    ),
    [],
  )
})
