// `npm test`: everything. Types, lint, import rules, citations, waits, folders, records, then every test file, those of the store on two
// PostgreSQL versions. Ends with one line "N passed, N failed".
//
//   npm test -- --only check                          one part: all but the tests; or types, lint, doors, citations,
//                                                     waits, named, needs, sizes, voice, folders, decisions, lockfile,
//                                                     tests, postgres
//   npm test -- --changed                             the checks, and the tests that the changed files reach
//   npm test -- --thorough                            with ten times as many mutants from the fuzzers
//   npm test -- --seed 123                            the order of an earlier run
//   npm test -- service/test/http/usage.test.ts ...   these files and nothing else

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const PINNED = join(ROOT, 'node_modules', '.bin', 'node')

if (Number(process.versions.node.split('.')[0]) < 26 && existsSync(PINNED)) {
  // Called by hand with the machine's own Node: the tests are TypeScript and need the pinned one.
  const { status } = spawnSync(PINNED, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

const { runAll } = await import('./suite/run-all.ts')
process.exitCode = await runAll(ROOT, process.argv.slice(2))
