// Stores a witness's key and the newest head of each log. Writes are atomic and flushed before the witness uses them.

import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Random } from '../../../platform/world.ts'
import type { WitnessedTreeHead } from '../domain/log/submission.ts'
import { type ProcessWorld, takeWitnessLock } from './witness-lock.ts'

const SEED_BYTES = 32

export interface WitnessFiles {
  readonly seed: Buffer
  load(origin: string): Promise<WitnessedTreeHead | null>
  save(origin: string, head: WitnessedTreeHead): Promise<void>
  /** The decision of the witness's operator about a statement; null: none. */
  acceptance(digest: Buffer): Promise<Acceptance | null>
  close(): Promise<void>
}

export interface Acceptance {
  /** Whether the acceptance also applies if this witness has not cosigned the checkpoint that the log goes back to. */
  readonly isUnproven: boolean
}

/** Safe while a witness runs, because the witness never writes this file. */
export async function acceptStatement(folder: string, digest: Buffer, { isUnproven }: Acceptance): Promise<void> {
  await writeWhole(acceptancePath(folder, digest), JSON.stringify({ is_unproven: isUnproven }))
}

const acceptancePath = (folder: string, digest: Buffer) => join(folder, `accepted-${digest.toString('hex')}.json`)
const headPath = (folder: string, origin: string) =>
  join(folder, `${createHash('sha256').update(origin).digest('hex').slice(0, 32)}.json`)

/** The newest head of a log that this folder's witness has seen; null: none. */
export async function loadWitnessed(folder: string, origin: string): Promise<WitnessedTreeHead | null> {
  const text = await readIfThere(headPath(folder, origin))
  if (text === null) return null
  // An unreadable file is not treated as missing, because the witness would forget what it saw.
  const { size, root, epoch, note } = JSON.parse(text) as KeptHead
  const mark = epoch === undefined ? null : { number: epoch.number, digest: Buffer.from(epoch.digest, 'base64') }
  return { size, root: Buffer.from(root, 'base64'), epoch: mark, note: note ?? null }
}

/** Earlier releases stored neither epoch nor note. */
interface KeptHead {
  readonly size: number
  readonly root: string
  readonly epoch?: { readonly number: number; readonly digest: string }
  readonly note?: string
}

export async function openWitnessFiles(
  folder: string,
  world: ProcessWorld & { readonly random: Random },
): Promise<WitnessFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const release = await takeWitnessLock(folder, world)
  return {
    seed: (await readWitnessSeed(folder)) ?? (await makeSeed(keyPath(folder), world.random)),
    load: (origin) => loadWitnessed(folder, origin),
    async save(origin, { size, root, epoch, note }) {
      const kept = {
        origin,
        size,
        root: Buffer.from(root).toString('base64'),
        ...(epoch !== null && { epoch: { number: epoch.number, digest: epoch.digest.toString('base64') } }),
        ...(note !== null && { note }),
      }
      await writeWhole(headPath(folder, origin), JSON.stringify(kept))
    },
    async acceptance(digest) {
      const text = await readIfThere(acceptancePath(folder, digest))
      return text === null ? null : { isUnproven: JSON.parse(text).is_unproven === true }
    },
    close: release,
  }
}

const keyPath = (folder: string) => join(folder, 'key')

async function makeSeed(path: string, random: Random): Promise<Buffer> {
  const seed = Buffer.from(random(SEED_BYTES))
  await writeWhole(path, seed.toString('hex'))
  return seed
}

/** Returns null if no witness was started with this folder yet. */
export async function readWitnessSeed(folder: string): Promise<Buffer | null> {
  const known = await readIfThere(keyPath(folder))
  if (known === null) return null
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

/** Flushes the folder, so that the name of a new file survives a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
