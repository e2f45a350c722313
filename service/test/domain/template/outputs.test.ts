// Tests the outputs of templates case by case: every credential format has the same output names.

import assert from 'node:assert/strict'
import test from 'node:test'
import { type DcqlQuery, type JsonObject, parseQuery } from '@vidimus/engine'
import { createBirthReader } from '@vidimus/engine/claims'
import { ageAtLeast } from '../../../src/core/templates/domain/age.ts'
import { type Outputs, readsBirthDateOnlyForAge, sourcesOf } from '../../../src/core/templates/domain/outputs.ts'
import { builtInTemplate, listBuiltInTemplates, resolveQuestion } from '../../../src/core/templates/domain/question.ts'
import {
  type AnsweringCredential,
  createOutputReader,
  RESULT_BYTES_MAX,
  renderOutputs,
} from '../../../src/core/templates/domain/read-outputs.ts'
import { withPurpose } from '../../../src/core/templates/domain/template.ts'

const TODAY = '2027-06-15'
const PID = 'eu.europa.ec.eudi.pid.1'
const MDL = 'org.iso.18013.5.1'
const AV = 'eu.europa.ec.av.1'

function outputsOf(outputs: Outputs, credentials: readonly AnsweringCredential[]) {
  const found = createOutputReader(outputs, TODAY).find(credentials)
  return { claims: renderOutputs(found) ?? assert.fail('too long'), missing: found.missing }
}
const keptClaims = (outputs: Outputs, credential: AnsweringCredential) =>
  createOutputReader(outputs, TODAY).keptClaims(credential)

interface Evidence {
  readonly flags: Parameters<typeof ageAtLeast>[1]['flags']
  readonly birthDates: readonly (string | number | undefined)[]
  readonly utcDay: string
}

const ages: [string, number, Evidence, boolean | undefined][] = [
  ['the exact age, reached', 18, { flags: [flag(18, true)], birthDates: [], utcDay: TODAY }, true],
  ['the exact age, not reached', 18, { flags: [flag(18, false)], birthDates: [], utcDay: TODAY }, false],
  ['a higher age, reached', 18, { flags: [flag(21, true)], birthDates: [], utcDay: TODAY }, true],
  [
    'a higher age, not reached, says nothing',
    18,
    { flags: [flag(21, false)], birthDates: [], utcDay: TODAY },
    undefined,
  ],
  ['a lower age, not reached', 18, { flags: [flag(16, false)], birthDates: [], utcDay: TODAY }, false],
  ['a lower age, reached, says nothing', 18, { flags: [flag(16, true)], birthDates: [], utcDay: TODAY }, undefined],
  [
    'a flag that is not a boolean says nothing',
    18,
    { flags: [flag(18, 'true')], birthDates: [], utcDay: TODAY },
    undefined,
  ],
  ['a flag of 1 says nothing', 18, { flags: [flag(18, 1)], birthDates: [], utcDay: TODAY }, undefined],
  ['nothing at all', 18, { flags: [], birthDates: [undefined], utcDay: TODAY }, undefined],
  ['the birthday itself', 18, born('2009-06-15'), true],
  ['the day before the birthday', 18, born('2009-06-16'), false],
  ['the day after the birthday', 18, born('2009-06-14'), true],
  ['born on 29 February: not yet on the 28th', 18, born('2008-02-29', '2026-02-28'), false],
  ['born on 29 February: from 1 March on', 18, born('2008-02-29', '2026-03-01'), true],
  ['born on 29 February: on the 29th of a leap year', 20, born('2008-02-29', '2028-02-29'), true],
  ['only the year is known: the last day of it counts', 18, born('2009'), false],
  ['only the year is known, and it is over', 18, born('2008'), true],
  ['only year and month are known: the last day counts', 18, born('2009-06'), false],
  ['only year and month are known, and the month is over', 18, born('2009-05'), true],
  ['an unknown day is written 00', 18, born('2009-06-00'), false],
  ['an unknown month is written 00', 18, born('2008-00-00'), true],
  ['the year is unknown', 18, born('0000-06-15'), undefined],
  ['not a date', 18, born('yesterday'), undefined],
  ['a day that no month has', 18, born('2009-02-30'), undefined],
  ['a month that no year has', 18, born('2009-13-01'), undefined],
  ['a date with a time', 18, born('2000-01-01T00:00:00Z'), undefined],
  ['a number', 18, { flags: [], birthDates: [20000101], utcDay: TODAY }, undefined],
  ['a birth in the future', 18, born('2030-01-01'), false],
  [
    'a flag comes before a birth date',
    18,
    { flags: [flag(18, false)], birthDates: ['1990-01-01'], utcDay: TODAY },
    false,
  ],
  ['a lower flag that is not reached overrides a higher one that is', 18, evidenceOf([21, true], [16, false]), false],
  ['a complete birth date overrides a flag', 18, { ...born('2015-01-01'), flags: [flag(18, true)] }, false],
  ['a flag overrides an incomplete birth date', 18, { ...born('2009'), flags: [flag(18, true)] }, true],
  ['two birth dates: the later counts', 18, { ...born('1990-01-01'), birthDates: ['1990-01-01', '2015-01-01'] }, false],
]

