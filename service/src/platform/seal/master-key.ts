// Checks master keys: 32 bytes that cannot be guessed.

export const MASTER_KEY_BYTES = 32
export const HOW_TO_MAKE_ONE = 'make one with `openssl rand -base64 32`'

/** About 30 of 32 random bytes differ. Only one in ten billion keys has fewer than this. */
const DIFFERENT_MIN = 17

/** What makes a key guessable, as the end of a sentence; null if the key may be random. */
export function weaknessOf(key: Uint8Array): string | null {
  if (key.length !== MASTER_KEY_BYTES) return `is not ${MASTER_KEY_BYTES} bytes long`
  // A repeated byte, or a repeated half.
  if (new Set(key).size < DIFFERENT_MIN) return 'repeats the same bytes'
  const steps = new Set(key.subarray(1).map((byte, at) => byte - (key[at] ?? 0)))
  if (steps.size < DIFFERENT_MIN) return 'counts up or down'
  if (key.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'is a text, not random bytes'
  return null
}

/** From base64 or hex; null if it is neither, or has another length. */
export function parseMasterKey(text: string): Uint8Array | null {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  return bytes.length === MASTER_KEY_BYTES ? bytes : null
}

/** The existing key cannot be used; the message says what to do. */
export class MasterKeyProblem extends Error {
  override readonly name = 'MasterKeyProblem'
}
