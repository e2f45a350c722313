// Loads the keys that seal secrets: wrapped, from the environment, or from a file in the data directory.

import { link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './platform/config/config.ts'
import { createMasterKeySource } from './platform/keys/master-key-source.ts'
import type { RemoteKeys } from './platform/keys/remote-keys.ts'
import {
  HOW_TO_MAKE_ONE,
  MASTER_KEY_BYTES,
  MasterKeyProblem,
  parseMasterKey,
  weaknessOf,
} from './platform/seal/master-key.ts'
import type { Random } from './platform/world.ts'

const FILE = 'master.key'
const RETIRED_FILE = 'master.key.retired'

interface MasterKeys {
  readonly masterKey: Uint8Array
  /** Former keys. They only decrypt. */
  readonly readableMasterKeys: readonly Uint8Array[]
}

type KeyConfig = Pick<Config, 'masterKey' | 'masterKeysReadable' | 'dataDir' | 'keys'>
type Unwrapping = Pick<RemoteKeys, 'wrap' | 'unwrap'>

/** Loads the keys, or creates one. The first line of the file seals; during a rotation, further lines only decrypt. */
export async function loadMasterKeys(config: KeyConfig, random: Random, remote: Unwrapping): Promise<MasterKeys> {
  const known = await readMasterKeys(config, remote)
  if (known !== null) return known
  await mkdir(config.dataDir, { recursive: true })
  return withReadable(config, await make(join(config.dataDir, FILE), random))
}

/** null: no key exists yet. */
export async function readMasterKeys(config: KeyConfig, remote: Unwrapping): Promise<MasterKeys | null> {
  const { masterKey, masterKeysReadable, dataDir, keys } = config
  if (keys.wrappedMasterKeys.length > 0) return unwrapKeys(config, remote)
  if (masterKey !== null) return { masterKey, readableMasterKeys: masterKeysReadable }
  const inFile = await read(join(dataDir, FILE))
  return inFile === null ? null : withReadable(config, inFile)
}

/** The key in use, or a new one, as text for VIDIMUS_MASTER_KEY_WRAPPED. */
export async function wrapMasterKey(
  config: KeyConfig,
  remote: Unwrapping,
  options: { readonly reference: string; readonly isNew: boolean; readonly random: Random },
): Promise<string> {
  const { reference, isNew, random } = options
  const known = isNew ? { masterKey: random(MASTER_KEY_BYTES) } : await readMasterKeys(config, remote)
  if (known === null)
    throw new MasterKeyProblem(
      `${config.dataDir} contains no master key yet: \`--new\` makes one, wrapped from the start`,
    )
  return createMasterKeySource(remote).wrap(reference, known.masterKey)
}

/** Refuses a key file in the data directory: its key is in plain text, and may differ from the wrapped key. */
async function unwrapKeys(config: KeyConfig, remote: Unwrapping): Promise<MasterKeys> {
  const path = join(config.dataDir, FILE)
  if ((await readKeys(path)) !== null)
    throw new MasterKeyProblem(
      `${path} contains a key in plain text next to VIDIMUS_MASTER_KEY_WRAPPED; move it to a safe`,
    )
  const source = createMasterKeySource(remote)
  const [masterKey, ...readableMasterKeys] = await Promise.all(config.keys.wrappedMasterKeys.map(source.unwrap))
  if (masterKey === undefined) throw new Error('bug: nothing to unwrap')
  return withReadable(config, { masterKey, readableMasterKeys })
}

const withReadable = (config: KeyConfig, { masterKey, readableMasterKeys }: MasterKeys): MasterKeys => ({
  masterKey,
  readableMasterKeys: [...readableMasterKeys, ...config.masterKeysReadable],
})

/** Puts a new key before the keys in the file, which still decrypt. */
export async function addMasterKey(config: KeyConfig, random: Random): Promise<void> {
  const path = join(config.dataDir, FILE)
  const known = await read(path)
  if (known === null) throw new Error(`${path} does not exist: nothing was sealed with it yet`)
  await replace(path, [random(MASTER_KEY_BYTES), known.masterKey, ...known.readableMasterKeys], random)
}

/** Moves keys that only decrypt to a second file, because older backups need them. Returns its path, or null. */
export async function retireMasterKeys(config: KeyConfig, random: Random): Promise<string | null> {
  const path = join(config.dataDir, FILE)
  const known = await read(path)
  if (known === null || known.readableMasterKeys.length === 0) return null
  const retired = join(config.dataDir, RETIRED_FILE)
  const earlier = (await readKeys(retired)) ?? []
  const isNew = (key: Uint8Array) => !earlier.some((one) => Buffer.compare(one, key) === 0)
  await replace(retired, [...known.readableMasterKeys.filter(isNew), ...earlier], random)
  await replace(path, [known.masterKey], random)
  return retired
}

async function read(path: string): Promise<MasterKeys | null> {
  const keys = await readKeys(path)
  if (keys === null) return null
  const [masterKey, ...readableMasterKeys] = keys
  if (masterKey === undefined) throw new MasterKeyProblem(`${path} is empty; restore it from a backup`)
  const weakness = weaknessOf(masterKey)
  if (weakness !== null) {
    throw new MasterKeyProblem(
      `the first key in ${path} ${weakness}; put a new one on a line before it: ${HOW_TO_MAKE_ONE}`,
    )
  }
  return { masterKey, readableMasterKeys }
}

async function readKeys(path: string): Promise<Uint8Array[] | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null
    ? null
    : text
        .trim()
        .split('\n')
        .map((line) => parseLine(path, line))
}

/** Never replaces a damaged key: everything that was sealed with it would be lost for good. */
function parseLine(path: string, line: string): Uint8Array {
  const key = parseMasterKey(line.trim())
  if (key === null)
    throw new MasterKeyProblem(`${path} does not contain ${MASTER_KEY_BYTES} bytes in base64; restore it from a backup`)
  return key
}

/** Exclusive, so that two processes that start at the same time get the same key. */
async function make(path: string, random: Random): Promise<MasterKeys> {
  const key = random(MASTER_KEY_BYTES)
  const draft = await writeDraft(path, [key], random)
  try {
    await link(draft, path)
    return { masterKey: key, readableMasterKeys: [] }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const winner = await read(path)
    if (winner === null) throw new Error(`${path} vanished while it was being read`)
    return winner
  } finally {
    await unlink(draft)
  }
}

async function replace(path: string, keys: readonly Uint8Array[], random: Random): Promise<void> {
  await rename(await writeDraft(path, keys, random), path)
}

/** Complete and synced before the rename, so that a crash leaves either a complete file or none. */
async function writeDraft(path: string, keys: readonly Uint8Array[], random: Random): Promise<string> {
  const draft = `${path}.${process.pid}.${Buffer.from(random(6)).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(keys.map((key) => `${Buffer.from(key).toString('base64')}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
  return draft
}
