// Tests that a query in words allows the same answers as the engine's matcher, in every language.

import assert from 'node:assert/strict'
import test from 'node:test'
import { type DcqlQuery, type JsonObject, newBudget, parseQuery } from '@vidimus/engine'
import fc from 'fast-check'
import { answerClaims, answeringIds } from '../../../../engine/src/openid4vp/match.ts'
import { NOTHING_WITHHELD } from '../../../../engine/src/withheld.ts'
import { leastCpuMs } from '../../../../engine/test/cpu-time.ts'
import { documentLabel, LANGUAGES, type Language } from '../../../../labels/catalogue.ts'
import { lineText, sayQuestion } from '../../../../labels/say-question.ts'
import { type DescribedQuery, describeQuery } from '../../../src/core/templates/domain/describe-query.ts'
import { listBuiltInTemplates } from '../../../src/core/templates/domain/question.ts'
import { LABELS } from '../../../src/features/pages/http/words/languages.ts'

type Presented = ReadonlyMap<string, JsonObject>
type Credential = DescribedQuery['credentials'][number]

/** The claims that count, by credential; null: no answer. */
type Reading = Readonly<Record<string, JsonObject>> | null

function readByEngine(query: DcqlQuery, presented: Presented): Reading {
  const read = query.credentials.flatMap((credential) => {
    const claims = presented.get(credential.id)
    return claims === undefined
      ? []
      : [[credential.id, answerClaims({ claims, withheld: NOTHING_WITHHELD }, credential, newBudget())] as const]
  })
  if (read.length === 0 || read.some(([, answer]) => answer === null)) return null
  const counted = answeringIds(query, new Set(presented.keys()))
  if (counted === null || counted.size === 0) return null
  return Object.fromEntries(
    read.flatMap(([id, answer]) => (answer !== null && counted.has(id) ? [[id, answer.claims]] : [])),
  )
}

function readBySentence(query: DcqlQuery, presented: Presented): Reading {
  const { credentials, sets } = describeQuery(query)
  const read = new Map<string, JsonObject>()
  for (const credential of credentials) {
    const claims = presented.get(credential.id)
    if (claims === undefined) continue
    const chosen = chosenClaims(credential, (at) => holds(query, { credential, at, claims }))
    if (chosen === null) return null
    read.set(credential.id, projection(query, { id: credential.id, chosen, claims }))
  }
  const counted = new Set<string>()
  for (const { required, options } of sets) {
    const first = options.find((option) => option.every((id) => read.has(id)))
    if (first === undefined && required) return null
    for (const id of first ?? []) counted.add(id)
  }
  if (counted.size === 0) return null
  return Object.fromEntries([...read].filter(([id]) => counted.has(id)))
}

/** By position. */
function chosenClaims({ always, choices }: Credential, has: (at: number) => boolean): readonly number[] | null {
  const options = choices.map((choice) => choice.find((option) => option.every(has)))
  if (!always.every(has) || options.includes(undefined)) return null
  return [...always, ...options.flatMap((option) => option ?? [])]
}

const pathOf = (query: DcqlQuery, id: string, at: number) =>
  (query.credentials.find((one) => one.id === id)?.claims?.[at]?.path ?? []).map(String)

function holds(query: DcqlQuery, of: { credential: Credential; at: number; claims: JsonObject }): boolean {
  const { credential, at, claims } = of
  let value: unknown = claims
  for (const part of pathOf(query, credential.id, at)) value = (value as Record<string, unknown> | undefined)?.[part]
  return value !== undefined && (credential.claims[at]?.values?.some((one) => one === value) ?? true)
}

function projection(query: DcqlQuery, of: { id: string; chosen: readonly number[]; claims: JsonObject }): JsonObject {
  const kept = of.chosen.map((at) => pathOf(query, of.id, at).join('.'))
  const within = (value: JsonObject, before: string): JsonObject =>
    Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        const path = `${before}${name}`
        if (kept.includes(path)) return [[name, inner]]
        return kept.some((one) => one.startsWith(`${path}.`)) ? [[name, within(inner as JsonObject, `${path}.`)]] : []
      }),
    )
  return within(of.claims, '')
}

const plain = (reading: Reading) => JSON.stringify(reading, (_, value) => sorted(value))
const sorted = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

