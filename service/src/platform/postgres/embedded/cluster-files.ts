// Creates the files of a cluster and reads its lock file.

import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Location } from './location.ts'
import { canEnter, exists, isPrivateFolder, makeEnterable, whenMissing } from './reach.ts'
import { type Account, handOverCluster, isSharedAccount, machineUsers, type SystemUsers } from './system-user.ts'

export interface Cluster extends Location {
  /** PGDATA: below the home, a folder for each major version. */
  readonly pgdata: string
  readonly socketDir: string
  readonly log: string
  /** The account that owns the files and runs the server. */
  readonly uid: number
  /** Whether the account is "nobody", which other processes of the machine may use too. */
  readonly shared: boolean
}

/** The superuser of the server. The service itself connects as an ordinary role. */
export const SUPERUSER = 'postgres'
/** The maximum length of a socket path (sun_path) on the strictest of our platforms. */
const SOCKET_PATH_BYTES_MAX = 103
const LEFTOVER_MS = 600_000

/**
 * Opens or creates the cluster of this location. A new cluster is built in a draft folder and then renamed, so that two
 * processes that start together use the same cluster.
 */
export async function openCluster(
  location: Location,
  initArgs: readonly string[],
  users: SystemUsers = machineUsers,
): Promise<Cluster> {
  let { home } = location
  if (location.account === null) await mkdir(home, { recursive: true, mode: 0o700 })
  else await makeEnterable(home)
  if (!(await exists(join(home, location.major)))) {
    await initialise(location, initArgs)
    if (location.pointer !== null) home = await publish(location.pointer, home)
  }
  const pgdata = join(home, location.major)
  const asRoot = process.getuid?.() === 0
  if (asRoot) await handOverCluster(users, { pgdata, socketDirs: socketDirsOf(home) })
  const { uid, gid } = await stat(pgdata)
  const us = process.getuid?.() ?? 0
  if (us !== 0 && uid !== us) throw new Error(`${pgdata} belongs to uid ${uid}, and this process runs as uid ${us}`)
  if (uid === 0) throw new Error(`${pgdata} belongs to root, and PostgreSQL does not run as root`)
  const account = us === 0 ? { uid, gid } : null
  const socketDir = await makeSocketDir(home, account)
  const shared = asRoot && (await isSharedAccount(users, uid))
  return { ...location, account, home, pgdata, socketDir, log: join(home, 'server.log'), uid, shared }
}

async function initialise(location: Location, initArgs: readonly string[]): Promise<void> {
  await removeLeftovers(location.home)
  const draft = join(location.home, `new-${randomUUID()}`)
  await mkdir(draft, { mode: 0o700 })
  if (location.account !== null) await chown(draft, location.account.uid, location.account.gid)
  // `trust` is safe here, because TCP is off and only the server's account and root can reach the socket.
  const args = [
    '-D',
    draft,
    '-U',
    SUPERUSER,
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    ...initArgs,
  ]
  try {
    await promisify(execFile)(join(location.binDir, 'initdb'), args, {
      cwd: '/',
      env: serverEnvironment(),
      ...location.account,
    })
  } catch (cause) {
    await rm(draft, { recursive: true, force: true })
    throw new Error(`PostgreSQL's initdb failed in ${location.home}`, { cause })
  }
  try {
    await rename(draft, join(location.home, location.major))
    await syncFolder(location.home)
  } catch {
    // A rename onto a non-empty folder fails: another process was first, so its cluster is used.
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(join(location.home, location.major))))
      throw new Error(`no cluster could be put into ${location.home}`)
  }
}

/** Removes draft folders of processes that were killed during initdb. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const path = join(home, name)
    if (!name.startsWith('new-')) continue
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > LEFTOVER_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Writes the path of the home into the data folder. The first of two processes wins. */
async function publish(pointer: string, home: string): Promise<string> {
  // For an operator who finds the home: names its data folder.
  await writeFile(join(home, 'data-folder'), `${dirname(pointer)}\n`)
  try {
    await writeFile(pointer, `${home}\n`, { flag: 'wx', mode: 0o644, flush: true })
    return home
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await rm(home, { recursive: true, force: true })
    return (await readFile(pointer, 'utf8')).trim()
  }
}

async function makeSocketDir(home: string, account: Account | null): Promise<string> {
  for (const path of socketDirsOf(home)) {
    if (Buffer.byteLength(join(path, '.s.PGSQL.5432')) > SOCKET_PATH_BYTES_MAX) continue
    if (await makePrivateFolder(path, account)) return path
  }
  throw new Error(
    `no folder for the PostgreSQL socket: the path ${home} is too long, and the folder in the temporary directory is not ours`,
  )
}

/** Returns the same paths at every start, because a pool keeps the path while the server restarts. */
function socketDirsOf(home: string): string[] {
  const short = `vidimus-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`
  return [join(home, 'run'), join(tmpdir(), short), join('/tmp', short)]
}

async function makePrivateFolder(path: string, account: Account | null): Promise<boolean> {
  const uid = account?.uid ?? process.getuid?.() ?? 0
  try {
    await mkdir(path, { mode: 0o700 })
    await chmod(path, 0o700)
    if (account !== null) await chown(path, account.uid, account.gid)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return false
  }
  if (account !== null && !(await canEnter(path, account))) return false
  return isPrivateFolder(path, uid)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/** The server gets none of our environment variables, so no PGDATA and no secrets. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

/** Reads the lock file of a running or killed server: the pid in line 1, the folder of the socket in line 5. */
export async function readLockFile(pgdata: string): Promise<{ pid: number; socketDir: string } | null> {
  const text = await readFile(join(pgdata, 'postmaster.pid'), 'utf8').catch(whenMissing(''))
  const [pid = '', , , , socketDir = ''] = text.split('\n')
  // While the server starts, the file may be incomplete.
  return /^\d+$/.test(pid) && socketDir !== '' ? { pid: Number(pid), socketDir } : null
}
