// Mutates the parts around a presentation (vp_token, form, JWE, query): nothing throws or is read differently.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { assembleJwe } from '../../../wallet/mutations/jwe.ts'
import { KID } from '../../../wallet/mutations/world.ts'
import { publicJwk } from '../../../wallet/src/keys.ts'
import { InvalidQuery, type Json, parseQuery, readResponse, verifyPresentation } from '../../src/index.ts'
import { judgeTrial } from '../trial.ts'
import { parseTree, spoilTree, writeTree } from './json-tree.ts'
import { spoilText, steps } from './step.ts'
import { conclusion, fuzz, original, sdJwt, world } from './subjects.ts'

const token = parseTree(sdJwt.trial.vpToken)
fuzz(
  'vp_token: JSON spoiled',
  0.03,
  fc.asyncProperty(steps, async (spoils) => {
    const vpToken = lenientJson(writeTree(spoilTree(token, spoils)))
    const verdict = await sdJwt.judgeToken(vpToken)
    if (verdict.outcome === 'accepted') assert.deepEqual(conclusion(verdict), original.sdJwt)
  }),
)

/** Null for a text that is not JSON. */
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
  'envelope: spoiled form and JWE',
  0.04,
  fc.asyncProperty(steps, async (spoils) => {
    const body = spoils.reduce(spoilText, `response=${jwe}`)
    const outcome = await judgeTrial({ ...sdJwt.trial, vpToken: null, body })
    if (outcome.kind === 'verdict') assert.deepEqual(conclusion(outcome.verdict), original.sdJwt)
  }),
)

const plaintext = parseTree({ vp_token: { pid: [sdJwt.presented] }, state: 'x' })
fuzz(
  'envelope: spoiled plaintext, encrypted again',
  0.02,
  fc.asyncProperty(steps, async (spoils) => {
    const spoiled = assembleJwe({ payload: {}, ...encryption }, { plaintext: writeTree(spoilTree(plaintext, spoils)) })
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

const query = parseTree(sdJwt.trial.expectations.query)
fuzz(
  'query: a mutated query is refused as invalid, or presentations can be verified against it',
  0.01,
  fc.asyncProperty(steps, async (spoils) => {
    const parsed = queryOf(lenientJson(writeTree(spoilTree(query, spoils))))
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
