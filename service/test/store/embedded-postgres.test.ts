// Tests the embedded PostgreSQL: its user, start and stop.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, chown, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openWorld } from '../../src/assemble.ts'
import { openStore } from '../../src/open-store.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { ConfigError } from '../../src/platform/config/config-problems.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/server.ts'
import { machineUsers, type SystemUsers } from '../../src/platform/postgres/embedded/system-user.ts'
import { dataFolder, type Ends, killServer, postmasterOf, signal, startProcess } from '../harness/servers/embedded.ts'
import { waitUntil } from '../harness/wait.ts'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
/** As root, all tests run twice: as root and as an unprivileged user. */
const ACCOUNTS = isRoot ? [{ who: 'root' }, { who: 'an ordinary user', uid: NOBODY }] : [{ who: 'an ordinary user' }]

for (const { who, ...account } of ACCOUNTS) {
  const folder = async (t: Ends) => {
    const path = await dataFolder(t, tmpdir())
    if (account.uid !== undefined) await chown(path, account.uid, account.uid)
    return join(path, 'data')
  }

  describe(`as ${who}`, () => {
    /** Shared by tests that need no fresh cluster, because creating a cluster takes longer than they do. */
    let sharedFolder: Promise<string> | null = null
    const ends: (() => Promise<void>)[] = []
    const anyFolder = () => {
      sharedFolder ??= folder({ after: (end) => void ends.push(end) })
      return sharedFolder
    }
    after(async () => {
      for (const end of ends) await end()
    })

    it('starts in a fresh folder, keeps its data, and stops with its last user', async (t) => {
      const dataDir = await anyFolder()
      const first = await startProcess(t, dataDir, account)
      assert.equal(first.ready.adopted, false)
      assert.equal(first.ready.admitsAny, false)
      first.tell('write 1')
      await first.next('committed')
      await first.stop()
      assert.equal(await postmasterOf(first.ready), null)
      const second = await startProcess(t, dataDir, account)
      for (const number of first.committed) assert.ok(second.ready.written.includes(number))
      t.diagnostic(`first start ${first.ready.ms} ms, later start ${second.ready.ms} ms`)
      await second.stop()
    })

    it('two processes that start at once in a fresh folder with a very long path share one server, and the last to leave stops it', async (t) => {
      const dataDir = join(await folder(t), 'x'.repeat(60), 'y'.repeat(60))
      const [one, other] = await Promise.all([startProcess(t, dataDir, account), startProcess(t, dataDir, account)])
      assert.deepEqual([one.ready.adopted, other.ready.adopted].sort(), [false, true])
      one.tell('write 1')
      await one.next('committed')
      await one.stop()
      other.tell('read')
      assert.deepEqual(
        new Set((await other.next('read')).written as number[]).isSupersetOf(new Set(one.committed)),
        true,
      )
      assert.notEqual(await postmasterOf(other.ready), null)
      await other.stop()
      assert.equal(await postmasterOf(other.ready), null)
    })

    it('the next start uses a server that survived its killed service', async (t) => {
      const dataDir = await anyFolder()
      const killed = await startProcess(t, dataDir, account)
      const server = await postmasterOf(killed.ready)
      await killed.kill()
      const next = await startProcess(t, dataDir, account)
      assert.equal(next.ready.adopted, true)
      assert.equal(await postmasterOf(next.ready), server)
      await next.stop()
      assert.equal(await postmasterOf(next.ready), null)
    })

    it('a server that dies under its service is restarted', async (t) => {
      const service = await startProcess(t, await anyFolder(), account)
      const server = await postmasterOf(service.ready)
      await killServer(service.ready)
      let answer: unknown
      await waitUntil('the server is back', async () => {
        service.tell('read')
        answer = (await service.next('read')).written
        return answer !== 'StoreUnavailable'
      })
      assert.deepEqual(answer, service.ready.written)
      assert.notEqual(await postmasterOf(service.ready), server)
      await service.stop()
    })

    it('a stale lock file whose pid belongs to another process does not prevent a start', async (t) => {
      const dataDir = await anyFolder()
      const killed = await startProcess(t, dataDir, account)
      const lockFile = join(killed.ready.home, '18', 'postmaster.pid')
      await Promise.all([killed.kill(), killServer(killed.ready)])
      const owner = await stat(lockFile)
      const stranger = spawn('sleep', ['600'], isRoot ? { uid: owner.uid, gid: owner.gid } : {})
      t.after(() => stranger.kill())
      const [, ...rest] = (await readFile(lockFile, 'utf8')).split('\n')
      await writeFile(lockFile, [stranger.pid, ...rest].join('\n'))
      const next = await startProcess(t, dataDir, account)
      assert.equal(next.ready.adopted, false)
      assert.equal(signal(stranger.pid ?? 0, 0), true)
      await next.stop()
    })

    it('a copied data folder, lock file included, gets a separate server', async (t) => {
      const dataDir = await anyFolder()
      const first = await startProcess(t, dataDir, account)
      await first.stop()
      const copy = await folder(t)
      await cp(dataDir, copy, { recursive: true, preserveTimestamps: true })
      await giveLike(dataDir, copy)
      const original = await startProcess(t, dataDir, account)
      const lockFile = join('postgres', '18', 'postmaster.pid')
      await cp(join(dataDir, lockFile), join(copy, lockFile))
      await giveLike(dataDir, copy)
      const copied = await startProcess(t, copy, account)
      assert.equal(copied.ready.adopted, false)
      assert.notEqual(await postmasterOf(copied.ready), await postmasterOf(original.ready))
      await Promise.all([original.stop(), copied.stop()])
    })
  })
}

