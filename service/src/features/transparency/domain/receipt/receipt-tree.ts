// Signs many receipts with one signature over a tree of 256 leaves (RFC 6962 §2.1).

import type { Random } from '../../../../platform/world.ts'
import { shuffle } from '../log/batch.ts'
import { HASH_BYTES, leafHash, nodeHash, rootOfInclusion } from '../log/merkle.ts'

/** The algorithm in the receipt's header. It is not registered, so verifiers that do not know it must reject the receipt. */
export const TREE_ALGORITHM = 'vidimus-ES256-tree'
const LEVELS = 8
export const TREE_LEAVES = 2 ** LEVELS

const SIGNATURE_BYTES = 64
const PATH_AT = SIGNATURE_BYTES + 1
const PROOF_BYTES = PATH_AT + LEVELS * HASH_BYTES

/** The zero byte separates tree roots from the other texts that the key signs: those are base64url. */
const LABEL = Buffer.from('vidimus-receipt-tree-v1\0', 'ascii')
const statementOf = (root: Uint8Array) => Buffer.concat([LABEL, root])

interface ReceiptTree {
  /** What the key signs. */
  readonly statement: Buffer
  /** The third part of a receipt's JWS: signature, index of the leaf (1 byte), path. The path begins with the leaf's sibling. */
  proofOf(i: number, signature: Uint8Array): Buffer
}

/**
 * `inputs`: header and payload of at most 256 receipts, as in their JWS. Random leaves fill the tree, so that a receipt
 * does not reveal how many receipts share its signature.
 */
export function buildReceiptTree(inputs: readonly string[], random: Random): ReceiptTree {
  if (inputs.length > TREE_LEAVES) throw new Error('bug: more receipts than a tree has leaves')
  const padding = Buffer.from(random((TREE_LEAVES - inputs.length) * HASH_BYTES))
  const leaves = Array.from({ length: TREE_LEAVES }, (_, i) => {
    const input = inputs[i]
    const at = (i - inputs.length) * HASH_BYTES
    return { i, hash: input === undefined ? padding.subarray(at, at + HASH_BYTES) : leafOf(input) }
  })
  const placed = shuffle(leaves, random)
  const levels = [placed.map(({ hash }) => hash)]
  for (let level = 0; level < LEVELS; level += 1) levels.push(pairsOf(levels[level] ?? []))
  const indexes = new Map(placed.map(({ i }, index) => [i, index]))
  const [root = Buffer.alloc(0)] = levels[LEVELS] ?? []
  return {
    statement: statementOf(root),
    proofOf(i, signature) {
      const index = indexes.get(i) ?? 0
      const path = levels.slice(0, LEVELS).map((hashes, level) => hashes[(index >> level) ^ 1] ?? Buffer.alloc(0))
      return Buffer.concat([signature, Uint8Array.of(index), ...path])
    },
  }
}

const leafOf = (input: string) => leafHash(Buffer.from(input, 'ascii'))

const pairsOf = (hashes: readonly Uint8Array[]): Buffer[] =>
  Array.from({ length: hashes.length / 2 }, (_, i) =>
    nodeHash(hashes[2 * i] ?? Buffer.alloc(0), hashes[2 * i + 1] ?? Buffer.alloc(0)),
  )

/** Returns the root that must have been signed if the path belongs to the receipt; null if the path is malformed. */
export function readTreeProof(
  input: string,
  encoded: string,
): { readonly statement: Buffer; readonly signature: Buffer } | null {
  const bytes = Buffer.from(encoded, 'base64url')
  if (bytes.length !== PROOF_BYTES || bytes.toString('base64url') !== encoded) return null
  const index = bytes[SIGNATURE_BYTES] ?? 0
  const ends = Array.from({ length: LEVELS }, (_, level) => PATH_AT + (level + 1) * HASH_BYTES)
  const proof = ends.map((end) => bytes.subarray(end - HASH_BYTES, end))
  const root = rootOfInclusion({ index, size: TREE_LEAVES, leaf: leafOf(input), proof })
  return root === null ? null : { statement: statementOf(root), signature: bytes.subarray(0, SIGNATURE_BYTES) }
}
