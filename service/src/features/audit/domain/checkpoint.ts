// Signed checkpoints of an audit chain: its length and last hash as a signed note (C2SP signed-note, Ed25519).

import { createHash, type KeyObject, verify } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { SigningKey } from '../../../platform/keys/signing-key.ts'
import type { DerivedKeys } from '../../../platform/seal/seal.ts'
import type { Instant } from '../../../platform/world.ts'
import { type AuditHead, entryHash } from './entry.ts'

interface Checkpoint {
  readonly tenantId: string
  readonly environment: string
  /** The checkpoint covers the entries 1 to `size`. */
  readonly size: number
  readonly hash: Buffer
  readonly at: Instant
}

type OpenedCheckpoint =
  | { readonly outcome: 'signed'; readonly checkpoint: Checkpoint }
  | { readonly outcome: 'malformed' }
  | { readonly outcome: 'not_signed_by_key' }

const KEY_NAME = 'vidimus-audit'
const ORIGIN = /^vidimus-audit\/([A-Za-z0-9_]{1,64})\/(test|live)$/
const ALGORITHM_ED25519 = 0x01
const KEY_ID_BYTES = 4

export const CHECKPOINT_LABEL = 'audit-checkpoint-v1'

/** Derived from the first master key and stored: all replicas share it, and a rotation does not change it. */
export const checkpointKey = (keys: Pick<DerivedKeys, 'signingKey'>): SigningKey => keys.signingKey(CHECKPOINT_LABEL)

/** By its first line: other notes are of the log. */
export const isNoteOfChain = (note: string) => note.startsWith(`${KEY_NAME}/`)

export async function signCheckpoint(
  key: SigningKey,
  covered: Realm & { head: AuditHead; at: Instant },
): Promise<string> {
  const { head } = covered
  const text = [
    `vidimus-audit/${covered.tenantId}/${covered.environment}`,
    String(head.seq),
    Buffer.from(head.hash).toString('base64'),
    covered.at,
    '',
  ].join('\n')
  const signature = Buffer.concat([keyId(key.publicKey), await key.sign(Buffer.from(text, 'utf8'))])
  return `${text}\n— ${KEY_NAME} ${signature.toString('base64')}\n`
}

/** Returns the content only if the key signed the note. */
export function openCheckpoint(note: string, publicKey: KeyObject): OpenedCheckpoint {
  const match = /^([^\n]+)\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\n([^\n]+Z)\n\n— vidimus-audit ([A-Za-z0-9+/=]+)\n?$/.exec(
    note,
  )
  const [, origin = '', size = '', hash = '', at = '', signatureText = ''] = match ?? []
  const named = ORIGIN.exec(origin)
  if (match === null || named === null) return { outcome: 'malformed' }
  const signed = Buffer.from(`${origin}\n${size}\n${hash}\n${at}\n`, 'utf8')
  const signature = Buffer.from(signatureText, 'base64')
  const rightKey = signature.subarray(0, KEY_ID_BYTES).equals(keyId(publicKey))
  if (!rightKey || !verify(null, signed, publicKey, signature.subarray(KEY_ID_BYTES)))
    return { outcome: 'not_signed_by_key' }
  const [, tenantId = '', environment = ''] = named
  return {
    outcome: 'signed',
    checkpoint: { tenantId, environment, size: Number(size), hash: Buffer.from(hash, 'base64'), at },
  }
}

/** A note, and the current bytes of the last entry that it covers; null if the chain has no such entry. */
export interface NoteOverEntry {
  readonly note: string
  readonly entry: Buffer | null
}

/** The note's content; null if it belongs to another chain or to another entry. */
export function openNoteOver({ note, entry }: NoteOverEntry, key: KeyObject, realm: Realm): Checkpoint | null {
  const opened = openNotes([note], key, realm)
  const [checkpoint] = typeof opened === 'string' ? [] : opened
  return checkpoint !== undefined && entry !== null && checkpoint.hash.equals(entryHash(entry)) ? checkpoint : null
}

/** The contents of one chain's notes, or the problem with one of them. */
export function openNotes(notes: readonly string[], key: KeyObject, realm: Realm): Checkpoint[] | string {
  const checkpoints: Checkpoint[] = []
  for (const note of notes) {
    const opened = openCheckpoint(note, key)
    if (opened.outcome === 'malformed') return 'a checkpoint is not readable'
    if (opened.outcome === 'not_signed_by_key') return 'a checkpoint was not signed by this key'
    const { checkpoint } = opened
    if (checkpoint.tenantId !== realm.tenantId || checkpoint.environment !== realm.environment)
      return 'a checkpoint belongs to another chain'
    checkpoints.push(checkpoint)
  }
  return checkpoints
}

function keyId(publicKey: KeyObject): Buffer {
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const named = Buffer.concat([Buffer.from(`${KEY_NAME}\n`, 'utf8'), Uint8Array.of(ALGORITHM_ED25519), raw])
  return createHash('sha256').update(named).digest().subarray(0, KEY_ID_BYTES)
}
