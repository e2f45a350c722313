// A device's state in a file: readable by its owner only, replaced whole, on disk before it is used.
// The file system is asked for when it is used, so that the rest of the SDK runs where there is none.

import type { DeviceState, DeviceStorage } from './device-storage.ts'

/** A holder that is older has died: no refresh takes this long. */
const LOCK_STALE_MS = 60_000
const LOCK_RETRY_MS = 50

const fileSystem = () => import('node:fs/promises')

export function fileStorage(path: string): DeviceStorage {
  const folder = /^(.*)[\\/][^\\/]*$/.exec(path)?.[1] ?? '.'
  const makeFolder = async () => (await fileSystem()).mkdir(folder || '/', { recursive: true, mode: 0o700 })
  return {
    async load() {
      const { readFile } = await fileSystem()
      try {
        return JSON.parse(await readFile(path, 'utf8')) as DeviceState
      } catch (error) {
        if (isAbsent(error)) return null
        throw error
      }
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
      const { rm } = await fileSystem()
      const lock = `${path}.lock`
      await makeFolder()
      await takeLock(lock)
      try {
        return await work()
      } finally {
        await rm(lock, { force: true })
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

/** A rename is durable once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const { open } = await fileSystem()
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function takeLock(lock: string): Promise<void> {
  const { open, rm } = await fileSystem()
  for (;;) {
    try {
      await (await open(lock, 'wx', 0o600)).close()
      return
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
    const age = await ageOf(lock)
    if (age !== null && age > LOCK_STALE_MS) await rm(lock, { force: true })
    else await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS))
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
