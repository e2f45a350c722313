// What a witness remembers: its key, and the newest head of each log it knows. A small folder; a new head is on the disk before
// it is spoken of, and replaces the old one whole or not at all.

import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TreeHead } from '../../domain/log/merkle.ts'
import type { Random } from '../../domain/world.ts'
import { type ProcessWorld, takeWitnessLock } from './witness-lock.ts'

const SEED_BYTES = 32

export interface WitnessFiles {
  readonly seed: Buffer
  load(origin: string): Promise<TreeHead | null>
  save(origin: string, head: TreeHead): Promise<void>
  close(): Promise<void>
}

export async function openWitnessFiles(
  folder: string,
  world: ProcessWorld & { readonly random: Random },
): Promise<WitnessFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const release = await takeWitnessLock(folder, world)
  const pathOf = (origin: string) =>
    join(folder, `${createHash('sha256').update(origin).digest('hex').slice(0, 32)}.json`)
  return {
    seed: await loadSeed(join(folder, 'key'), world.random),
    async load(origin) {
      const text = await readIfThere(pathOf(origin))
      if (text === null) return null
      // Unreadable is not unknown: to begin anew would be to forget.
      const { size, root } = JSON.parse(text) as { size: number; root: string }
      return { size, root: Buffer.from(root, 'base64') }
    },
    async save(origin, { size, root }) {
      await writeWhole(pathOf(origin), JSON.stringify({ origin, size, root: Buffer.from(root).toString('base64') }))
    },
    close: release,
  }
}

async function loadSeed(path: string, random: Random): Promise<Buffer> {
  const known = await readIfThere(path)
  if (known === null) {
    const seed = Buffer.from(random(SEED_BYTES))
    await writeWhole(path, seed.toString('hex'))
    return seed
  }
  const seed = Buffer.from(known.trim(), 'hex')
  if (seed.length !== SEED_BYTES) throw new Error('the key of the witness cannot be read')
  return seed
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await syncFolder(dirname(path))
}

/** A new name in it outlives a loss of power only then. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
