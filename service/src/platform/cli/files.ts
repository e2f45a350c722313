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

export async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path)
  for await (const line of file.readLines()) if (line !== '') yield line
}
