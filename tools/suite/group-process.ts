// Runs a group of test files in this process, and tells whoever started it what was heard of each. A file of which nothing was
// heard, because it holds no tests or others define them for it, is not told of.

import { join } from 'node:path'
import { run } from 'node:test'
import { type Heard, listenTo } from './heard.ts'

const [timeout = '', root = '', ...files] = process.argv.slice(2)
const hearings = new Map(files.map((file) => [join(root, file), listenTo(join(root, file), file)]))
const paths = [...hearings.keys()]

for await (const event of run({ files: paths, isolation: 'none', concurrency: 1, timeout: Number(timeout) })) {
  const path = 'file' in event.data ? (event.data.file ?? '') : ''
  // A test that another file defines is nobody's here: it may pass, and nothing else.
  const hearing = hearings.get(path) ?? listenTo(path, path)
  hearing.hear(event)
  if (!hearings.has(path) && hearing.failures.length > 0) throw new Error(`nobody's test: ${hearing.failures[0]?.what}`)
}
// The runner is silent about a file that could not be loaded to its end; loaded again, it fails again.
for (const path of paths) await import(path)

const heard: Record<string, Heard> = {}
for (const file of files) {
  const { passed = 0, failures = [], milliseconds = 0 } = hearings.get(join(root, file)) ?? {}
  if (passed + failures.length > 0) heard[file] = { passed, failures, milliseconds }
}
process.send?.(heard)
process.disconnect?.()
