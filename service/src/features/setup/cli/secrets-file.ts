// Where new API keys are written: lines of JSON that the owner of the file alone can read.

import { open } from 'node:fs/promises'
import { CliProblem } from '../../../platform/cli/print.ts'

export interface SecretsFile {
  /** Resolves once it is written: a process that is killed then has lost none. */
  write(line: object): Promise<void>
  close(): Promise<void>
}

/** Added to what is there: a run that was cut short is run again, and its keys are still needed. */
export async function openSecretsFile(path: string): Promise<SecretsFile> {
  const file = await open(path, 'a', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CliProblem(`${path} cannot be written (${error.code ?? 'unknown reason'}); nothing was changed`, 1)
  })
  if (((await file.stat()).mode & 0o077) !== 0) {
    await file.close()
    throw new CliProblem(`others may read ${path}: say chmod 600 of it; nothing was changed`, 1)
  }
  return {
    async write(line) {
      await file.appendFile(`${JSON.stringify(line)}\n`)
    },
    async close() {
      await file.datasync()
      await file.close()
    },
  }
}