const NAMESPACE = 'org.iso.18013.5.1'
const names = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`)

/** Any sets, and products of choices in any order, which are split. */
const setsOver = (ids: readonly string[]) => {
  const some = fc.subarray([...ids], { minLength: 1 })
  const products = fc.tuple(fc.integer({ min: 1, max: ids.length }), fc.boolean()).chain(([middle, isShuffled]) => {
    const [left, right] = [ids.slice(0, middle), ids.slice(middle)]
    const joined = left.flatMap((one) => (right.length === 0 ? [[one]] : right.map((other) => [one, other])))
    const optional = joined.flatMap(([one = '', other]) => (other === undefined ? [[one]] : [[one, other], [one]]))
    return fc
      .constantFrom(joined, optional)
      .chain((sets) => (isShuffled ? fc.shuffledSubarray(sets, { minLength: 1 }) : fc.constant(sets)))
  })
  return fc.oneof(fc.array(some, { minLength: 1, maxLength: 6 }), products)
}

const claimsOf = (isMdoc: boolean, max: number) =>
  fc.integer({ min: 0, max }).chain((count) => {
    const ids = names(count)
    const claims = fc.tuple(
      ...ids.map((id) =>
        fc.option(fc.constantFrom(['yes'], ['yes', 'maybe']), { nil: undefined }).map((values) => ({
          id,
          path: isMdoc ? [NAMESPACE, id] : id === 'c1' ? ['nested', id] : [id],
          ...(values === undefined ? {} : { values }),
        })),
      ),
    )
    if (count === 0) return fc.constant({})
    return fc.oneof(
      claims.map((one) => ({ claims: one })),
      fc.tuple(claims, setsOver(ids)).map(([one, sets]) => ({ claims: one, claim_sets: sets })),
    )
  })

const credential = (id: string, max: number) =>
  fc.boolean().chain((isMdoc) =>
    claimsOf(isMdoc, max).map((claims) => ({
      id,
      ...(isMdoc
        ? { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
        : { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }),
      ...claims,
    })),
  )

/** Every credential is in some option: the engine refuses queries without that. */
const credentialSets = (ids: readonly string[]) =>
  fc
    .array(
      fc.record({
        options: fc.array(fc.subarray([...ids], { minLength: 1 }), { minLength: 1, maxLength: 3 }),
        required: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((sets) => {
      const left = ids.filter((id) => !sets.some(({ options }) => options.flat().includes(id)))
      return left.length === 0 ? sets : [...sets, { options: left.map((id) => [id]), required: false }]
    })

const anyQuery = (size: { credentials: number; claims: number }) =>
  fc.integer({ min: 1, max: size.credentials }).chain((count) => {
    const ids = Array.from({ length: count }, (_, at) => `q${at}`)
    return fc
      .tuple(
        fc.tuple(...ids.map((id) => credential(id, size.claims))),
        fc.option(credentialSets(ids), { nil: undefined }),
      )
      .map(([credentials, sets]) => parseQuery({ credentials, ...(sets && { credential_sets: sets }) }))
  })

/** What a holder may disclose of a credential: nothing, a wanted or another value of each claim; null: not presented. */
function* disclosures({ claims = [] }: DcqlQuery['credentials'][number]): Generator<JsonObject | null> {
  yield null
  const states = claims.map(({ values }) => (values === undefined ? [null, 'yes'] : [null, 'yes', 'no']))
  const total = states.reduce((count, { length }) => count * length, 1)
  for (let n = 0; n < total; n += 1) {
    const disclosed: Record<string, JsonObject | string> = {}
    let rest = n
    claims.forEach(({ path }, at) => {
      const of = states[at] ?? [null]
      const value = of[rest % of.length] ?? null
      rest = Math.floor(rest / of.length)
      const [first = '', second] = path.map(String)
      if (value === null) return
      if (second === undefined) disclosed[first] = value
      else disclosed[first] = { ...(disclosed[first] as JsonObject | undefined), [second]: value }
    })
    yield disclosed
  }
}

function assertSame(query: DcqlQuery, presented: Presented): void {
  const [engine, sentence] = [readByEngine(query, presented), readBySentence(query, presented)]
  assert.equal(plain(sentence), plain(engine), JSON.stringify({ query, presented: [...presented] }))
}

test('for one credential the sentence allows the same disclosures as the query, and the same claims count', () => {
  const counts = { answers: 0, split: 0 }
  fc.assert(
    fc.property(anyQuery({ credentials: 1, claims: 5 }), (query) => {
      const [only] = query.credentials
      assert.ok(only !== undefined)
      if ((describeQuery(query).credentials[0]?.choices.length ?? 0) > 1) counts.split += 1
      for (const claims of disclosures(only)) {
        const presented: Presented = new Map(claims === null ? [] : [[only.id, claims]])
        if (readByEngine(query, presented) !== null) counts.answers += 1
        assertSame(query, presented)
      }
    }),
    { numRuns: 400 },
  )
  assert.ok(counts.answers > 100 && counts.split > 0, JSON.stringify(counts))
})

test('for several credentials sentence and query allow the same combinations, and the same credentials count', () => {
  fc.assert(
    fc.property(anyQuery({ credentials: 4, claims: 1 }), (query) => {
      const lists = query.credentials.map((one) => [...disclosures(one)].map((claims) => [one.id, claims] as const))
      const all = lists.reduce<(readonly (readonly [string, JsonObject | null])[])[]>(
        (before, list) => before.flatMap((chosen) => list.map((one) => [...chosen, one])),
        [[]],
      )
      for (const chosen of all)
        assertSame(query, new Map(chosen.flatMap(([id, claims]) => (claims === null ? [] : [[id, claims] as const]))))
    }),
    { numRuns: 100 },
  )
})

// Anyone who has its address can open the page of a verification. Saying this query took 293 ms of CPU time.
test('a claim that many options and sets name is mentioned once', () => {
  const claims = [1, 2, 3].map((at) => ({ path: [`claim${at}`], values: [1, 2] }))
  const credentials = ['a', 'b'].map((id) => ({ id, format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] }, claims }))
  const sets = Array(20).fill({ options: Array(20).fill(['a', 'b']) })
  const ids = Array.from({ length: 95 }, (_, at) => `c${at}`)
  const varied = Array.from({ length: 31 }, (_, set) => ids.filter((_id, at) => (at * 7 + set * set * 13) % 31 < 15))
  const named = { claims: ids.map((id) => ({ id, path: [id] })), claim_sets: varied }
  const queries = [{ credentials, credential_sets: sets }, { credentials: [{ ...credentials[0], ...named }] }]
  for (const query of queries.map(parseQuery)) {
    const say = () => sayQuestion(describeQuery(query), { labels: LABELS.en, language: 'en' })
    say()
    const cost = leastCpuMs(20, () => void [1, 2, 3].map(say))
    assert.ok(cost < 60, `${cost} ms`)
  }
})

// The dashboard's list of templates repeated the claim for each set: 83 MB for 200 templates.
test('a long claim that many sets name is described once', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `c${at}`)
  const claims = ids.map((id) => ({ id, path: [id], values: ['x'.repeat(700)] }))
  const named = { claims, claim_sets: ids.map((id, at) => [id, ids[(at + 7) % 20] ?? id]) }
  const query = parseQuery({
    credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] }, ...named }],
  })
  const length = (value: unknown) => JSON.stringify(value).length
  assert.ok(length(describeQuery(query)) < 1.1 * length(query), `${length(describeQuery(query))}`)
})

test('a product of choices is split; other sets stay whole', () => {
  const choicesOf = (claimSets: readonly (readonly string[])[]) => {
    const ids = [...new Set(claimSets.flat())].toSorted()
    const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
    const claims = ids.map((id) => ({ id, path: [id] }))
    const query = parseQuery({ credentials: [{ ...pid, claims, claim_sets: claimSets }] })
    const [described] = describeQuery(query).credentials
    const text = (set: readonly number[]) => set.map((at) => described?.claims[at]?.names[0]).join('')
    return [text(described?.always ?? []), ...(described?.choices ?? []).map((one) => one.map(text).join('|'))]
  }
  const sets = (...texts: string[]) => texts.map((text) => [...text])
  assert.deepEqual(choicesOf(sets('na', 'nb')), ['n', 'a|b'])
  assert.deepEqual(choicesOf(sets('ac', 'ad', 'bc', 'bd')), ['', 'a|b', 'c|d'])
  assert.deepEqual(choicesOf(sets('ac', 'bd')), ['', 'ac|bd'])
  assert.deepEqual(
    choicesOf(sets('ac', 'bd', 'ad', 'bc')),
    ['', 'ac|bd|ad|bc'],
    'of b, c and d the engine takes b and d',
  )
  assert.deepEqual(choicesOf(sets('nab', 'nac', 'nbc', 'n')), ['n', 'ab|ac|bc|'], 'independent two by two only')
  assert.deepEqual(choicesOf(sets('ab', 'a')), ['a', 'b|'])
  assert.deepEqual(choicesOf(sets('a', 'ab')), ['a'], 'the second set never counts')
})

const PID = { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
const LICENCE = { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
const textOf = (query: DcqlQuery, language: Language) =>
  sayQuestion(describeQuery(query), { labels: LABELS[language], language }).flatMap(({ heading, lines }) => [
    ...(heading === null ? [] : [`${heading}:`]),
    ...lines.map(lineText),
  ])

test('a name that every set requires is not part of the choice, in six languages', () => {
  const claims = [
    { id: 'age', path: ['age_equal_or_over', '18'] },
    { id: 'born', path: ['birthdate'] },
    { id: 'name', path: ['given_name'] },
  ]
  const claimSets = [
    ['age', 'name'],
    ['born', 'name'],
  ]
  const query = parseQuery({ credentials: [{ id: 'pid', ...PID, claims, claim_sets: claimSets }] })
  assert.deepEqual(Object.fromEntries(LANGUAGES.map((language) => [language, textOf(query, language).join(' ')])), {
    en: 'Given name; 18 or older (yes or no), or else date of birth from Personal ID (PID)',
    de: 'Vorname; Mindestens 18 (ja oder nein), sonst Geburtsdatum aus: Personalausweis (PID)',
    fr: 'Prénom; 18 ans ou plus (oui ou non), sinon date de naissance avec\u00a0: Identité personnelle (PID)',
    it: 'Nome; 18 anni o più (sì o no), altrimenti data di nascita da Identità personale (PID)',
    es: 'Nombre; 18 años o más (sí o no), o si no, fecha de nacimiento de Identidad personal (PID)',
    nl: 'Voornaam; 18 jaar of ouder (ja of nee), anders geboortedatum uit Identiteitsgegevens (PID)',
  })
})

test('values, entries, several credentials, issuers and optional sets are in the sentence', () => {
  const credentials = [
    {
      id: 'pid',
      ...PID,
      multiple: true,
      trusted_authorities: [{ type: 'aki', values: ['AAAA'] }],
      claims: [
        { path: ['nationalities', 0], values: ['DE', 'FR'] },
        { path: ['age_equal_or_over', '18'], values: [true] },
      ],
    },
    { id: 'licence', ...LICENCE },
    { id: 'portrait', ...LICENCE, claims: [{ path: [NAMESPACE, 'portrait'] }] },
    { id: 'photo', ...PID, claims: [{ path: ['picture'] }] },
  ]
  const sets = [
    { options: [['pid']] },
    { options: [['portrait'], ['photo']], required: false },
    { options: [['licence', 'photo'], ['portrait']] },
  ]
  assert.deepEqual(textOf(parseQuery({ credentials, credential_sets: sets }), 'en'), [
    'Needed in any case:',
    'Nationalities (entry 1, DE or FR); 18 or older (yes) from Personal ID (PID) (one or more, only from issuers that the request names)',
    'Optional:',
    'Portrait from Mobile driving licence or personal ID (PID)',
    'One of these:',
    'Proof of possession, no data from Mobile driving licence; and Portrait from Personal ID (PID)',
    'Portrait from Mobile driving licence',
  ])
  assert.deepEqual(textOf(parseQuery({ credentials: credentials.slice(2) }), 'en').slice(0, 1), ['All of these:'])
  const together = [{ options: [['portrait', 'photo']], required: false }, { options: [['photo']] }]
  assert.deepEqual(textOf(parseQuery({ credentials: credentials.slice(2), credential_sets: together }), 'en'), [
    'Needed in any case:',
    'Portrait from Personal ID (PID)',
    'Optional, only together:',
    'Portrait from Mobile driving licence',
    'Portrait from Personal ID (PID)',
  ])
})

test('every language has words for each document and each choice of the built-in templates', () => {
  for (const language of LANGUAGES) {
    const { question } = LABELS[language]
    const mark = question.orElse(['', '']).trim()
    for (const { key, query } of listBuiltInTemplates()) {
      const text = textOf(query, language).join('\n')
      const described = describeQuery(query)
      for (const { types, choices } of described.credentials) {
        for (const type of types)
          assert.ok(
            text.toLowerCase().includes((documentLabel(LABELS[language], type) ?? type).toLowerCase()),
            `${key} ${type}`,
          )
        if (choices.length > 0) assert.ok(text.includes(mark), `${language} ${key}`)
      }
    }
  }
})
