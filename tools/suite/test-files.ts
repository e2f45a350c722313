// Runs test files, each in a process of its own, two at a time. Nothing passes by being silent: a file without tests, a
// skipped test and a "todo" are failures; only the public vectors may be absent.

import { join } from 'node:path'
import { run } from 'node:test'
import type { Tally } from './tally.ts'

export interface TestFile {
  readonly file: string
  /** Where it runs, for the reader. */
  readonly label: string
  readonly env: NodeJS.ProcessEnv
}

const CONCURRENCY = 2
const TEST_TIMEOUT_MS = 120_000
const NO_VECTORS = 'skipped: no vectors'

export async function runFiles(root: string, jobs: readonly TestFile[], result: Tally): Promise<void> {
  const queue = [...jobs]
  const worker = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await runFile(root, job, result)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

async function runFile(root: string, { file, label, env }: TestFile, result: Tally): Promise<void> {
  const began = performance.now()
  const path = join(root, file)
  const failures: { what: string; detail: string }[] = []
  let passed = 0
  let output = ''
  for await (const { type, data } of run({ files: [path], concurrency: 1, timeout: TEST_TIMEOUT_MS, env, cwd: root })) {
    if (type === 'test:stdout' || type === 'test:stderr') output += data.message
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite' && type === 'test:pass') continue
    const what = data.name === path ? file : `${file}:${data.line ?? 0} ${data.name}`
    if (type === 'test:fail') {
      const { error } = data.details
      // The subtests that failed were reported themselves.
      if (!('failureType' in error && error.failureType === 'subtestsFailed'))
        failures.push({ what, detail: describe(error) })
    } else if (data.skip !== undefined || data.todo !== undefined) {
      failures.push({ what, detail: `skipped or unfinished: ${data.skip ?? data.todo}` })
    } else if (data.name === path) {
      // The file as a whole, reported only where it holds no tests.
      if (!output.includes(NO_VECTORS)) failures.push({ what, detail: 'holds no tests' })
    } else passed += 1
  }
  result.pass(passed)
  for (const { what, detail } of failures) result.fail(what + label, `${detail}\n${output === '' ? '' : tail(output)}`)
  const vectors = output.includes(NO_VECTORS) ? ', no vectors' : ''
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (failures.length === 0) console.log(`ok      ${file}${label} (${passed} tests${vectors}, ${seconds} s)`)
}

function describe(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  const text = cause.stack ?? cause.message ?? String(error.cause)
  const lines = text.split('\n').filter((line) => !/^\s+at .*\(?node:internal/.test(line))
  return lines.join('\n')
}

function tail(output: string): string {
  const lines = output.trimEnd().split('\n')
  return ['output:', ...lines.slice(-40)].join('\n')
}
