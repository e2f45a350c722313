// Mutants of valid presentations of both formats, at the level of CBOR, JSON, base64url and plain text. Hostile input ends
// in a verdict, never in an exception, and no mutant is accepted whose signed content differs from the original's.
// VIDIMUS_FUZZ_RUNS sets how many in all, VIDIMUS_FUZZ_SEED repeats a run.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assembleJwe } from '../../wallet/mutations/jwe.ts'
import { mdocTrial, usualItems } from '../../wallet/mutations/mdoc-trial.ts'
import { sdJwtTrial } from '../../wallet/mutations/sd-jwt-trial.ts'
import {
  createWorld,
  DAY,
  fetched,
  handoverFor,
  KID,
  MDL_NAMESPACE,
  NOW,
  type Trial,
} from '../../wallet/mutations/world.ts'
import { mapOf } from '../../wallet/src/cbor.ts'
import { STATUS_INDEX, statusListCwt, statusListJwt, statusListUri, TYPE } from '../../wallet/src/issuer.ts'
import { fromBase64url, publicJwk, toBase64url } from '../../wallet/src/keys.ts'
import {
  deviceAuthentication,
  deviceSignature,
  mintItems,
  securityObject,
  sessionTranscript,
} from '../../wallet/src/mdoc.ts'
import { drivingLicenceElements, PERSON } from '../../wallet/src/person.ts'
import { InvalidQuery, type Json, parseQuery, readResponse, type Verdict, verifyPresentation } from '../src/index.ts'
import { parseTree as parseCbor, spoilTree as spoilCbor, writeTree as writeCbor } from './fuzz/cbor-tree.ts'
import { parseTree as parseJson, spoilTree as spoilJson, writeTree as writeJson } from './fuzz/json-tree.ts'
import * as mdocMutants from './fuzz/mdoc-mutants.ts'
import * as sdJwtMutants from './fuzz/sd-jwt-mutants.ts'
import { spoilBytes, spoilText, steps } from './fuzz/step.ts'
import { expectedOf, judgeTrial, trustOf } from './trial.ts'

const RUNS = Number(process.env.VIDIMUS_FUZZ_RUNS ?? 100_000)
const SEED = Number(process.env.VIDIMUS_FUZZ_SEED ?? Date.now() % 2 ** 31)
const where = fc.nat()

/** One share of all runs. */
function fuzz<Values extends [unknown, ...unknown[]]>(
  title: string,
  share: number,
  property: fc.IAsyncProperty<Values>,
): void {
  const numRuns = Math.max(1, Math.round(RUNS * share))
  test(`${title} (${numRuns} mutants, seed ${SEED})`, () => fc.assert(property, { numRuns, seed: SEED }))
}

const world = createWorld()
const sdJwt = subject(sdJwtTrial(world), 'pid')
const mdoc = subject(mdocTrial(world), 'mdl')

function subject(trial: Trial, id: string) {
  const presented = String((trial.vpToken as { [id: string]: string[] })[id]?.[0])
  const expected = expectedOf(trial)
  const trust = trustOf(trial)
  const judge = (vpToken: Json): Promise<Verdict> => verifyPresentation(vpToken, expected, trust)
  return { trial, presented, expected, trust, judge: (text: string) => judge({ [id]: [text] }), judgeToken: judge }
}

/** What may never differ in an accepted mutant: who said what. */
function conclusion(verdict: Verdict): unknown {
  if (verdict.outcome === 'rejected') return null
  return JSON.parse(
    JSON.stringify(
      verdict.credentials.map(({ claims, doctypeOrVct, issuer, format }) => ({ claims, doctypeOrVct, issuer, format })),
    ),
  )
}

const original = {
  sdJwt: conclusion(await sdJwt.judge(sdJwt.presented)),
  mdoc: conclusion(await mdoc.judge(mdoc.presented)),
}

test('the originals are accepted, and the trees write back what they read', () => {
  assert.notEqual(original.sdJwt, null)
  assert.notEqual(original.mdoc, null)
  const bytes = fromBase64url(mdoc.presented)
  assert.deepEqual(writeCbor(parseCbor(bytes)), bytes)
})

async function sameSdJwt(mutant: string): Promise<void> {
  const verdict = await sdJwt.judge(mutant)
  if (verdict.outcome === 'rejected') return
  assert.deepEqual(conclusion(verdict), original.sdJwt)
  assert.equal(withoutSignatures(mutant), withoutSignatures(sdJwt.presented))
}

