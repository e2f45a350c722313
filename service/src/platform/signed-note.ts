// Reads and writes signed notes (C2SP signed-note): a text, an empty line, and lines with signatures.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type LocalKey, localKey, type SigningKey } from './keys/signing-key.ts'

export const NOTE_BYTES_MAX = 64 * 1024
const SIGNATURES_MAX = 100
const KEY_ID_BYTES = 4
const ED25519_KEY_BYTES = 32
export const ED25519_SIGNATURE_BYTES = 64
/** The DER prefixes of an Ed25519 seed and of a public key (RFC 8410). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')

/** 0x01: Ed25519 over the text. 0x04: a cosignature, over a time and the text (cosignature.ts). */
type SignatureType = 0x01 | 0x04

/** Signatures of unknown keys are ignored. An invalid signature of a known key makes the note invalid. */
export interface NoteKey {
  readonly name: string
  readonly type: SignatureType
  readonly publicKey: KeyObject
  readonly id: Buffer
}

export interface NoteSigner<Key extends SigningKey = SigningKey> extends NoteKey {
  readonly key: Key
}

/** Signs synchronously. */
export type LocalNoteSigner = NoteSigner<LocalKey>

export interface NoteSignature {
  readonly name: string
  readonly keyId: Buffer
  /** The bytes after the key id. */
  readonly signature: Buffer
}

export interface ReadNote {
  /** The signed text, with its final newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export function noteKey(name: string, type: SignatureType, publicKey: KeyObject): NoteKey {
  if (!isKeyName(name)) throw new Error('bug: not a valid name of a note key')
  const named = Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), Uint8Array.of(type), rawOf(publicKey)])
  return { name, type, publicKey, id: createHash('sha256').update(named).digest().subarray(0, KEY_ID_BYTES) }
}

/** Signs with a local key that is made from a seed. */
export const noteSigner = (name: string, type: SignatureType, seed: Uint8Array): LocalNoteSigner =>
  noteSignerOf(name, type, keyOfSeed(seed))

export const noteSignerOf = <Key extends SigningKey>(name: string, type: SignatureType, key: Key): NoteSigner<Key> => ({
  ...noteKey(name, type, key.publicKey),
  key,
})

/** The Ed25519 key that a seed gives. */
export const keyOfSeed = (seed: Uint8Array): LocalKey =>
  localKey(createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' }))

/** `name+hex(id)+base64(type, key)`, the format in which verifiers receive keys. */
export const renderNoteKey = ({ name, type, id, publicKey }: NoteKey) =>
  `${name}+${id.toString('hex')}+${Buffer.concat([Uint8Array.of(type), rawOf(publicKey)]).toString('base64')}`

/** null for another algorithm, an id that does not match the key, or any other text. */
export function readNoteKey(text: string): NoteKey | null {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(text.trim())
  const [, name = '', id = '', encoded = ''] = match ?? []
  const bytes = Buffer.from(encoded, 'base64')
  const [type] = bytes
  if (match === null || !isKeyName(name) || (type !== 0x01 && type !== 0x04)) return null
  const spki = Buffer.concat([SPKI_ED25519, bytes.subarray(1)])
  const key = noteKey(name, type, createPublicKey({ key: spki, format: 'der', type: 'spki' }))
  return bytes.length === 1 + ED25519_KEY_BYTES && key.id.toString('hex') === id ? key : null
}

/** null if any part cannot be read. */
export function readNote(note: string): ReadNote | null {
  if (Buffer.byteLength(note) > NOTE_BYTES_MAX || hasControls(note)) return null
  const split = note.lastIndexOf('\n\n')
  if (split < 0 || !note.endsWith('\n')) return null
  const lines = note.slice(split + 2, -1).split('\n')
  const signatures = lines.map(readSignatureLine)
  if (lines.length > SIGNATURES_MAX || signatures.includes(null)) return null
  return { text: note.slice(0, split + 1), signatures: signatures.filter((signature) => signature !== null) }
}

export const signatureLine = ({ name, keyId, signature }: NoteSignature) =>
  `— ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`

/** Signs a text that ends with a newline. */
export function signNote(text: string, signer: LocalNoteSigner): string
export function signNote(text: string, signer: NoteSigner): string | Promise<string>
export function signNote(text: string, { name, id: keyId, key }: NoteSigner): string | Promise<string> {
  const noteOf = (signature: Uint8Array) =>
    `${text}\n${signatureLine({ name, keyId, signature: Buffer.from(signature) })}`
  const signature = key.sign(Buffer.from(text, 'utf8'))
  return signature instanceof Uint8Array ? noteOf(signature) : signature.then(noteOf)
}

type NoteJudgement = 'signed' | 'unknown_key' | 'bad_signature'

/** Whether this key signed the text of the note. */
export function judgeNote({ text, signatures }: ReadNote, key: NoteKey): NoteJudgement {
  const ours = signatures.filter(({ name, keyId }) => name === key.name && keyId.equals(key.id))
  if (ours.length === 0) return 'unknown_key'
  const signed = Buffer.from(text, 'utf8')
  const holds = ours.every(
    ({ signature }) => signature.length === ED25519_SIGNATURE_BYTES && verify(null, signed, key.publicKey, signature),
  )
  return holds ? 'signed' : 'bad_signature'
}

export function readSignatureLine(line: string): NoteSignature | null {
  const match = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line)
  const [, name = '', encoded = ''] = match ?? []
  const bytes = Buffer.from(encoded, 'base64')
  const readable =
    match !== null && isKeyName(name) && bytes.length > KEY_ID_BYTES && bytes.toString('base64') === encoded
  return readable ? { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) } : null
}

export const isKeyName = (name: string) => name !== '' && name.length <= 255 && !/[\s+]/u.test(name)

function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the format forbids exactly these
  return /[\u0000-\u0009\u000b-\u001f\ufffd]/.test(text)
}

function rawOf(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
}
