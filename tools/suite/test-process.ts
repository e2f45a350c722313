// Runs test files in this process and sends each result to the parent.

import { join } from 'node:path'
import { run } from 'node:test'
import { collectFrom, type FileResult } from './file-result.ts'

/** The tests of the current file that have started and not ended. */
export interface Running {
  readonly file: string
  readonly tests: readonly string[]
}

export type Message = { readonly running: Running } | { readonly results: Readonly<Record<string, FileResult>> }

const send = (message: Message) => process.send?.(message)

const [timeout = '', root = '', ...files] = process.argv.slice(2)
const collectors = new Map(files.map((file) => [join(root, file), collectFrom(join(root, file), file)]))
const [first = '', ...others] = files
const paths = [...collectors.keys()]
const running = new Set<string>()

for await (const event of run({ files: paths, isolation: 'none', concurrency: 1, timeout: Number(timeout) })) {
  // A test may be defined in another file. If the process runs one file, the test belongs to it.
  const path = others.length === 0 ? join(root, first) : 'file' in event.data ? (event.data.file ?? '') : ''
  // If the process runs several files, the test belongs to none of them, and must pass.
  const collector = collectors.get(path) ?? collectFrom(path, path)
  collector.collect(event)
  // An error after the end of its test sets the exit code, and is reported nowhere else.
  if (event.type === 'test:diagnostic' && /asynchronous activity/.test(event.data.message))
    console.error(event.data.message)
  if (!collectors.has(path) && collector.failures.length > 0)
    throw new Error(`a failure outside of every file: ${collector.failures[0]?.what}`)
  if (event.type !== 'test:dequeue' && event.type !== 'test:complete') continue
  const test = `line ${event.data.line ?? 0} ${event.data.name}`
  if (event.type === 'test:dequeue') running.add(test)
  else running.delete(test)
  send({ running: { file: path.slice(root.length + 1), tests: [...running] } })
}
// The runner does not report a file that failed while it was loaded. Importing it again throws the error.
for (const path of paths) await import(path)

const results: Record<string, FileResult> = {}
for (const file of files) {
  const { passed = 0, failures = [], milliseconds = 0 } = collectors.get(join(root, file)) ?? {}
  if (passed + failures.length > 0) results[file] = { passed, failures, milliseconds }
}
send({ results })
process.disconnect?.()
