// Checks that everything that code, tests and guides cite exists: interface parts, cases, decisions, headings.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { codeOnly } from './imports.ts'

const INTERFACE = 'docs/interface.md'
const CASES_FOLDER = 'docs/protocol/'
const DECISIONS_FOLDER = 'docs/decisions/'
/** This file is not checked, because its strings deliberately cite things that do not exist. */
const OWN_TEST = 'tools/test/citations.test.ts'

/** A case: N or V with three digits; D, R, T, L or E with two; EGR, WH or OIDC with a dash and two. */
const CASE = String.raw`(?:[NV]\d{3}|[DRTLE]\d{2}|(?:EGR|WH|OIDC)-\d{2})`
/** A case, or a range of cases (V013-V017). Ignores base64, escapes, paths, and times such as T23:59. */
const CASES = new RegExp(String.raw`(?<![\w+/=%\\.-])(${CASE})(?:-(${CASE}))?(?![\w+/=-]|:\d)`, 'g')
/** "Spec 5.4", "specification part 6", "spec 2.1, 2.2 and 3.1". Does not match after the name of a standard. */
const PARTS =
  /(?<!(?:[A-Z]{2}[\w-]*|\d)\s)\b[Ss]pec(?:ification)?[\s/*]+(?:part[\s/*]+)?(\d+(?:\.\d+)?(?:(?:,| and| to)[\s/*]+\d+\.\d+)*)(?![\w-])/g
const NUMBERS = /\d+(?:\.\d+)?/g
/** A test's title that begins with the number of a part and a colon. In test/spec/ the colon is optional. */
const TITLES = /\b(?:test|it|describe)\(\s*['"`](\d\.\d+(?:(?:,| and) \d(?:\.\d+)?)*)(:?)(?=[\s:])/g
const DECISION = /\b[Dd]ecision (\d+)\b/g
const PAGE = /(?<![\w./-])((?:\.{1,2}\/)*(?:[\w-]+\/)*[\w-]+\.md)\b(?:#([\w-]+))?/g

interface Known {
  readonly parts: ReadonlySet<string>
  readonly cases: ReadonlySet<string>
  readonly decisions: ReadonlySet<number>
  /** Path of a Markdown file -> the names of its headings in links. */
  readonly pages: ReadonlyMap<string, ReadonlySet<string>>
}

interface Citation {
  readonly at: number
  readonly cited: string
  readonly missing: string
}

/** Returns each problem as "file:line what is wrong". */
export function checkCitations(root: string): string[] {
  const texts = readTexts(root)
  texts.delete(OWN_TEST)
  return citationProblems(texts)
}

/**
 * `files`: path from the root -> text. Only comments and strings of source files cite; code, hex digits, base64 and
 * times are ignored.
 */
export function citationProblems(files: ReadonlyMap<string, string>): string[] {
  const known: Known = {
    parts: partsOf(files.get(INTERFACE) ?? ''),
    cases: new Set(definitionsOf(files).map(({ name }) => name)),
    decisions: new Set([...files.keys()].flatMap((file) => decisionNumber(file) ?? [])),
    pages: new Map([...files].filter(([file]) => isPage(file)).map(([file, text]) => [file, headingsOf(text)])),
  }
  return [...doubleDefinitions(files), ...[...files].flatMap(([file, text]) => danglingIn(file, text, known))]
}

/** Parts and numbered rules: "## 7. Errors", "### 2.1 Verification", "**5.4 Expiry.**". */
export function partsOf(page: string): ReadonlySet<string> {
  const headings = [...page.matchAll(/^#{2,3} (\d+(?:\.\d+)?)[. ]/gm)]
  const rules = [...page.matchAll(/^\*\*(\d+\.\d+) /gm)]
  return new Set([...headings, ...rules].map(([, number = '']) => number))
}

/** A case is defined by the first column of a table. */
function definitionsOf(files: ReadonlyMap<string, string>): { file: string; name: string }[] {
  const pages = [...files].filter(([file]) => file.startsWith(CASES_FOLDER) && isPage(file))
  const row = new RegExp(String.raw`^\| (${CASE}) \|`, 'gm')
  return pages.flatMap(([file, text]) => [...text.matchAll(row)].map(([, name = '']) => ({ file, name })))
}

function doubleDefinitions(files: ReadonlyMap<string, string>): string[] {
  const seen = new Set<string>()
  const problems: string[] = []
  for (const { file, name } of definitionsOf(files)) {
    if (seen.has(name)) problems.push(`${file} defines ${name}, which is defined already`)
    seen.add(name)
  }
  return problems
}

function danglingIn(file: string, text: string, known: Known): string[] {
  const words = isPage(file) ? withoutBlocks(text) : commentsAndStrings(text)
  const prose = isPage(file) ? words : commentsOf(text)
  const found = [
    ...missingParts(words.matchAll(PARTS), known),
    ...missingParts(titlesOf(file, text), known),
    ...missingCases(words, known),
    ...missingDecisions(prose, known),
    ...missingPages(file, prose, known),
  ]
  return found.map(({ at, cited, missing }) => `${file}:${lineOf(text, at)} cites ${cited}: ${missing}`)
}

function missingParts(matches: Iterable<RegExpExecArray>, { parts }: Known): Citation[] {
  return [...matches].flatMap(({ index, 1: list = '' }) =>
    [...list.matchAll(NUMBERS)]
      .filter(([number]) => !parts.has(number))
      .map(([number]) => ({ at: index, cited: `part ${number}`, missing: `${INTERFACE} has none` })),
  )
}

function titlesOf(file: string, source: string): RegExpExecArray[] {
  if (!file.endsWith('.test.ts')) return []
  return [...source.matchAll(TITLES)].filter(([, , colon]) => colon === ':' || file.includes('/test/spec/'))
}

function missingCases(words: string, { cases }: Known): Citation[] {
  return [...words.matchAll(CASES)].flatMap(({ index, 1: first = '', 2: last = first }) =>
    [...new Set([first, last])]
      .filter((name) => !cases.has(name))
      .map((name) => ({ at: index, cited: name, missing: `no table in ${CASES_FOLDER} defines it` })),
  )
}

function missingDecisions(prose: string, { decisions }: Known): Citation[] {
  return [...prose.matchAll(DECISION)]
    .filter(([, number]) => !decisions.has(Number(number)))
    .map(({ index, 0: cited }) => ({ at: index, cited, missing: 'there is no such record' }))
}

/** Relative to the root, to docs/, or to the folder of the citing file. */
function missingPages(file: string, prose: string, { pages }: Known): Citation[] {
  return [...prose.matchAll(PAGE)].flatMap(({ index, 0: cited, 1: path = '', 2: heading }) => {
    const candidates = [posix.join(posix.dirname(file), path), posix.normalize(path), posix.join('docs', path)]
    const target = candidates.find((candidate) => pages.has(candidate))
    if (target === undefined) return [{ at: index, cited, missing: 'there is no such file' }]
    if (heading === undefined || pages.get(target)?.has(heading)) return []
    return [{ at: index, cited, missing: 'it has no such heading' }]
  })
}

const isPage = (file: string): boolean => file.endsWith('.md')

function decisionNumber(file: string): number | undefined {
  const digits = file.startsWith(DECISIONS_FOLDER) ? /^(\d{4})-/.exec(posix.basename(file))?.[1] : undefined
  return digits === undefined ? undefined : Number(digits)
}

/** Headings in the form of link targets. */
function headingsOf(page: string): ReadonlySet<string> {
  const titles = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase())
  return new Set(titles.map((title) => title.replace(/[^\w\- ]/g, '').replaceAll(' ', '-')))
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** Code blocks in a guide are input and output. */
function withoutBlocks(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, blanked)
}

const blanked = (text: string): string => text.replace(/[^\n]/g, ' ')

/** Replaces the code by blanks and keeps comments and strings at their positions. */
function commentsAndStrings(source: string): string {
  const code = codeOnly(source)
  return Array.from({ length: source.length }, (_, i) =>
    source[i] === '\n' || source[i] !== code[i] ? source[i] : ' ',
  ).join('')
}

/** Only comments, because file names in strings are data as often as citations. */
function commentsOf(source: string): string {
  const code = codeOnly(source).split('\n')
  const lines = source.split('\n').map((line, i) => {
    const from = commentStart(line, code[i] ?? '')
    return from < 0 ? blanked(line) : `${' '.repeat(from)}${line.slice(from)}`
  })
  return lines.join('\n')
}

/** The position of a line's comment; -1 if it has none. A line that begins with a star and has no code continues a comment. */
function commentStart(line: string, code: string): number {
  if (code.trim() === '' && /^\s*\*/.test(line)) return 0
  for (const { index } of line.matchAll(/\/[/*]/g)) {
    const before = code.slice(0, index)
    const quotes = before.split(/['"`]/).length - 1
    if (code.slice(index, index + 2) === '  ' && quotes % 2 === 0) return index
  }
  return -1
}

const SKIPPED = new Set(['node_modules', 'dist', 'data', 'coverage'])

function readTexts(root: string, folder = ''): Map<string, string> {
  const texts = new Map<string, string>()
  if (!existsSync(join(root, folder))) return texts
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name)) {
      for (const [file, text] of readTexts(root, path)) texts.set(file, text)
    } else if (entry.isFile() && /\.(?:ts|tsx|mjs|md)$/.test(entry.name)) {
      texts.set(path, readFileSync(join(root, path), 'utf8'))
    }
  }
  return texts
}

if (import.meta.main) {
  const problems = checkCitations(dirname(import.meta.dirname))
  for (const problem of problems) console.log(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
