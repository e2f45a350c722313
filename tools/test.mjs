// Runs all checks and tests, or the part that the arguments choose (`npm test`; docs/testing.md).

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const PINNED = join(ROOT, 'node_modules', '.bin', 'node')

if (Number(process.versions.node.split('.')[0]) < 26 && existsSync(PINNED)) {
  // Restarts with the pinned Node if it was called with another, because the tests are TypeScript and need it.
  const { status } = spawnSync(PINNED, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

const { runAll } = await import('./suite/run-all.ts')
process.exitCode = await runAll(ROOT, process.argv.slice(2))