function withoutSignatures(presented: string): string {
  return presented
    .split('~')
    .map((part) => part.split('.').slice(0, 2).join('.'))
    .join('~')
}

async function sameMdoc(mutant: string): Promise<void> {
  const verdict = await mdoc.judge(mutant)
  if (verdict.outcome === 'rejected') return
  assert.deepEqual(conclusion(verdict), original.mdoc)
  assert.deepEqual(
    mdocMutants.signedContent(fromBase64url(mutant)),
    mdocMutants.signedContent(fromBase64url(mdoc.presented)),
  )
}

const parts = sdJwtMutants.takeApart(sdJwt.presented)
fuzz(
  'SD-JWT: JSON spoiled under the old signatures',
  0.2,
  fc.asyncProperty(steps, where, (spoils, at) => sameSdJwt(sdJwtMutants.unsignedMutant(parts, spoils, at))),
)
fuzz(
  'SD-JWT: text spoiled',
  0.1,
  fc.asyncProperty(steps, (spoils) => sameSdJwt(spoils.reduce(spoilText, sdJwt.presented))),
)

const keys = { issuer: world.issuer.sdJwt.signer.key, holder: world.holderKey }
fuzz(
  'SD-JWT: JSON spoiled and signed anew',
  0.15,
  fc.asyncProperty(steps, where, async (spoils, at) => {
    const verdict = await sdJwt.judge(sdJwtMutants.signedMutant(parts, spoils, { ...keys, where: at }))
    if (verdict.outcome === 'accepted')
      demandOnlyAsked(verdict, [
        'family_name',
        'given_name',
        'birthdate',
        'address',
        'nationalities',
        'age_equal_or_over',
      ])
  }),
)

function demandOnlyAsked(verdict: Extract<Verdict, { outcome: 'accepted' }>, names: readonly string[]): void {
  for (const { claims } of verdict.credentials)
    assert.deepEqual(
      Object.keys(claims).filter((name) => !names.includes(name)),
      [],
    )
}

const tree = parseCbor(fromBase64url(mdoc.presented))
fuzz(
  'mdoc: CBOR spoiled under the old signatures',
  0.2,
  fc.asyncProperty(steps, (spoils) => sameMdoc(mdocMutants.unsignedMutant(tree, spoils))),
)
fuzz(
  'mdoc: bytes spoiled',
  0.08,
  fc.asyncProperty(steps, (spoils) => sameMdoc(toBase64url(spoils.reduce(spoilBytes, fromBase64url(mdoc.presented))))),
)
fuzz(
  'mdoc: text spoiled',
  0.02,
  fc.asyncProperty(steps, (spoils) => sameMdoc(spoils.reduce(spoilText, mdoc.presented))),
)

fuzz(
  'mdoc: CBOR spoiled and signed anew',
  0.12,
  fc.asyncProperty(steps, where, async (spoils, at) => {
    const verdict = await mdoc.judge(mdocMutants.signedMutant(mdocParts, spoils, at))
    if (verdict.outcome === 'accepted') demandOnlyAsked(verdict, [MDL_NAMESPACE])
  }),
)

const mdocParts = freshMdoc()

function freshMdoc(): mdocMutants.MdocParts {
  const items = usualItems(
    mintItems(MDL_NAMESPACE, drivingLicenceElements(PERSON, { issued: '2026-01-01', expires: '2031-01-01', age: 36 })),
  )
  const status = mapOf({
    status_list: mapOf({ idx: STATUS_INDEX.valid, uri: statusListUri(world.issuer.base, 'cwt') }),
  })
  const times = { signed: NOW - DAY, validFrom: NOW - DAY, validUntil: NOW + DAY }
  const mso = securityObject({ docType: TYPE.mdl, items, deviceKey: world.holderKey, ...times, status })
  const authentication = deviceAuthentication(sessionTranscript(handoverFor(mdoc.trial.expectations)), TYPE.mdl)
  return {
    docType: TYPE.mdl,
    items,
    mso,
    deviceAuth: deviceSignature(authentication, world.holderKey),
    signer: world.issuer.mdoc.signer,
  }
}

