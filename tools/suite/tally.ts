// Counts passed and failed tests, and prints progress, failures, and a summary at the end.

export interface Tally {
  readonly passed: number
  readonly failed: number
  pass(count?: number): void
  fail(what: string, detail: string): void
  /** Reports a file that failed among others and passed alone. It does not count as a failure. */
  flaky(file: string, detail: string): void
  /** Runs a check, which counts as one passed test if it finds no problems. */
  check(name: string, problems: () => Promise<readonly string[]>): Promise<void>
  printFailures(): void
  /** Prints each failure again, in a few lines. */
  printBrief(): void
}

/** Lines per failure, if there are few and if there are many. */
const BRIEF_LINES = { few: 12, many: 4 }
const MANY = 20
const BRIEF_COLUMNS_MAX = 240

export function tally(print: (line: string) => void = console.log): Tally {
  const failures: { what: string; detail: string }[] = []
  const flaky: { what: string; detail: string }[] = []
  let passed = 0
  return {
    get passed() {
      return passed
    },
    get failed() {
      return failures.length
    },
    pass(count = 1) {
      passed += count
    },
    fail(what, detail) {
      failures.push({ what, detail })
      print(`FAILED  ${what}`)
    },
    flaky(file, detail) {
      flaky.push({ what: file, detail })
      print(`FLAKY   ${file}`)
    },
    async check(name, problems) {
      const began = performance.now()
      const found = await problems().catch((error) => [String(error?.stack ?? error)])
      if (found.length > 0) return this.fail(name, found.join('\n'))
      passed += 1
      print(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
    },
    printFailures() {
      const reported = [...labelled('FLAKY  ', flaky), ...labelled('FAILED ', failures)]
      for (const { what, detail } of reported) print(`\n${what}\n${detail.replace(/^/gm, '    ')}`)
      if (reported.length > 0) print('')
    },
    printBrief() {
      const linesMax = failures.length > MANY ? BRIEF_LINES.many : BRIEF_LINES.few
      for (const { what, detail } of [...labelled('FAILED ', failures), ...labelled('FLAKY  ', flaky)])
        print([what, ...brief(detail, linesMax)].join('\n        '))
    },
  }
}

const labelled = (label: string, results: readonly { what: string; detail: string }[]) =>
  results.map(({ what, detail }) => ({ what: `${label} ${what}`, detail }))

/** Returns the first lines, without stack frames of packages. */
function brief(detail: string, linesMax: number): string[] {
  const lines = detail.split('\n').filter((line) => line.trim() !== '' && !/^\s+at .*(?:node:|node_modules)/.test(line))
  return lines.slice(0, linesMax).map((line) => line.slice(0, BRIEF_COLUMNS_MAX))
}
