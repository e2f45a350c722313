// Builds credentials that answer templates with the maximum of outputs and sources, or with the longest claims that are kept.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  type Budget,
  createChainCache,
  type Expected,
  type Json,
  type JsonObject,
  parseQuery,
  readResponse,
  type Trust,
  verifyPresentation,
} from '@vidimus/engine'
import { jsonLength } from '../../../engine/src/json.ts'
import { createResultBudget, PRICES, spendWork, VERIFICATION } from '../../../engine/src/limits.ts'
import {
  ELEMENTS,
  anchor as licenceAnchor,
  MDL,
  MDL_SPACE,
  type MdocPlan,
  mintMdoc,
} from '../../../engine/test/mdoc/mint-mdoc.ts'
import * as sdJwt from '../../../engine/test/sdjwt/mint-presentation.ts'
import { NOW } from '../../../engine/test/trust/mint-pki.ts'
import { writeMerchantJwe } from '../../../service/src/core/result-keys/usecases/merchant-jwe.ts'
import { readTemplate } from '../../../service/src/core/templates/domain/document.ts'
import { resultOf } from '../../../service/src/core/verifications/domain/result.ts'
import { sealResult } from '../../../service/src/core/verifications/store/sealed-results.ts'
import { resultDigest } from '../../../service/src/features/transparency/domain/receipt/receipt.ts'
import { createSealer } from '../../../service/src/platform/seal/seal.ts'
import type { Hostile } from './world.ts'

const sealer = createSealer(randomBytes(32), randomBytes)
const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const RESULT_KEY = { point: { x, y }, type: 'vidimus-result+jwe', verificationId: 'ver_bench' }
const OWNER = { tenantId: 'ten_bench', environment: 'test', id: 'ver_bench' } as const

const trust: Trust = {
  ...sdJwt.trust,
  haip: false,
  cache: createChainCache(5_000),
  anchors: [sdJwt.anchor, licenceAnchor],
}
const PRESENTATIONS = 20
const SOURCES = 50

