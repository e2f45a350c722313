// Where keys outside of this process are: an HSM, and what is in it.

import { referenceProblem } from '../keys/key-reference.ts'
import { readWrappedKey, type WrappedKey } from '../keys/wrapped-key.ts'
import { Misread, type Read } from './variable-readers.ts'

export interface KeySettings {
  /** null: no HSM. */
  readonly pkcs11: { readonly module: string; readonly pinFile: string } | null
  /** The beginning of the names of keys for ID tokens, which the service creates there; null: in the store, sealed. */
  readonly idTokens: string | null
  /** The master keys, wrapped by keys outside; the first seals, the others open. Empty: not wrapped. */
  readonly wrappedMasterKeys: readonly WrappedKey[]
}

export const absolutePath: Read<string> = (text) => {
  if (!text.startsWith('/')) throw new Misread('a full path')
  return text
}

export const keyReference: Read<string> = (text) => {
  const problem = referenceProblem(text)
  if (problem !== null) throw new Misread(problem)
  return text
}

export const wrappedKeys: Read<readonly WrappedKey[]> = (text) => {
  const keys = text.split(',').map((part) => readWrappedKey(part.trim()))
  if (keys.includes(null)) throw new Misread('what `vidimus master-key wrap` printed; several are separated by commas')
  return keys.filter((key) => key !== null)
}
