// Reads set-up files (YAML or JSON) within limits and with line numbers, and writes them.

import { isAlias, isMap, isSeq, LineCounter, type Node, parseDocument, stringify, visit } from 'yaml'
import type { SetupPath, SetupProblem } from '../domain/setup.ts'

/** An aliased value counts at each reference. */
const VALUES_MAX = 2_000_000
const DEPTH_MAX = 64
/** The number of references in total. */
const ALIASES_MAX = 20_000

/** `line` is set if the problem has no path because the file could not be parsed. */
export interface FileProblem extends SetupProblem {
  readonly line?: number
}

export interface SetupText {
  readonly json: unknown
  readonly problems: readonly FileProblem[]
  /** The line, beginning with 1. For a missing member, the line of its parent. */
  readonly lineOf: (path: SetupPath) => number
}

export function parseSetupText(text: string): SetupText {
  const lines = new LineCounter()
  const unreadable = (problems: readonly Omit<FileProblem, 'path'>[]): SetupText => ({
    json: null,
    problems: problems.map((problem) => ({ ...problem, path: [] })),
    lineOf: () => 1,
  })
  const document = parseDocument(text, { lineCounter: lines, merge: true, strict: true, uniqueKeys: true })
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0)
    return unreadable(
      faults.map(({ message, pos }) => ({ message: oneLine(message), line: lines.linePos(pos[0]).line })),
    )
  let aliases = 0
  visit(document, {
    Alias() {
      aliases += 1
    },
  })
  if (aliases > ALIASES_MAX) return unreadable([{ message: `there are more than ${ALIASES_MAX} references (*name)` }])
  try {
    // An aliased value is one object in memory, so `requireBounded` counts its references.
    const json: unknown = document.toJS({ maxAliasCount: ALIASES_MAX })
    requireBounded(json)
    const lineOf = (path: SetupPath) => lines.linePos(offsetOf(document, path)).line
    return { json, problems: [], lineOf }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return unreadable([{ message: oneLine(error.message) }])
  }
}

const oneLine = (message: string) => message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? ''

class OutOfBounds extends Error {
  override readonly name = 'OutOfBounds'
}

/** Uses a list instead of recursion, because the depth is not checked yet. */
function requireBounded(json: unknown): void {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value: json, depth: 0 }]
  let values = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    values += 1
    if (values > VALUES_MAX)
      throw new OutOfBounds(`it contains more than ${VALUES_MAX} values, counting each use of a reference`)
    if (next.depth > DEPTH_MAX) throw new OutOfBounds(`it is nested more than ${DEPTH_MAX} levels deep`)
    const { value, depth } = next
    if (typeof value === 'string') requireStorable(value)
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new OutOfBounds('it has a number that JSON cannot represent')
    if (typeof value !== 'object' || value === null) continue
    for (const [name, part] of Object.entries(value)) {
      requireStorable(name)
      waiting.push({ value: part, depth: depth + 1 })
    }
  }
}

/** Accepts only text that JSON can express and PostgreSQL can store. */
function requireStorable(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw new OutOfBounds('it has text with invalid characters')
}

function offsetOf(document: ReturnType<typeof parseDocument>, path: SetupPath): number {
  let node: unknown = document.contents
  let offset = 0
  const enter = (found: unknown) => {
    const range = (found as Node | null)?.range
    if (range != null) offset = range[0]
    node = isAlias(found) ? found.resolve(document) : found
  }
  enter(node)
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (key as { value?: unknown } | null)?.value === part)
      if (pair === undefined) break
      const range = (pair.key as Node | null)?.range
      enter(pair.value)
      if (range != null) offset = range[0]
    } else if (isSeq(node)) {
      const item = node.items[Number(part)]
      if (item === undefined) break
      enter(item)
    } else break
  }
  return offset
}

export function renderSetupText(setup: object, form: 'yaml' | 'json'): string {
  if (form === 'json') return `${JSON.stringify(setup, null, 2)}\n`
  return stringify(setup, { aliasDuplicateObjects: false, lineWidth: 0 })
}
