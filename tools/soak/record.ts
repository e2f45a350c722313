// Writes the files that a failed run leaves: the logs of every process, and a log of events. A successful run leaves none.

import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'

export interface RunRecord {
  readonly folder: string
  /** Opens a file in the folder, for the output of a process. */
  file(name: string): Writable
  /** Writes one line with the time to `events.log`. */
  note(what: string): void
  /** Closes the files, and removes the folder if there was no failure. */
  close(isRed: boolean): Promise<void>
}

export async function openRecord(folder: string): Promise<RunRecord> {
  await mkdir(folder, { recursive: true })
  const files: Writable[] = []
  const file = (name: string) => {
    const stream = createWriteStream(join(folder, name), { flags: 'a' })
    files.push(stream)
    return stream
  }
  const events = file('events.log')
  return {
    folder,
    file,
    note: (what) => void events.write(`${new Date().toISOString()} ${what}\n`),
    async close(isRed) {
      await Promise.all(files.map((stream) => new Promise<void>((resolve) => void stream.end(resolve))))
      if (!isRed) await rm(folder, { recursive: true, force: true })
    },
  }
}
