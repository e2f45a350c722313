// Tests that the cost of a template's outputs does not multiply: each claim is read once.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { AcceptedCredential, DcqlQuery, Json, JsonObject, Verdict } from '@vidimus/engine'
import { createResultBudget } from '@vidimus/engine/claims'
import { PRICES, VERIFICATION } from '../../../../engine/src/limits.ts'
import { answerTemplate } from '../../../src/core/templates/domain/answer.ts'
import { type Outputs, readsBirthDateOnlyForAge, type Source } from '../../../src/core/templates/domain/outputs.ts'
import {
  APPENDED_LENGTH_MAX,
  createOutputReader,
  HOUSE_NUMBER_LENGTH_MAX,
} from '../../../src/core/templates/domain/read-outputs.ts'
import { resultOf } from '../../../src/core/verifications/domain/result.ts'
import { plainAnswer, plainKeptClaims } from './plain-outputs.ts'

const TODAY = '2027-06-15'
const SOURCES = 50

const times = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at))

/** The price of `count` sources, names on their paths, and outputs of combinations. */
/** What reading a source costs besides the names of its path, and joining a second text. */
const [READ, JOIN] = [3, 8]
const steps = (count: number) => Math.ceil((count * VERIFICATION) / PRICES.sourceSteps)

/** Counts how often names of these paths are read. */
function countedSources() {
  const count = { reads: 0 }
  const source = (credential: string, ...path: string[]): Source => ({
    credential,
    path: new Proxy(path, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) count.reads += 1
        return Reflect.get(target, name)
      },
    }),
  })
  return { count, source }
}

const queryOf = (...ids: string[]): DcqlQuery => ({
  credentials: ids.map((id) => ({ id, format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] }, multiple: true })),
})
function verdictOf(accepted: readonly { queryId: string; claims: JsonObject }[]): Verdict {
  const judged = { trusted: true, signatureValid: true, holderBindingValid: true, issuer: {}, doctypeOrVct: 'urn:x' }
  const credentials = accepted.map(
    (one): AcceptedCredential => ({
      ...judged,
      ...one,
      claimSet: null,
      format: 'dc+sd-jwt',
      checks: [],
      trustEvidence: { signer: null, status: null, lists: [] },
    }),
  )
  return { outcome: 'accepted', credentials, confirmations: [] }
}

test('texts are joined up to the length of an address; longer ones stay separate', () => {
  const outputs: Outputs = { street: { value: [{ credential: 'q', path: ['street'], append: ['number'] }] } }
  const joined = (length: number) => {
    const claims = { street: 'a'.repeat(length - 3), number: '12' }
    const { found } = createOutputReader(outputs, TODAY).find([{ queryId: 'q', claims }])
    return String(found[0]?.value).length
  }
  assert.equal(joined(APPENDED_LENGTH_MAX), APPENDED_LENGTH_MAX)
  assert.equal(joined(APPENDED_LENGTH_MAX + 1), APPENDED_LENGTH_MAX - 2)
})

test('a house number that ends the street is not appended again; longer texts are not compared', () => {
  const outputs: Outputs = { street: { value: [{ credential: 'q', path: ['street'], append: ['number'] }] } }
  const joined = (street: string, number: string) => {
    const { found } = createOutputReader(outputs, TODAY).find([{ queryId: 'q', claims: { street, number } }])
    return found[0]?.value
  }
  const longest = 'b'.repeat(HOUSE_NUMBER_LENGTH_MAX)
  for (const street of [longest, `a ${longest}`]) assert.equal(joined(street, longest), street)
  assert.equal(joined(`a${longest}`, longest), `a${longest} ${longest}`)
  assert.equal(joined(`a ${longest}b`, `${longest}b`), `a ${longest}b ${longest}b`)
})

