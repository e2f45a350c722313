// Tests that the device's file is never partial, is private, and is locked by one caller at a time.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { within } from '../../../service/test/harness/wait.ts'
import { fileStorage } from '../src/device/device-file-storage.ts'
import type { DeviceState } from '../src/device/device-storage.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-device-'))
after(() => rm(folder, { recursive: true }))

const state = (refreshToken: string): DeviceState => ({
  accessToken: 'vd_1',
  refreshToken,
  issuedAt: 0,
  accessExpiresAt: 900_000,
  refreshExpiresAt: 9_000_000,
  device: { id: 'd', name: 'Till', status: 'active', allowed_templates: ['age_over_18'], created_at: 'x' },
  refresh: null,
})

test('loads what it saved, in a new folder, in a file that only its owner can read, and leaves no other file', async () => {
  const path = join(folder, 'deep', 'till.json')
  const storage = fileStorage(path)
  assert.equal(await storage.load(), null)
  await storage.save(state('vdr_1'))
  await storage.save(state('vdr_2'))
  assert.deepEqual(await fileStorage(path).load(), state('vdr_2'))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(join(folder, 'deep')), ['till.json'])
  await storage.clear()
  assert.equal(await storage.load(), null)
  await storage.clear()
})

test('gives concurrent callers the lock one at a time, and releases it after a failure', async () => {
  const path = join(folder, 'shared.json')
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await fileStorage(path).save(state('vdr_1'))
    inside -= 1
  }
  await Promise.all(Array.from({ length: 8 }, () => fileStorage(path).exclusively(work)))
  assert.equal(most, 1)
  await assert.rejects(
    fileStorage(path).exclusively(async () => {
      throw new Error('no')
    }),
    /no/,
  )
  await fileStorage(path).exclusively(work)
})

async function orphan(name: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(`${path}.lock`, '')
  const longAgo = new Date(Date.now() - 120_000)
  await utimes(`${path}.lock`, longAgo, longAgo)
  return path
}

test('takes over the lock of an owner that died, and leaves no file', async () => {
  const path = await orphan('orphan.json')
  assert.equal(await fileStorage(path).exclusively(async () => 'mine'), 'mine')
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('orphan')),
    [],
  )
})

test('gives the lock to one caller at a time if several find the lock of a dead owner', async () => {
  for (let round = 0; round < 10; round += 1) {
    const path = await orphan(`contested-${round}.json`)
    let inside = 0
    const work = async () => {
      inside += 1
      // Waits for a few reads of the file system, in which a second owner would appear.
      for (let look = 0; look < 10; look += 1) {
        assert.equal(inside, 1)
        await stat(folder)
      }
      inside -= 1
    }
    const all: Promise<void>[] = []
    // Starts callers a few file accesses apart, so that one could remove the lock that another has just taken.
    for (let count = 0; count < 4; count += 1) {
      all.push(fileStorage(path).exclusively(work))
      for (let look = 0; look < round % 5; look += 1) await stat(folder)
    }
    await Promise.all(all)
  }
})

test('an owner whose lock was taken over does not release the lock of the next owner', async () => {
  const path = join(folder, 'away.json')
  const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const away = fileStorage(path).exclusively(async () => {
    entered.resolve()
    await leave.promise
  })
  await within('the lock is held', entered.promise)
  const longAgo = new Date(Date.now() - 120_000)
  await utimes(`${path}.lock`, longAgo, longAgo)
  await fileStorage(path).exclusively(async () => {
    leave.resolve()
    await away
    assert.ok((await readdir(folder)).includes('away.json.lock'), 'the first owner released the lock of the second')
  })
  assert.ok(!(await readdir(folder)).includes('away.json.lock'))
})
