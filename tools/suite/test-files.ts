// Runs test files in three processes. Files without tests, skipped tests and "todo" are failures.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Failure, FileResult } from './file-result.ts'
import type { Meter } from './processor.ts'
import type { Tally } from './tally.ts'
import type { Message, Running } from './test-process.ts'

export interface TestFile {
  readonly file: string
  /** Says in the output where the file runs. */
  readonly label: string
  readonly env: NodeJS.ProcessEnv
}

export interface FileOutcome {
  readonly passed: number
  readonly failures: readonly Failure[]
  readonly seconds: number
  /** Optional programs that this machine does not have. */
  readonly without: string | null
}

export interface FailedFile {
  readonly job: TestFile
  readonly first: FileOutcome
}

/** One more than the two cores that the suite is meant for, because tests often wait for browsers, disks and other processes. */
const CONCURRENCY = 3
/** The limit for a test that hangs. Slow tests stay below, even on a machine that is ten times slower than ours. */
const TEST_TIMEOUT_MS = 900_000
/** The limit for a file that hangs outside of its tests: it left a server open, or awaits a promise that never settles. */
const FILE_TIMEOUT_MS = 1_800_000
/** The row of the table of CPU time for what belongs to no single file. */
const LOADING = '(loading files that share a process)'
/** Printed by a file that has no tests on this machine because an optional program is missing. */
const ABSENT = /^skipped: (no (?:vectors|Python|PHP|Go|pylongfellow|moto|Keycloak|WordPress)\b.*)$/m
/** Printed by a test that would compare with another implementation that this machine lacks. */
const NOT_COMPARED = /^not (?:compared|tried): (.*)$/m

/** Runs the files. Reports and returns the failed files, and counts the others. */
export async function runFiles(
  root: string,
  groups: readonly (readonly TestFile[])[],
  result: Tally,
  meter?: Meter,
): Promise<FailedFile[]> {
  const queue = [...groups]
  const failed: FailedFile[] = []
  const note = (job: TestFile, first: FileOutcome) => {
    if (first.failures.length === 0) countPassed(job, first, result)
    else failed.push({ job, first })
    for (const { what } of first.failures) console.log(`failed  ${what}`)
    return first.failures.length === 0
  }
  const worker = async () => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      const together = group.length > 1 ? await runTogether(root, group, meter) : null
      let isGood = true
      for (const job of group) {
        const first = together?.outcomes.get(job) ?? (await runFile(root, job, meter))
        isGood = note(job, first) && isGood
      }
      // If no file of the group fails alone, nothing else would report the failure.
      if (isGood && together !== null && together.broke !== null)
        result.fail(`${group.map(({ file }) => file).join(' ')} in one process`, together.broke)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return failed
}

interface Together {
  /** The results of the files that the process reported. */
  readonly outcomes: ReadonlyMap<TestFile, FileOutcome>
  /** How the process ended, if it ended with an error or too early. */
  readonly broke: string | null
}

async function runTogether(root: string, group: readonly TestFile[], meter?: Meter): Promise<Together> {
  const { results, output, broke } = await runProcess(root, group, meter)
  // One of the files lacks an optional program. Each runs alone, so that the right line says so.
  if (broke === null && (ABSENT.test(output) || NOT_COMPARED.test(output))) return { outcomes: new Map(), broke: null }
  const outcomes = new Map<TestFile, FileOutcome>()
  for (const job of group) {
    const one = results.get(job.file)
    // Any file may have broken the process, also one that passed. Running each alone shows which.
    if (one === undefined || (broke !== null && one.failures.length === 0)) continue
    outcomes.set(job, outcomeOf(job, one, output))
  }
  return { outcomes, broke: broke === null || outcomes.size > 0 ? null : `${tail(output)}\n${broke}` }
}

export async function runFile(root: string, job: TestFile, meter?: Meter): Promise<FileOutcome> {
  const began = performance.now()
  const { results, output, broke, running } = await runProcess(root, [job], meter)
  const { passed, failures } = results.get(job.file) ?? { passed: 0, failures: [] }
  const [, absent] = ABSENT.exec(output) ?? NOT_COMPARED.exec(output) ?? []
  const whole: Failure[] = []
  if (broke !== null && failures.length === 0)
    whole.push({ what: job.file, detail: [broke, ...running.map((test) => `while this ran: ${test}`)].join('\n') })
  else if (passed + failures.length === 0 && !ABSENT.test(output))
    whole.push({ what: job.file, detail: 'holds no tests' })
  const milliseconds = performance.now() - began
  const outcome = outcomeOf(job, { passed, failures: [...failures, ...whole], milliseconds }, output)
  return { ...outcome, without: absent ?? null }
}

/** Adds the place where the file ran and the end of its output to the failures. */
function outcomeOf({ label }: TestFile, { passed, failures, milliseconds }: FileResult, output: string): FileOutcome {
  const described = failures.map(({ what, detail }) => ({
    what: what + label,
    detail: `${detail}\n${output === '' ? '' : tail(output)}`,
  }))
  return { passed, failures: described, seconds: milliseconds / 1000, without: null }
}

interface ProcessEnd {
  readonly results: ReadonlyMap<string, FileResult>
  readonly output: string
  /** How the process ended, if it ended with an error or too early; null otherwise. */
  readonly broke: string | null
  /** The tests that were running when the process ended. */
  readonly running: readonly string[]
}

/** Runs the files in one process, which starts only once. */
async function runProcess(root: string, group: readonly TestFile[], meter?: Meter): Promise<ProcessEnd> {
  const [{ env, label } = { env: {}, label: '' }] = group
  const args = [String(TEST_TIMEOUT_MS), root, ...group.map(({ file }) => file)]
  const child = fork(join(import.meta.dirname, 'test-process.ts'), args, { cwd: root, env, silent: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
  let results: Readonly<Record<string, FileResult>> | null = null
  // The cost of loading shared modules is counted for no single file.
  let running: Running = { file: group.length === 1 ? (group[0]?.file ?? '') : LOADING, tests: [] }
  const { pid = 0 } = child
  meter?.watch(pid, () => running.file + label)
  child.on('message', (message: Message) => {
    if ('running' in message) running = message.running
    else {
      results = message.results
      meter?.leave(pid)
    }
  })
  let isTooLong = false
  const timer = setTimeout(() => {
    isTooLong = true
    child.kill('SIGKILL')
  }, FILE_TIMEOUT_MS)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  meter?.leave(pid)
  const isGood = results !== null && code === 0
  const end = isTooLong ? `did not end within ${FILE_TIMEOUT_MS / 1000} s` : `ended with ${signal ?? `code ${code}`}`
  return {
    results: new Map(Object.entries<FileResult>(results ?? {})),
    output,
    broke: isGood ? null : `its process ${end}`,
    running: running.tests,
  }
}

export function countPassed({ file, label }: TestFile, { passed, seconds, without }: FileOutcome, result: Tally): void {
  result.pass(passed)
  const absent = without === null ? '' : `, ${without}`
  console.log(`ok      ${file}${label} (${passed} tests${absent}, ${seconds.toFixed(1)} s)`)
}

function tail(output: string): string {
  const lines = output.trimEnd().split('\n')
  return ['output:', ...lines.slice(-40)].join('\n')
}