export function templates(): readonly Hostile[] {
  const born = { born: '1990-01-01', name: 'x' }
  const dates = Object.fromEntries(many(100, (i) => [`d${i}`, `19${10 + (i % 80)}-01-0${1 + (i % 9)}`]))
  return [
    answered('one output that no combination gives', {
      queries: 10,
      claims: born,
      outputs: (ids) => ({ ...ages(9, (i) => [ids[i % 10], 'born']), never: { value: [from(ids[0], 'born', 'x')] } }),
    }),
    answered('the same in three queries', {
      queries: 3,
      claims: born,
      outputs: (ids) => ({ ...ages(9, (i) => [ids[i % 3], 'born']), never: { value: [from(ids[0], 'born', 'x')] } }),
    }),
    answered('49 birthdates in every combination of ten queries', {
      queries: 10,
      claims: born,
      outputs: (ids) => ({
        ...ages(49, (i) => [ids[i], 'born'], 10),
        never: { value: [from(ids[0], 'born', 'x')] },
      }),
    }),
    answered('sources of ages beside those of other outputs', {
      queries: 1,
      claims: born,
      outputs: (ids) => ({ ...ages(5, () => [ids[0], 'born']), ...objects(5, () => [ids[0], 'name']) }),
    }),
    answered('many birth dates', {
      queries: 1,
      claims: { d: dates, name: 'x' },
      names: ['d', 'name'],
      outputs: (ids) => ages(10, (i, at) => [ids[0], 'd', `d${(i + 50 * at) % 100}`]),
    }),
    answered('members of objects that are empty', {
      queries: 3,
      claims: { name: '', born: 'x' },
      outputs: (ids) => objects(10, (i) => [ids[i % 3], 'name']),
    }),
    answered('one long text in every output', {
      queries: 1,
      presentations: 1,
      claims: { name: `a${'+/'.repeat(250_000)}` },
      names: ['name'],
      outputs: (ids) =>
        Object.fromEntries(many(50, (at) => [`o${at}`, { value: [from(ids[0], 'name')], as: 'bytes' }])),
    }),
    ...[200_000, 650_000].map((length) =>
      answered(`a text of ${length} as bytes in every combination`, {
        queries: 4,
        claims: { name: 'x' },
        first: { name: 'A'.repeat(length) },
        names: ['name'],
        outputs: (ids) => ({
          ...Object.fromEntries(many(49, (at) => [`o${at}`, { value: [from(ids[0], 'name')], as: 'bytes' }])),
          never: { value: [from(ids[1], 'name', 'x')] },
        }),
      }),
    ),
    ...(
      [
        ['x', 300_000],
        ['é', 75_000],
        ['😀', 37_500],
      ] as const
    ).map(([letter, count]) =>
      answered(`a text of ${letter} as long as a result may keep`, {
        queries: 1,
        presentations: 1,
        claims: { name: letter.repeat(count) },
        names: ['name'],
        outputs: (ids) => ({ name: { value: [from(ids[0], 'name')] } }),
      }),
    ),
    answered('as many members as a result may keep', {
      queries: 1,
      presentations: 1,
      claims: { name: unsorted(1_500) },
      names: ['name'],
      outputs: (ids) => ({ name: { value: [from(ids[0], 'name')] } }),
    }),
    answered('more members than a result may keep', {
      queries: 1,
      presentations: 1,
      claims: { name: unsorted(5_600) },
      names: ['name'],
      outputs: (ids) => ({ name: { value: [from(ids[0], 'name')] } }),
    }),
    ...(
      [
        [20, 240],
        [16, 330],
        [12, 450],
      ] as const
    ).flatMap(([presentations, count]) => [true, false].map((never) => birthdates(presentations, count, never))),
    ...expensiveSources(),
    listed(97),
    ...[48_000, 215_000].map((length) => kept(`${length} quotes`, '"'.repeat(length))),
    kept('1.4 MB of U+0001 and an emoji', `${'\x01'.repeat(1_400_000)}\u{1f600}`),
    kept('290000 letters of true for a result key', 'true'.repeat(72_500), true),
    ...[290_000, 380_000].map((length) => kept(`${length} letters for a result key`, 'x'.repeat(length), true)),
    answered('one long text appended to another in 500 members', {
      queries: 1,
      presentations: 1,
      claims: { name: 'a'.repeat(345_000), more: 'b'.repeat(300_000) },
      names: ['name', 'more'],
      outputs: (ids) =>
        Object.fromEntries(
          many(10, (at) => [
            `o${at}`,
            {
              object: Object.fromEntries(
                many(SOURCES, (i) => [`m${i}`, [{ credential: ids[0] ?? '', path: ['name'], append: ['more'] }]]),
              ),
            },
          ]),
        ),
    }),
    answered('three long texts of padding', {
      queries: 1,
      presentations: 1,
      claims: { name: `a${'='.repeat(500_000)}b` },
      names: ['name'],
      outputs: (ids) => Object.fromEntries(many(3, (at) => [`o${at}`, { value: [from(ids[0], 'name')], as: 'bytes' }])),
    }),
  ]
}

const many = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at))

type Names = readonly (string | undefined)[]

const from = (credential: string | undefined, ...path: readonly (string | undefined)[]) => ({ credential, path })

const ages = (count: number, source: (i: number, at: number) => Names, sourcesOfEach = SOURCES) =>
  Object.fromEntries(
    many(count, (at) => {
      const sources = many(sourcesOfEach, (i) => source(i, at)).map(([credential, ...path]) =>
        from(credential, ...path),
      )
      return [`age${at}`, { age_over: 18, birth_dates: sources }]
    }),
  )

const objects = (count: number, source: (i: number) => Names) =>
  Object.fromEntries(
    many(count, (at) => {
      const sources = many(SOURCES, source).map(([credential, ...path]) => from(credential, ...path))
      return [`object${at}`, { object: { member: sources } }]
    }),
  )

/** Members that are not in the order of their names. */
const unsorted = (count: number): JsonObject => Object.fromEntries(many(count, (at) => [`k${(at * 7919) % count}`, at]))

