// Stores on disk the newest log that this process has seen, so that a restart does not forget it.

import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreUnfit } from '../../../platform/store-unavailable.ts'
import type { SeenLog } from '../domain/log/seen-log.ts'

const FILE = 'log-seen.json'

/** Returns null if there is no file. */
export async function readSeenLog(dataDir: string): Promise<SeenLog | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const seen = parse(text)
  // An unreadable file is not treated as missing, because the process would forget what it saw.
  if (seen === null)
    throw new StoreUnfit(
      `${join(dataDir, FILE)} cannot be read`,
      'remove it once you are sure that the store is the newest',
    )
  return seen
}

function parse(text: string): SeenLog | null {
  try {
    // A file of an earlier release has no `haltedRuns`.
    const seen: SeenLog = { haltedRuns: 0, ...(JSON.parse(text) as Omit<SeenLog, 'haltedRuns'>) }
    const { storeId, size, haltedRuns, root, checkedAt, note } = seen
    const texts = [root, checkedAt, note].every((one) => one === null || typeof one === 'string')
    return typeof storeId === 'string' && [size, haltedRuns].every(Number.isSafeInteger) && texts ? seen : null
  } catch {
    return null
  }
}

/** Atomic, and flushed to disk. */
export async function writeSeenLog(dataDir: string, seen: SeenLog): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const draft = join(dataDir, `${FILE}.${process.pid}`)
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(seen)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, join(dataDir, FILE))
}
