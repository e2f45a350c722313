// Finds waits in tests without a bound: loops that await or spin, and `once` of node:events.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOnly, importsOf, sourceFiles } from '../imports.ts'

const WAIT_MODULE = 'service/test/harness/wait.ts'
const BOUNDED = /\/\/ bounded: \S.{4,}$/
const FOLDERS = ['engine', 'service', 'sdk', 'wallet', 'dashboard', 'till', 'bench', 'tools']

export function waitProblems(root: string): string[] {
  const files = FOLDERS.flatMap((folder) => sourceFiles(root, folder)).filter((file) => /(?:^|\/)test\//.test(file))
  return files.flatMap((file) => unboundedWaits(file, readFileSync(join(root, file), 'utf8')))
}

/** A loop with its own limit says so, in its line or in the line above: `// bounded: by what`. */
export function unboundedWaits(file: string, source: string): string[] {
  const lines = source.split('\n')
  const problems: string[] = []
  const code = codeOnly(source)
  for (const at of loopsThatWait(code)) {
    const line = code.slice(0, at).split('\n').length
    const isBounded = [lines[line - 1], lines[line - 2]].some((text) => BOUNDED.test(text ?? ''))
    if (!isBounded) problems.push(`${file}:${line} a wait without a bound: use waitUntil of ${WAIT_MODULE}`)
  }
  if (file !== WAIT_MODULE)
    for (const { line, specifier } of importsOf(source))
      if (specifier === 'node:events' && /\bonce\b/.test(statementAt(lines, line)))
        problems.push(`${file}:${line} "once" of node:events has no bound: use that of ${WAIT_MODULE}`)
  return problems
}

/** Returns the import statement that ends in this line. */
function statementAt(lines: readonly string[], line: number): string {
  let first = line - 1
  while (first > 0 && !/^\s*(?:import|export)\b/.test(lines[first] ?? '')) first -= 1
  return lines.slice(first, line).join('\n')
}

/** Returns the positions at which loops begin that may wait without a bound. */
function loopsThatWait(code: string): number[] {
  const found: number[] = []
  /** The conditions of do loops, which are not separate loops. */
  const ends = new Set<number>()
  for (const { 0: word, index } of code.matchAll(/(?<![\w$.])(?:do|while|for)\b(?!\s*:)/g)) {
    if (ends.has(index)) continue
    if (word === 'do') {
      const end = code.indexOf('while', endOfStatement(code, index + 2))
      if (end < 0) continue
      ends.add(end)
      if (/\bawait\b/.test(code.slice(index, endOfGroup(code, code.indexOf('(', end))))) found.push(index)
      continue
    }
    const open = code.indexOf('(', index)
    if (code.slice(index + word.length, open).trim() !== '') continue
    const close = endOfGroup(code, open)
    const head = code.slice(open + 1, close - 1)
    const body = code.slice(close, endOfStatement(code, close))
    if (word === 'while' ? /\bawait\b/.test(head + body) || body.trim() === ';' : isEndless(head, body))
      found.push(index)
  }
  return found
}

/** Whether a for loop has no counter that ends it. */
function isEndless(head: string, body: string): boolean {
  const parts = head.split(';')
  if (parts.length !== 3) return false
  const [, condition = '', step = ''] = parts
  if (condition.trim() === '') return true
  return /\bawait\b/.test(condition + step) || (step.trim() === '' && /\bawait\b/.test(body))
}

/** Returns the position after the bracket that closes the bracket at `open`. */
function endOfGroup(code: string, open: number): number {
  let depth = 0
  for (let at = open; at < code.length; at += 1) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char) && --depth === 0) return at + 1
  }
  return code.length
}

/** Returns the end of a block, or of the line on which all brackets are closed. */
function endOfStatement(code: string, from: number): number {
  let at = from
  while (/\s/.test(code[at] ?? '')) at += 1
  if (code[at] === '{') return endOfGroup(code, at)
  for (; at < code.length && code[at] !== '\n' && code[at] !== ';'; at += 1)
    if ('([{'.includes(code[at] ?? '')) at = endOfGroup(code, at) - 1
  return code[at] === ';' ? at + 1 : at
}
