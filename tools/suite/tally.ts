// Counts what passed and failed, shows progress as it happens and the failures again at the end.

export interface Tally {
  readonly passed: number
  readonly failed: number
  pass(count?: number): void
  fail(what: string, detail: string): void
  /** A check of its own: no problems, one pass. */
  check(name: string, problems: () => Promise<readonly string[]>): Promise<void>
  printFailures(): void
}

export function tally(print: (line: string) => void = console.log): Tally {
  const failures: { what: string; detail: string }[] = []
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
    async check(name, problems) {
      const began = performance.now()
      const found = await problems().catch((error) => [String(error?.stack ?? error)])
      if (found.length > 0) return this.fail(name, found.join('\n'))
      passed += 1
      print(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
    },
    printFailures() {
      for (const { what, detail } of failures) print(`\nFAILED  ${what}\n${detail.replace(/^/gm, '    ')}`)
      if (failures.length > 0) print('')
    },
  }
}
