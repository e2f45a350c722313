// Mutates confirmed transaction data: only mutants that confirm exactly what was sent are accepted.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  CONSENT,
  CONSENT_ITEM,
  confirmedMdocTrial,
  confirmedTrial,
  itemOf,
  PAYMENT_ITEM,
} from '../../../wallet/mutations/transaction-trial.ts'
import { createWorld, type Trial } from '../../../wallet/mutations/world.ts'
import { mapOf, Tagged } from '../../../wallet/src/encoding/cbor.ts'
import { digestOf, signJwsText } from '../../../wallet/src/sdjwt.ts'
import { deviceNamespacesOf } from '../../../wallet/src/transaction.ts'
import { type Json, readTransaction, type Verdict, verifyPresentation } from '../../src/index.ts'
import { expectedOf, trustOf } from '../trial.ts'
import * as cbor from './cbor-tree.ts'
import { type Node, parseTree, spoilTree, writeTree } from './json-tree.ts'
import { takeApart } from './sd-jwt-mutants.ts'
import { pick, type Step, spoilText, steps } from './step.ts'
import { fuzz, where } from './subjects.ts'

const PART = process.env.VIDIMUS_FUZZ_RUNS === undefined ? 0.5 : 1
const world = createWorld()
const ITEMS = [CONSENT_ITEM, PAYMENT_ITEM]
const trial = confirmedTrial(world, ITEMS)
const [expected, trust] = [expectedOf(trial), trustOf(trial)]
const presented = presentedIn(trial, 'pid')
const parts = takeApart(presented)

function presentedIn({ vpToken }: Trial, id: string): string {
  return String((vpToken as { readonly [id: string]: readonly string[] })[id]?.[0])
}

const judge = (text: string, transaction = expected.transaction): Promise<Verdict> =>
  verifyPresentation({ pid: [text] }, { ...expected, transaction: transaction ?? [] }, trust)

test('the original is accepted, with one confirmation for each transaction', async () => {
  const verdict = await judge(presented)
  assert.ok(verdict.outcome === 'accepted', JSON.stringify(verdict))
  assert.deepEqual(
    verdict.confirmations.map(({ text }) => text),
    ITEMS.map(({ text }) => text),
  )
})

/** Parses a mutant with another parser; null if it is not a JSON object without repeated members. */
function parseContent(binding: Node): Readonly<Record<string, Json>> | null {
  if (binding.kind !== 'object') return null
  const names = binding.members.map(([name]) => name)
  if (new Set(names).size < names.length) return null
  try {
    return JSON.parse(writeTree(binding))
  } catch {
    return null
  }
}

const HASHES = ITEMS.map(({ text }) => createHash('sha256').update(text).digest('base64url'))

/** Applies the rules for confirmations in code that is independent of the engine. */
function agrees(claims: Readonly<Record<string, Json>> | null): boolean {
  if (claims === null) return false
  const { transaction_data_hashes: hashes, transaction_data_hashes_alg: alg, jti, response_mode: mode, amr } = claims
  const methods = Array.isArray(amr) ? amr.flatMap((one) => Object.keys(one ?? {})) : []
  const factors = new Set(methods.filter((name) => ['knowledge', 'possession', 'inherence'].includes(name)))
  return (
    JSON.stringify([...(hashes as string[])].sort()) === JSON.stringify(HASHES.toSorted()) &&
    alg === 'sha-256' &&
    typeof jti === 'string' &&
    jti !== '' &&
    mode === 'direct_post.jwt' &&
    factors.size >= 2
  )
}

/** Lets the holder sign the mutant's key binding over the same credential. */
function reSigned(binding: Node): string {
  const covered = presented.slice(0, presented.lastIndexOf('~') + 1)
  assert.ok(covered.endsWith('~') && digestOf(covered) !== '')
  return covered + signJwsText(writeTree(parts.binding.header), writeTree(binding), world.holderKey)
}

async function refusedUnlessAgreed(binding: Node): Promise<void> {
  const verdict = await judge(reSigned(binding))
  if (verdict.outcome === 'accepted') assert.ok(agrees(parseContent(binding)), writeTree(binding))
}

fuzz(
  'transaction data: a spoiled key binding, signed again',
  0.2 * PART,
  fc.asyncProperty(steps, (spoils) => refusedUnlessAgreed(spoilTree(parts.binding.payload, spoils))),
)

const MEMBERS = ['transaction_data_hashes', 'transaction_data_hashes_alg', 'jti', 'response_mode', 'amr']

/** Spoils only one member of the confirmation, because most mutants of all members fail earlier. */
function spoilMember(payload: Node, spoils: readonly Step[], at: number): Node {
  assert.ok(payload.kind === 'object')
  const wanted = pick(MEMBERS, at)
  const members = payload.members.map(([name, member]): [string, Node] => [
    name,
    name === wanted ? spoilTree(member, spoils) : member,
  ])
  return { kind: 'object', members }
}

fuzz(
  'transaction data: one spoiled member of the confirmation, signed again',
  0.2 * PART,
  fc.asyncProperty(steps, where, (spoils, at) => refusedUnlessAgreed(spoilMember(parts.binding.payload, spoils, at))),
)

/** Changes the text of transaction data, or the object that it encodes. */
function otherText(text: string, spoils: readonly Step[], at: number): string {
  if (at % 2 === 0) return spoils.reduce(spoilText, text)
  const object = parseTree(JSON.parse(Buffer.from(text, 'base64url').toString()))
  return Buffer.from(writeTree(spoilTree(object, spoils))).toString('base64url')
}

function readable(texts: readonly string[]): ReturnType<typeof readTransaction> | null {
  try {
    return readTransaction(texts)
  } catch {
    // The verifier never sends unreadable transaction data.
    return null
  }
}

fuzz(
  'transaction data: a valid answer to another request',
  0.1 * PART,
  fc.asyncProperty(steps, where, async (spoils, at) => {
    const texts = ITEMS.map(({ text }, i) => (i === at % ITEMS.length ? otherText(text, spoils, at) : text))
    const transactions = readable(texts)
    if (transactions === null || texts.every((text, i) => text === ITEMS[i]?.text)) return
    assert.equal((await judge(presented, transactions)).outcome, 'rejected', texts.join(' '))
  }),
)

const ITEM = itemOf({ ids: ['mdl'] })
const namespaces = cbor.parseTree(taggedContent(deviceNamespacesOf({ items: [ITEM], responseMode: '' })))
const HASH = createHash('sha256').update(ITEM.text).digest('hex')

function taggedContent(value: Tagged | undefined): Uint8Array {
  assert.ok(value instanceof Tagged && value.value instanceof Uint8Array)
  return value.value
}

fuzz(
  'transaction data: spoiled device name spaces, signed again',
  0.1 * PART,
  fc.asyncProperty(steps, async (spoils) => {
    const written = cbor.writeTree(cbor.spoilTree(namespaces, spoils))
    const mutant = confirmedMdocTrial(world, [ITEM], {
      authorised: mapOf({ nameSpaces: [CONSENT] }),
      signed: new Tagged(24, written),
    })
    const verdict = await verifyPresentation(mutant.vpToken as Json, expectedOf(mutant), trustOf(mutant))
    if (verdict.outcome === 'accepted') assert.ok(Buffer.from(written).toString('hex').includes(HASH))
  }),
)
