// Runs test files, three processes at a time, each for one file or for a group of them. Nothing passes by being silent: a file
// without tests, a skipped test and a "todo" are failures; only the public vectors, a language of the SDK and the library for
// zero-knowledge proofs may be absent, and the line of the file says so.

import { join } from 'node:path'
import { run } from 'node:test'
import { runGroup } from './group.ts'
import { type Failure, listenTo } from './heard.ts'
import type { Tally } from './tally.ts'

export interface TestFile {
  readonly file: string
  /** Where it runs, for the reader. */
  readonly label: string
  readonly env: NodeJS.ProcessEnv
}

export interface FileResult {
  readonly passed: number
  readonly failures: readonly Failure[]
  readonly seconds: number
  /** What this machine has not, of what may be absent. */
  readonly without: string | null
}

export interface FailedFile {
  readonly job: TestFile
  readonly first: FileResult
}

/** One more than the two cores the suite is meant for: much of it waits for browsers, disks and other processes. */
const CONCURRENCY = 3
/** For what hangs, not for what is slow: the machine may be ten times slower than ours. */
const TEST_TIMEOUT_MS = 900_000
/** For what hangs outside of its tests: a server left open, a promise that nothing settles. */
const FILE_TIMEOUT_MS = 1_800_000
/** What a file says that holds no tests on this machine, and rightly so. */
const ABSENT = /^skipped: (no (?:vectors|Python|PHP|Go|pylongfellow)\b.*)$/m
/** Written by a test that would have asked another implementation, which this machine has not. */
const NOT_COMPARED = /^not compared: (.*)$/m

/** Those that failed are told and returned; the rest is counted. */
export async function runFiles(
  root: string,
  groups: readonly (readonly TestFile[])[],
  result: Tally,
): Promise<FailedFile[]> {
  const queue = [...groups]
  const failed: FailedFile[] = []
  const note = (job: TestFile, first: FileResult) => {
    if (first.failures.length === 0) countPassed(job, first, result)
    else failed.push({ job, first })
    for (const { what } of first.failures) console.log(`failed  ${what}`)
    return first.failures.length === 0
  }
  const worker = async () => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      const together = group.length > 1 ? await runTogether(root, group) : null
      let isGood = true
      for (const job of group) {
        const first = together?.results.get(job) ?? (await runFile(root, job))
        isGood = note(job, first) && isGood
      }
      // Where none of them fails by itself, nothing else would tell.
      if (isGood && together !== null && together.broke !== null)
        result.fail(`${group.map(({ file }) => file).join(' ')} in one process`, together.broke)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return failed
}

interface Together {
  /** Of files that are not in it nothing is known. */
  readonly results: ReadonlyMap<TestFile, FileResult>
  /** How the process ended where it should not have. */
  readonly broke: string | null
}

async function runTogether(root: string, group: readonly TestFile[]): Promise<Together> {
  const [{ env, label } = { env: {}, label: '' }] = group
  const files = group.map(({ file }) => file)
  const limits = { testMs: TEST_TIMEOUT_MS, wholeMs: FILE_TIMEOUT_MS }
  const { heard, output } = await runGroup(root, { files, env }, limits)
  // One of them has not all it needs here, and its line must say so: each by itself.
  if (heard !== null && (ABSENT.test(output) || NOT_COMPARED.test(output))) return { results: new Map(), broke: null }
  const results = new Map<TestFile, FileResult>()
  for (const job of group) {
    const one = heard?.get(job.file)
    if (one === undefined) continue
    const { passed, failures, milliseconds } = one
    results.set(job, { passed, failures: told(failures, label, output), seconds: milliseconds / 1000, without: null })
  }
  return { results, broke: heard === null ? tail(output) : null }
}

export function countPassed({ file, label }: TestFile, { passed, seconds, without }: FileResult, result: Tally): void {
  result.pass(passed)
  const absent = without === null ? '' : `, ${without}`
  console.log(`ok      ${file}${label} (${passed} tests${absent}, ${seconds.toFixed(1)} s)`)
}

export async function runFile(root: string, { file, label, env }: TestFile): Promise<FileResult> {
  const began = performance.now()
  const path = join(root, file)
  const hearing = listenTo(path, file)
  let output = ''
  const limit = timeLimit(FILE_TIMEOUT_MS)
  const options = { concurrency: 1, timeout: TEST_TIMEOUT_MS, env, cwd: root, signal: limit.signal }
  for await (const event of run({ files: [path], ...options })) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') output += event.data.message
    hearing.hear(event)
  }
  limit.clear()
  const { passed, failures } = hearing
  const [, absent] = ABSENT.exec(output) ?? NOT_COMPARED.exec(output) ?? []
  if (passed + failures.length === 0 && !ABSENT.test(output)) failures.push({ what: file, detail: 'holds no tests' })
  return {
    passed,
    failures: told(failures, label, output),
    seconds: (performance.now() - began) / 1000,
    without: absent ?? null,
  }
}

/** With where it ran, and the end of what was printed. */
function told(failures: readonly Failure[], label: string, output: string): Failure[] {
  return failures.map(({ what, detail }) => ({
    what: what + label,
    detail: `${detail}\n${output === '' ? '' : tail(output)}`,
  }))
}

function timeLimit(milliseconds: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const tooLong = new Error(`the file did not end within ${milliseconds / 1000} s`)
  const timer = setTimeout(() => controller.abort(tooLong), milliseconds)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

function tail(output: string): string {
  const lines = output.trimEnd().split('\n')
  return ['output:', ...lines.slice(-40)].join('\n')
}
