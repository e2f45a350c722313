// Creates a system user for PostgreSQL if this process is root. Uses "nobody" with a warning if that fails.

import { execFile } from 'node:child_process'
import { lstat, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Account {
  readonly uid: number
  readonly gid: number
}

export interface SystemUsers {
  find(name: string): Promise<Account | null>
  /** Does not throw. If the user cannot be created, the next lookup does not find it. */
  make(name: string): Promise<void>
}

const OWN = 'vidimus'
const SHARED = 'nobody'
const COMMAND_MS_MAX = 10_000
const run = promisify(execFile)

/** The users of this machine. */
export const machineUsers: SystemUsers = {
  async find(name) {
    const fields = (await readFile('/etc/passwd', 'utf8'))
      .split('\n')
      .map((line) => line.split(':'))
      .find(([user]) => user === name)
    // Some systems write the id of "nobody" as -2.
    return fields === undefined ? null : { uid: Number(fields[2]) >>> 0, gid: Number(fields[3]) >>> 0 }
  },
  async make(name) {
    const home = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin']
    // BusyBox has no useradd, but addgroup and adduser.
    if (await succeeds('useradd', ['--system', '--user-group', ...home, name])) return
    if (await succeeds('addgroup', ['-S', name])) await succeeds('adduser', ['-S', '-D', '-H', '-G', name, name])
  },
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(command, args, { timeout: COMMAND_MS_MAX, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
    return true
  } catch {
    // The command is missing or not allowed, or another process was faster. The caller looks the user up.
    return false
  }
}

/** The account for new clusters: our own system user, created if it does not exist. */
export async function serverAccountOf(users: SystemUsers): Promise<Account> {
  if ((await users.find(OWN)) === null) await users.make(OWN)
  const account = (await users.find(OWN)) ?? (await users.find(SHARED))
  if (account === null) {
    throw new Error(
      `PostgreSQL does not run as root, and there is neither a user "${OWN}" nor "${SHARED}" to run it as`,
    )
  }
  return account
}

/** Whether a server with this uid shares its account with other processes of "nobody". */
export async function isSharedAccount(users: SystemUsers, uid: number): Promise<boolean> {
  return (await users.find(SHARED))?.uid === uid
}

/** Hands a cluster of "nobody" over to our own user, unless the server runs. Creates missing `socketDirs`. */
export async function handOverCluster(
  users: SystemUsers,
  cluster: { readonly pgdata: string; readonly socketDirs: readonly string[] },
): Promise<void> {
  const { pgdata, socketDirs } = cluster
  const [own, shared] = [await users.find(OWN), await users.find(SHARED)]
  if (own === null || shared === null || (await lstat(pgdata)).uid !== shared.uid) return
  if (await serverRuns(pgdata)) return
  for (const folder of socketDirs) {
    const found = await lstat(folder).catch(() => null)
    if (found?.uid === shared.uid) await rm(folder, { recursive: true, force: true })
  }
  // chown does not follow symlinks that are added during the walk, and changes the topmost folder last.
  await succeeds('chown', ['-hR', `--from=${shared.uid}`, `${own.uid}:${own.gid}`, '--', pgdata])
}

/** The working directory of a server is its cluster. A stale lock file may have the pid of an unrelated process. */
async function serverRuns(pgdata: string): Promise<boolean> {
  const [pid = ''] = (await readFile(join(pgdata, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  if (!/^\d+$/.test(pid)) return false
  return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === pgdata
}
