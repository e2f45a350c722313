// Stores a device's state in a file: readable by its owner only, replaced atomically, flushed before use.

import type { DeviceState, DeviceStorage } from './device-storage.ts'

/** The owner of an older lock has died: no refresh takes this long. */
const LOCK_STALE_MS = 60_000
const LOCK_RETRY_MS = 50

const fileSystem = () => import('node:fs/promises')

/** Imports the file system when it is used, so that the rest of the SDK runs without one. */
export function fileStorage(path: string): DeviceStorage {
  const folder = /^(.*)[\\/][^\\/]*$/.exec(path)?.[1] ?? '.'
  const makeFolder = async () => (await fileSystem()).mkdir(folder || '/', { recursive: true, mode: 0o700 })
  return {
    async load() {
      const text = await contentOf(path)
      return text === null ? null : (JSON.parse(text) as DeviceState)
    },
    async save(state) {
      const { rename, rm } = await fileSystem()
      await makeFolder()
      const draft = `${path}.${crypto.randomUUID()}.tmp`
      try {
        await writeDurably(draft, JSON.stringify(state))
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      await syncFolder(folder || '/')
    },
    async clear() {
      const { rm } = await fileSystem()
      await rm(path, { force: true })
    },
    async exclusively(work) {
      const lock = `${path}.lock`
      await makeFolder()
      const mark = await takeLock(lock)
      try {
        return await work()
      } finally {
        // A process that was suspended too long finds the mark of the next owner, and keeps that lock.
        await removeLock(lock, async () => (await contentOf(lock)) === mark)
      }
    },
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const { open } = await fileSystem()
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text, 'utf8')
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A rename is durable once its folder is flushed. */
async function syncFolder(path: string): Promise<void> {
  const { open } = await fileSystem()
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Returns the mark that identifies this owner's lock. */
async function takeLock(lock: string): Promise<string> {
  const mark = crypto.randomUUID()
  const isStale = async () => ((await ageOf(lock)) ?? 0) > LOCK_STALE_MS
  while (!(await makeFile(lock, mark))) {
    if (await isStale()) await removeLock(lock, isStale)
    else await retryTime()
  }
  return mark
}

/**
 * Removes a stale lock under a second lock, after another check. Otherwise, of two callers that found it stale, the slower
 * would remove the new lock of the faster.
 */
async function removeLock(lock: string, isToGo: () => Promise<boolean>): Promise<void> {
  const { rm } = await fileSystem()
  const guard = `${lock}.removal`
  while (!(await makeFile(guard, ''))) {
    if (((await ageOf(guard)) ?? 0) > LOCK_STALE_MS) await rm(guard, { force: true })
    else await retryTime()
  }
  try {
    if (await isToGo()) await rm(lock, { force: true })
  } finally {
    await rm(guard, { force: true })
  }
}

/** False if the lock exists. */
async function makeFile(path: string, content: string): Promise<boolean> {
  const { writeFile } = await fileSystem()
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
  }
}

const retryTime = () => new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS))

async function contentOf(path: string): Promise<string | null> {
  const { readFile } = await fileSystem()
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

async function ageOf(lock: string): Promise<number | null> {
  const { stat } = await fileSystem()
  try {
    return Date.now() - (await stat(lock)).mtimeMs
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

const isAbsent = (error: unknown) => (error as { code?: string }).code === 'ENOENT'
