// Runs test files, each in a process of its own, three at a time. Nothing passes by being silent: a file without tests, a
// skipped test and a "todo" are failures; only the public vectors, a language of the SDK and the library for zero-knowledge proofs may be absent,
// and the line of the file says so.

import { join } from 'node:path'
import { run } from 'node:test'
import type { Tally } from './tally.ts'

export interface TestFile {
  readonly file: string
  /** Where it runs, for the reader. */
  readonly label: string
  readonly env: NodeJS.ProcessEnv
}

export interface Failure {
  readonly what: string
  readonly detail: string
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
export async function runFiles(root: string, jobs: readonly TestFile[], result: Tally): Promise<FailedFile[]> {
  const queue = [...jobs]
  const failed: FailedFile[] = []
  const worker = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const first = await runFile(root, job)
      if (first.failures.length === 0) countPassed(job, first, result)
      else {
        failed.push({ job, first })
        for (const { what } of first.failures) console.log(`failed  ${what}`)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return failed
}

export function countPassed({ file, label }: TestFile, { passed, seconds, without }: FileResult, result: Tally): void {
  result.pass(passed)
  const absent = without === null ? '' : `, ${without}`
  console.log(`ok      ${file}${label} (${passed} tests${absent}, ${seconds.toFixed(1)} s)`)
}

export async function runFile(root: string, { file, label, env }: TestFile): Promise<FileResult> {
  const began = performance.now()
  const path = join(root, file)
  const failures: Failure[] = []
  const running = new Set<string>()
  let passed = 0
  let output = ''
  const limit = timeLimit(FILE_TIMEOUT_MS)
  const options = { concurrency: 1, timeout: TEST_TIMEOUT_MS, env, cwd: root, signal: limit.signal }
  for await (const { type, data } of run({ files: [path], ...options })) {
    if (type === 'test:stdout' || type === 'test:stderr') output += data.message
    if (type === 'test:dequeue' && data.name !== path) running.add(`${data.line ?? 0} ${data.name}`)
    if (type === 'test:complete') running.delete(`${data.line ?? 0} ${data.name}`)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite' && type === 'test:pass') continue
    const what = data.name === path ? file : `${file}:${data.line ?? 0} ${data.name}`
    if (type === 'test:fail') {
      const { error } = data.details
      // The subtests that failed were reported themselves.
      if (!('failureType' in error && error.failureType === 'subtestsFailed'))
        failures.push({ what, detail: data.name === path ? describeFile(error, running) : describe(error) })
    } else if (data.skip !== undefined || data.todo !== undefined) {
      failures.push({ what, detail: `skipped or unfinished: ${data.skip ?? data.todo}` })
    } else if (data.name === path) {
      // The file as a whole, reported only where it holds no tests.
      if (!ABSENT.test(output)) failures.push({ what, detail: 'holds no tests' })
    } else passed += 1
  }
  limit.clear()
  const [, absent] = ABSENT.exec(output) ?? NOT_COMPARED.exec(output) ?? []
  return {
    passed,
    failures: failures.map(({ what, detail }) => ({
      what: what + label,
      detail: `${detail}\n${output === '' ? '' : tail(output)}`,
    })),
    seconds: (performance.now() - began) / 1000,
    without: absent ?? null,
  }
}

function timeLimit(milliseconds: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const tooLong = new Error(`the file did not end within ${milliseconds / 1000} s`)
  const timer = setTimeout(() => controller.abort(tooLong), milliseconds)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

/** Of the file as a whole: its process ended early, a hook outside of its tests failed, or it took too long. */
function describeFile(
  error: Error & { exitCode?: number | null; signal?: string | null },
  running: ReadonlySet<string>,
) {
  const { exitCode, signal } = error
  const lines = [...running].map((test) => `while this ran: line ${test}`)
  if (exitCode !== undefined) return [`its process ended with ${signal ?? `code ${exitCode}`}`, ...lines].join('\n')
  return [describe(error), ...lines].join('\n')
}

/** With what it came from: of a property that failed, the failure of the one case. */
function describe(error: Error): string {
  const causes: Error[] = []
  for (let next: unknown = error.cause ?? error; next instanceof Error; next = next.cause) causes.push(next)
  if (causes.length === 0) return String(error.cause)
  const text = causes.map((cause) => cause.stack ?? cause.message).join('\ncaused by ')
  const lines = text.split('\n').filter((line) => !/^\s+at .*\(?node:internal/.test(line))
  return lines.join('\n')
}

function tail(output: string): string {
  const lines = output.trimEnd().split('\n')
  return ['output:', ...lines.slice(-40)].join('\n')
}
