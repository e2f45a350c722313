// Paths to claims as a tree, so that one is found among many in as many steps as it has parts. Paths are what tenants write, and a
// `null` beside numbers makes a search branch: every step is spent from what one judgement may cost.

import type { ClaimsPath, PathPart } from '@vidimus/engine'

/** Steps that are left; below zero: it was too much, and nothing that was said since counts. */
export interface Effort {
  left: number
}

/** Some milliseconds. The largest honest query against as many registrations as there may be takes a tenth. */
const STEPS_MAX = 200_000

export const newEffort = (steps = STEPS_MAX): Effort => ({ left: steps })
export const isSpent = ({ left }: Effort): boolean => left < 0

export interface PathTree {
  isEnd: boolean
  readonly children: Map<PathPart, PathTree>
}

export const newPathTree = (): PathTree => ({ isEnd: false, children: new Map() })

export function addPath(tree: PathTree, path: ClaimsPath): void {
  let node = tree
  for (const part of path) {
    const known = node.children.get(part) ?? newPathTree()
    node.children.set(part, known)
    node = known
  }
  node.isEnd = true
}

/** Is this path, or one above it, in the tree? A `null` there stands for every element. */
export function coversPath(tree: PathTree, path: ClaimsPath, effort: Effort, at = 0): boolean {
  effort.left -= 1
  if (tree.isEnd) return true
  const part = path[at]
  if (part === undefined || isSpent(effort)) return false
  const same = tree.children.get(part)
  if (same !== undefined && coversPath(same, path, effort, at + 1)) return true
  const every = typeof part === 'number' ? tree.children.get(null) : undefined
  return every !== undefined && coversPath(every, path, effort, at + 1)
}

/** Is this path, or one below it, in the tree? A `null` of the path stands for every element. */
export function isCoveringAny(path: ClaimsPath, tree: PathTree, effort: Effort, at = 0): boolean {
  effort.left -= 1
  const part = path[at]
  // Every branch of a tree ends somewhere.
  if (part === undefined) return true
  if (isSpent(effort)) return false
  const same = tree.children.get(part)
  if (same !== undefined && isCoveringAny(path, same, effort, at + 1)) return true
  if (part !== null) return false
  for (const [element, below] of tree.children) {
    effort.left -= 1
    if (typeof element === 'number' && isCoveringAny(path, below, effort, at + 1)) return true
    if (isSpent(effort)) return false
  }
  return false
}
