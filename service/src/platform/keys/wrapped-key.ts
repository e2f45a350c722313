// Reads and writes a master key that a key outside of this process encrypted, as text for an environment variable.

import { referenceProblem } from './key-reference.ts'

export interface WrappedKey {
  readonly reference: string
  readonly wrapped: Uint8Array
}

export const renderWrappedKey = ({ reference, wrapped }: WrappedKey) =>
  `${reference}#${Buffer.from(wrapped).toString('base64url')}`

/** null: the text is not a wrapped key. */
export function readWrappedKey(text: string): WrappedKey | null {
  const [reference = '', encoded = '', ...more] = text.split('#')
  const wrapped = Buffer.from(encoded, 'base64url')
  const isReadable = encoded !== '' && wrapped.toString('base64url') === encoded && more.length === 0
  return isReadable && referenceProblem(reference) === null ? { reference, wrapped } : null
}
