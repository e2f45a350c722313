// Which parts of the suite run, in which order, and how the whole ended.

import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { testCluster } from '../../service/test/harness/servers/cluster.ts'
import { importsOf, reaches, sourceFiles } from '../imports.ts'
import { findPostgres } from '../setup/programs.mjs'
import { CHECKS } from './checks.ts'
import { type Tally, tally } from './tally.ts'
import { runFiles, type TestFile } from './test-files.ts'

const WORKSPACES = ['engine', 'service', 'sdk', 'wallet', 'dashboard', 'till', 'bench', 'tools']
/** Whatever reaches this file talks to a database. */
const DATABASE_HARNESS = 'service/test/harness/servers/cluster.ts'
/** What runs on the older PostgreSQL too: every statement is reached from here; browsers and chaos need it once. */
const ON_BOTH = ['service/test/store/', 'service/test/http/', 'service/test/spec/', 'service/test/usecases/']
/** Whatever reaches one of these starts a database, a browser or a service of its own. */
const SLOW_HARNESSES = new Set(
  ['cluster', 'embedded', 'browser', 'bare-environment'].map((name) => `service/test/harness/${name}.ts`),
)
const PARTS = ['check', ...Object.keys(CHECKS), 'tests', 'postgres']

/** The exit code. */
export async function runAll(root: string, args: readonly string[]): Promise<number> {
  const began = performance.now()
  const options = readOptions(args)
  if (typeof options === 'string') {
    console.log(options)
    return 2
  }
  const { only, seed, files, quick } = options
  const wants = (part: string, group: string) =>
    files.length === 0 && (only === null || only === part || only === group)
  const result = tally()
  for (const [name, check] of Object.entries(CHECKS)) {
    if (wants(name, 'check')) await result.check(name, () => check(root))
  }
  const all = files.length > 0 ? [...files] : WORKSPACES.flatMap((folder) => testFiles(root, folder))
  const chosen = quick ? all.filter((file) => isUnit(root, file)) : all
  if (files.length > 0 || wants('tests', 'tests')) {
    await runOn(root, result, { seed, files: chosen, postgres: null })
  }
  if (!quick && wants('postgres', 'postgres')) await runOnInstalledPostgres(root, result, { seed, files: chosen })
  result.printFailures()
  console.log(
    `took ${((performance.now() - began) / 1000).toFixed(1)} s; the same order again: npm test -- --seed ${seed}`,
  )
  result.printBrief()
  console.log(`${result.passed} passed, ${result.failed} failed`)
  return result.failed === 0 && result.passed > 0 ? 0 : 1
}

interface Options {
  readonly only: string | null
  readonly quick: boolean
  readonly seed: number
  readonly files: readonly string[]
}

function readOptions(args: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { only: { type: 'string' }, quick: { type: 'boolean', default: false }, seed: { type: 'string' } },
    })
    if (values.only !== undefined && !PARTS.includes(values.only)) return `--only takes one of ${PARTS.join(', ')}`
    const seed = values.seed === undefined ? randomInt(1, 1_000_000_000) : Number(values.seed)
    if (!Number.isSafeInteger(seed)) return '--seed takes a whole number'
    return { only: values.only ?? null, quick: values.quick, seed, files: positionals }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function testFiles(root: string, folder: string): string[] {
  return sourceFiles(root, folder).filter((file) => file.endsWith('.test.ts'))
}

/** Neither database nor browser nor another process, and no mutants by the thousand. */
function isUnit(root: string, file: string): boolean {
  if (file.includes('/test/fuzz/') || reaches(root, file, SLOW_HARNESSES)) return false
  return !importsOf(readFileSync(join(root, file), 'utf8')).some(({ specifier }) => specifier === 'node:child_process')
}

interface Pass {
  readonly seed: number
  readonly files: readonly string[]
  /** Null: the one we bring along. */
  readonly postgres: string | null
}

async function runOn(root: string, result: Tally, { seed, files, postgres }: Pass): Promise<void> {
  const env = {
    // Hundreds of processes read the same TypeScript; what it was compiled to is kept, as "npm start" keeps it.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...process.env,
    ...(postgres === null ? {} : { VIDIMUS_TEST_POSTGRES: postgres }),
  }
  if (postgres === null) delete env.VIDIMUS_TEST_POSTGRES
  const label = postgres === null ? '' : ` on PostgreSQL ${postgres}`
  console.log(`${files.length} test files${label}, seed ${seed}`)
  const usesDatabase = files.some((file) => reaches(root, file, new Set([DATABASE_HARNESS])))
  // Held for the whole pass, so that the server is not stopped and started between files.
  const cluster = usesDatabase ? await testCluster(postgres) : null
  const jobs: TestFile[] = shuffled(files, seed).map((file) => ({ file, label, env }))
  try {
    await runFiles(root, jobs, result)
  } finally {
    await cluster?.stop()
  }
}

async function runOnInstalledPostgres(root: string, result: Tally, pass: Omit<Pass, 'postgres'>): Promise<void> {
  const files = pass.files.filter(
    (file) => ON_BOTH.some((folder) => file.startsWith(folder)) && reaches(root, file, new Set([DATABASE_HARNESS])),
  )
  const postgres = findPostgres()
  if (postgres !== null) return runOn(root, result, { ...pass, files, postgres })
  if (process.env.CI === undefined) {
    console.log(
      'no PostgreSQL 15 is installed: the second pass is left out ("npm run setup -- --test" says what to do)',
    )
    return
  }
  await result.check('postgres', async () => ['no PostgreSQL 15 is installed, and CI demands the second pass'])
}

/** By keys from a small generator (mulberry32): the same seed gives the same order everywhere. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const keyed = items.map((item) => ({ item, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}
