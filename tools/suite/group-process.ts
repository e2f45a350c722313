// Runs a group of test files in this process, and tells whoever started it what was heard of each. A file of which nothing was
// heard, because it holds no tests or others define them for it, is not told of.

import { run } from 'node:test'
import type { GroupFile } from './group.ts'
import { type Heard, listenTo } from './heard.ts'

const [timeout = '', ...pairs] = process.argv.slice(2)
const files = pairs.map((pair) => JSON.parse(pair) as GroupFile)
const hearings = new Map(files.map(({ path, file }) => [path, listenTo(path, file)]))
const paths = [...hearings.keys()]

for await (const event of run({ files: paths, isolation: 'none', concurrency: 1, timeout: Number(timeout) })) {
  const hearing = 'file' in event.data ? hearings.get(event.data.file ?? '') : undefined
  hearing?.hear(event)
  if (hearing === undefined && event.type === 'test:fail') throw new Error(`whose test is "${event.data.name}"?`)
}
// The runner is silent about a file that could not be loaded to its end; loaded again, it fails again.
for (const path of paths) await import(path)

const heard: Record<string, Heard> = {}
for (const [path, { passed, failures, milliseconds }] of hearings)
  if (passed + failures.length > 0) heard[path] = { passed, failures, milliseconds }
process.send?.(heard)
process.disconnect?.()
