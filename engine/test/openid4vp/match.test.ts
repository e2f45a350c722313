// Tests which vp_tokens answer a query, and that only requested claims are returned.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJsonObject } from '../../src/json.ts'
import { type Budget, LIMITS, newBudget, newWork, PRICES, VERIFICATION } from '../../src/limits.ts'
import type { ClaimsPath } from '../../src/openid4vp/credential-query.ts'
import { type CredentialQuery, type DcqlQuery, parseQuery } from '../../src/openid4vp/dcql.ts'
import { answerClaims, answeringIds, readVpToken, select } from '../../src/openid4vp/match.ts'
import type { Json, JsonObject } from '../../src/verdict.ts'
import { NOTHING_WITHHELD } from '../../src/withheld.ts'
import { leastCpuMs } from '../cpu-time.ts'

const credential = (id: string, more: object = {}): object => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:example:a'] },
  ...more,
})
const query = parseQuery({ credentials: [credential('a'), credential('b', { multiple: true })] })

test('returns presentations in the order of the query, each with its own query', () => {
  const reading = readVpToken({ b: ['2', '3'], a: ['1'] }, query)
  assert.equal(reading.outcome, 'read')
  assert.deepEqual(
    reading.outcome === 'read' && reading.presented.map(({ query: { id }, presentation }) => id + presentation),
    ['a1', 'b2', 'b3'],
  )
})

test('a missing presentation has no entry', () => {
  const reading = readVpToken({ b: ['2'] }, query)
  assert.deepEqual(reading.outcome === 'read' && reading.presented.map(({ query: { id } }) => id), ['b'])
})

const REFUSED: Readonly<Record<string, Json>> = {
  'an array': [['x']],
  'a string': 'x',
  null: null,
  nothing: {},
  'an unknown id': { a: ['x'], c: ['y'] },
  'an inherited name as id': { constructor: ['x'] },
  '__proto__ as id': parseJsonObject('{"a":["x"],"__proto__":["y"]}'),
  'a bare string': { a: 'x' },
  'an empty array': { a: [] },
  'an object': { a: { 0: 'x' } },
  'two where one was asked for': { a: ['x', 'y'] },
  'a presentation that is an object': { a: [{ x: 1 }] },
  'a presentation that is null': { a: [null] },
  'a presentation in an array': { a: [['x']] },
  'too many presentations': { b: Array(21).fill('x') },
  'too much text': { b: Array(3).fill('x'.repeat(700_000)) },
}
for (const [title, token] of Object.entries(REFUSED)) {
  test(`refuses ${title}`, () => assert.equal(readVpToken(token, query).outcome, 'refused'))
}

function counted(requested: DcqlQuery, ...answered: string[]): readonly string[] | null {
  const ids = answeringIds(requested, new Set(answered))
  return ids && [...ids].sort()
}

test('without sets every credential is required', () => {
  assert.deepEqual(counted(query, 'a', 'b'), ['a', 'b'])
  assert.equal(counted(query, 'a'), null)
  assert.equal(counted(query), null)
})

test('each required set needs a complete option, and presentations outside the chosen options are dropped', () => {
  const requestedQuery = parseQuery({
    credentials: ['pid', 'one', 'two', 'nice', 'extra'].map((id) => credential(id)),
    credential_sets: [{ options: [['pid'], ['one', 'two']] }, { options: [['nice', 'extra']], required: false }],
  })
  assert.deepEqual(counted(requestedQuery, 'pid'), ['pid'])
  assert.deepEqual(counted(requestedQuery, 'one', 'two'), ['one', 'two'])
  assert.deepEqual(counted(requestedQuery, 'pid', 'nice', 'extra'), ['extra', 'nice', 'pid'])
  assert.deepEqual(counted(requestedQuery, 'pid', 'nice'), ['pid'])
  assert.deepEqual(counted(requestedQuery, 'pid', 'one'), ['pid'])
  assert.deepEqual(counted(requestedQuery, 'one', 'two', 'pid'), ['pid'])
  assert.equal(counted(requestedQuery, 'one'), null)
  assert.equal(counted(requestedQuery, 'nice', 'extra'), null)
})

test('every required set must be satisfied', () => {
  const requestedQuery = parseQuery({
    credentials: ['a', 'b'].map((id) => credential(id)),
    credential_sets: [{ options: [['a']] }, { options: [['b']], required: true }],
  })
  assert.equal(counted(requestedQuery, 'a'), null)
  assert.deepEqual(counted(requestedQuery, 'a', 'b'), ['a', 'b'])
})

test('a response may answer none of several optional sets, and then no presentation counts', () => {
  const requestedQuery = parseQuery({
    credentials: [credential('a'), credential('b')],
    credential_sets: [{ options: [['a', 'b']], required: false }],
  })
  assert.deepEqual(counted(requestedQuery, 'a'), [])
})