/** A result without a template. CBOR has no escapes, so nothing limits the escapes of the result before it is measured. */
function kept(kind: string, value: string, isEncrypted = false): Hostile {
  const claims = [{ path: [MDL_SPACE, 'given_name'] }]
  const query = parseQuery({
    credentials: [{ id: 'licence', format: 'mso_mdoc', meta: { doctype_value: MDL }, claims }],
  })
  const transcript = {
    clientId: sdJwt.CLIENT_ID,
    nonce: sdJwt.NONCE,
    responseUri: sdJwt.RESPONSE_URI,
    thumbprint: null,
  }
  const elements: MdocPlan['elements'] = { [MDL_SPACE]: { ...ELEMENTS[MDL_SPACE], given_name: value } }
  const body = Buffer.from(
    `vp_token=${encodeURIComponent(JSON.stringify({ licence: [mintMdoc({ transcript, elements })] }))}`,
  )
  const expected: Expected = { ...sdJwt.expected, query, encryption: null }
  return { kind: `result: ${kind}`, body, judge: (bytes, budget) => judge(bytes, budget, expected, null, isEncrypted) }
}

/** A result without a template that lists `count` claims of each credential. */
function listed(count: number): Hostile {
  const names = many(count, (at) => `n${at}`)
  const claims = names.map((name) => ({ path: [name] }))
  const query = parseQuery({
    credentials: [{ id: 'q', format: 'dc+sd-jwt', meta: { vct_values: [sdJwt.VCT] }, multiple: true, claims }],
  })
  const members = Object.fromEntries(names.map((name) => [name, 1]))
  const presented = many(PRESENTATIONS, (at) =>
    sdJwt.mintPresentation({ concealed: {}, payload: (payload) => ({ ...payload, iat: NOW - 100 - at, ...members }) }),
  )
  const body = Buffer.from(`vp_token=${encodeURIComponent(JSON.stringify({ q: presented }))}`)
  const expected: Expected = { ...sdJwt.expected, query, encryption: null }
  return {
    kind: `result: ${count} claims of each of ${PRESENTATIONS} credentials`,
    body,
    judge: (bytes, budget) => judge(bytes, budget, expected, null),
  }
}

/**
 * Distinct birth dates in each presentation. With `never`, an output that no credential gives makes every
 * combination read; else they are withheld from the claims that are kept.
 */
function birthdates(presentations: number, count: number, never: boolean): Hostile {
  const twoDigits = (part: number) => String(part).padStart(2, '0')
  const dateOf = (at: number) =>
    `${1000 + Math.floor(at / 336)}-${twoDigits(1 + (Math.floor(at / 28) % 12))}-${twoDigits(1 + (at % 28))}`
  const kind = `${count} birthdates of their own in each of ${presentations} credentials`
  return answered(never ? `${kind}, and an output that none gives` : kind, {
    queries: 1,
    presentations,
    claims: (at) => ({ d: Object.fromEntries(many(count, (i) => [`d${i}`, dateOf(at * count + i)])) }),
    names: ['d'],
    outputs: ([id]) => ({
      ...ages(49, (i, at) => [id, 'd', `d${(10 * at + i) % count}`], 10),
      ...(never && { never: { value: [from(id, 'd', 'x')] } }),
    }),
  })
}

