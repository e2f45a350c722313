// Mutants of a proved document, at the level of CBOR, bytes and text. None is accepted that says anything else than what was proved;
// the proof here is a hash over the whole statement, so a mutant that changes a word of it has none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { verifyPresentation } from '../../src/index.ts'
import { mintZk, zkExpected, zkTrust } from '../mdoc/mint-zk.ts'
import { parseTree, spoilTree, writeTree } from './cbor-tree.ts'
import { spoilBytes, spoilText, steps } from './step.ts'
import { conclusion, fuzz } from './subjects.ts'

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
  'proved document: CBOR spoiled',
  0.35,
  fc.asyncProperty(steps, (spoils) => same(textOf(writeTree(spoilTree(tree, spoils))))),
)
fuzz(
  'proved document: bytes spoiled',
  0.1,
  fc.asyncProperty(steps, (spoils) => same(textOf(spoils.reduce(spoilBytes, bytes)))),
)
fuzz(
  'proved document: text spoiled',
  0.05,
  fc.asyncProperty(steps, (spoils) => same(spoils.reduce(spoilText, textOf(bytes)))),
)
