// Reads a witness from the operator's configuration: its key and its address.

import { type NoteKey, readNoteKey } from '../signed-note.ts'

export interface Witness {
  readonly key: NoteKey
  /** Without a trailing slash; requests go to `<url>/add-checkpoint`. */
  readonly url: string
}

/** `<key> <address>`; null for anything else. */
export function readWitness(text: string): Witness | null {
  const [keyText = '', url = '', ...more] = text.trim().split(/\s+/)
  const key = readNoteKey(keyText)
  const address = URL.canParse(url) ? new URL(url) : null
  const plain = address !== null && /^https?:$/.test(address.protocol) && address.search === '' && address.hash === ''
  return key !== null && key.type === 0x04 && plain && more.length === 0 ? { key, url: url.replace(/\/$/, '') } : null
}