/** Sources that cost more than others: with long paths, or with a street that is compared with a house number. */
function expensiveSources(): readonly Hostile[] {
  const names = many(15, () => 'a')
  const nested = (value: Json): JsonObject => names.slice(1).reduce<JsonObject>((inner) => ({ a: inner }), { a: value })
  // Longer ones are not compared.
  const street = 'b'.repeat(50)
  const never = (id: string | undefined) => ({ never: { value: [from(id, 'a', 'x')] } })
  return [
    answered('birthdates at the end of short paths', {
      queries: 1,
      claims: (at) => Object.fromEntries(many(97, (i) => [`d${i}`, `${1900 + i}-01-${10 + at}`])),
      names: many(97, (i) => `d${i}`),
      outputs: ([id]) => ({
        ...ages(49, (i, at) => [id, `d${(10 * at + i) % 97}`], 10),
        never: { value: [from(id, 'd0', 'x')] },
      }),
    }),
    answered('one birthdate of 240', {
      queries: 1,
      claims: { d: Object.fromEntries(many(240, (i) => [`d${i}`, '1990-01-01'])) },
      names: ['d'],
      outputs: ([id]) => ages(1, () => [id, 'd', 'd0'], 1),
    }),
    answered('birthdates at the end of long paths', {
      queries: 1,
      claims: nested('1990-01-01'),
      names: ['a'],
      outputs: ([id]) => ({ ...ages(49, () => [id, ...names], 10), ...never(id) }),
    }),
    answered('birthdates of streets that end with their house number', {
      queries: 1,
      claims: { a: `${street} ${street}`, b: street },
      names: ['a', 'b'],
      outputs: ([id]) => ({
        ...Object.fromEntries(
          many(49, (at) => {
            const sources = many(10, () => ({ credential: id, path: ['a'], append: ['b'] }))
            return [`o${at}`, { object: Object.fromEntries(sources.map((source, i) => [`m${i}`, [source]])) }]
          }),
        ),
        ...never(id),
      }),
    }),
  ]
}

interface TemplateShape {
  readonly queries: number
  readonly presentations?: number
  readonly claims: JsonObject | ((at: number) => JsonObject)
  /** Of the first presentation. */
  readonly first?: JsonObject
  readonly names?: readonly string[]
  readonly outputs: (ids: readonly string[]) => object
}

function answered(kind: string, shape: TemplateShape): Hostile {
  const ids = many(shape.queries, (at) => `q${at}`)
  const query = {
    credentials: ids.map((id) => ({
      id,
      format: 'dc+sd-jwt',
      meta: { vct_values: [sdJwt.VCT] },
      multiple: true,
      claims: (shape.names ?? ['born', 'name']).map((name) => ({ path: [name] })),
    })),
  }
  const template = readTemplate('own', { query, outputs: shape.outputs(ids) }, parseQuery)
  const { claims } = shape
  const claimsOf = typeof claims === 'function' ? claims : (at: number) => (at === 0 && shape.first) || claims
  const presented = many(shape.presentations ?? PRESENTATIONS, (at) =>
    sdJwt.mintPresentation({
      concealed: {},
      payload: (payload) => ({ ...payload, iat: NOW - 100 - at, ...claimsOf(at) }),
    }),
  )
  const vpToken = Object.fromEntries(ids.map((id, at) => [id, presented.filter((_, i) => i % ids.length === at)]))
  const body = Buffer.from(`vp_token=${encodeURIComponent(JSON.stringify(vpToken))}`)
  const expected: Expected = { ...sdJwt.expected, query: template.query, encryption: null, alternatives: 'every' }
  return { kind: `template: ${kind}`, body, judge: (bytes, budget) => judge(bytes, budget, expected, template.outputs) }
}

async function judge(
  body: Uint8Array,
  budget: Budget,
  expected: Expected,
  outputs: Parameters<typeof resultOf>[1]['outputs'],
  isEncrypted = false,
) {
  const response = readResponse(body, { encryption: null, state: null }, budget)
  if (response.kind !== 'presentation') return response.kind
  const verdict = await verifyPresentation(response.vpToken, expected, trust, budget)
  const question = { query: expected.query, outputs }
  const { result } = resultOf(verdict, question, '2026-11-18', createResultBudget(budget, isEncrypted))
  if (result.outcome === 'failed') return `${result.error.code}: ${result.error.message}`
  // Includes the cost of ending the verification.
  const { claims, credentials } = result
  const text = () => JSON.stringify({ claims, credentials: credentials.map((one) => ({ claims: one.claims })) })
  const written = isEncrypted
    ? { ...result, claims: { $jwe: writeMerchantJwe(RESULT_KEY, text(), randomBytes) }, credentials: [] }
    : result
  const kept = jsonLength([claims, ...credentials.map((one) => one.claims)])
  spendWork(budget, (kept * VERIFICATION) / (isEncrypted ? PRICES.encryptedBytes : PRICES.keptBytes))
  resultDigest(randomBytes(32), written)
  sealResult({ sealer }, OWNER, written)
  return result.outcome
}
