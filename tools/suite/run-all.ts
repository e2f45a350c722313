// Runs the parts of the suite in order, and reports the result.

import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { EmbeddedPostgres } from '../../service/src/platform/postgres/embedded/server.ts'
import { clusterEnvironment, testCluster } from '../../service/test/harness/servers/cluster.ts'
import { noteStatementsIn } from '../../service/test/harness/servers/statements.ts'
import { findPostgres } from '../setup/programs.mjs'
import { changedFiles, testsOfChanges } from './changed.ts'
import { CHECKS } from './checks.ts'
import { inGroups, inOrder, isUnit, testFiles, usesDatabase } from './choose-files.ts'
import { retryFailed } from './flaky.ts'
import { runsOnOlder, statementProblems } from './older-server.ts'
import { createMeter, listMostExpensive, type Meter } from './processor.ts'
import { type Tally, tally } from './tally.ts'
import { type FailedFile, runFiles, type TestFile } from './test-files.ts'

/** The number of mutants of each kind with --thorough. */
const THOROUGH_FUZZ_RUNS = '100000'
const PARTS = ['check', ...Object.keys(CHECKS), 'tests', 'postgres']

/** Returns the exit code. */
export async function runAll(root: string, args: readonly string[]): Promise<number> {
  const began = performance.now()
  const processorBefore = await machineSeconds()
  const options = readOptions(args)
  if (typeof options === 'string') {
    console.log(options)
    return 2
  }
  const { only, seed, files, quick, thorough, changed } = options
  const wants = (part: string, group: string) =>
    files.length === 0 && (only === null || only === part || only === group)
  const result = tally()
  for (const [name, check] of Object.entries(CHECKS)) {
    if (wants(name, 'check')) await result.check(name, () => check(root))
  }
  const all = files.length > 0 ? [...files] : changed ? chooseChanged(root) : testFiles(root)
  const chosen = quick ? all.filter((file) => isUnit(root, file)) : all
  const withTests = files.length > 0 || wants('tests', 'tests')
  const older = !quick && wants('postgres', 'postgres') ? await olderServer(result) : null
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-statements-'))
  const notedIn = join(folder, 'noted')
  await writeFile(notedIn, '')
  const passes: Pass[] = []
  if (withTests)
    passes.push({ seed, thorough, files: chosen, postgres: null, notedIn: older === null ? null : notedIn })
  if (older !== null)
    passes.push({
      ...{ seed, thorough, postgres: older, notedIn },
      files: all.filter((file) => runsOnOlder(root, file, thorough)),
    })
  const meter = createMeter()
  const failed = await runPasses(root, result, passes, meter)
  meter.stop()
  await retryFailed(root, failed, result)
  if (older !== null) {
    const complete = withTests && !changed
    await result.check(`statements on PostgreSQL ${older}`, () =>
      statementProblems(root, { notedIn, postgres: older, complete }),
    )
  }
  await rm(folder, { recursive: true })
  result.printFailures()
  for (const line of listMostExpensive(meter.seconds)) console.log(line)
  const processor = (await machineSeconds()) - processorBefore
  const used = Number.isNaN(processor) ? '' : `, and the machine ${Math.round(processor)} s of processor during the run`
  console.log(
    `took ${((performance.now() - began) / 1000).toFixed(1)} s${used}; the same order again: npm test -- --seed ${seed}`,
  )
  result.printBrief()
  console.log(`${result.passed} passed, ${result.failed} failed`)
  return result.failed === 0 && result.passed > 0 ? 0 : 1
}

/**
 * CPU time of the whole machine since its start, because the meter misses servers and browsers that outlive the process
 * that started them. NaN if the machine does not report it.
 */
async function machineSeconds(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '')
  const [user = NaN, nice = 0, system = 0, , , irq = 0, softirq = 0] = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '')
    .split(' ')
    .filter((part) => part !== '')
    .map(Number)
  return (user + nice + system + irq + softirq) / 100
}

