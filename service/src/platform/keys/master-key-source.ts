// Unwraps master keys at start with a key outside of this process, and wraps them at a rotation.

import { MASTER_KEY_BYTES, MasterKeyProblem, weaknessOf } from '../seal/master-key.ts'
import { KeyFailure } from './key-provider.ts'
import type { RemoteKeys } from './remote-keys.ts'
import { renderWrappedKey, type WrappedKey } from './wrapped-key.ts'

export interface MasterKeySource {
  /** Throws a MasterKeyProblem if the outside key is unavailable, cannot unwrap this, or returns no master key. */
  unwrap(wrapped: WrappedKey): Promise<Uint8Array>
  /** Returns the text for VIDIMUS_MASTER_KEY_WRAPPED, after checking that it can be unwrapped. */
  wrap(reference: string, masterKey: Uint8Array): Promise<string>
}

export function createMasterKeySource(keys: Pick<RemoteKeys, 'wrap' | 'unwrap'>): MasterKeySource {
  const unwrap = async ({ reference, wrapped }: WrappedKey): Promise<Uint8Array> => {
    const key = await keys.unwrap(reference, wrapped).catch((error: unknown) => {
      if (!(error instanceof KeyFailure)) throw error
      throw new MasterKeyProblem(`the master key cannot be unwrapped with ${reference}: ${error.message}`)
    })
    if (key.length !== MASTER_KEY_BYTES || weaknessOf(key) !== null)
      throw new MasterKeyProblem(`what ${reference} unwrapped is not a master key`)
    return key
  }
  return {
    unwrap,
    async wrap(reference, masterKey) {
      const wrapped = await keys.wrap(reference, masterKey).catch((error: unknown) => {
        if (!(error instanceof KeyFailure)) throw error
        throw new MasterKeyProblem(`the master key cannot be wrapped with ${reference}: ${error.message}`)
      })
      const opened = await unwrap({ reference, wrapped })
      if (Buffer.compare(opened, masterKey) !== 0)
        throw new MasterKeyProblem(`${reference} unwraps another key than it wrapped`)
      return renderWrappedKey({ reference, wrapped })
    },
  }
}