test('for an output that no combination of presentations gives, each claim is read once', () => {
  const ids = times(10, (at) => `q${at}`)
  const { count, source } = countedSources()
  const outputs: Outputs = {
    ...Object.fromEntries(
      times(9, (at) => [
        `age${at}`,
        { age_over: 18, flags: [], birth_dates: times(SOURCES, (i) => source(ids[i % 10] ?? '', 'born')) },
      ]),
    ),
    never: { value: [source('q0', 'born', 'x')] },
  }
  const accepted = ids.flatMap((queryId) => times(2, () => ({ queryId, claims: { born: '1990-01-01' } })))
  const { result } = resultOf(verdictOf(accepted), { query: queryOf(...ids), outputs }, TODAY)
  assert.equal(result.outcome, 'failed')
  // Each source is read in both presentations that it names, and twice to decide what is kept.
  assert.ok(count.reads <= 451 * 4 + 10, `${count.reads} reads`)
})

test('a text that many outputs name as bytes is examined once, whatever the combinations, and paid for', (t) => {
  const ids = times(4, (at) => `q${at}`)
  const outputs: Outputs = {
    ...Object.fromEntries(
      times(49, (at) => [`o${at}`, { value: [{ credential: 'q0', path: ['face'] }], as: 'bytes' as const }]),
    ),
    never: { value: [{ credential: 'q1', path: ['face', 'x'] }] },
  }
  const face = 'A'.repeat(10_000)
  const accepted = ids.flatMap((queryId) => times(5, (at) => ({ queryId, claims: { face: at === 0 ? face : 'A' } })))
  const examine = t.mock.method(RegExp.prototype, 'test')
  const messageWith = (left: number) => {
    const work = { left }
    const budget = createResultBudget({ work })
    const { result } = resultOf(verdictOf(accepted), { query: queryOf(...ids), outputs }, TODAY, budget)
    const paid = left - work.left
    const examined = examine.mock.calls.reduce((sum, call) => sum + String(call.arguments[0]).length, 0)
    examine.mock.resetCalls()
    return { paid, examined, message: result.outcome === 'failed' ? result.error.message : '' }
  }
  const isMissing = 'The credentials do not contain never.'
  const isTooLong = 'The claims are too long for a result.'
  // Each presentation of the first query: 49 sources of one name, and a text to examine; of the second: a source of two.
  const followed = steps(49 * (READ + 1))
  const prepared = steps(49 * (READ + 1) + READ + 2)
  // The only alternative: four queries of one option.
  const chosen = steps(4 + 1)
  const long = (face.length * VERIFICATION) / PRICES.examinedLetters
  // Each combination has 50 outputs of four credentials.
  const price = prepared + chosen + 5 * followed + long + 4 + 5 * steps(READ + 2) + 200 * steps((50 * 5) / 2)
  assert.deepEqual(messageWith(price), { paid: price, examined: face.length + 4, message: isMissing })
  assert.deepEqual(messageWith(price - 1), { paid: price - 1, examined: face.length + 4, message: isTooLong })
  const withoutLast = prepared + 5 * followed + long + 3
  assert.deepEqual(messageWith(withoutLast), { paid: withoutLast, examined: face.length + 3, message: isTooLong })
  const withoutLong = prepared + followed + long - 1
  assert.deepEqual(messageWith(withoutLong), { paid: withoutLong, examined: 0, message: isTooLong })
})

