// The file for new API keys: lines of JSON that only the file's owner can read.

import { open } from 'node:fs/promises'
import { CliProblem } from '../../../platform/cli/print.ts'

export interface SecretsFile {
  /** Resolves once the line is on disk, so that no key is lost if the process is killed. */
  write(line: object): Promise<void>
  close(): Promise<void>
}

/** Appends to an existing file, because it may have the keys of an interrupted run. */
export async function openSecretsFile(path: string): Promise<SecretsFile> {
  const file = await open(path, 'a', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CliProblem(`${path} cannot be written (${error.code ?? 'unknown reason'}); nothing was changed`, 1)
  })
  if (((await file.stat()).mode & 0o077) !== 0) {
    await file.close()
    throw new CliProblem(`others may read ${path}: run chmod 600 on it; nothing was changed`, 1)
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
