// Stores claim paths as a tree, so that a lookup takes one step per part of the path.

import type { ClaimsPath, PathPart } from '@vidimus/engine'

/**
 * Remaining steps. Below zero the budget is spent, and results do not count. Tenants write the paths, and `null` next
 * to numbers makes a search branch, so every step is counted.
 */
export interface Effort {
  left: number
}

/** These steps take some milliseconds. The largest honest query against the most registrations takes a tenth of them. */
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

/** Whether this path, or one above it, is in the tree. A `null` in the tree matches every element. */
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

/** Whether this path, or one below it, is in the tree. A `null` of the path matches every element. */
export function isCoveringAny(path: ClaimsPath, tree: PathTree, effort: Effort, at = 0): boolean {
  effort.left -= 1
  const part = path[at]
  // Every branch of a tree ends in a path, so the tree has a path below this one.
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
