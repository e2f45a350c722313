// The device's file is never partial, is private, and is locked by one caller at a time.

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

test('what is saved is loaded, in a folder made for it, readable by its owner only, with nothing left beside it', async () => {
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

test('of many at once, each has the file to itself; a failure lets go of it', async () => {
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

test('the lock of a holder that died is taken over, with nothing left beside it', async () => {
  const path = await orphan('orphan.json')
  assert.equal(await fileStorage(path).exclusively(async () => 'mine'), 'mine')
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('orphan')),
    [],
  )
})

test('of some who find the lock of a dead holder one after the other, each still has the file to itself', async () => {
  for (let round = 0; round < 10; round += 1) {
    const path = await orphan(`contested-${round}.json`)
    let inside = 0
    const work = async () => {
      inside += 1
      // As long as a few reads of the file system: a second owner would appear now.
      for (let look = 0; look < 10; look += 1) {
        assert.equal(inside, 1)
        await stat(folder)
      }
      inside -= 1
    }
    const all: Promise<void>[] = []
    // Started one file access apart, so that one removes the lock when another has just taken it.
    for (let count = 0; count < 4; count += 1) {
      all.push(fileStorage(path).exclusively(work))
      for (let look = 0; look < round % 5; look += 1) await stat(folder)
    }
    await Promise.all(all)
  }
})

test('a holder that was away too long lets go of its own lock, not of that of its successor', async () => {
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
    assert.ok((await readdir(folder)).includes('away.json.lock'), 'it is still held')
  })
  assert.ok(!(await readdir(folder)).includes('away.json.lock'))
})