const person = parseJsonObject(
  JSON.stringify({
    given_name: 'Erika',
    age: 36,
    adult: true,
    nothing: null,
    address: { locality: 'Musterstadt', country: 'UT' },
    nationalities: ['UT', 'XX'],
    degrees: [{ type: 'BSc', year: 2010 }, { type: 'MSc' }, { year: 2012 }],
    matrix: [[1, 2], [3]],
    age_equal_or_over: { '18': true },
  }),
)

const whole = (claims: JsonObject) => ({ claims, withheld: NOTHING_WITHHELD })

function answer(claims: readonly object[], more: object = {}): unknown {
  const [requestedQuery] = parseQuery({ credentials: [credential('a', { claims, ...more })] }).credentials
  const answered = answerClaims(whole(person), requestedQuery as CredentialQuery, newBudget())
  return answered && JSON.parse(JSON.stringify(answered.claims))
}

test('a path selects by name, by index and by null', () => {
  const plain = (path: readonly (string | number | null)[]): unknown =>
    JSON.parse(JSON.stringify(select(person, path, NOTHING_WITHHELD, newBudget())))
  assert.deepEqual(plain(['address', 'locality']), ['Musterstadt'])
  assert.deepEqual(plain(['nationalities', null]), ['UT', 'XX'])
  assert.deepEqual(plain(['nationalities', 1]), ['XX'])
  assert.deepEqual(plain(['nationalities', 2]), [])
  assert.deepEqual(plain(['degrees', null, 'type']), ['BSc', 'MSc'])
  assert.deepEqual(plain(['matrix', null, 0]), [1, 3])
  assert.deepEqual(plain(['age_equal_or_over', '18']), [true])
  assert.deepEqual(plain(['nothing']), [null])
})

test('a path through a value of another kind selects nothing', () => {
  for (const path of [
    ['given_name', 'x'],
    ['given_name', 0],
    ['address', 0],
    ['address', null],
    ['nationalities', 'x'],
    ['nationalities', '0'],
    ['age_equal_or_over', 18],
    ['nationalities', null, 'x'],
    ['nothing', 'x'],
    ['absent'],
  ]) {
    assert.deepEqual(select(person, path, NOTHING_WITHHELD, newBudget()), [], JSON.stringify(path))
  }
})

test('a path selects no inherited member', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'length']) {
    assert.deepEqual(select({ a: {} }, [name], NOTHING_WITHHELD, newBudget()), [])
    assert.deepEqual(select({ a: {} }, ['a', name], NOTHING_WITHHELD, newBudget()), [])
    assert.deepEqual(select(person, ['nationalities', name], NOTHING_WITHHELD, newBudget()), [])
  }
})

test('only requested claims are returned, nested as they were presented', () => {
  assert.deepEqual(answer([{ path: ['given_name'] }]), { given_name: 'Erika' })
  assert.deepEqual(answer([{ path: ['address', 'country'] }, { path: ['nationalities', 1] }]), {
    address: { country: 'UT' },
    nationalities: ['XX'],
  })
  assert.deepEqual(answer([{ path: ['degrees', null, 'type'] }]), { degrees: [{ type: 'BSc' }, { type: 'MSc' }, {}] })
  assert.deepEqual(answer([{ path: ['address'] }, { path: ['address', 'country'] }]), {
    address: { locality: 'Musterstadt', country: 'UT' },
  })
  assert.deepEqual(answer([{ path: ['nothing'] }]), { nothing: null })
})

test('a query without claims is satisfied, and no claim is returned', () => {
  const [requestedQuery] = parseQuery({ credentials: [credential('a')] }).credentials
  const answered = answerClaims(whole(person), requestedQuery as CredentialQuery, newBudget())
  assert.deepEqual({ ...answered?.claims }, {})
})

test('without claim sets every claim is needed', () => {
  assert.equal(answer([{ path: ['given_name'] }, { path: ['absent'] }]), null)
})

test('the first complete claim set decides which claims are returned', () => {
  const claims = [
    { id: 'over', path: ['age_over_18'] },
    { id: 'age', path: ['age'] },
    { id: 'name', path: ['given_name'] },
    { id: 'adult', path: ['adult'] },
  ]
  assert.deepEqual(answer(claims, { claim_sets: [['over'], ['adult'], ['age', 'name']] }), { adult: true })
  assert.deepEqual(
    answer(claims, {
      claim_sets: [
        ['over', 'adult'],
        ['age', 'name'],
      ],
    }),
    { age: 36, given_name: 'Erika' },
  )
  assert.equal(answer(claims, { claim_sets: [['over'], ['over', 'name']] }), null)
})

