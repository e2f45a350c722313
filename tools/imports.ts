// Finds the imports of a source file, with comments, strings, templates and regular expressions blanked.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/** Our package names in imports, and the module of each. */
const OWN_PACKAGE = /^@vidimus\/([a-z]+)(?:\/([a-z/-]+))?$/

export interface Import {
  readonly specifier: string
  /** Type imports, which are removed when types are stripped. */
  readonly typeOnly: boolean
  readonly line: number
}

const FROM =
  /\b(import|export)\s+(type\s+(?!from\s*['"]))?(?:[\w$]+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?)?\s*from\s*(?=['"])/g
const BARE = /\bimport\s*(?=['"])/g
const CALL = /(?<![\w$.])(?:import|require|import\.meta\.resolve)\s*\(\s*(?=['"`])/g

export function importsOf(source: string): Import[] {
  const code = codeOnly(source)
  const found: Import[] = []
  for (const [pattern, typed] of [
    [FROM, true],
    [BARE, false],
    [CALL, false],
  ] as const) {
    for (const match of code.matchAll(pattern)) {
      const at = match.index + match[0].length
      const quote = source[at]
      const specifier = source.slice(at + 1, quote === undefined ? at : source.indexOf(quote, at + 1))
      const line = source.slice(0, at).split('\n').length
      found.push({ specifier, typeOnly: typed && match[2] !== undefined, line })
    }
  }
  return found
}

/** Returns the text with comments replaced by blanks, so that positions stay the same. */
export const withoutComments = (source: string): string => scan(source, { keepsText: true })

/** Returns the text with everything that is not code replaced by blanks, so that positions stay the same. Quotes stay. */
export const codeOnly = (source: string): string => scan(source, { keepsText: false })

function scan(source: string, { keepsText }: { readonly keepsText: boolean }): string {
  let out = ''
  let at = 0
  const braces: ('block' | 'template')[] = []

  function blank(until: number): void {
    out += source.slice(at, until).replace(/[^\n]/g, ' ')
    at = until
  }
  function text(until: number): void {
    if (!keepsText) blank(until)
    else {
      out += source.slice(at, until)
      at = until
    }
  }
  function skipQuoted(quote: string): void {
    let end = at + 1
    while (end < source.length && source[end] !== quote && source[end] !== '\n') end += source[end] === '\\' ? 2 : 1
    out += quote
    at += 1
    text(Math.min(end, source.length))
    if (source[at] === quote) {
      out += quote
      at += 1
    }
  }
  function skipTemplate(): void {
    let end = at
    while (end < source.length && source[end] !== '`' && !source.startsWith('${', end))
      end += source[end] === '\\' ? 2 : 1
    text(Math.min(end, source.length))
    if (source[at] === '`') out += source[at++]
    else if (at < source.length) {
      out += '${'
      at += 2
      braces.push('template')
    }
  }

  while (at < source.length) {
    const char = source[at] ?? ''
    if (source.startsWith('//', at)) blank(endOf(source, '\n', at))
    else if (source.startsWith('/*', at)) blank(endOf(source, '*/', at + 2) + 2)
    else if (char === "'" || char === '"') skipQuoted(char)
    else if (char === '`') {
      out += char
      at += 1
      skipTemplate()
    } else if (char === '/' && startsRegExp(out)) text(endOfRegExp(source, at))
    else {
      if (char === '{') braces.push('block')
      out += char
      at += 1
      if (char === '}' && braces.pop() === 'template') skipTemplate()
    }
  }
  return out
}

function endOf(source: string, mark: string, from: number): number {
  const end = source.indexOf(mark, from)
  return end < 0 ? source.length : end
}

/** A slash after a value divides; elsewhere it opens a regular expression. */
function startsRegExp(before: string): boolean {
  const text = before.trimEnd()
  if (/(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/.test(text)) return true
  return text === '' || /[(,=:[!&|?{};+\-*%~^<>]$/.test(text)
}

function endOfRegExp(source: string, from: number): number {
  let inClass = false
  for (let at = from + 1; at < source.length && source[at] !== '\n'; at += 1) {
    const char = source[at]
    if (char === '\\') at += 1
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && !inClass) return at + 1
  }
  return from + 1
}

/** Returns our file that an import names, as a path from the root; null for a package. */
export function ownTarget(file: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  const [, workspace, subpath] = OWN_PACKAGE.exec(specifier) ?? []
  if (workspace === undefined) return null
  const folder = workspace === 'sdk' ? 'sdk/typescript' : workspace
  return `${folder}/src/${subpath ?? 'index'}.ts`
}

/** Lists our source files below a folder, as paths from the root. */
export function sourceFiles(root: string, folder: string): string[] {
  const files: string[] = []
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !['node_modules', 'dist', 'data', 'coverage'].includes(entry.name))
      files.push(...sourceFiles(root, path))
    else if (/\.(ts|tsx|mjs)$/.test(entry.name)) files.push(path)
  }
  return files.sort()
}

/** Whether a file imports one of the targets by relative paths, directly or through other files. `known` caches the imports of files. */
export function reaches(
  root: string,
  from: string,
  targets: ReadonlySet<string>,
  known = new Map<string, readonly string[]>(),
): boolean {
  const seen = new Set<string>()
  const open = [from]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (targets.has(file)) return true
    if (seen.has(file)) continue
    seen.add(file)
    const imported = known.get(file) ?? importedFiles(root, file)
    known.set(file, imported)
    open.push(...imported)
  }
  return false
}

const importedFiles = (root: string, file: string): string[] =>
  importsOf(readFileSync(join(root, file), 'utf8'))
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => relative(root, join(root, dirname(file), specifier)))
