// Describes a failure in one line, with its remedy, at the end of a failed command and in `vidimus doctor`.

import { MasterKeyProblem } from '../seal/master-key.ts'
import { UnknownMasterKey } from '../seal/seal.ts'
import { StoreRefused, StoreUnavailable, StoreUnfit } from '../store-unavailable.ts'

interface Trouble {
  readonly area: 'store' | 'master key' | 'data directory' | 'disk'
  readonly finding: string
  /** Absent if the finding already says what to do. */
  readonly remedy?: string
}

/** null: a bug of ours. Its stack trace says more than a sentence. */
export function troubleOf(error: unknown): Trouble | null {
  if (error instanceof StoreUnfit || error instanceof StoreRefused)
    return { area: 'store', finding: error.message, remedy: error.remedy }
  if (error instanceof StoreUnavailable) {
    const remedy = 'check that PostgreSQL is running and reachable from this machine, or correct DATABASE_URL'
    return { area: 'store', finding: error.message, remedy }
  }
  if (error instanceof MasterKeyProblem) return { area: 'master key', finding: error.message }
  if (error instanceof UnknownMasterKey) {
    const remedy =
      'set VIDIMUS_MASTER_KEY to the key this store was sealed with, put it into VIDIMUS_MASTER_KEYS_READABLE, or restore master.key of its data directory'
    return { area: 'master key', finding: `it is not the right one: ${error.message}`, remedy }
  }
  return troubleOfFile(error)
}

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT'])
const NO_ACCESS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST'])

function troubleOfFile(error: unknown): Trouble | null {
  if (!(error instanceof Error)) return null
  const { code = '', path = 'the data directory' } = error as NodeJS.ErrnoException
  if (NO_SPACE.has(code)) {
    const remedy = 'free some space, or set VIDIMUS_DATA_DIR to another disk'
    return { area: 'disk', finding: `no space is left for ${path} (${code})`, remedy }
  }
  if (NO_ACCESS.has(code)) {
    const user = process.getuid?.()
    const who = user === undefined ? 'the user of this process' : `the user of this process (uid ${user})`
    const remedy = `give ${who} a folder that it may write to, and name it in VIDIMUS_DATA_DIR`
    return { area: 'data directory', finding: `${path} cannot be used (${code})`, remedy }
  }
  return null
}
