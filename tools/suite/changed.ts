// Finds the test files that changed files reach (`npm test -- --changed`): by imports, or by a table.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { importsOf, ownTarget } from '../imports.ts'
import { usesDatabase } from './choose-files.ts'

/** Programs that tests start without naming them by a URL. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  'service/test/docs/blocks.ts': ['service/src/main.ts'],
  'service/test/npm-start.test.ts': ['service/src/main.ts'],
  'service/test/browser/new-setting.test.ts': ['service/src/main.ts'],
  'tools/test/dev.test.ts': ['service/src/main.ts', 'tools/dev.ts'],
  'tools/test/suite.test.ts': ['tools/suite/run-all.ts'],
  'tools/test/flaky.test.ts': ['tools/suite/run-all.ts'],
  'tools/test/groups.test.ts': ['tools/suite/run-all.ts', 'tools/suite/test-process.ts'],
}
const NAMED_BY_URL = /new URL\(\s*'(\.[^']+\.(?:ts|mjs))'/g

/** The tests for changed files that no test imports: folders and files of tests. The first row that matches a path counts. */
const READERS: readonly (readonly [RegExp, readonly string[] | 'all' | 'database'])[] = [
  [/(?:^|\/)(?:package(?:-lock)?|tsconfig)\.json$|^\.npmrc$/, 'all'],
  [/^(?:biome\.json|\.editorconfig|\.gitignore|LICENSE)$/, []],
  [/^service\/src\/platform\/postgres\/.*\.sql$/, 'database'],
  [/^service\/src\/.*\.(?:css|js)$/, ['service/test/browser/', 'service/test/http/', 'service/test/docs/']],
  [/^dashboard\//, ['service/test/browser/dashboard/', 'service/test/dashboard/', 'service/test/http/']],
  [/^till\//, ['service/test/browser/till', 'service/test/http/till', 'till/test/']],
  [/^sdk\/typescript\//, ['sdk/', 'service/test/docs/', 'service/test/browser/']],
  [/^sdk\//, ['sdk/', 'service/test/sdk/', 'service/test/docs/', 'service/test/log/', 'service/test/webhooks/']],
  [/^examples\//, ['service/test/docs/', 'tools/test/']],
  [/^service\/test\/log\//, ['service/test/log/']],
  [/^service\/test\/foreign\//, ['service/test/foreign/']],
  [
    /^docs\/|^[A-Z]+\.md$|\/README\.md$/,
    ['service/test/docs/', 'service/test/browser/docs', 'tools/test/', 'sdk/test/'],
  ],
  [/^(?:deploy|tools|\.ci)\//, ['tools/test/']],
]
const IS_CODE = /\.(?:ts|tsx|mjs)$/

export interface Choice {
  readonly files: readonly string[]
  /** Changed files for which every test runs, because all tests depend on them or it is unknown which do. */
  readonly unknown: readonly string[]
  /** Changed code that no test reaches. */
  readonly unreached: readonly string[]
}

/** Paths from the root that changed since this branch left main, including uncommitted ones. Null: git is not available. */
export function changedFiles(root: string): string[] | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const names = (text: string) => text.split('\0').filter((name) => name !== '')
  try {
    const base = ['main', 'origin/main'].flatMap((branch) => {
      try {
        return [git('merge-base', 'HEAD', branch).trim()]
      } catch {
        return [] // there is no such branch here
      }
    })[0]
    const changed = names(git('diff', '--name-only', '--no-renames', '-z', base ?? 'HEAD'))
    return [...new Set([...changed, ...names(git('ls-files', '--others', '--exclude-standard', '-z'))])].sort()
  } catch {
    return null
  }
}

export function testsOfChanges(
  root: string,
  tests: readonly string[],
  changed: readonly string[],
  graph = reverseGraph(root, tests),
): Choice {
  const chosen = new Set<string>()
  const [unknown, unreached]: [string[], string[]] = [[], []]
  for (const path of changed) {
    const isTestOrReached = graph.has(path)
    for (const test of graph.get(path) ?? []) chosen.add(test)
    const readers = READERS.find(([pattern]) => pattern.test(path))?.[1]
    if (readers === 'all' || (readers === undefined && !isTestOrReached && !IS_CODE.test(path))) unknown.push(path)
    else if (readers === undefined && !isTestOrReached) unreached.push(path)
    else if (readers === 'database') for (const test of tests) usesDatabase(root, test) && chosen.add(test)
    else if (readers !== undefined && (!isTestOrReached || !path.includes('/test/')))
      for (const test of tests) if (readers.some((reader) => test.startsWith(reader))) chosen.add(test)
    // A changed guide, catalogue of cases or schema reaches the tests that mention it.
    if (!IS_CODE.test(path) && basename(path) !== 'README.md')
      for (const test of graph.get(`mentions ${basename(path)}`) ?? []) chosen.add(test)
  }
  return { files: tests.filter((test) => unknown.length > 0 || chosen.has(test)), unknown, unreached }
}

/** Returns for each file the tests that reach it (a test reaches itself), and for each quoted file name the tests that mention it. */
export function reverseGraph(root: string, tests: readonly string[]): Map<string, Set<string>> {
  const references = new Map<string, readonly string[]>()
  const reached = new Map<string, Set<string>>()
  for (const test of tests) {
    const seen = new Set<string>()
    const open = [test]
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      const next = references.get(file) ?? referencesOf(root, file)
      references.set(file, next)
      open.push(...next)
    }
    for (const file of seen) reached.set(file, (reached.get(file) ?? new Set()).add(test))
  }
  return reached
}

function referencesOf(root: string, file: string): string[] {
  if (!IS_CODE.test(file) || !existsSync(join(root, file))) return []
  const text = readFileSync(join(root, file), 'utf8')
  const imported = importsOf(text).map(({ specifier }) => ownTarget(file, specifier))
  const named = [...text.matchAll(NAMED_BY_URL)].map(([, path = '']) => normalize(join(dirname(file), path)))
  const mentioned = [...text.matchAll(/['"`/]([\w.-]+\.(?!ts|mjs)\w+)['"`]/g)].map(([, name]) => `mentions ${name}`)
  return [...imported.filter((path) => path !== null), ...named, ...(STARTED[file] ?? []), ...mentioned]
}
