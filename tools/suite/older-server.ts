// Chooses the tests that run again on the oldest PostgreSQL. Statements that they do not send are only planned there.

import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testDatabase } from '../../service/test/harness/servers/database.ts'
import { type NotedStatement, notedStatements, unplannable } from '../../service/test/harness/servers/statements.ts'
import { sourceFiles } from '../imports.ts'
import { usesDatabase } from './choose-files.ts'

/** Tests of migrations, plans, values and connections. */
const ABOUT_SERVER = 'service/test/store/'
/** Tests of behaviour that a plan does not show: leases and locks, text order, and the decoding of each type. */
const ALSO_ABOUT_SERVER = ['cli/apply', 'dashboard/answers', 'usecases/jobs', 'webhooks/deliveries'].map(
  (name) => `service/test/${name}.test.ts`,
)
/** Folders that --thorough adds: tests of the statements' callers. */
const WITH_TIME = ['service/test/http/', 'service/test/spec/', 'service/test/usecases/']

export function runsOnOlder(root: string, file: string, thorough: boolean): boolean {
  const missing = ALSO_ABOUT_SERVER.find((path) => !existsSync(join(root, path)))
  if (missing !== undefined) throw new Error(`bug: ${missing} no longer exists`)
  if (ALSO_ABOUT_SERVER.includes(file)) return true
  const folders = thorough ? [ABOUT_SERVER, ...WITH_TIME] : [ABOUT_SERVER]
  return folders.some((folder) => file.startsWith(folder)) && usesDatabase(root, file)
}

/** The name in `{ name: 'load_x', text: … }` and `defineStatement('write_x', …)`. An expression in a template matches anything. */
const NAME = String.raw`(?:'(\w+)'|\`([^\`]+)\`),`
const NAMED = new RegExp(
  String.raw`\bname: ${NAME}\s*(?:(?:replanEachCall: true,|//.*)\s*)*text\b|\bdefine\w+(?:<[^(]*>)?\(\s*${NAME}`,
  'g',
)
/** Parts of statements (`platform/postgres/fragments.ts`), which are sent alone or within other statements. */
const FRAGMENT = /\bname: '(\w+)',\s*ctes\b/g
/**
 * Statements that are sent below the recording layer: over the connection of a migration, and by the client itself to
 * find the tables of a day. Tests on both servers send them.
 */
const NOT_NOTED = /^migrations_|^find_tables_of_day$/

const textsOf = (root: string) => sourceFiles(root, 'service/src').map((file) => readFileSync(join(root, file), 'utf8'))

export const fragmentsOf = (root: string): string[] =>
  textsOf(root).flatMap((text) => [...text.matchAll(FRAGMENT)].map(([, name = '']) => name))

export function statementsOf(root: string): string[] {
  const names = textsOf(root).flatMap((text) =>
    [...text.matchAll(NAMED)].map(([, ...parts]) => parts.find((part) => part !== undefined) ?? ''),
  )
  return [...new Set(names)].filter((name) => !NOT_NOTED.test(name))
}

/**
 * Lists statements that this server cannot plan and, if `complete`, statements of the source that no test sent. Ignores
 * statements that tests define themselves on their own tables.
 */
export async function statementProblems(
  root: string,
  { notedIn, postgres, complete }: { readonly notedIn: string; readonly postgres: string; readonly complete: boolean },
): Promise<string[]> {
  const noted = notedStatements(await readFile(notedIn, 'utf8'))
  const names = statementsOf(root)
  const isOurs = nameTest([...names, ...fragmentsOf(root)])
  const ends: (() => Promise<void>)[] = []
  const { url } = await testDatabase({ after: (end) => void ends.push(end) }, { postgres })
  try {
    const ours = noted.filter(({ name }) => isOurs(name))
    const plans = ours.filter(({ text }) => !BLOCK.test(text))
    const missing = complete ? [...notSent(names, noted), ...blocksNotRun(ours, postgres)] : []
    return [...(await unplannable(url, plans)), ...missing]
  } finally {
    for (const end of ends) await end()
  }
}

/** A block of statements has no plan, so a test must run it on the older server. */
const BLOCK = /^\s*do\b/i

export function blocksNotRun(noted: readonly NotedStatement[], postgres: string): string[] {
  const blocks = new Set(noted.filter(({ text }) => BLOCK.test(text)).map(({ name }) => name))
  const ran = new Set(noted.filter((one) => one.postgres === postgres).map(({ name }) => name))
  return [...blocks].filter((name) => !ran.has(name)).map((name) => `no test ran ${name} on PostgreSQL ${postgres}`)
}

const nameTest = (names: readonly string[]) => {
  const pattern = new RegExp(`^(?:${names.map((name) => name.replace(/\$\{[^}]*\}/g, '\\w+')).join('|')})$`)
  return (name: string) => pattern.test(name)
}

export function notSent(names: readonly string[], noted: readonly { readonly name: string }[]): string[] {
  const missing = names.filter((name) => !noted.some((one) => nameTest([name])(one.name)))
  return missing.map((name) => `no test sent ${name}`)
}
