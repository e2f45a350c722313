// The master key of every test service: fixed, so that a second process can decrypt what the first one sealed.

import { createHash, randomBytes } from 'node:crypto'
import { createSealer, type Sealer } from '../../../src/platform/seal/seal.ts'

export const TEST_MASTER_KEY = createHash('sha256').update('the master key of the tests').digest()

/** Returns a sealer for a store that is opened without a service: it has no kept keys yet. */
export const testSealer = (masterKey: Uint8Array = TEST_MASTER_KEY, readable: readonly Uint8Array[] = []): Sealer =>
  createSealer(masterKey, (size) => new Uint8Array(randomBytes(size)), readable)