function evidenceOf(...flags: [number, boolean][]) {
  return { flags: flags.map(([age, value]) => flag(age, value)), birthDates: [], utcDay: TODAY }
}

function flag(age: number, value: boolean | string | number) {
  return { age, value }
}

function born(date: string, utcDay = TODAY) {
  return { flags: [], birthDates: [date], utcDay }
}

for (const [what, age, evidence, expected] of ages) {
  test(`age: ${what}`, () => {
    const { flags, birthDates, utcDay } = evidence
    const births = birthDates.flatMap((date) => createBirthReader(utcDay)(date) ?? [])
    assert.equal(ageAtLeast(age, { flags, births }), expected)
  })
}

test('age: a day counts only if its month has it', () => {
  const read = createBirthReader(TODAY)
  const twoDigits = (part: number) => String(part).padStart(2, '0')
  for (const year of [1900, 2000, 2023, 2024])
    for (let month = 1; month <= 12; month++)
      for (let day = 1; day <= 31; day++) {
        const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`
        const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCMonth() === month - 1
        assert.equal(read(text) !== null, isDay, text)
      }
})

interface Case {
  readonly template: string
  readonly from: string
  readonly claims: JsonObject
  readonly outputs: JsonObject
  /** The kept claims of the credential; the claims themselves if the case does not say. */
  readonly kept?: JsonObject
}

const cases: Case[] = [
  {
    template: 'age_over_18',
    from: 'age_proof',
    claims: { [AV]: { age_over_18: true } },
    outputs: { age_over_18: true },
    kept: { age_over_18: true },
  },
  {
    template: 'age_over_18',
    from: 'age_proof',
    claims: { [AV]: { age_over_18: false } },
    outputs: { age_over_18: false },
    kept: { age_over_18: false },
  },
  {
    template: 'age_over_18',
    from: 'mdl',
    claims: { [MDL]: { age_over_21: true } },
    outputs: { age_over_18: true },
    kept: { age_over_18: true },
  },
  {
    template: 'age_over_18',
    from: 'mdl',
    claims: { [MDL]: { birth_date: '2000-01-01' } },
    outputs: { age_over_18: true },
    kept: { age_over_18: true },
  },
  {
    template: 'age_over_16',
    from: 'pid_sd',
    claims: { age_equal_or_over: { '16': true } },
    outputs: { age_over_16: true },
    kept: { age_over_16: true },
  },
  {
    template: 'age_over_21',
    from: 'pid_sd',
    claims: { birthdate: '2010-01-01' },
    outputs: { age_over_21: false },
    kept: { age_over_21: false },
  },
  {
    template: 'age_over_21',
    from: 'pid_mdoc',
    claims: { [PID]: { birth_date: '1990-01-01' } },
    outputs: { age_over_21: true },
    kept: { age_over_21: true },
  },
  {
    template: 'identity',
    from: 'pid_sd',
    claims: { given_name: 'Vera', family_name: 'Muster', birthdate: '1990-01-01' },
    outputs: { given_name: 'Vera', family_name: 'Muster', birth_date: '1990-01-01' },
  },
  {
    template: 'identity',
    from: 'mdl',
    claims: { [MDL]: { given_name: 'Vera', family_name: 'Muster', birth_date: '1990-01-01' } },
    outputs: { given_name: 'Vera', family_name: 'Muster', birth_date: '1990-01-01' },
  },
  {
    template: 'identity_extended',
    from: 'pid_sd',
    claims: {
      given_name: 'Vera',
      family_name: 'Muster',
      birthdate: '1990-01-01',
      place_of_birth: { locality: 'Musterstadt', country: 'XX' },
      nationalities: ['XX', 'YY'],
    },
    outputs: {
      given_name: 'Vera',
      family_name: 'Muster',
      birth_date: '1990-01-01',
      birth_place: { locality: 'Musterstadt', country: 'XX' },
      nationalities: ['XX', 'YY'],
    },
  },
  {
    template: 'identity_extended',
    from: 'mdl',
    claims: {
      [MDL]: {
        given_name: 'Vera',
        family_name: 'Muster',
        birth_date: '1990-01-01',
        birth_place: 'Musterstadt',
        nationality: 'XX',
      },
    },
    outputs: {
      given_name: 'Vera',
      family_name: 'Muster',
      birth_date: '1990-01-01',
      birth_place: { formatted: 'Musterstadt' },
      nationalities: ['XX'],
    },
  },
  {
    template: 'nationality',
    from: 'pid_mdoc',
    claims: { [PID]: { nationality: ['XX'] } },
    outputs: { nationalities: ['XX'] },
  },
  {
    template: 'address',
    from: 'pid_sd',
    claims: { address: { street_address: 'Weg 1', postal_code: '1', locality: 'Ort', country: 'XX' } },
    outputs: { address: { street_address: 'Weg 1', postal_code: '1', locality: 'Ort', country: 'XX' } },
  },
  {
    template: 'address',
    from: 'mdl',
    claims: { [MDL]: { resident_address: 'Weg 1, Ort' } },
    outputs: { address: { formatted: 'Weg 1, Ort' } },
  },
  {
    template: 'portrait',
    from: 'pid_sd',
    claims: { given_name: 'Vera', family_name: 'Muster', picture: 'data:image/jpeg;base64,/+8=' },
    outputs: { portrait: '_-8', given_name: 'Vera', family_name: 'Muster' },
  },
  {
    template: 'portrait',
    from: 'mdl',
    claims: { [MDL]: { given_name: 'Vera', family_name: 'Muster', portrait: '_-8' } },
    outputs: { portrait: '_-8', given_name: 'Vera', family_name: 'Muster' },
  },
]

for (const { template, from, claims, outputs, kept } of cases) {
  test(`${template} from ${from}: ${JSON.stringify(outputs).slice(0, 60)}`, () => {
    const rules = builtInTemplate(template)?.outputs ?? {}
    const credential = { queryId: from, claims }
    assert.deepEqual(outputsOf(rules, [credential]), { claims: outputs, missing: [] })
    assert.deepEqual(keptClaims(rules, credential), kept ?? claims)
  })
}

test('an output is missing if no credential has a value: an unreadable birth date, an empty portrait, a null, an empty list', () => {
  const missing = (template: string, queryId: string, claims: JsonObject) =>
    outputsOf(builtInTemplate(template)?.outputs ?? {}, [{ queryId, claims }]).missing
  assert.deepEqual(missing('age_over_18', 'pid_sd', { birthdate: 'unknown' }), ['age_over_18'])
  assert.deepEqual(missing('portrait', 'pid_sd', { given_name: 'a', family_name: 'b', picture: '' }), ['portrait'])
  assert.deepEqual(missing('identity', 'pid_sd', { given_name: null, family_name: 'b', birthdate: '1990' }), [
    'given_name',
  ])
  assert.deepEqual(missing('nationality', 'pid_sd', { nationalities: [] }), ['nationalities'])
  assert.deepEqual(missing('identity', 'another', { given_name: 'a' }), ['given_name', 'family_name', 'birth_date'])
})

test('base64 becomes base64url, from a data URL, too; padding alone or other text is not a value', () => {
  const rules: Outputs = { face: { value: [{ credential: 'a', path: ['face'] }], as: 'bytes' } }
  const bytesOf = (face: string) => outputsOf(rules, [{ queryId: 'a', claims: { face } }])
  assert.deepEqual(bytesOf('a+/b+/==').claims, { face: 'a-_b-_' })
  assert.deepEqual(bytesOf('data:image/jpeg;base64,_-8+').claims, { face: '_-8-' })
  const notBase64 = ['data:image/jpeg,_-8+', 'https://issuer.example/p+1.jpg']
  for (const none of ['====', 'data:image/jpeg;base64,', 'data:;base64,==', ...notBase64]) {
    assert.deepEqual(bytesOf(none).missing, ['face'])
  }
})

test('a long text of padding takes one pass', () => {
  const rules: Outputs = { face: { value: [{ credential: 'a', path: ['face'] }], as: 'bytes' } }
  const face = `a${'='.repeat(900_000)}b`
  assert.deepEqual(outputsOf(rules, [{ queryId: 'a', claims: { face } }]).claims, { face })
})

test('outputs that repeat a long claim too often are not rendered', () => {
  const claims = { face: 'x'.repeat(RESULT_BYTES_MAX / 3), list: [{ face: 'x'.repeat(RESULT_BYTES_MAX / 3) }] }
  const times = (count: number, path: string): Outputs =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`o${i}`, { value: [{ credential: 'a', path: [path] }] }]),
    )
  for (const path of ['face', 'list']) {
    const lengthOf = (count: number) =>
      renderOutputs(createOutputReader(times(count, path), TODAY).find([{ queryId: 'a', claims }]))
    assert.equal(Object.keys(lengthOf(2) ?? {}).length, 2)
    assert.equal(lengthOf(3), null)
  }
})

test('an output reads only from the credential it names, and nothing inherited', () => {
  const rules = { name: { value: [{ credential: 'a', path: ['constructor', 'name'] }] } }
  assert.deepEqual(outputsOf(rules, [{ queryId: 'a', claims: {} }]).missing, ['name'])
})

test('keeps a birth date that another output publishes, although an age was computed from it', () => {
  const source = { credential: 'a', path: ['birthdate'] }
  const rules = { adult: { age_over: 18, flags: [], birth_dates: [source] }, born: { value: [source] } }
  const claims = { birthdate: '1990-01-01' }
  assert.deepEqual(keptClaims(rules, { queryId: 'a', claims }), { birthdate: '1990-01-01', adult: true })
})

test('uses a birth date only for an age if no output publishes it or its parent', () => {
  const adult = { age_over: 18, flags: [], birth_dates: [{ credential: 'a', path: ['person', 'birthdate'] }] }
  const with_ = (credential: string, ...path: string[]) => ({ adult, other: { value: [{ credential, path }] } })
  assert.equal(readsBirthDateOnlyForAge({ adult }), true)
  assert.equal(readsBirthDateOnlyForAge(with_('a', 'person', 'name')), true)
  assert.equal(readsBirthDateOnlyForAge(with_('b', 'person', 'birthdate')), true)
  assert.equal(readsBirthDateOnlyForAge(with_('a', 'person', 'birthdate')), false)
  assert.equal(readsBirthDateOnlyForAge(with_('a', 'person')), false)
  assert.equal(readsBirthDateOnlyForAge({ adult: { ...adult, birth_dates: [] } }), false)
})

for (const template of listBuiltInTemplates()) {
  test(`${template.key}: its query is valid, and every output reads only requested claims`, () => {
    const parsed = parseQuery(JSON.parse(JSON.stringify(template.query)))
    assert.deepEqual(parsed, template.query)
    for (const [name, rule] of Object.entries(template.outputs ?? {})) {
      for (const { credential, path } of sourcesOf(rule)) {
        const claims = parsed.credentials.find(({ id }) => id === credential)?.claims ?? []
        const isRequested = claims.some((claim) =>
          claim.path.slice(0, Math.min(claim.path.length, path.length)).every((part, i) => part === path[i]),
        )
        assert.ok(isRequested, `${name} reads ${credential} ${path.join('.')}`)
      }
    }
  })
}

test('a street gets its house number once', () => {
  const rules = builtInTemplate('address')?.outputs ?? {}
  const streetOf = (address: Record<string, string>) =>
    (
      outputsOf(rules, [{ queryId: 'pid_sd', claims: { address } }]).claims.address as {
        street_address?: string
      }
    )?.street_address
  assert.equal(streetOf({ street_address: 'Weg', house_number: '1a' }), 'Weg 1a')
  assert.equal(streetOf({ street_address: 'Weg 1a', house_number: '1a' }), 'Weg 1a')
  assert.equal(streetOf({ street_address: 'Weg 1' }), 'Weg 1')
  assert.equal(streetOf({ house_number: '1', locality: 'Ort' }), undefined)
})

test('age templates ask an issuer for at most two ages, and use a higher one only if it is true', () => {
  for (const age of [16, 18, 21]) {
    for (const credential of builtInTemplate(`age_over_${age}`)?.query.credentials ?? []) {
      const ageClaims = (credential.claims ?? []).filter((claim) => /^age_over_/.test(String(claim.path.at(-1))))
      assert.ok(ageClaims.length <= 2)
      for (const claim of ageClaims) {
        if (claim.path.at(-1) !== `age_over_${age}`) assert.deepEqual(claim.values, [true])
      }
    }
  }
})

test('every credential set has the purpose; without sets, one over all credentials is added', () => {
  const [a, b] = ['a', 'b'].map((id) => ({ id, format: 'mso_mdoc' as const, meta: { doctype_value: 'x' } }))
  assert.ok(a && b)
  const plain: DcqlQuery = { credentials: [a, b] }
  assert.deepEqual(withPurpose(plain, 'why').credential_sets, [{ options: [['a', 'b']], purpose: 'why' }])
  const sets: DcqlQuery = { ...plain, credential_sets: [{ options: [['a']] }, { options: [['b']], required: false }] }
  assert.deepEqual(withPurpose(sets, 'why').credential_sets, [
    { options: [['a']], purpose: 'why' },
    { options: [['b']], required: false, purpose: 'why' },
  ])
  assert.equal(withPurpose(plain, null), plain)
})

test('a row without a query uses its built-in template, with its purpose; a row without either is a bug', () => {
  const resolved = resolveQuestion({ template: 'identity', purpose: 'why', query: null, outputs: null })
  assert.equal(resolved.query.credential_sets?.[0]?.purpose, 'why')
  assert.deepEqual(resolved.outputs, builtInTemplate('identity')?.outputs)
  assert.throws(() => resolveQuestion({ template: 'removed', purpose: null, query: null, outputs: null }), /bug/)
})
