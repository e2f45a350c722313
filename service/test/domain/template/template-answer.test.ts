// Tests that a template is answered by one alternative of its query, whatever else was presented.

import assert from 'node:assert/strict'
import test from 'node:test'
import {
  type AcceptedCredential,
  type DcqlQuery,
  type Json,
  type JsonObject,
  LIMITS,
  newBudget,
  parseQuery,
  type Verdict,
  verifyPresentation,
} from '@vidimus/engine'
import { createResultBudget } from '@vidimus/engine/claims'
import * as sdJwt from '../../../../engine/test/sdjwt/mint-presentation.ts'
import { NOW } from '../../../../engine/test/trust/mint-pki.ts'
import { answerTemplate as answerWith } from '../../../src/core/templates/domain/answer.ts'
import type { Outputs } from '../../../src/core/templates/domain/outputs.ts'
import { builtInTemplate } from '../../../src/core/templates/domain/question.ts'
import { createOutputReader, RESULT_BYTES_MAX } from '../../../src/core/templates/domain/read-outputs.ts'
import { resultOf } from '../../../src/core/verifications/domain/result.ts'

const TODAY = '2027-06-15'
const MDL = 'org.iso.18013.5.1'
const AV = 'eu.europa.ec.av.1'

const answerTemplate = (question: { query: DcqlQuery; outputs: Outputs }, accepted: ReturnType<typeof shown>[]) =>
  answerWith({ query: question.query, outputs: createOutputReader(question.outputs, TODAY) }, accepted)

const shown = (queryId: string, claims: JsonObject) => ({ queryId, claims })
const anna = { given_name: 'Anna', family_name: 'Muster' }
const bert = { given_name: 'Bert', family_name: 'Beispiel' }

function answer(template: string, ...accepted: { queryId: string; claims: JsonObject }[]) {
  const found = builtInTemplate(template)
  assert.ok(found?.outputs)
  return answerTemplate({ query: found.query, outputs: found.outputs }, accepted)
}

test("a place of birth is one person's: no part comes from another credential", () => {
  const pid = { ...anna, birthdate: '1990-01-01', nationalities: ['DE'], place_of_birth: { locality: 'Aburg' } }
  const licence = { ...bert, birth_date: '1980-01-01', nationality: 'FR', birth_place: 'Bstadt' }
  const result = answer('identity_extended', shown('pid_sd', pid), shown('mdl', { [MDL]: licence }))
  assert.equal(result.outcome, 'answered')
  assert.deepEqual(result.claims.birth_place, { locality: 'Aburg' })
  assert.deepEqual(result.credentials, [shown('pid_sd', pid)])
})

test("a portrait that one holder withholds is not taken from another holder: name and portrait are one person's or missing", () => {
  const licence = { [MDL]: { ...bert, portrait: '_-8' } }
  const result = answer('portrait', shown('pid_sd', { ...anna, picture: '' }), shown('mdl', licence))
  assert.deepEqual(result, {
    outcome: 'answered',
    claims: { ...bert, portrait: '_-8' },
    credentials: [shown('mdl', licence)],
  })
})

test('an output that no single alternative gives is missing: two halves are not an answer', () => {
  const half = { [MDL]: { family_name: 'Beispiel', portrait: '_-8' } }
  const result = answer('portrait', shown('pid_sd', { ...anna, picture: '' }), shown('mdl', half))
  assert.deepEqual(result, { outcome: 'unanswered', missing: ['portrait'] })
})

test("the query's first alternative counts, not the first that was presented", () => {
  const licence = shown('mdl', { [MDL]: { ...bert, birth_date: '1980-01-01' } })
  const pid = shown('pid_sd', { ...anna, birthdate: '1990-01-01' })
  const result = answer('identity', licence, pid)
  assert.deepEqual(result.outcome === 'answered' && result.claims.given_name, 'Anna')
})

const ageProof = shown('age_proof', { [AV]: { age_over_18: true } })
const denials: [string, ReturnType<typeof shown>][] = [
  ['a flag', shown('pid_sd', { age_equal_or_over: { '18': false } })],
  ['a birth date', shown('pid_sd', { birthdate: '2015-01-01' })],
  ['a birth year', shown('mdl', { [MDL]: { birth_date: '2009' } })],
]
for (const [name, denial] of denials) {
  test(`an age that one credential proves and another denies (${name}) is denied, by the one that denies it`, () => {
    for (const accepted of [
      [ageProof, denial],
      [denial, ageProof],
    ]) {
      const result = answer('age_over_18', ...accepted)
      assert.deepEqual(result, { outcome: 'answered', claims: { age_over_18: false }, credentials: [denial] })
    }
  })
}

