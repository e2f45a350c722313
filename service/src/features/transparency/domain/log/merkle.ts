// Computes the tree of RFC 6962 §2.1: hashes, inclusion proofs and consistency proofs. Pure.

import { hash } from 'node:crypto'

export const HASH_BYTES = 32
/** Enough for a tree of 2^53 leaves. C2SP tlog-witness has the same limit. */
export const PROOF_HASHES_MAX = 63

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** Leaves from `from` up to, not including, `to`. The numbers may exceed 32 bits, so bit operations would be wrong. */
export interface LeafRange {
  readonly from: number
  readonly to: number
}

/** A complete subtree: 2^`level` leaves, from leaf `index` * 2^`level` on. */
export interface TreeNode {
  readonly level: number
  readonly index: number
}

const sha256 = (parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

export const emptyRoot = (): Buffer => sha256([])
export const leafHash = (data: Uint8Array): Buffer => sha256([LEAF, data])
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256([NODE, left, right])

export const isTreeSize = (value: number) => Number.isSafeInteger(value) && value >= 0

/** Returns the largest power of two below `size`. `size` is at least 2. */
function splitOf(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/** Returns the ranges whose hashes prove that leaf `index` is in the tree of `size`, beginning with the leaf's sibling. */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let within = { from: 0, to: size }
  while (within.to - within.from > 1) {
    const middle = within.from + splitOf(within.to - within.from)
    const isLeft = index < middle
    ranges.unshift(isLeft ? { from: middle, to: within.to } : { from: within.from, to: middle })
    within = isLeft ? { from: within.from, to: middle } : { from: middle, to: within.to }
  }
  return ranges
}

/** Returns the ranges whose hashes prove that the tree of `size` extends that of `old`. Empty if `old` is 0 or equals `size`. */
export function consistencyRanges(old: number, size: number): LeafRange[] {
  if (old === 0 || old === size) return []
  const ranges: LeafRange[] = []
  let within = { from: 0, to: size }
  while (within.to !== old) {
    const middle = within.from + splitOf(within.to - within.from)
    const isLeft = old <= middle
    ranges.unshift(isLeft ? { from: middle, to: within.to } : { from: within.from, to: middle })
    within = isLeft ? { from: within.from, to: middle } : { from: middle, to: within.to }
  }
  // Skips the hash of the whole old tree, because the verifier knows it.
  return within.from === 0 ? ranges : [within, ...ranges]
}

/** Splits a range of a proof into complete subtrees, largest first. */
export function nodesOfRange(range: LeafRange): TreeNode[] {
  const nodes: TreeNode[] = []
  let { from } = range
  while (from < range.to) {
    let level = 0
    let width = 1
    while (from % (width * 2) === 0 && from + width * 2 <= range.to) {
      width *= 2
      level += 1
    }
    nodes.push({ level, index: from / width })
    from += width
  }
  return nodes
}

/** The hash of a range, computed from its complete subtrees. An empty range has the root of an empty tree. */
export function hashOfRange(range: LeafRange, hashOf: (node: TreeNode) => Uint8Array): Buffer {
  const hashes = nodesOfRange(range).map(hashOf)
  const last = hashes.pop()
  return last === undefined
    ? emptyRoot()
    : hashes.reduceRight<Buffer>((right, left) => nodeHash(left, right), Buffer.from(last))
}

interface Inclusion {
  readonly index: number
  readonly size: number
  readonly leaf: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/** Returns the root that the proof leads to; null if the proof's length does not fit index and size. */
export function rootOfInclusion({ index, size, leaf, proof }: Inclusion): Buffer | null {
  const fits = isTreeSize(index) && isTreeSize(size) && index < size && proof.every(isHash) && isHash(leaf)
  if (!fits) return null
  const ranges = inclusionRanges(index, size)
  if (ranges.length !== proof.length) return null
  return proof.reduce<Buffer>((hash, sibling, i) => {
    const isRight = (ranges[i]?.from ?? 0) > index
    return isRight ? nodeHash(hash, sibling) : nodeHash(sibling, hash)
  }, Buffer.from(leaf))
}

export const isIncluded = (inclusion: Inclusion, root: Uint8Array): boolean =>
  rootOfInclusion(inclusion)?.equals(root) ?? false

export interface TreeHead {
  readonly size: number
  readonly root: Uint8Array
}

/** Whether the newer tree begins with the leaves of the older one in the same order. */
export function isConsistent(older: TreeHead, newer: TreeHead, proof: readonly Uint8Array[]): boolean {
  const sized = isTreeSize(older.size) && isTreeSize(newer.size) && older.size <= newer.size
  if (!sized || !isHash(older.root) || !isHash(newer.root) || !proof.every(isHash)) return false
  if (older.size === 0 || older.size === newer.size) {
    const same = older.size === 0 ? emptyRoot().equals(older.root) : Buffer.from(older.root).equals(newer.root)
    return proof.length === 0 && same && (newer.size !== 0 || emptyRoot().equals(newer.root))
  }
  const ranges = consistencyRanges(older.size, newer.size)
  if (ranges.length !== proof.length) return false
  // If the old tree is a complete subtree of the new one, the proof begins with that subtree's sibling. Otherwise the
  // proof begins with the old tree's last part.
  const beginsWithin = ranges[0]?.to === older.size
  const [first, ...rest] = beginsWithin ? proof : [older.root, ...proof]
  const siblings = beginsWithin ? ranges.slice(1) : ranges
  if (first === undefined) return false
  let oldHash: Buffer = Buffer.from(first)
  let newHash: Buffer = Buffer.from(first)
  for (const [i, sibling] of rest.entries()) {
    const isRight = (siblings[i]?.from ?? 0) >= older.size
    if (!isRight) oldHash = nodeHash(sibling, oldHash)
    newHash = isRight ? nodeHash(newHash, sibling) : nodeHash(sibling, newHash)
  }
  return oldHash.equals(older.root) && newHash.equals(newer.root)
}

export const isHash = (value: Uint8Array): boolean => value.length === HASH_BYTES
