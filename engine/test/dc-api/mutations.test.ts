// Runs the mutations of the redirect flow over the Digital Credentials API and Annex C.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MUTATIONS } from '../../../wallet/mutations/catalogue.ts'
import { DC_API_MUTATIONS } from '../../../wallet/mutations/dc-api.ts'
import type { Mutation } from '../../../wallet/mutations/mutation.ts'
import { createWorld, type Trial } from '../../../wallet/mutations/world.ts'
import { fromBase64url, toBase64url } from '../../../wallet/src/keys.ts'
import { CHECKS } from '../../src/index.ts'
import { accepts, refuses, requireRefusal } from '../judge-mutation.ts'
import { judgeTrial, type Outcome } from '../trial.ts'

const dcApi = createWorld('dc_api')
const annexC = createWorld('annex_c')
const BY_API = MUTATIONS.filter(({ format, only }) => format !== 'envelope' && only?.includes('dc_api') !== false)
const BY_ANNEX_C = MUTATIONS.filter(({ format, only }) => format === 'mso_mdoc' && only?.includes('annex_c') !== false)

describe('OpenID4VP over the Digital Credentials API', () => {
  for (const mutation of BY_API)
    test(`${mutation.id} ${mutation.positive ? 'accepts' : 'refuses'}: ${mutation.title}`, () =>
      mutation.positive ? accepts(mutation, dcApi) : refuses(mutation, dcApi))
})

/** Caches outcomes, because two tests use them. Null: the trial does not present exactly one document. */
const judged = new Map<Mutation, Promise<Outcome | null>>()
const byAnnexC = (mutation: Mutation) => judged.getOrInsertComputed(mutation, judgeByAnnexC)
async function judgeByAnnexC(mutation: Mutation): Promise<Outcome | null> {
  const trial = await mutation.make(annexC)
  return trial.body !== null || isOneDocument(trial) ? judgeTrial(trial) : null
}

describe('ISO 18013-7 Annex C', () => {
  for (const mutation of BY_ANNEX_C)
    test(`${mutation.id}: ${mutation.title}`, async (t) => {
      const outcome = await byAnnexC(mutation)
      if (outcome === null) return t.diagnostic('does not present exactly one document: does not apply to this channel')
      if (caughtEarlier(mutation, outcome)) return
      if (mutation.positive) await accepts(mutation, annexC)
      else requireRefusal(mutation, outcome)
    })
})

function isOneDocument({ vpToken }: Trial): boolean {
  const texts = Object.values((vpToken ?? {}) as object).flat()
  const [text] = texts
  // The encoding of the text does not matter on this channel, because the bytes are encrypted.
  return texts.length === 1 && typeof text === 'string' && toBase64url(fromBase64url(text)) === text
}

/**
 * Whether Annex C refuses the mutation before it examines a document, for example because the document's type is wrong.
 */
function caughtEarlier({ id, expectedCheck, positive }: Mutation, outcome: Outcome): boolean {
  // D24: an Annex C request has no reader key, so a device cannot compute a MAC.
  if (positive === true && id === 'N189') {
    assert.ok(outcome.kind === 'verdict' && outcome.verdict.outcome === 'rejected')
    return outcome.verdict.code === 'holder_binding_invalid'
  }
  // If a device returns no document, its response counts as a wallet error.
  if (outcome.kind === 'wallet_error') return id === 'N140' || id === 'N142'
  // A presentation that is too large makes the body too large.
  if (outcome.kind === 'malformed') return expectedCheck === 'well_formed' || id === 'V017'
  if (outcome.kind !== 'verdict' || outcome.verdict.outcome === 'accepted') return false
  const unread = outcome.verdict.credentials.length === 0 && outcome.verdict.code === 'query_not_satisfied'
  return unread && (expectedCheck === 'well_formed' || expectedCheck === 'type_requested')
}

describe('cases of this channel', () => {
  for (const mutation of DC_API_MUTATIONS)
    test(`${mutation.id} ${mutation.positive ? 'accepts' : 'refuses'}: ${mutation.title}`, () => {
      const world = mutation.channel === 'dc_api' ? dcApi : annexC
      return mutation.positive ? accepts(mutation, world) : refuses(mutation, world)
    })
})

const NEVER_FAILS: readonly string[] = ['claim_conflict', 'transaction_order']

test('every check that can fail has a mutation over these channels that only it catches', async () => {
  const caught = new Set(BY_API.map(({ expectedCheck }) => expectedCheck))
  assert.deepEqual(
    CHECKS.filter((check) => !NEVER_FAILS.includes(check) && !caught.has(check)),
    [],
  )
  // Annex C refuses some mutations before their check, so only mutations with exactly one failed check count.
  const byCheck = new Set<string>()
  const own = DC_API_MUTATIONS.filter(({ channel }) => channel === 'annex_c')
  for (const mutation of [...BY_ANNEX_C, ...own].filter(({ positive }) => positive !== true)) {
    const outcome = await byAnnexC(mutation)
    if (outcome?.kind !== 'verdict') continue
    const failed = outcome.verdict.credentials.flatMap(({ checks }) => checks.filter(({ status }) => status === 'fail'))
    if (failed.length === 1) byCheck.add(failed[0]?.check ?? '')
  }
  const OTHERWISE = [...NEVER_FAILS, 'disclosures_valid', 'bound_to_request', 'bound_to_presentation']
  assert.deepEqual(
    CHECKS.filter((check) => !OTHERWISE.includes(check) && !byCheck.has(check)),
    [],
  )
})