test('of two credentials that prove an age, the first in the query is kept', () => {
  const result = answer('age_over_18', shown('pid_sd', { birthdate: '1990-01-01' }), ageProof)
  assert.deepEqual(result, { outcome: 'answered', claims: { age_over_18: true }, credentials: [ageProof] })
})

const credential = (id: string, multiple = false) =>
  ({ id, format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] }, ...(multiple ? { multiple } : {}) }) as const
const from = (id: string, ...path: string[]) => ({ credential: id, path })
const naming = (...ids: string[]): Outputs => ({ name: { value: ids.map((id) => from(id, 'name')) } })

test('an answer takes one option of each set, and none of an optional set without an answer', () => {
  const query: DcqlQuery = {
    credentials: ['a', 'b', 'c', 'd', 'e'].map((id) => credential(id)),
    credential_sets: [{ options: [['a'], ['b']] }, { options: [['c'], ['d']] }, { options: [['e']], required: false }],
  }
  const outputs: Outputs = {
    name: { value: [from('a', 'name'), from('b', 'name')] },
    degree: { value: [from('c', 'degree'), from('d', 'degree')] },
  }
  const accepted = [shown('a', {}), shown('b', { name: 'B' }), shown('c', { degree: 'C' }), shown('d', { degree: 'D' })]
  const result = answerTemplate({ query, outputs }, accepted)
  assert.deepEqual(result, {
    outcome: 'answered',
    claims: { name: 'B', degree: 'C' },
    credentials: [accepted[1], accepted[2]],
  })
  const unanswered = answerTemplate({ query, outputs }, accepted.slice(0, 2))
  assert.deepEqual(unanswered, { outcome: 'unanswered', missing: ['name', 'degree'] })
})

test('the outputs come from one of several credentials of the same kind', () => {
  const query: DcqlQuery = { credentials: [credential('a', true)] }
  const outputs: Outputs = { name: { value: [from('a', 'name')] }, face: { value: [from('a', 'face')] } }
  const accepted = [shown('a', { name: 'Anna', face: '' }), shown('a', { name: 'Bert', face: 'b' })]
  const result = answerTemplate({ query, outputs }, accepted)
  assert.deepEqual(result, { outcome: 'answered', claims: { name: 'Bert', face: 'b' }, credentials: accepted })
})

test('an object has its members from one credential, even if two were requested', () => {
  const query: DcqlQuery = { credentials: [credential('a'), credential('b')] }
  const outputs: Outputs = {
    realm: { object: { town: [from('a', 'town'), from('b', 'town')], land: [from('a', 'land'), from('b', 'land')] } },
  }
  const both = [shown('a', { town: 'Aburg' }), shown('b', { town: 'Bstadt', land: 'BB' })]
  const result = answerTemplate({ query, outputs }, both)
  assert.deepEqual(result.outcome === 'answered' && result.claims, { realm: { town: 'Aburg' } })
})

test('a query with too many combinations of options ends unanswered', () => {
  const ids = Array.from({ length: 20 }, (_, i) => `c${i}`)
  const options = ids.map((id) => [id])
  const query: DcqlQuery = {
    credentials: ids.map((id) => credential(id)),
    credential_sets: ids.map(() => ({ options })),
  }
  const accepted = ids.map((id) => shown(id, {}))
  assert.equal(answerTemplate({ query, outputs: naming('c0') }, accepted).outcome, 'unanswered')
  const impossible = { ...query, credential_sets: [...ids.map(() => ({ options })), { options: [['gone']] }] }
  assert.equal(answerTemplate({ query: impossible, outputs: naming('c0') }, accepted).outcome, 'unanswered')
})

const TRUST_EVIDENCE = { signer: null, status: null, lists: [] }
const CHECKED = {
  trusted: true,
  signatureValid: true,
  holderBindingValid: true,
  issuer: {},
  doctypeOrVct: 'urn:x',
  trustEvidence: TRUST_EVIDENCE,
}
function verdictOf(...result: ReturnType<typeof shown>[]): Verdict {
  const credentials = result.map(
    (one): AcceptedCredential => ({
      ...CHECKED,
      claimSet: null,
      ...one,
      format: 'dc+sd-jwt',
      checks: [{ check: 'well_formed', status: 'pass' }],
    }),
  )
  return { outcome: 'accepted', credentials, confirmations: [] }
}