interface Options {
  readonly only: string | null
  readonly quick: boolean
  readonly thorough: boolean
  readonly changed: boolean
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
        changed: { type: 'boolean', default: false },
        seed: { type: 'string' },
      },
    })
    if (values.only !== undefined && !PARTS.includes(values.only)) return `--only takes one of ${PARTS.join(', ')}`
    const seed = values.seed === undefined ? randomInt(1, 1_000_000_000) : Number(values.seed)
    if (!Number.isSafeInteger(seed)) return '--seed takes a whole number'
    const { quick, thorough, changed } = values
    return { only: values.only ?? null, quick, thorough, changed, seed, files: positionals }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Finds the test files that the changes reach, and prints why. */
function chooseChanged(root: string): string[] {
  const all = testFiles(root)
  const changed = changedFiles(root)
  if (changed === null) {
    console.log('git does not say what changed: every test runs')
    return all
  }
  const { files, unknown, unreached } = testsOfChanges(root, all, changed)
  const [first] = unknown
  const why = first === undefined ? 'by their imports and by name' : `all of them because of ${first}`
  console.log(`${changed.length} files changed; they reach ${files.length} of ${all.length} test files, ${why}`)
  if (unreached.length > 0) console.log(`no test reaches ${unreached.join(', ')}`)
  return [...files]
}

interface Pass {
  readonly seed: number
  readonly thorough: boolean
  readonly files: readonly string[]
  /** The folder of the PostgreSQL to use; null: the embedded PostgreSQL. */
  readonly postgres: string | null
  /** The file in which the sent statements are recorded; null: they are not recorded. */
  readonly notedIn: string | null
}

/** Runs the passes in order. A worker without a further file of one pass begins with the next pass. */
async function runPasses(root: string, result: Tally, passes: readonly Pass[], meter: Meter): Promise<FailedFile[]> {
  const clusters: EmbeddedPostgres[] = []
  try {
    const groups: TestFile[][] = []
    const alone = new Map<TestFile, NodeJS.ProcessEnv>()
    for (const pass of passes) {
      const { files, seed, postgres } = pass
      const label = postgres === null ? '' : ` on PostgreSQL ${postgres}`
      console.log(`${files.length} test files${label}, seed ${seed}`)
      const env = environmentOf(root, pass)
      // Keeps the server for the whole run, so that it is not stopped and started between files.
      const cluster = files.some((file) => usesDatabase(root, file)) ? await testCluster(postgres) : null
      if (cluster !== null) clusters.push(cluster)
      const environment = cluster === null ? {} : clusterEnvironment(cluster, postgres)
      for (const group of inGroups(root, inOrder(files, seed))) {
        const jobs = group.map((file) => ({ file, label, env: { ...env, ...environment } }))
        for (const job of jobs) alone.set(job, env)
        groups.push(jobs)
      }
    }
    const failed = await runFiles(root, groups, result, meter)
    // A file that runs again runs alone and gets no shared cluster.
    return failed.map(({ job, first }) => ({ job: { ...job, env: alone.get(job) ?? job.env }, first }))
  } finally {
    for (const cluster of clusters) await cluster.stop()
  }
}

function environmentOf(root: string, { thorough, postgres, notedIn }: Pass): NodeJS.ProcessEnv {
  const env = {
    // Hundreds of processes read the same TypeScript, so its compiled form is cached, like "npm start" does.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...(thorough ? { VIDIMUS_FUZZ_RUNS: THOROUGH_FUZZ_RUNS } : {}),
    ...process.env,
    ...(postgres === null ? {} : { VIDIMUS_TEST_POSTGRES: postgres }),
    ...(notedIn === null ? {} : noteStatementsIn(notedIn)),
  }
  if (postgres === null) delete env.VIDIMUS_TEST_POSTGRES
  return env
}

/** The machine's own PostgreSQL; null if there is none, which is reported, and fails in CI. */
async function olderServer(result: Tally): Promise<string | null> {
  const postgres = findPostgres()
  if (postgres !== null) return postgres
  if (process.env.CI === undefined) {
    console.log(
      'no PostgreSQL 15 is installed: the second pass is left out ("npm run setup -- --test" says what to do)',
    )
    return null
  }
  await result.check('postgres', async () => ['no PostgreSQL 15 is installed, and CI demands the second pass'])
  return null
}
