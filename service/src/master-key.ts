// The key that seals secrets at rest: from the environment, or made once in the data directory.

import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Random } from './domain/world.ts'

const FILE = 'master.key'
const KEY_BYTES = 32

export async function loadMasterKey(
  config: Pick<Config, 'masterKey' | 'dataDir'>,
  random: Random,
): Promise<Uint8Array> {
  if (config.masterKey !== null) return config.masterKey
  await mkdir(config.dataDir, { recursive: true })
  const path = join(config.dataDir, FILE)
  return (await read(path)) ?? (await make(path, random))
}

async function read(path: string): Promise<Uint8Array | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const key = Buffer.from(text.trim(), 'base64')
  // A damaged key must not be replaced: everything sealed with it would be lost for good.
  if (key.length !== KEY_BYTES)
    throw new Error(`${path} does not hold ${KEY_BYTES} bytes in base64; restore it from a backup`)
  return key
}

/** Exclusive and synced: two processes that start together end up with one key, and a crash leaves a whole one or none. */
async function make(path: string, random: Random): Promise<Uint8Array> {
  const key = random(KEY_BYTES)
  const draft = `${path}.${process.pid}.${Buffer.from(random(6)).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${Buffer.from(key).toString('base64')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return claim(draft, path, key)
}

async function claim(draft: string, path: string, key: Uint8Array): Promise<Uint8Array> {
  try {
    await link(draft, path)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const winner = await read(path)
    if (winner === null) throw new Error(`${path} vanished while it was being read`)
    return winner
  } finally {
    await unlink(draft)
  }
}