test('values are compared by type and value', () => {
  const accepts = (path: readonly unknown[], ...values: unknown[]): boolean => answer([{ path, values }]) !== null
  assert.equal(accepts(['age'], 35, 36), true)
  assert.equal(accepts(['age'], '36'), false)
  assert.equal(accepts(['adult'], true), true)
  assert.equal(accepts(['adult'], 'true', 1), false)
  assert.equal(accepts(['given_name'], 'erika'), false)
  assert.equal(accepts(['nationalities', null], 'XX'), true)
  assert.equal(accepts(['nationalities', null], 'YY'), false)
  assert.equal(accepts(['nationalities'], 'UT'), false)
  assert.equal(accepts(['address'], '[object Object]'), false)
})

test('a requested value decides between claim sets', () => {
  const claims = [
    { id: 'ut', path: ['address', 'country'], values: ['YY'] },
    { id: 'name', path: ['given_name'] },
  ]
  assert.deepEqual(answer(claims, { claim_sets: [['ut'], ['name']] }), { given_name: 'Erika' })
})

test('mdoc elements are selected by name space', () => {
  const [requestedQuery] = parseQuery({
    credentials: [
      { id: 'm', format: 'mso_mdoc', meta: { doctype_value: 'd' }, claims: [{ path: ['ns', 'given_name'] }] },
    ],
  }).credentials
  const answered = answerClaims(
    whole({ ns: { given_name: 'Erika', portrait: 'AAAA' }, other: { given_name: 'Max' } }),
    requestedQuery as CredentialQuery,
    newBudget(),
  )
  assert.equal(JSON.stringify(answered?.claims), '{"ns":{"given_name":"Erika"}}')
})

test('paths through an array read each element, with a limit per response', () => {
  const paths = Array.from({ length: 100 }, (_, i) => ({ path: ['list', null, `c${i}`] }))
  const [requestedQuery] = parseQuery({ credentials: [credential('a', { claims: paths })] }).credentials
  const listOf = (elements: number) =>
    Array.from({ length: elements }, () => Object.fromEntries(paths.map((_, i) => [`c${i}`, i])))
  const budget = newBudget()
  assert.notEqual(answerClaims(whole({ list: listOf(50) }), requestedQuery as CredentialQuery, budget), null)
  const used = LIMITS.claimSteps - budget.claimStepsLeft
  // Two steps for each element and path, one to find it and one to keep it, and a few more.
  assert.ok(used >= 100 * 50 * 2 && used < 100 * 50 * 4, `${used}`)
  assert.equal(answerClaims(whole({ list: listOf(500) }), requestedQuery as CredentialQuery, newBudget()), null)
  assert.equal(
    answerClaims(whole({ list: listOf(50) }), requestedQuery as CredentialQuery, {
      ...newBudget(),
      claimStepsLeft: used - 1,
    }),
    null,
  )
})

test('choosing and keeping claims spends work of the response', () => {
  const paths = Array.from({ length: 100 }, (_, i) => ({ path: ['list', null, `c${i}`, 'value'] }))
  const [requestedQuery] = parseQuery({ credentials: [credential('a', { claims: paths })] }).credentials
  const element = Object.fromEntries(paths.map((_, i) => [`c${i}`, { value: i }]))
  const answer = (budget: Budget) =>
    answerClaims(whole({ list: Array(20).fill(element) }), requestedQuery as CredentialQuery, budget)
  const budget = newBudget()
  assert.notEqual(answer(budget), null)
  const paid = LIMITS.work - budget.work.left
  const steps = LIMITS.claimSteps - budget.claimStepsLeft
  // The object, its list, and of each element the object, 100 claims and their values.
  const values = 2 + 20 * (1 + 2 * 100)
  const priceOf = (count: number, per: number) => Math.ceil((count * VERIFICATION) / per)
  assert.equal(paid, priceOf(steps, PRICES.claimSteps) + priceOf(values, PRICES.answeredValues))
  assert.notEqual(answer(newBudget(newWork(paid))), null)
  assert.equal(answer(newBudget(newWork(paid - 1))), null)
})