test('following paths in each presentation is paid for; what cannot be paid for is not read', () => {
  const { count, source } = countedSources()
  const outputs: Outputs = {
    ...Object.fromEntries(
      times(49, (at) => [
        `age${at}`,
        { age_over: 18, flags: [], birth_dates: times(10, (i) => source('a', 'born', `d${10 * at + i}`)) },
      ]),
    ),
    never: { value: [{ credential: 'a', path: ['born', 'x', 'y'], append: ['x', 'y'] }] },
  }
  const born = (at: number) => Object.fromEntries(times(490, (i) => [`d${i}`, `19${10 + at}-01-01`]))
  const accepted = times(20, (at) => ({ queryId: 'a', claims: { born: born(at) } }))
  const answerWith = (left: number) => {
    const budget = createResultBudget({ work: { left } })
    count.reads = 0
    const { result } = resultOf(verdictOf(accepted), { query: queryOf('a'), outputs }, TODAY, budget)
    return { reads: count.reads, message: result.outcome === 'failed' ? result.error.message : '' }
  }
  // The last source has a path of three names, and joins the text of another one of two.
  const ofPresentation = steps(490 * (READ + 2) + READ + 3 + JOIN + 2)
  const ofCombinations = steps(1 + 1) + 20 * steps(50)
  const isTooLong = 'The claims are too long for a result.'
  const whole = answerWith(21 * ofPresentation + ofCombinations)
  assert.equal(whole.message, 'The credentials do not contain never.')
  const unread = answerWith(0)
  assert.equal(unread.message, isTooLong)
  assert.equal(whole.reads - unread.reads, 20 * 490 * 2)
  const three = answerWith(5 * ofPresentation - 1)
  assert.deepEqual([three.message, three.reads - unread.reads], [isTooLong, 3 * 490 * 2])
})

test('each choice of options of credential sets is paid for, also if it has the same credentials as another', () => {
  const ids = times(20, (at) => `q${at}`)
  const options = times(15, () => ids)
  const outputs: Outputs = { never: { value: [{ credential: 'q0', path: ['name'] }] } }
  const query = { ...queryOf(...ids), credential_sets: [{ options }, { options }] }
  const accepted = ids.map((queryId) => ({ queryId, claims: {} }))
  const messageWith = (left: number) => {
    const budget = createResultBudget({ work: { left } })
    const { result } = resultOf(verdictOf(accepted), { query, outputs }, TODAY, budget)
    return result.outcome === 'failed' ? result.error.message : ''
  }
  // Each of the 200 choices names forty queries in two sets, and has one output. The reading of the credentials follows.
  const price = 200 * (steps(40 + 2) + steps(Math.ceil(21 / 2))) + 2 * steps(READ + 1) + 19 * steps(0)
  assert.equal(messageWith(price - 1), 'The claims are too long for a result.')
  assert.equal(messageWith(price + steps(42)), 'The credentials do not contain never.')
})

test('when claims of twenty presentations are kept, sources of ages and of other outputs are compared once', () => {
  const { count, source } = countedSources()
  const outputs: Outputs = {
    ...Object.fromEntries(
      times(5, (at) => [
        `age${at}`,
        { age_over: 18, flags: [], birth_dates: times(SOURCES, (i) => source('a', 'born', `d${i}`)) },
      ]),
    ),
    ...Object.fromEntries(times(5, (at) => [`o${at}`, { value: times(SOURCES, (i) => source('a', 'name', `n${i}`)) }])),
  }
  const claims = {
    born: Object.fromEntries(times(SOURCES, (i) => [`d${i}`, '1990-01-01'])),
    name: Object.fromEntries(times(SOURCES, (i) => [`n${i}`, 'x'])),
  }
  const accepted = times(20, () => ({ queryId: 'a', claims }))
  const { result } = resultOf(verdictOf(accepted), { query: queryOf('a'), outputs }, TODAY)
  assert.ok(result.outcome === 'completed')
  assert.deepEqual(result.credentials[19]?.claims.name, claims.name)
  assert.equal(result.credentials[19]?.claims.born, undefined)
  // Two names in each of 500 paths, in 20 presentations, and a few times to decide what is kept.
  assert.ok(count.reads <= 500 * 2 * (20 + 4), `${count.reads} reads`)
})

test('sources are compared once to find whether a birth date is read only for an age', () => {
  const { count, source } = countedSources()
  const outputs: Outputs = {
    age: { age_over: 18, flags: [], birth_dates: times(250, (i) => source('a', 'born', `${i}`)) },
    other: { value: times(250, (i) => source('a', 'name', `${i}`)) },
  }
  assert.equal(readsBirthDateOnlyForAge(outputs), true)
  assert.ok(count.reads <= 500 * 2 * 2, `${count.reads} reads`)
})

/** The same numbers in every run (mulberry32). */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