test('a credential whose statement about an age does not count says so', () => {
  const query: DcqlQuery = {
    credentials: [credential('a'), credential('b')],
    credential_sets: [{ options: [['a'], ['b']] }],
  }
  const age = { age_over: 18, flags: ['a', 'b'].map((id) => ({ ...from(id, 'adult'), age: 18 })), birth_dates: [] }
  const outputs: Outputs = { adult: age, ...naming('a', 'b') }
  const { result: denied } = resultOf(
    verdictOf(shown('a', { name: 'Anna', adult: true }), shown('b', { adult: false })),
    { query, outputs },
    TODAY,
  )
  assert.equal(denied.outcome, 'completed')
  assert.deepEqual(denied.claims, { adult: false, name: 'Anna' })
  assert.deepEqual(
    denied.credentials.map(({ findings }) => findings.map(({ check, status }) => [check, status])),
    [[['claim_conflict', 'warning']]],
  )
  assert.deepEqual(
    denied.credentials.map(({ claims }) => claims.adult),
    [false],
    'also for a reader of claims without findings',
  )
  const { result: alone } = resultOf(verdictOf(shown('a', { name: 'Anna', adult: true })), { query, outputs }, TODAY)
  assert.deepEqual(
    alone.credentials?.map(({ findings }) => findings),
    [[]],
  )
})

test('without outputs, what a credential denies under a name that another of its claims has counts, with a warning', () => {
  const query: DcqlQuery = { credentials: [credential('a')] }
  const ofMdoc = (claims: JsonObject) => {
    const verdict = verdictOf(shown('a', claims))
    assert.ok(verdict.outcome === 'accepted')
    const credentials = verdict.credentials.map((one) => ({ ...one, format: 'mso_mdoc' as const }))
    const { result } = resultOf({ ...verdict, credentials }, { query, outputs: null }, TODAY)
    assert.ok(result.outcome === 'completed')
    const found = result.credentials.map(({ findings }) => findings.map(({ check, status }) => [check, status]))
    return [result.claims, result.verdict, found]
  }
  const yes = { age_over_18: true }
  const conflict = [[['claim_conflict', 'warning']]]
  assert.deepEqual(ofMdoc({ [MDL]: yes, [AV]: yes }), [yes, undefined, [[]]])
  assert.deepEqual(ofMdoc({ [MDL]: yes, [AV]: { age_over_18: false } }), [yes, 'no', conflict])
  assert.deepEqual(ofMdoc({ [MDL]: { name: 'A' }, [AV]: { name: 'B' } }), [{ name: 'A' }, undefined, conflict])
})

test('an answer that is too long for a result fails, with that reason', () => {
  const query: DcqlQuery = { credentials: [credential('a')] }
  const outputs = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`o${i}`, { value: [from('a', 'face')] }]))
  const verdict = verdictOf(shown('a', { face: 'x'.repeat(100_000) }))
  const { result } = resultOf(verdict, { query, outputs }, TODAY)
  assert.ok(result.outcome === 'failed')
  assert.equal(result.error.code, 'query_not_satisfied')
  assert.match(result.error.message, /too long for a result/)
})

test('the claims of a result and of its credentials are counted together, by how long they take to write', () => {
  const query: DcqlQuery = { credentials: [credential('a'), credential('b')] }
  const portrait = { value: [from('a', 'face')] }
  const other = { value: [from('b', 'face')] }
  const outcomeOf = (face: string, outputs: Outputs | null) =>
    resultOf(verdictOf(shown('a', { face }), shown('b', { face })), { query, outputs }, TODAY).result
  // A portrait of 170 kB in base64, of two credentials.
  const honest = 'x'.repeat(230_000)
  assert.equal(outcomeOf(honest, null).outcome, 'completed')
  assert.equal(outcomeOf(honest, { face: portrait, other }).outcome, 'completed')
  const letters: readonly (readonly [string, number])[] = [
    ['x', 1],
    ['"', 6],
    ['é', 4],
    ['字', 6],
    ['😀', 8],
    ['\u0001', 26],
  ]
  for (const [letter, bytes] of letters) {
    // The letters are once in the result and once in each of two credentials; three objects of one member in an array.
    const longest = Math.floor((RESULT_BYTES_MAX - 100 - 6 * 200) / 3 / bytes)
    for (const outputs of [null, { face: portrait }]) {
      assert.equal(outcomeOf(letter.repeat(longest), outputs).outcome, 'completed', letter)
      const result = outcomeOf(letter.repeat(longest + 100), outputs)
      assert.ok(result.outcome === 'failed', letter)
      assert.equal(result.error.code, 'query_not_satisfied')
      assert.match(result.error.message, /too long for a result/)
    }
  }
})

