// Tests each rule by which wallets detect that a query asks for more than is registered.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClaimsPath, CredentialQuery, DcqlQuery, RegisteredCredential } from '@vidimus/engine'
import { chooseRegistration } from '../../../src/core/registrations/domain/choose.ts'
import {
  coversQuery,
  describeOverAsking,
  findOverAsking,
  findUnderUse,
  type OverAsk,
} from '../../../src/core/registrations/domain/over-asking.ts'
import { isSpent, newEffort } from '../../../src/core/registrations/domain/path-tree.ts'
import type { Registration } from '../../../src/core/registrations/domain/registration.ts'
import { listUnregistered } from '../../../src/features/registration/domain/concern-for-page.ts'

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
const summarize = (found: readonly OverAsk[]) => found.map(({ credential, path }) => [credential.id, path])
const isCovered = (requested: ClaimsPath, registered: ClaimsPath) =>
  findOverAsking(asking(requested), [registering(registered)]).length === 0

test('R11: a registered path covers itself and everything below it, but no sibling and no parent', () => {
  assert.ok(isCovered(['address'], ['address']))
  assert.ok(isCovered(['address', 'locality'], ['address']))
  assert.ok(!isCovered(['address'], ['address', 'locality']))
  assert.ok(!isCovered(['address', 'country'], ['address', 'locality']))
  assert.ok(!isCovered(['Address'], ['address']))
  assert.ok(!isCovered(['addresses'], ['address']))
})

test('R12: a registered null covers null and every index; only a registered null covers a requested null', () => {
  assert.ok(isCovered(['nationalities', null], ['nationalities', null]))
  assert.ok(isCovered(['nationalities', 0], ['nationalities', null]))
  assert.ok(isCovered(['degrees', 3, 'type'], ['degrees', null, 'type']))
  assert.ok(!isCovered(['nationalities', null], ['nationalities', 0]))
  assert.ok(!isCovered(['nationalities', 1], ['nationalities', 0]))
  assert.ok(isCovered(['nationalities', 1], ['nationalities', 1]))
  assert.ok(!isCovered(['nationalities', 'first'], ['nationalities', null]))
  assert.ok(!isCovered(['nationalities', 1], ['nationalities', '1']))
})

test('an unregistered type is one finding, however many claims are requested', () => {
  const found = findOverAsking({ credentials: [pid([['a'], ['b']], ['urn:other'])] }, [registering(['a'])])
  assert.deepEqual(summarize(found), [['pid', null]])
  assert.equal(findOverAsking(asking(['a']), []).length, 1)
})

