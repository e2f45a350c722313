// What the events of a run say of one test file. Nothing passes by being silent: a skipped test and a "todo" are failures.

import type { TestEvent } from 'node:test/reporters'

export interface Failure {
  readonly what: string
  readonly detail: string
}

export interface Heard {
  passed: number
  readonly failures: Failure[]
  /** Of its tests. */
  milliseconds: number
}

export interface Hearing extends Heard {
  hear(event: TestEvent): void
}

/** `path`: as the runner names the file where it speaks of the file as a whole. `file`: as people do. */
export function listenTo(path: string, file: string): Hearing {
  /** What began and did not end. */
  const running = new Set<string>()
  const failures: Failure[] = []
  const hearing: Hearing = { passed: 0, failures, milliseconds: 0, hear }
  return hearing

  function hear({ type, data }: TestEvent): void {
    if (type === 'test:dequeue' && data.name !== path) running.add(`${data.line ?? 0} ${data.name}`)
    if (type === 'test:complete') running.delete(`${data.line ?? 0} ${data.name}`)
    if (type !== 'test:pass' && type !== 'test:fail') return
    if (data.details.type === 'suite' && type === 'test:pass') return
    if (data.nesting === 0) hearing.milliseconds += data.details.duration_ms
    const what = data.name === path ? file : `${file}:${data.line ?? 0} ${data.name}`
    if (type === 'test:fail') {
      const { error } = data.details
      // The subtests that failed were reported themselves.
      if (!('failureType' in error && error.failureType === 'subtestsFailed'))
        failures.push({ what, detail: data.name === path ? describeFile(error, running) : describe(error) })
    } else if (data.skip !== undefined || data.todo !== undefined) {
      failures.push({ what, detail: `skipped or unfinished: ${data.skip ?? data.todo}` })
    } else if (data.name !== path) hearing.passed += 1 // the file as a whole is reported where it holds no tests
  }
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
