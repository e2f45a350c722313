// Decides by owners and mode bits what an account can reach. Ignores ACLs, so a wrong answer is always "no".

import { chmod, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Account } from './system-user.ts'

const EXECUTE = 0o1
const READ_EXECUTE = 0o5
const READ = 0o4

export async function canEnter(folder: string, account: Account): Promise<boolean> {
  for (let path = await realpath(folder); ; path = dirname(path)) {
    if (!(await allows(path, account, EXECUTE))) return false
    if (path === dirname(path)) return true
  }
}

/** Binaries, their libraries and their data files. */
export async function canRun(binDir: string, account: Account): Promise<boolean> {
  if (!(await canEnter(binDir, account))) return false
  for (const program of ['postgres', 'initdb']) {
    if (!(await allows(join(binDir, program), account, READ_EXECUTE))) return false
  }
  const root = dirname(binDir)
  const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter(
    (entry) => !entry.isSymbolicLink(),
  )
  for (const entry of files) {
    if (!(await allows(join(entry.parentPath, entry.name), account, entry.isDirectory() ? READ_EXECUTE : READ)))
      return false
  }
  return true
}

async function allows(path: string, { uid, gid }: Account, wanted: number): Promise<boolean> {
  const { mode, uid: owner, gid: group } = await stat(path)
  const bits = owner === uid ? mode >> 6 : group === gid ? mode >> 3 : mode
  return (bits & wanted) === wanted
}

/** Whatever our umask: other users may pass through the folder, but not list it. */
export async function makeEnterable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
}

export async function openToRead(root: string): Promise<void> {
  await chmod(root, 0o755)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    await chmod(path, entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}

/** Whether only `uid` can use the folder. The socket's folder is the server's only protection. */
export async function isPrivateFolder(path: string, uid: number): Promise<boolean> {
  const found = await lstat(path).catch(whenMissing(null))
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o777) === 0o700
}

export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(whenMissing(null))) !== null
}

/** For `.catch`: returns this value if the file does not exist, and rethrows any other failure. */
export function whenMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value
    throw error
  }
}