test('every type that a query names must be registered, in the same format', () => {
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

test('R13: claims of optional sets and of alternative claim sets count', () => {
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
  assert.deepEqual(summarize(found), [['more', ['portrait']]])
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

test('names the intended use that would cover a claim', () => {
  const others = [
    { intendedUse: 'delivery', credentials: [registering(['address'])] },
    { intendedUse: 'age', credentials: [registering(['age'])] },
  ]
  const found = findOverAsking(asking(['age'], ['address', 'locality']), [registering(['age'])])
  assert.deepEqual(summarize(found), [['pid', ['address', 'locality']]])
  assert.equal(
    describeOverAsking('age', found, others).problem,
    `The intended use 'age' does not register ["address","locality"] of 'pid' ('delivery' covers it).`,
  )
  const { code, values } = describeOverAsking('age', found, others)
  assert.deepEqual([code, values], ['beyond', ['age', 'pid › address › locality', 'delivery']])
  const many = findOverAsking(asking(...'abcdefgh'.split('').map((name) => [name.repeat(200)])), [registering()])
  const long = describeOverAsking('age', many, others)
  assert.match(long.problem, /no intended use covers it/)
  for (const text of [long.problem, ...long.values]) assert.ok(text.length <= 600)
})

test('lists unregistered claims one by one, even if their type is not registered', () => {
  const query: DcqlQuery = {
    credentials: [
      pid([['age'], ['name']]),
      pid([['age'], ['name']], ['urn:other'], 'other'),
      pid([], ['urn:bare'], 'bare'),
    ],
  }
  assert.deepEqual(listUnregistered(findOverAsking(query, [registering(['age'])])), [
    { types: [VCT], path: ['name'] },
    { types: ['urn:other'], path: ['age'] },
    { types: ['urn:other'], path: ['name'] },
    { types: ['urn:bare'], path: null },
  ])
  const many = asking(...Array.from({ length: 100 }, (_, index) => [`c${index}`]))
  assert.equal(listUnregistered(findOverAsking(many, [registering(['age'])])).length, 60)
  assert.equal(listUnregistered(findOverAsking(many, [])).length, 60)
})

test('reports claims that are registered but never requested', () => {
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

// --- cost

/** Returns the largest query: the most credentials, with the most claims each. */
const vast = (path: (at: number) => ClaimsPath): DcqlQuery => ({
  credentials: Array.from({ length: 20 }, (_, credential) =>
    pid(
      Array.from({ length: 100 }, (_, at) => path(credential * 100 + at)),
      [VCT],
      `c${credential}`,
    ),
  ),
})

test('the largest query against the largest registration takes steps in proportion to the query only', () => {
  const many = registering(...Array.from({ length: 500 }, (_, at) => ['group', `claim_${at}`]))
  const effort = newEffort()
  const found = findOverAsking(
    vast((at) => ['group', `claim_${at}`, 'part']),
    [many],
    effort,
  )
  assert.equal(found.length, 1_500)
  assert.ok(newEffort().left - effort.left < 10_000, `${newEffort().left - effort.left} steps`)
})

/** Paths with every combination of nulls and zeros: the search for a path of zeros must visit all of them. */
const branching = (depth: number): ClaimsPath[] =>
  Array.from({ length: 2 ** depth }, (_, bits) => [
    'list',
    ...Array.from({ length: depth }, (_, at) => ((bits >> at) & 1 ? null : 0)),
    'end',
  ])

test('paths that make the search branch use up its budget: then nothing is covered, and no advice is given', () => {
  const hostile = [registering(...branching(8))]
  const query = vast((at) => ['list', ...Array.from({ length: 8 }, () => 0), `missing_${at}`])
  const effort = newEffort()
  assert.ok(findOverAsking(query, hostile, effort).length > 20)
  assert.ok(isSpent(effort))
  assert.ok(!coversQuery(asking(['list', 0]), [registering(['list'])], effort), 'nothing counts as covered after that')
  const advice = newEffort(1_000)
  assert.deepEqual(findUnderUse([vast((at) => ['list', at])], hostile, advice), [])
  assert.ok(advice.left > -100, 'it stops where it is spent')
})

const registration = (use: string, credential: RegisteredCredential): Registration => ({
  id: use,
  tenantId: 't',
  environment: 'test',
  intendedUse: use,
  certificate: {
    subject: ['me'],
    legalName: null,
    serviceName: 'Shop',
    serviceId: null,
    intendedUse: use,
    purposes: [],
    credentials: [credential],
    privacyPolicy: null,
    registryUri: null,
    intermediary: null,
    issuedAt: 0,
    expiresAt: null,
    status: null,
    raw: '',
  },
  hash: '',
  verdict: { unverified: null, status: 'none' },
  checkedAt: '2027-01-01T00:00:00.000Z' as Registration['checkedAt'],
  createdAt: '2027-01-01T00:00:00.000Z' as Registration['createdAt'],
  removedAt: null,
})

const registeredAs = (registrations: readonly Registration[]) => ({
  registrations,
  identity: {
    identifier: 'me',
    tradeName: 'Me',
    registryUri: null,
    isIntermediary: false,
    changedAt: '2027-01-01T00:00:00.000Z' as Registration['createdAt'],
  },
  own: null,
})

test('finds the only registration that covers a query; if two do, none is chosen', () => {
  const uses = Array.from({ length: 100 }, (_, at) => registration(`use_${at}`, registering([`claim_${at}`])))
  const question = { query: asking(['claim_42', 'part']), intendedUse: null }
  assert.equal(chooseRegistration(registeredAs(uses), question, 1_000).registration?.intendedUse, 'use_42')
  const twice = registeredAs([...uses, registration('again', registering(['claim_42']))])
  assert.equal(chooseRegistration(twice, question, 1_000).registration, null)
})

test('a hundred hostile registrations cost no more than the limit of one check: the request must name one', () => {
  let steps = 0
  const watched = (paths: readonly ClaimsPath[]): RegisteredCredential => ({
    types: [VCT],
    paths,
    get format() {
      steps += 1
      return 'dc+sd-jwt'
    },
  })
  const uses = Array.from({ length: 100 }, (_, at) => registration(`use_${at}`, watched(branching(8))))
  const query = vast(() => ['list', ...Array.from({ length: 8 }, () => 0), 'end'])
  const question = { query, intendedUse: null }
  const { registration: chosen, concerns } = chooseRegistration(registeredAs(uses), question, 1_000)
  assert.equal(chosen, null)
  assert.match(concerns[0]?.message ?? '', /name one with `intended_use`/)
  assert.ok(steps < 1_000, `${steps} registered credentials compared`)
  const missing = vast((at) => ['list', ...Array.from({ length: 8 }, () => 0), `missing_${at}`])
  const named = chooseRegistration(registeredAs(uses), { query: missing, intendedUse: 'use_7' }, 1_000)
  assert.match(named.concerns[0]?.message ?? '', /too large to be compared/)
})
