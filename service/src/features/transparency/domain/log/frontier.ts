// A growing tree that stores one hash per level. These hashes are enough to compute the root at every size.

import { emptyRoot, nodeHash } from './merkle.ts'

interface Frontier {
  readonly size: number
  add(leafHash: Buffer): void
  root(): Buffer
}

export function createFrontier(): Frontier {
  /** Complete subtrees, largest first. */
  const parts: { hash: Buffer; width: number }[] = []
  let size = 0
  return {
    get size() {
      return size
    },
    add(leafHash) {
      size += 1
      let part = { hash: leafHash, width: 1 }
      for (let last = parts.at(-1); last !== undefined && last.width === part.width; last = parts.at(-1)) {
        parts.pop()
        part = { hash: nodeHash(last.hash, part.hash), width: part.width * 2 }
      }
      parts.push(part)
    },
    root() {
      const hashes = parts.map(({ hash }) => hash)
      const last = hashes.pop()
      return last === undefined ? emptyRoot() : hashes.reduceRight((right, left) => nodeHash(left, right), last)
    },
  }
}
