// Mutates a ZkDocument: no mutant is accepted that claims anything but what was proved.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MalformedCbor } from '../../src/cbor/cbor.ts'
import { sessionTranscripts } from '../../src/channels/table.ts'
import { readDeviceDocuments } from '../../src/formats/mdoc/device-response.ts'
import { verifyPresentation } from '../../src/index.ts'
import { newBudget } from '../../src/limits.ts'
import { mintZk, zkExpected, zkTrust } from '../mdoc/mint-zk.ts'
import { parseTree, spoilTree, writeTree } from './cbor-tree.ts'
import { spoilBytes, spoilText, steps } from './step.ts'
import { conclusion, fuzz } from './subjects.ts'

const PART = process.env.VIDIMUS_FUZZ_RUNS === undefined ? 0.2 : 1
const bytes = new Uint8Array(mintZk())
const trust = zkTrust()
const judge = async (text: string) => conclusion(await verifyPresentation({ licence_zk: [text] }, zkExpected, trust))
const textOf = (mutant: Uint8Array) => Buffer.from(mutant).toString('base64url')
const original = await judge(textOf(bytes))

async function same(text: string): Promise<void> {
  const concluded = await judge(text)
  if (concluded !== null) assert.deepEqual(concluded, original)
}

test('the original is accepted', () => assert.notEqual(original, null))

const tree = parseTree(bytes)
fuzz(
  'ZkDocument: CBOR spoiled',
  0.2 * PART,
  fc.asyncProperty(steps, (spoils) => same(textOf(writeTree(spoilTree(tree, spoils))))),
)
fuzz(
  'ZkDocument: bytes spoiled',
  0.08 * PART,
  fc.asyncProperty(steps, (spoils) => same(textOf(spoils.reduce(spoilBytes, bytes)))),
)
fuzz(
  'ZkDocument: text spoiled',
  0.04 * PART,
  fc.asyncProperty(steps, (spoils) => same(spoils.reduce(spoilText, textOf(bytes)))),
)

const annexC = {
  ...zkExpected,
  channel: { kind: 'annex_c', origins: ['https://a.example'], encryptionInfo: 'encryption-info' },
  encryption: null,
} as const
const [transcript = new Uint8Array()] = sessionTranscripts(annexC)
const whole = parseTree(new Uint8Array(mintZk({ transcript })))

/** null if the response is rejected or cannot be read. */
async function judgeDocuments(mutant: Uint8Array): Promise<unknown> {
  try {
    const documents = readDeviceDocuments(mutant, newBudget())
    return conclusion(await verifyPresentation(documents, annexC, trust))
  } catch (error) {
    if (error instanceof MalformedCbor) return null
    throw error
  }
}

test('the original is also accepted from a browser', async () =>
  assert.deepEqual(await judgeDocuments(writeTree(whole)), original))

fuzz(
  'ZkDocument in an answer of a browser: spoiled CBOR',
  0.08 * PART,
  fc.asyncProperty(steps, async (spoils) => {
    const concluded = await judgeDocuments(writeTree(spoilTree(whole, spoils)))
    if (concluded !== null) assert.deepEqual(concluded, original)
  }),
)
