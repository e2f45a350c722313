// Collects the result of one test file from the events of a run. Skipped and "todo" tests are failures.

import type { TestEvent } from 'node:test/reporters'

export interface Failure {
  readonly what: string
  readonly detail: string
}

export interface FileResult {
  passed: number
  readonly failures: Failure[]
  /** The time that the file's tests took. */
  milliseconds: number
}

/** `path`: the name under which the runner reports a failure of the whole file. `file`: the name for people. */
export function collectFrom(path: string, file: string): FileResult & { collect(event: TestEvent): void } {
  const failures: Failure[] = []
  const result = { passed: 0, failures, milliseconds: 0, collect }
  return result

  function collect({ type, data }: TestEvent): void {
    if (type !== 'test:pass' && type !== 'test:fail') return
    if (data.details.type === 'suite' && type === 'test:pass') return
    if (data.nesting === 0) result.milliseconds += data.details.duration_ms
    const what = data.name === path ? file : `${file}:${data.line ?? 0} ${data.name}`
    if (type === 'test:fail') {
      const { error } = data.details
      // Failed subtests were already reported.
      if (!('failureType' in error && error.failureType === 'subtestsFailed'))
        failures.push({ what, detail: describe(error) })
    } else if (data.skip !== undefined || data.todo !== undefined) {
      failures.push({ what, detail: `skipped or unfinished: ${data.skip ?? data.todo}` })
    } else if (data.name !== path) result.passed += 1 // the runner reports a file without tests under its own path
  }
}

/** Describes an error with its causes. For a failed property, the cause is the failure of the single case. */
function describe(error: Error): string {
  const causes: Error[] = []
  for (let next: unknown = error.cause ?? error; next instanceof Error; next = next.cause) causes.push(next)
  if (causes.length === 0) return String(error.cause)
  const text = causes.map((cause) => cause.stack ?? cause.message).join('\ncaused by ')
  const lines = text.split('\n').filter((line) => !/^\s+at .*\(?node:internal/.test(line))
  return lines.join('\n')
}
