// Which parts of the suite run, in which order, and how the whole ended.

import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { heldCluster, testCluster } from '../../service/test/harness/servers/cluster.ts'
import { findPostgres } from '../setup/programs.mjs'
import { CHECKS } from './checks.ts'
import { inOrder, isUnit, runsOnBoth, testFiles, usesDatabase } from './choose-files.ts'
import { type Tally, tally } from './tally.ts'
import { type FailedFile, runFiles, type TestFile } from './test-files.ts'
import { runAgain } from './unsteady.ts'

/** What the fuzzers make of each kind of answer where time does not matter. */
const THOROUGH_FUZZ_RUNS = '100000'
const PARTS = ['check', ...Object.keys(CHECKS), 'tests', 'postgres']

/** The exit code. */
export async function runAll(root: string, args: readonly string[]): Promise<number> {
  const began = performance.now()
  const options = readOptions(args)
  if (typeof options === 'string') {
    console.log(options)
    return 2
  }
  const { only, seed, files, quick, thorough } = options
  const wants = (part: string, group: string) =>
    files.length === 0 && (only === null || only === part || only === group)
  const result = tally()
  for (const [name, check] of Object.entries(CHECKS)) {
    if (wants(name, 'check')) await result.check(name, () => check(root))
  }
  const all = files.length > 0 ? [...files] : testFiles(root)
  const chosen = quick ? all.filter((file) => isUnit(root, file)) : all
  const failed: FailedFile[] = []
  if (files.length > 0 || wants('tests', 'tests'))
    failed.push(...(await runOn(root, result, { seed, thorough, files: chosen, postgres: null })))
  if (!quick && wants('postgres', 'postgres'))
    failed.push(...(await runOnInstalledPostgres(root, result, { seed, thorough, files: chosen })))
  await runAgain(root, failed, result)
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
  readonly thorough: boolean
  readonly seed: number
  readonly files: readonly string[]
}

function readOptions(args: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        thorough: { type: 'boolean', default: false },
        seed: { type: 'string' },
      },
    })
    if (values.only !== undefined && !PARTS.includes(values.only)) return `--only takes one of ${PARTS.join(', ')}`
    const seed = values.seed === undefined ? randomInt(1, 1_000_000_000) : Number(values.seed)
    if (!Number.isSafeInteger(seed)) return '--seed takes a whole number'
    const { quick, thorough } = values
    return { only: values.only ?? null, quick, thorough, seed, files: positionals }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface Pass {
  readonly seed: number
  readonly thorough: boolean
  readonly files: readonly string[]
  /** Null: the one we bring along. */
  readonly postgres: string | null
}

async function runOn(root: string, result: Tally, { seed, thorough, files, postgres }: Pass): Promise<FailedFile[]> {
  const env = {
    // Hundreds of processes read the same TypeScript; what it was compiled to is kept, as "npm start" keeps it.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...(thorough ? { VIDIMUS_FUZZ_RUNS: THOROUGH_FUZZ_RUNS } : {}),
    ...process.env,
    ...(postgres === null ? {} : { VIDIMUS_TEST_POSTGRES: postgres }),
  }
  if (postgres === null) delete env.VIDIMUS_TEST_POSTGRES
  const label = postgres === null ? '' : ` on PostgreSQL ${postgres}`
  console.log(`${files.length} test files${label}, seed ${seed}`)
  const needsServer = files.some((file) => usesDatabase(root, file))
  // Held for the whole pass, so that the server is not stopped and started between files.
  const cluster = needsServer ? await testCluster(postgres) : null
  const held = cluster === null ? {} : heldCluster(cluster, postgres)
  const jobs: TestFile[] = inOrder(files, seed).map((file) => ({ file, label, env: { ...env, ...held } }))
  try {
    const failed = await runFiles(root, jobs, result)
    // Run again they are alone, and the server is held by nobody.
    return failed.map(({ job, first }) => ({ job: { ...job, env }, first }))
  } finally {
    await cluster?.stop()
  }
}

async function runOnInstalledPostgres(
  root: string,
  result: Tally,
  pass: Omit<Pass, 'postgres'>,
): Promise<FailedFile[]> {
  const files = pass.files.filter((file) => runsOnBoth(root, file))
  const postgres = findPostgres()
  if (postgres !== null) return runOn(root, result, { ...pass, files, postgres })
  if (process.env.CI === undefined) {
    console.log(
      'no PostgreSQL 15 is installed: the second pass is left out ("npm run setup -- --test" says what to do)',
    )
    return []
  }
  await result.check('postgres', async () => ['no PostgreSQL 15 is installed, and CI demands the second pass'])
  return []
}