test('the claims of an expensive response must be shorter', () => {
  const query: DcqlQuery = { credentials: [credential('a')] }
  const outcomeWith = (work: number) => {
    const left = createResultBudget(newBudget({ left: work }))
    return resultOf(verdictOf(shown('a', { face: 'x'.repeat(100_000) })), { query, outputs: null }, TODAY, left).result
  }
  assert.equal(outcomeWith(LIMITS.work).outcome, 'completed')
  // Both copies; writing 8,000 bytes costs as much as one P-256 signature verification.
  assert.equal(outcomeWith(2_600).outcome, 'completed')
  const result = outcomeWith(2_400)
  assert.ok(result.outcome === 'failed')
  assert.match(result.error.message, /too long for a result/)
})

test('claims with many members or elements may have fewer bytes', () => {
  const query: DcqlQuery = { credentials: [credential('a')] }
  const left = createResultBudget(newBudget())
  const outcomeOf = (face: Json) =>
    resultOf(verdictOf(shown('a', { face })), { query, outputs: null }, TODAY, left).result.outcome
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))
  const elements = (count: number) => Array.from({ length: count }, (_, at) => at)
  for (const many of [members, elements]) {
    assert.equal(outcomeOf(many(2_000)), 'completed')
    // 80 kB as JSON. Measuring, sorting, digesting and encrypting it costs as much as 300 P-256 signature verifications.
    assert.equal(outcomeOf(many(5_600)), 'failed')
  }
})

test('an explicit query keeps every credential that answers it', () => {
  const query: DcqlQuery = { credentials: [credential('a'), credential('b')] }
  const verdict = verdictOf(shown('a', { name: 'Anna' }), shown('b', { name: 'Bert', town: 'Bstadt' }))
  const { result } = resultOf(verdict, { query, outputs: null }, TODAY)
  assert.equal(result.outcome, 'completed')
  assert.deepEqual(result.claims, { name: 'Anna', town: 'Bstadt' })
  assert.equal(result.credentials.length, 2)
})

const SETS = { claim_sets: [['name'], ['birthdate']] }
const either = (...path: (string | number | null)[]) => ['name', 'birthdate'].map((id) => ({ id, path: [...path, id] }))
const [name, birthdate] = [{ name: 'Anna' }, { birthdate: '2001-01-01' }]
const atSecond = [
  { id: 'name', path: ['people', 0, 'name'] },
  { id: 'birthdate', path: ['people', 1, 'birthdate'] },
]

for (const [place, claims, presented, outcome] of [
  ['at the top', either(), [name, birthdate], 'claim_conflict'],
  ['in an object', either('person'), [{ person: name }, { person: birthdate }], 'claim_conflict'],
  ['in a list', either('people', null), [{ people: [name] }, { people: [birthdate] }], 'claim_conflict'],
  ['by index', atSecond, [{ people: [name] }, { people: [{ x: 1 }, birthdate] }], 'claim_conflict'],
  ['the other way round', either('people', null), [{ people: [birthdate] }, { people: [name] }], 'claim_conflict'],
  ['equal in a list', either('people', null), [{ people: [name] }, { people: [{ name: 'Bert' }] }], 'completed'],
  ['one more member', either(), [name, { ...name, ...birthdate }], 'completed'],
] as const)
  test(`two presentations for one query with claim sets, ${place}: ${outcome}`, async () => {
    const credentialQuery = { ...credential('a', true), meta: { vct_values: [sdJwt.VCT] }, claims, ...SETS }
    const query = parseQuery({ credentials: [credentialQuery] })
    const presentations = presented.map((members, at) =>
      sdJwt.mintPresentation({
        concealed: {},
        payload: (payload) => ({ ...payload, ...members, iat: NOW - 100 - at }),
      }),
    )
    const trust = { ...sdJwt.trust, haip: false }
    const verdict = await verifyPresentation({ a: presentations }, { ...sdJwt.expected, query }, trust)
    assert.equal(verdict.outcome, 'accepted')
    const { result } = resultOf(verdict, { query, outputs: null }, TODAY)
    assert.equal(result.outcome === 'failed' ? result.error.code : result.outcome, outcome)
  })
