// Stores paths of claims as a tree, so that each question takes one walk, however many paths there are.

import { isJsonObject } from './json.ts'
import type { ClaimsPath, PathPart } from './openid4vp/credential-query.ts'
import type { Json, JsonObject } from './verdict.ts'

export interface PathTree {
  /** Whether a path ends here. */
  isEnd: boolean
  readonly below: Map<PathPart, PathTree>
}

export function pathTreeOf(paths: Iterable<ClaimsPath>): PathTree {
  const tree: PathTree = { isEnd: false, below: new Map() }
  for (const path of paths) {
    let node = tree
    for (const part of path) {
      const next = node.below.get(part) ?? { isEnd: false, below: new Map() }
      node.below.set(part, next)
      node = next
    }
    node.isEnd = true
  }
  return tree
}

/** Whether the tree has exactly this path. */
export function hasPath(tree: PathTree, path: readonly string[]): boolean {
  let node: PathTree | undefined = tree
  for (const name of path) node = node?.below.get(name)
  return node?.isEnd === true
}

/** Whether the tree has this path, a beginning of it, or a continuation of it. */
export function overlapsPath(tree: PathTree, path: readonly string[]): boolean {
  let node: PathTree | undefined = tree
  for (const name of path) {
    if (node === undefined || node.isEnd) break
    node = node.below.get(name)
  }
  return node !== undefined
}

/** Returns the claims without those that the paths lead to. Objects that become empty are left out. */
export function withoutPaths(claims: JsonObject, tree: PathTree): JsonObject {
  const kept: [string, Json][] = []
  for (const name of Object.keys(claims)) {
    const node = tree.below.get(name)
    const value = claims[name] ?? null
    if (node === undefined) kept.push([name, value])
    if (node === undefined || node.isEnd || !isJsonObject(value)) continue
    const inner = withoutPaths(value, node)
    if (Object.keys(inner).length > 0) kept.push([name, inner])
  }
  return Object.fromEntries(kept)
}

/** Returns what the names lead to through objects. */
export function valueAt(claims: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = claims
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}
