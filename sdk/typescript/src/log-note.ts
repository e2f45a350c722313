// Verifies signed notes (C2SP signed-note) and cosignatures of witnesses (C2SP tlog-cosignature) with Web Crypto.

import { type Bytes, fromBase64, joined, sha256, toHex, utf8 } from './bytes.ts'

const KEY_ID_BYTES = 4
const SIGNATURE_BYTES = 64
const TIME_BYTES = 8
const NOTE_LENGTH_MAX = 64 * 1024
const SIGNATURES_MAX = 100
const LOG = 0x01
const WITNESS = 0x04

/** The key of a log or a witness, as both print it: `name+id+key`. */
export interface LogKey {
  readonly name: string
  readonly kind: 'log' | 'witness'
  readonly id: Bytes
  readonly key: CryptoKey
}

export interface LogNote {
  /** The signed text, with its final newline. */
  readonly text: string
  readonly signatures: readonly { readonly name: string; readonly id: Bytes; readonly signature: Bytes }[]
}

export interface Cosigned {
  readonly witness: string
  /** Seconds since 1970. */
  readonly at: number
}

/** null for another algorithm, an id that is not the key's, or malformed text. */
export async function readLogKey(text: string): Promise<LogKey | null> {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(text.trim())
  const [, name = '', id = '', encoded = ''] = match ?? []
  const bytes = match === null ? null : fromBase64(encoded)
  const type = bytes?.[0]
  if (bytes === null || (type !== LOG && type !== WITNESS)) return null
  const digest = await sha256(joined([utf8(`${name}\n`), bytes]))
  const keyId = digest.slice(0, KEY_ID_BYTES)
  if (toHex(keyId) !== id) return null
  const key = await crypto.subtle.importKey('raw', bytes.slice(1), 'Ed25519', false, ['verify'])
  return { name, kind: type === LOG ? 'log' : 'witness', id: keyId, key }
}

export function readLogNote(note: string): LogNote | null {
  const split = note.lastIndexOf('\n\n')
  if (note.length > NOTE_LENGTH_MAX || split < 0 || !note.endsWith('\n')) return null
  const lines = note.slice(split + 2, -1).split('\n')
  const signatures = lines.map(readSignature).filter((one) => one !== null)
  if (signatures.length !== lines.length || lines.length > SIGNATURES_MAX) return null
  return { text: note.slice(0, split + 1), signatures }
}

function readSignature(line: string) {
  const [, name = '', encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? []
  const bytes = encoded === '' ? null : fromBase64(encoded)
  if (bytes === null || bytes.length <= KEY_ID_BYTES) return null
  return { name, id: bytes.slice(0, KEY_ID_BYTES), signature: bytes.slice(KEY_ID_BYTES) }
}

/** Whether there is a signature under the key's name, and all of them are valid. */
export async function isSignedBy({ text, signatures }: LogNote, key: LogKey): Promise<boolean> {
  const own = signatures.filter((one) => isOf(one, key))
  if (key.kind !== 'log' || own.length === 0) return false
  for (const { signature } of own) {
    const holds =
      signature.length === SIGNATURE_BYTES && (await crypto.subtle.verify('Ed25519', key.key, signature, utf8(text)))
    if (!holds) return false
  }
  return true
}

/** null if this witness has not cosigned it. */
export async function cosignedBy({ text, signatures }: LogNote, key: LogKey): Promise<Cosigned | null> {
  if (key.kind !== 'witness') return null
  for (const one of signatures.filter((signature) => isOf(signature, key))) {
    if (one.signature.length !== TIME_BYTES + SIGNATURE_BYTES) continue
    const at = Number(new DataView(one.signature.buffer).getBigUint64(0))
    const signed = utf8(`cosignature/v1\ntime ${at}\n${text}`)
    const holds = await crypto.subtle.verify('Ed25519', key.key, one.signature.slice(TIME_BYTES), signed)
    if (holds && Number.isSafeInteger(at)) return { witness: key.name, at }
  }
  return null
}

const isOf = ({ name, id }: { name: string; id: Bytes }, key: LogKey) =>
  name === key.name && toHex(id) === toHex(key.id)
