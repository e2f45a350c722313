// Finds import cycles between files, types included (Tarjan's algorithm).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf, ownTarget } from './imports.ts'

/** Returns each cycle as its files in order. */
export function importCircles(root: string, files: readonly string[]): string[][] {
  const known = new Set(files)
  const graph = new Map<string, string[]>()
  for (const file of files) {
    const imports = importsOf(readFileSync(join(root, file), 'utf8'))
    const targets = imports.map(({ specifier }) => ownTarget(file, specifier) ?? specifier)
    graph.set(
      file,
      targets.filter((target) => known.has(target)),
    )
  }
  return circlesOf(graph)
}

/** The strongly connected parts of a graph that have more than one node, or a node that points at itself. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const circles: string[][] = []

  function visit(node: string): number {
    const number = order.size
    order.set(node, number)
    let low = number
    open.push(node)
    isOpen.add(node)
    const targets = graph.get(node) ?? []
    for (const target of targets) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (isOpen.has(target)) low = Math.min(low, order.get(target) ?? low)
    }
    if (low === number) {
      const part = open.splice(open.lastIndexOf(node))
      for (const one of part) isOpen.delete(one)
      if (part.length > 1 || targets.includes(node)) circles.push(part.sort())
    }
    return low
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return circles
}