test('the service gives the same outputs as the plain rules, for 5,000 small templates and answers', () => {
  const draw = numbers(31)
  const one = <Item>(items: readonly Item[]) => items[draw(items.length)] as Item
  const some = <Item>(most: number, item: () => Item) => times(draw(most + 1), item)
  const path = () => [one(['a', 'b', 'c']), ...some(2, () => one(['a', 'b']))]
  const source = (): Source => ({
    credential: one(['p', 'q', 'r']),
    path: path(),
    ...(draw(4) === 0 && { append: path() }),
  })
  const flag = () => ({ credential: one(['p', 'q', 'r']), path: path(), age: one([16, 18, 21]) })
  const rule = (): Outputs[string] => {
    const kind = draw(3)
    if (kind === 0)
      return { value: times(1 + draw(3), source), ...(draw(2) === 0 && { as: one(['list', 'bytes'] as const) }) }
    if (kind === 1) return { object: { x: times(1 + draw(2), source), y: times(1 + draw(2), source) } }
    return {
      age_over: 18,
      flags: some(2, flag),
      birth_dates: some(2, () => ({ credential: one(['p', 'q', 'r']), path: path() })),
    }
  }
  const LEAVES: Json[] = [
    null,
    '',
    'x',
    'x+/=',
    'data:;base64,a+=',
    '==',
    true,
    false,
    7,
    '1990-01-01',
    '2015',
    '2009',
    [],
    ['y'],
  ]
  const value = (depth: number): Json =>
    depth > 0 && draw(2) === 0
      ? Object.fromEntries(['a', 'b', 'c'].flatMap((name) => (draw(3) === 0 ? [] : [[name, value(depth - 1)]])))
      : one(LEAVES)
  const claims = () => Object.fromEntries(['a', 'b', 'c'].map((name) => [name, value(2)]))
  const sets = [
    undefined,
    [{ options: [['p'], ['q']] }, { options: [['r'], ['q', 'p']], required: false }],
    [{ options: [['r', 'p'], ['q']] }],
  ]
  const outcomes = new Map<string, number>()
  for (let run = 0; run < 5_000; run += 1) {
    const outputs: Outputs = Object.fromEntries(times(1 + draw(3), (at) => [`o${at}`, rule()]))
    const credentialSets = one(sets)
    const query = {
      ...queryOf('p', 'q', 'r'),
      ...(credentialSets !== undefined && { credential_sets: credentialSets }),
    }
    const accepted = times(1 + draw(5), () => ({ queryId: one(['p', 'q', 'r']), claims: claims() }))
    const reader = createOutputReader(outputs, TODAY)
    const answer = answerTemplate({ query, outputs: reader }, accepted)
    assert.deepEqual(answer, plainAnswer(query, outputs, accepted, TODAY), JSON.stringify({ query, outputs, accepted }))
    for (const credential of accepted)
      assert.deepEqual(reader.keptClaims(credential), plainKeptClaims(outputs, credential, TODAY))
    outcomes.set(answer.outcome, (outcomes.get(answer.outcome) ?? 0) + 1)
  }
  assert.ok((outcomes.get('answered') ?? 0) > 500 && (outcomes.get('unanswered') ?? 0) > 500)
})

test('without a template the claims of each credential are listed once, and once for what they deny, also if there are too many', () => {
  let lists = 0
  const counted = (claims: JsonObject): JsonObject =>
    new Proxy(claims, {
      ownKeys(target) {
        lists += 1
        return Reflect.ownKeys(target)
      },
    })
  const verdict = verdictOf(times(3, (at) => ({ queryId: 'q', claims: counted({ name: `n${at}`, more: 'x' }) })))
  const outcomeOf = (left: number) =>
    resultOf(verdict, { query: queryOf('q'), outputs: null }, TODAY, createResultBudget({ work: { left } })).result
      .outcome
  assert.deepEqual([outcomeOf(125), lists], ['completed', 6])
  assert.deepEqual([outcomeOf(6), lists], ['failed', 9])
})
