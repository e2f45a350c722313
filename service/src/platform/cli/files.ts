// Reads files that a command names.

import { open, readFile } from 'node:fs/promises'
import { CliProblem } from './print.ts'

/** Exit code for a mistake in the call. */
const MISTAKE = 3

export async function readable(path: string): Promise<void> {
  const file = await open(path).catch(() => null)
  if (file === null) throw new CliProblem(`the file ${path} cannot be read`, MISTAKE)
  await file.close()
}

export async function readText(path: string): Promise<string> {
  await readable(path)
  return readFile(path, 'utf8')
}

/** Leaves out empty lines. Node's own reader also splits at U+2028 and U+2029, which may occur in JSON strings. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path)
  let rest = ''
  for await (const chunk of file.createReadStream({ encoding: 'utf8' })) {
    const lines = `${rest}${chunk}`.split(/\r?\n/)
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}
