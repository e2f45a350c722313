// Shares one PostgreSQL server per version among all test files, without waiting for the disk.

import { createHash } from 'node:crypto'
import { stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Binaries,
  packagedBinaries,
  reachableBinaries,
  serverAccount,
} from '../../../src/platform/postgres/embedded/location.ts'
import { type EmbeddedPostgres, startCluster } from '../../../src/platform/postgres/embedded/server.ts'

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  max_wal_size: '256MB',
  // Databases live for seconds: a test that needs statistics runs ANALYZE itself.
  autovacuum: 'off',
}
// Operators' own servers sort by language, not by byte, so the second server does, too.
const INIT_ARGS_OTHER = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en', '--no-sync']
const INIT_ARGS = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-sync']

/** Names the server that a test runner has leased for its files. Without it each file leases the server itself. */
const RUNNER_CLUSTER = 'VIDIMUS_TEST_CLUSTER'

/** Returns the variables with which test files use the runner's server, and neither start nor stop it. */
export function clusterEnvironment({ connection, admin, home, shared }: EmbeddedPostgres, wanted: string | null) {
  return { [RUNNER_CLUSTER]: JSON.stringify({ connection, admin, home, shared, wanted }) }
}

function readHeld(wanted: string | null): EmbeddedPostgres | null {
  const text = process.env[RUNNER_CLUSTER]
  if (text === undefined) return null
  const shared: Pick<EmbeddedPostgres, 'connection' | 'admin' | 'home' | 'shared'> & { wanted: string | null } =
    JSON.parse(text)
  return shared.wanted === wanted ? { ...shared, adopted: true, stop: async () => undefined } : null
}

/** Returns our PostgreSQL, or with VIDIMUS_TEST_POSTGRES=15 the machine's own PostgreSQL 15. */
export async function testCluster(wanted = process.env.VIDIMUS_TEST_POSTGRES ?? null): Promise<EmbeddedPostgres> {
  const shared = readHeld(wanted)
  if (shared !== null) return shared
  const account = await serverAccount()
  const binaries =
    wanted === null ? await reachableBinaries(await packagedBinaries(), account) : await installedBinaries(wanted)
  const identity = createHash('sha256')
    .update(`${process.getuid?.()} ${import.meta.dirname}`)
    .digest('hex')
    .slice(0, 12)
  const home = join(await serversFolder(), `vidimus-test-${identity}-${binaries.major}`)
  return startCluster(
    { ...binaries, account, home, pointer: null },
    { settings: SETTINGS, initArgs: wanted === null ? INIT_ARGS : INIT_ARGS_OTHER },
  )
}

const MEMORY = '/dev/shm'
/** A file system of Linux that is only in memory. */
const TMPFS = 0x0102_1994
/** Several times as much as the servers of a run write. */
const ROOM_BYTES = 8 * 1024 ** 3

/** Memory, if the machine has plenty: a database is copied for each file, and dropped after it. */
async function serversFolder(): Promise<string> {
  const { type, bavail, bsize } = await statfs(MEMORY).catch(() => ({ type: 0, bavail: 0, bsize: 0 }))
  const room = Math.min(bavail * bsize, process.availableMemory())
  return type === TMPFS && room >= ROOM_BYTES ? MEMORY : tmpdir()
}

async function installedBinaries(major: string): Promise<Binaries> {
  const binDir = `/usr/lib/postgresql/${major}/bin`
  await stat(join(binDir, 'postgres'))
  return { binDir, major }
}
