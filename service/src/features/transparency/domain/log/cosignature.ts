// A witness's cosignature on a checkpoint (C2SP tlog-cosignature, Ed25519). It states that the witness knew no other history.

import { verify } from 'node:crypto'
import {
  ED25519_SIGNATURE_BYTES,
  type LocalNoteSigner,
  type NoteKey,
  type NoteSignature,
  type ReadNote,
} from '../../../../platform/signed-note.ts'

const TIME_BYTES = 8

export interface Cosigned {
  readonly witness: string
  /** Seconds since 1970. */
  readonly at: number
}

const cosignedText = (text: string, at: number) => Buffer.from(`cosignature/v1\ntime ${at}\n${text}`, 'utf8')

export function cosign(text: string, at: number, signer: LocalNoteSigner): NoteSignature {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(at))
  const signature = Buffer.concat([time, signer.key.sign(cosignedText(text, at))])
  return { name: signer.name, keyId: signer.id, signature }
}

/** Returns null if the signature is by another key, or is not valid for the text. */
export function openCosignature(
  text: string,
  { name, keyId, signature }: NoteSignature,
  key: NoteKey,
): Cosigned | null {
  const mine = key.type === 0x04 && name === key.name && keyId.equals(key.id)
  if (!mine || signature.length !== TIME_BYTES + ED25519_SIGNATURE_BYTES) return null
  const at = Number(signature.readBigUInt64BE())
  if (!Number.isSafeInteger(at)) return null
  return verify(null, cosignedText(text, at), key.publicKey, signature.subarray(TIME_BYTES))
    ? { witness: name, at }
    : null
}

/** Returns which of the given witnesses have cosigned a checkpoint. */
export function cosignersOf(note: ReadNote, keys: readonly NoteKey[]): Cosigned[] {
  return keys.flatMap((key) => {
    const cosignatures = note.signatures
      .map((signature) => openCosignature(note.text, signature, key))
      .find((one) => one !== null)
    return cosignatures === undefined ? [] : [cosignatures]
  })
}