const token = parseJson(sdJwt.trial.vpToken)
fuzz(
  'vp_token: JSON spoiled',
  0.03,
  fc.asyncProperty(steps, async (spoils) => {
    const vpToken = lenientJson(writeJson(spoilJson(token, spoils)))
    const verdict = await sdJwt.judgeToken(vpToken)
    if (verdict.outcome === 'accepted') assert.deepEqual(conclusion(verdict), original.sdJwt)
  }),
)

/** Null for what is no JSON at all. */
function lenientJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

const encryption = { key: publicJwk(world.encryptionKey), kid: KID }
const jwe = assembleJwe({ payload: { vp_token: { pid: [sdJwt.presented] } }, ...encryption })

fuzz(
  'envelope: form and JWE spoiled',
  0.04,
  fc.asyncProperty(steps, async (spoils) => {
    const body = spoils.reduce(spoilText, `response=${jwe}`)
    const outcome = await judgeTrial({ ...sdJwt.trial, vpToken: null, body })
    if (outcome.kind === 'verdict') assert.deepEqual(conclusion(outcome.verdict), original.sdJwt)
  }),
)

const plaintext = parseJson({ vp_token: { pid: [sdJwt.presented] }, state: 'x' })
fuzz(
  'envelope: plaintext spoiled and encrypted anew',
  0.02,
  fc.asyncProperty(steps, async (spoils) => {
    const spoiled = assembleJwe({ payload: {}, ...encryption }, { plaintext: writeJson(spoilJson(plaintext, spoils)) })
    const outcome = await judgeTrial({ ...sdJwt.trial, vpToken: null, body: `response=${spoiled}` })
    if (outcome.kind === 'verdict' && outcome.verdict.outcome === 'accepted')
      assert.deepEqual(conclusion(outcome.verdict), original.sdJwt)
  }),
)

fuzz(
  'envelope: a body of any bytes is read without an exception',
  0.01,
  fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (body) => {
    readResponse(body, { encryption: null, state: null })
  }),
)

const query = parseJson(sdJwt.trial.expectations.query)
fuzz(
  'query: whatever is written there is refused as a query or serves as one',
  0.01,
  fc.asyncProperty(steps, async (spoils) => {
    const parsed = queryOf(lenientJson(writeJson(spoilJson(query, spoils))))
    if (parsed !== null)
      await verifyPresentation(sdJwt.trial.vpToken as Json, { ...sdJwt.expected, query: parsed }, sdJwt.trust)
  }),
)

function queryOf(json: Json) {
  try {
    return parseQuery(json)
  } catch (error) {
    if (error instanceof InvalidQuery) return null
    throw error
  }
}

const revokedJwt = sdJwtTrial(world, {
  template: (claims) => ({
    ...claims,
    status: { status_list: { idx: STATUS_INDEX.revoked, uri: statusListUri(world.issuer.base, 'jwt') } },
  }),
})
const revokedMdoc = mdocTrial(world, {
  fields: (fields) => ({
    ...fields,
    status: mapOf({ status_list: mapOf({ idx: STATUS_INDEX.revoked, uri: statusListUri(world.issuer.base, 'cwt') }) }),
  }),
})

fuzz(
  'status: no spoiled list makes a revoked SD-JWT valid',
  0.01,
  fc.asyncProperty(steps, async (spoils) => {
    const list = spoils.reduce(spoilText, statusJwt)
    const status = new Map([
      ...revokedJwt.status,
      [statusListUri(world.issuer.base, 'jwt'), fetched(Buffer.from(list), 'application/statuslist+jwt')],
    ])
    await demandRejected({ ...revokedJwt, status })
  }),
)

fuzz(
  'status: no spoiled list makes a revoked mdoc valid',
  0.01,
  fc.asyncProperty(steps, async (spoils) => {
    const list = writeCbor(spoilCbor(statusTree, spoils))
    const status = new Map([
      ...revokedMdoc.status,
      [statusListUri(world.issuer.base, 'cwt'), fetched(list, 'application/statuslist+cwt')],
    ])
    await demandRejected({ ...revokedMdoc, status })
  }),
)

const statusJwt = statusListJwt(world.issuer, NOW)
const statusTree = parseCbor(statusListCwt(world.issuer, NOW))

async function demandRejected(trial: Trial): Promise<void> {
  const outcome = await judgeTrial(trial)
  assert.equal(outcome.kind === 'verdict' && outcome.verdict.outcome, 'rejected')
}
