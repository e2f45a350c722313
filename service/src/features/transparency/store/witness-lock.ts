// Locks a witness's folder, because two witnesses could sign different histories.

import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Identifies a process even after another process got the same pid. */
interface RunningProcess {
  readonly pid: number
  /** The start time as the system writes it; empty if the system does not report one. */
  readonly begin: string
}

export interface ProcessWorld {
  readonly self: RunningProcess
  /** Returns the process that has this pid now; null: none. */
  readonly processOf: (pid: number) => RunningProcess | null
}

/** Another process has locked the folder. */
export class WitnessFolderTaken extends Error {
  override readonly name = 'WitnessFolderTaken'
}

const FREE = 'free'
/** The number of the lock file of earlier releases, which has none. It counts as the oldest. */
const UNNUMBERED = 0

/**
 * Returns a function that releases the lock. When the last owner has ended, the next of lock.1, lock.2, … is created
 * atomically. The newest file is never deleted, so only one of several concurrent starts succeeds.
 */
export async function takeWitnessLock(folder: string, world: ProcessWorld): Promise<() => Promise<void>> {
  for (;;) {
    const newest = await newestLock(folder)
    const holder = await holderOf(folder, newest, world)
    if (holder !== null) throw new WitnessFolderTaken(`the process ${holder.pid} is the witness of this folder`)
    const number = newest + 1
    if (!(await makeLock(folder, number, world.self))) continue
    // Other processes may have started and ended in the meantime. Then the number is outdated.
    if ((await newestLock(folder)) > number) {
      await rm(pathOf(folder, number), { force: true })
      continue
    }
    const older = (await lockNumbers(folder)).filter((one) => one < number)
    for (const one of [UNNUMBERED, ...older]) await rm(pathOf(folder, one), { force: true })
    return () => writeOver(pathOf(folder, number), FREE)
  }
}

const pathOf = (folder: string, number: number) => join(folder, number === UNNUMBERED ? 'lock' : `lock.${number}`)

async function lockNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => {
    const [, digits] = /^lock\.(\d{1,15})$/.exec(name) ?? []
    return digits === undefined ? [] : [Number(digits)]
  })
}

const newestLock = async (folder: string) => Math.max(UNNUMBERED, ...(await lockNumbers(folder)))

async function holderOf(folder: string, number: number, world: ProcessWorld): Promise<RunningProcess | null> {
  const text = await readFile(pathOf(folder, number), 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Either no lock exists, or another process has replaced it, and the loop finds the newer one.
    if (error.code === 'ENOENT') return FREE
    throw error
  })
  if (text === FREE) return null
  const [, digits, begin = ''] = /^(\d{1,10})(?: (\S+))?$/.exec(text) ?? []
  if (digits === undefined) throw new WitnessFolderTaken(`${pathOf(folder, number)} is not the lock file of a witness`)
  const pid = Number(digits)
  const running = world.processOf(pid)
  if (running === null) return null
  // Without start times, our own pid can only be that of an ended process that had the same pid.
  if (begin === '' || running.begin === '') return pid === world.self.pid ? null : running
  return running.begin === begin ? running : null
}

/** Creates the file atomically, only if it does not exist. */
async function makeLock(folder: string, number: number, { pid, begin }: RunningProcess): Promise<boolean> {
  const draft = join(folder, `draft.${randomUUID()}`)
  await writeFile(draft, begin === '' ? String(pid) : `${pid} ${begin}`, { mode: 0o600 })
  try {
    await link(draft, pathOf(folder, number))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeOver(path: string, text: string): Promise<void> {
  await writeFile(`${path}.draft`, text, { mode: 0o600 })
  await rename(`${path}.draft`, path)
}