/** Gives every file of the copy the owner of its original. Only root needs to do this, and can. */
async function giveLike(original: string, copy: string): Promise<void> {
  if (!isRoot) return
  const { globSync } = await import('node:fs')
  for (const path of ['.', ...globSync('**', { cwd: original })]) {
    const { uid, gid } = await stat(join(original, path))
    await chown(join(copy, path), uid, gid).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}

if (isRoot) {
  describe("as root: the server's account", () => {
    const NO_OWN: SystemUsers = {
      find: (name) => (name === 'vidimus' ? Promise.resolve(null) : machineUsers.find(name)),
      make: () => Promise.resolve(),
    }
    const ownerOf = async (path: string) => (await stat(path)).uid

    it('creates its own user if there is none, and hands over the cluster of "nobody" with all its data', async (t) => {
      const dataDir = join(await dataFolder(t, tmpdir()), 'x'.repeat(60), 'y'.repeat(60))
      const shared = await startEmbeddedPostgres(dataDir, { users: NO_OWN })
      assert.equal(shared.shared, true)
      const pgdata = join(shared.home, '18')
      assert.equal(await ownerOf(pgdata), NOBODY)
      const second = await startEmbeddedPostgres(dataDir)
      assert.deepEqual([second.adopted, second.shared], [true, true], 'the running server is used as it is')
      await Promise.all([shared.stop(), second.stop()])

      const service = await startProcess(t, dataDir)
      service.tell('write 1')
      await service.next('committed')
      await service.stop()
      const own = await machineUsers.find('vidimus')
      assert.ok(own !== null && own.uid !== NOBODY)
      for (const path of ['18', '18/base', '18/PG_VERSION'])
        assert.equal(await ownerOf(join(shared.home, path)), own.uid, path)
      const again = await startEmbeddedPostgres(dataDir, { refuseShared: true })
      assert.equal(again.shared, false)
      await again.stop()
    })

    it('a new cluster belongs to its own user from the start', async (t) => {
      const fresh = await startEmbeddedPostgres(join(await dataFolder(t, tmpdir()), 'data'), { refuseShared: true })
      const own = await machineUsers.find('vidimus')
      assert.ok(own !== null && own.uid !== NOBODY)
      assert.deepEqual([fresh.shared, await ownerOf(join(fresh.home, '18'))], [false, own.uid])
      await fresh.stop()
    })

    it('if root cannot create a user, production refuses to start, and every other start warns', async (t) => {
      const dataDir = join(await dataFolder(t, tmpdir()), 'data')
      const config = { databaseUrl: null, dataDir, production: false }
      const store = await openStore(config, () => undefined, NO_OWN)
      assert.equal(store.shared, true)
      await store.stop()
      await assert.rejects(
        openStore({ ...config, production: true }, () => undefined, NO_OWN),
        ConfigError,
      )
      const lines: string[] = []
      const start = async (users: SystemUsers) => {
        const world = await openWorld(readConfig({ VIDIMUS_DATA_DIR: dataDir }), (line) => lines.push(line), { users })
        await world.close()
        return lines.splice(0).filter((line) => line.includes('runs as \\"nobody\\"'))
      }
      const [warning, ...more] = await start(NO_OWN)
      assert.deepEqual([JSON.parse(warning ?? '{}').level, more], ['warn', []])
      assert.deepEqual(await start(machineUsers), [])
    })
  })

  describe('as root, in a folder that no other user may enter', () => {
    it('the cluster is in the system folder, and a pointer leads to it', async (t) => {
      const closed = await dataFolder(t, tmpdir(), 0o700)
      const systemDir = await dataFolder(t, tmpdir())
      const dataDir = join(closed, 'data')
      const [one, other] = await Promise.all([
        startProcess(t, dataDir, { systemDir }),
        startProcess(t, dataDir, { systemDir }),
      ])
      assert.equal(one.ready.home, other.ready.home)
      assert.ok(one.ready.home.startsWith(systemDir))
      assert.equal((await readFile(join(dataDir, 'postgres.location'), 'utf8')).trim(), one.ready.home)
      await Promise.all([one.stop(), other.stop()])
      const later = await startProcess(t, dataDir, { systemDir })
      assert.equal(later.ready.home, one.ready.home)
      await later.stop()
      await rm(later.ready.home, { recursive: true })
      await assert.rejects(startProcess(t, dataDir, { systemDir }), /ended with 1/)
    })

    it('a cluster from an open folder is still found when the folder is closed', async (t) => {
      const open = await dataFolder(t, tmpdir())
      const systemDir = await dataFolder(t, tmpdir())
      const service = await startProcess(t, join(open, 'data'), { systemDir })
      await service.stop()
      await chmod(open, 0o700)
      await assert.rejects(startProcess(t, join(open, 'data'), { systemDir }), /ended with 1/)
      await chmod(open, 0o755)
      const again = await startProcess(t, join(open, 'data'), { systemDir })
      await again.stop()
    })
  })
}

it('a folder of another user is refused', async (t) => {
  const { openCluster } = await import('../../src/platform/postgres/embedded/cluster-files.ts')
  const home = await dataFolder(t, tmpdir())
  await mkdir(join(home, '18'))
  const realm = { binDir: '/nonexistent', major: '18', home, account: null, pointer: null }
  // Root's own folder is the example, because PostgreSQL does not run as root.
  if (isRoot) await assert.rejects(openCluster(realm, []), /belongs to root/)
  else await assert.rejects(openCluster({ ...realm, home: '/', major: 'usr' }, []))
})
