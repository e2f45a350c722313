// Finds the SQL in the service's sources, with our constants and functions expanded; other parts are `OPEN`.

import { withoutComments } from '../imports.ts'
import { OPEN } from './sql.ts'

interface FoundSql {
  readonly file: string
  readonly line: number
  /** The name of the statement, or of the constant or function that contains the text. */
  readonly name: string
  readonly text: string
}

interface Range {
  readonly from: number
  readonly to: number
}

interface Source {
  readonly file: string
  readonly code: string
  /** Constants and functions of the module, by name. */
  readonly declared: ReadonlyMap<string, Range>
  /** The module's imports from our files, by local name, with the exported name. */
  readonly imported: ReadonlyMap<string, string>
}

interface Literal extends Range {
  /** The literal's texts, and its expressions between `${` and `}`. */
  readonly parts: readonly ({ readonly text: string } | Range)[]
}

/** A text includes a text that includes a text, and so on: at most this deep. */
const DEPTH_MAX = 6
const VERB = /\b(?:select|insert into|update|delete from)\b/i
const DECLARATION = /^(?:export )?(?:async )?(?:const|function) (\w+)/gm
const IMPORT = /^import (?:type )?\{([^}]*)\} from '\.[^']*'/gm
/** The name in `{ name: 'load_x', text: … }` and `defineStatement('write_x', …)`. Does not match columns of rows. */
const STATEMENT_NAME = /\bname: (?:'(\w+)'|`([^`]+)`),(?! type:)|\bdefine\w+(?:<[^(]*>)?\(\s*(?:'(\w+)'|`([^`]+)`)/g
/** The rows of a statement's input. */
const GIVEN_ROWS = /\.unnest(?:HiddenCount)?\(/

export function sqlIn(files: readonly { readonly file: string; readonly source: string }[]): FoundSql[] {
  const sources = files.map(({ file, source }) => readSource(file, source))
  const { expand, included } = createExpander(sources)
  const found = sources.flatMap((source) =>
    literalsIn(source.code, { from: 0, to: source.code.length }).map((literal) => ({
      source,
      literal,
      text: expand(source, literal),
    })),
  )
  // A text is checked where it is included, unless it is also a separate statement.
  const isJudged = ({ source, literal }: (typeof found)[number]) =>
    isTextOfStatement(source, literal) || !included.has(placeOf(source, literal))
  return found
    .filter((one) => VERB.test(one.text) && isJudged(one) && !isSentence(one.source, one.literal))
    .map(({ source, literal, text }) => ({
      file: source.file,
      line: source.code.slice(0, literal.from).split('\n').length,
      name: nameOf(source, literal),
      text,
    }))
}

/** Outside of stores a text may name a function that sends a statement, which is checked where it is defined. */
const isSentence = ({ file }: Source, { parts }: Literal) =>
  !/\/(?:store|postgres)\//.test(file) && !parts.some((part) => 'text' in part && VERB.test(part.text))

const placeOf = ({ file }: Source, { from }: Literal) => `${file} ${from}`

const isTextOfStatement = ({ code }: Source, { from }: Literal) => /\btext:\s*$/.test(code.slice(0, from))

function createExpander(sources: readonly Source[]) {
  const owners = new Map<string, Source[]>()
  for (const source of sources)
    for (const name of source.declared.keys()) owners.set(name, [...(owners.get(name) ?? []), source])
  const included = new Set<string>()

  /** Finds the module that declares a name which `source` uses; null if none of ours does, or several do. */
  function ownerOf(name: string, source: Source): Source | null {
    if (source.declared.has(name)) return source
    const [owner, ...others] = owners.get(source.imported.get(name) ?? '') ?? []
    return owner === undefined || others.length > 0 ? null : owner
  }

  function expandLiteral(source: Source, literal: Literal, depth: number): string {
    if (depth > 0) included.add(placeOf(source, literal))
    return literal.parts.map((part) => ('text' in part ? part.text : expandCode(source, part, depth))).join('')
  }

  /** Joins all texts of an expression and of the names in it. */
  function expandCode(source: Source, range: Range, depth: number): string {
    const code = source.code.slice(range.from, range.to)
    if (depth > DEPTH_MAX) return OPEN
    if (GIVEN_ROWS.test(code)) return 'unnest()'
    const literals = literalsIn(source.code, range)
    const texts = literals.map((literal) => expandLiteral(source, literal, depth + 1))
    for (const name of namesIn(source.code, range, literals)) {
      const owner = ownerOf(name, source)
      const declared = owner?.declared.get(name)
      const isWithinItself =
        owner === source && declared !== undefined && declared.from <= range.from && range.to <= declared.to
      if (owner !== null && declared !== undefined && !isWithinItself)
        texts.push(expandCode(owner, declared, depth + 1))
    }
    return texts.length === 0 ? OPEN : texts.join(' ')
  }

  return { expand: (source: Source, literal: Literal) => expandLiteral(source, literal, 0), included }
}

/** Returns names in the code between the texts: no members (`a.b`), but spread names (`...a`). */
function namesIn(code: string, { from, to }: Range, literals: readonly Literal[]): string[] {
  const ends = [from, ...literals.map((literal) => literal.to)]
  const starts = [...literals.map((literal) => literal.from), to]
  const between = ends.map((end, at) => code.slice(end, starts[at])).join(' ')
  return [...between.matchAll(/(?<![^.]\.|\w)([A-Za-z_]\w*)\b(?!:)/g)].map(([, name = '']) => name)
}

function readSource(file: string, text: string): Source {
  const code = withoutComments(text)
  const declared = new Map<string, Range>()
  for (const { 0: head, 1: name = '', index } of code.matchAll(DECLARATION)) {
    // A declaration ends before the next line that starts at the margin and closes no bracket.
    const end = /\n(?=[^\s})\]`])/g
    end.lastIndex = index + head.length
    declared.set(name, { from: index + head.length, to: end.exec(code)?.index ?? code.length })
  }
  const imported = [...code.matchAll(IMPORT)].flatMap(([, names = '']) =>
    [...names.matchAll(/(\w+)(?: as (\w+))?/g)].map(([, there = '', here = there]) => [here, there] as const),
  )
  return { file, code, declared, imported: new Map(imported) }
}

function nameOf({ code, declared }: Source, { from }: Literal): string {
  const holder = [...declared].find(([, range]) => range.from <= from && from < range.to)
  const names = [...code.slice(holder?.[1].from ?? 0, from).matchAll(STATEMENT_NAME)]
  const [, ...parts] = names.at(-1) ?? []
  return parts.find((part) => part !== undefined) ?? holder?.[0] ?? 'a statement'
}

/** Returns the outermost texts of a range of code. */
function literalsIn(code: string, { from, to }: Range): Literal[] {
  const found: Literal[] = []
  for (let at = from; at < to; at += 1) {
    if (code[at] !== "'" && code[at] !== '`') continue
    const literal = code[at] === '`' ? templateAt(code, at) : quotedAt(code, at)
    found.push(literal)
    at = literal.to - 1
  }
  return found
}

function quotedAt(code: string, from: number): Literal {
  let to = from + 1
  while (to < code.length && code[to] !== "'" && code[to] !== '\n') to += code[to] === '\\' ? 2 : 1
  return { from, to: to + 1, parts: [{ text: code.slice(from + 1, to) }] }
}

function templateAt(code: string, from: number): Literal {
  const parts: ({ text: string } | Range)[] = []
  let at = from + 1
  let start = at
  while (at < code.length && code[at] !== '`') {
    if (code.startsWith('${', at)) {
      const end = endOfExpression(code, at + 2)
      parts.push({ text: code.slice(start, at) }, { from: at + 2, to: end })
      at = end + 1
      start = at
    } else at += code[at] === '\\' ? 2 : 1
  }
  parts.push({ text: code.slice(start, at) })
  return { from, to: at + 1, parts }
}

function endOfExpression(code: string, from: number): number {
  let depth = 0
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '`') at = templateAt(code, at).to - 1
    else if (code[at] === "'") at = quotedAt(code, at).to - 1
    else if (code[at] === '{') depth += 1
    else if (code[at] === '}') {
      if (depth === 0) return at
      depth -= 1
    }
  }
  return code.length
}