test('comparing with requested values is paid for, and only where a claim is present', () => {
  const paid = (values: readonly unknown[] | null, members: object) => {
    const claims = [
      { id: 'name', path: ['name'] },
      ...many.map((id) => ({ id, path: [id], ...(values && { values }) })),
    ]
    const requested = parseQuery({ credentials: [credential('a', { claims, claim_sets: [['name']] })] })
    const budget = newBudget()
    const presented = whole(parseJsonObject(JSON.stringify({ name: 'Erika', ...members })))
    assert.notEqual(answerClaims(presented, requested.credentials[0] as CredentialQuery, budget), null)
    return LIMITS.claimSteps - budget.claimStepsLeft
  }
  const many = Array.from({ length: 40 }, (_, i) => `c${i}`)
  const present = (value: unknown) => Object.fromEntries(many.map((id) => [id, value]))
  const numbers = Array.from({ length: 50 }, (_, i) => i)
  const texts = (length: number) => numbers.map((i) => `${'x'.repeat(length - 2)}${10 + i}`)
  assert.equal(paid(numbers, {}), paid(null, {}))
  const visited = paid(null, present(99))
  assert.equal(paid(numbers, present(99)), visited + 40 * 2)
  assert.equal(paid(numbers, present({ of: 'another kind' })), visited)
  assert.equal(paid(texts(100), present('another length')), visited + 40 * 2)
  // 50 texts of 100 letters, and as many letters more as beginning to compare costs.
  assert.equal(paid(texts(100), present('x'.repeat(100))), visited + 40 * (2 + (50 * 120) / 200))
})

test('looking for a complete claim set is paid for', () => {
  const ids = Array.from({ length: 100 }, (_, i) => `c${i}`)
  const claims = ids.map((id) => ({ id, path: [id] }))
  const used = (sets: readonly (readonly string[])[]) => {
    const requested = parseQuery({ credentials: [credential('a', { claims, claim_sets: sets })] })
    const budget = newBudget()
    const presented = whole(Object.fromEntries(ids.slice(0, 99).map((id) => [id, 1])))
    const answered = answerClaims(presented, requested.credentials[0] as CredentialQuery, budget)
    assert.equal(answered?.claimSet, sets.length - 1)
    return LIMITS.claimSteps - budget.claimStepsLeft
  }
  assert.equal(used([...Array(20).fill(ids), ['c0']]), used([['c0']]) + 20 * 5)
})

test('says which claim set the claims answer', () => {
  const claims = [
    { id: 'name', path: ['people', null, 'name'] },
    { id: 'born', path: ['people', null, 'born'] },
  ]
  const setOf = (person: JsonObject, more: object = { claim_sets: [['name'], ['born']] }) => {
    const [requested] = parseQuery({ credentials: [credential('a', { claims, ...more })] }).credentials
    return answerClaims(whole({ people: [person] }), requested as CredentialQuery, newBudget())?.claimSet
  }
  assert.equal(setOf({ name: 'Anna' }), 0)
  assert.equal(setOf({ born: '2001-01-01' }), 1)
  assert.equal(setOf({ name: 'Anna', born: '2001-01-01' }), 0)
  assert.equal(setOf({ name: 'Anna', born: '2001-01-01' }, {}), null)
})

test('paths to one element by its index and by null keep the parts of both; a path to the whole element keeps all of it', () => {
  const keep = (...paths: ClaimsPath[]) => {
    const claims = paths.map((path) => ({ path }))
    const [requestedQuery] = parseQuery({ credentials: [credential('a', { claims })] }).credentials
    const list = [
      { a: 1, b: { c: 2, d: 3 }, e: 4 },
      { a: 5, b: { c: 6, d: 7 } },
    ]
    return JSON.parse(
      JSON.stringify(answerClaims(whole({ list }), requestedQuery as CredentialQuery, newBudget())?.claims.list),
    )
  }
  const parts = [{ a: 1, b: { c: 2 } }, { b: { c: 6 } }]
  assert.deepEqual(keep(['list', 0, 'a'], ['list', null, 'b', 'c']), parts)
  const both = [{ b: { c: 2, d: 3 } }, { b: { c: 6 } }]
  assert.deepEqual(keep(['list', 0, 'b', 'd'], ['list', null, 'b', 'c']), both)
  const second = { a: 5, b: { c: 6, d: 7 } }
  assert.deepEqual(keep(['list', 1], ['list', null, 'a']), [{ a: 1 }, second])
  assert.deepEqual(keep(['list', null, 'b', 'c'], ['list', 1, 'b']), [{ b: { c: 2 } }, { b: second.b }])
})

test('a large answer to a large query is matched in a short time', () => {
  const names = Array.from({ length: 100 }, (_, i) => `c${i}`)
  const claims = names.map((name) => ({
    id: name,
    path: ['list', null, name],
    values: Array.from({ length: 30 }, (_, i) => i),
  }))
  const [requestedQuery] = parseQuery({
    credentials: [credential('a', { claims, claim_sets: Array(20).fill(names) })],
  }).credentials
  const list = Array.from({ length: 19_000 }, () => ({ c0: 99 }))
  const cost = leastCpuMs(500, () => {
    assert.equal(answerClaims(whole({ list }), requestedQuery as CredentialQuery, newBudget()), null)
  })
  assert.ok(cost < 500, `${cost} ms of CPU`)
})
