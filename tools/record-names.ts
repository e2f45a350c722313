// Finds names of formats and channels outside of their tables, where a new one would be missed.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles, withoutComments } from './imports.ts'

/** These files are read, not imported, because the check must also work on a tree that does not compile. */
const LISTS = ['engine/src/formats', 'engine/src/channels', 'service/src/core/channels'].map((at) => `${at}/list.ts`)
const WATCHED = ['engine/src', 'service/src', 'dashboard/src', 'till/src', 'labels']

/** Folders and files that may contain names, and why. An entry that contains no name is a problem, too. */
export const ALLOWED: Readonly<Record<string, string>> = {
  'engine/src/formats': 'the formats themselves',
  'engine/src/channels': 'the channels themselves',
  'service/src/core/channels': 'the channels themselves',
  'service/src/core/templates/domain/built-in/credentials.ts': 'documents that built-in templates ask for, as data',
  'service/src/features/conformance/domain/plans.ts': 'what the conformance suite can present, as data',
  'service/src/features/conformance/domain/suite-template.ts': 'a template for plans of the provider, as data',
  'service/src/features/docs/openapi/examples.ts': 'examples of answers',
  'service/src/features/trust/domain/sandbox.ts': 'what the test wallet can present: it has names of its own',
  'dashboard/src/pages/templates/builder/documents.ts': 'documents that can be asked for, as data',
  'dashboard/src/words/en/trust.ts': 'an example in a sentence',
  'dashboard/src/words/de/trust.ts': 'an example in a sentence',
  'dashboard/src/words/en/overview.ts': 'names of counts, one of which is spelled like a channel',
  'dashboard/src/words/de/overview.ts': 'names of counts, one of which is spelled like a channel',
}

const escaped = (name: string) => name.replaceAll('+', String.raw`\\?\+`)
/** Finds a name between quotes; or anywhere, if it is not an English word. */
const patternOf = (name: string) =>
  /[_+]/.test(name)
    ? new RegExp(String.raw`(?<![\w+-])${escaped(name)}(?![\w+-])`, 'g')
    : new RegExp(String.raw`(['"\`])${name}\1`, 'g')

/** The names in the lists; throws if a list is empty. */
export function listedNames(root: string): readonly string[] {
  const names = LISTS.flatMap((list) => {
    const lines = [...readFileSync(join(root, list), 'utf8').matchAll(/^export \{ (?:\w+ as )?'?([\w+-]+)'? \} from/gm)]
    if (lines.length === 0) throw new Error(`${list} lists nothing`)
    return lines.map(([, name = '']) => name)
  })
  return [...new Set(names)]
}

interface NameFound {
  readonly name: string
  readonly line: number
}

export function namesIn(source: string, names: readonly string[]): NameFound[] {
  const text = withoutComments(source)
  return names.flatMap((name) =>
    [...text.matchAll(patternOf(name))].map(({ index }) => ({ name, line: text.slice(0, index).split('\n').length })),
  )
}

export function nameProblems(root: string): string[] {
  const names = listedNames(root)
  const used = new Set<string>()
  const problems: string[] = []
  for (const file of WATCHED.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    sourceFiles(root, folder),
  )) {
    const found = namesIn(readFileSync(join(root, file), 'utf8'), names)
    const place = Object.keys(ALLOWED).find((allowed) => file === allowed || file.startsWith(`${allowed}/`))
    if (place !== undefined && found.length > 0) used.add(place)
    if (place !== undefined) continue
    for (const { name, line } of found)
      problems.push(`${file}:${line} names ${name}: find it in the table of formats or channels`)
  }
  const unused = Object.keys(ALLOWED).filter((place) => !used.has(place))
  return [...problems, ...unused.map((place) => `tools/record-names.ts allows ${place}, which names nothing`)]
}

if (import.meta.main) {
  const problems = nameProblems(join(import.meta.dirname, '..'))
  for (const problem of problems) console.log(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
