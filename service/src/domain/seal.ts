// Secrets at rest: AES-256-GCM under the master key, bound to the row they belong to, so that a sealed value
// copied into another row, column or tenant does not open.

import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Random } from './world.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Sealer {
  /** `context` names table, column, tenant and row, for example `access_keys.private_key|ten_..|live`. */
  seal(plaintext: Uint8Array, context: string): Buffer
  open(sealed: Uint8Array, context: string): Buffer
  /** A key derived for another purpose (peppers, signing seeds); the same for the same label. */
  derive(label: string, bytes: number): Buffer
}

export function createSealer(masterKey: Uint8Array, random: Random): Sealer {
  if (masterKey.length !== 32) throw new Error('the master key must have 32 bytes')
  const derive = (label: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(0), `vidimus|${label}`, bytes))
  const key = derive('seal-v1', 32)
  return {
    derive,
    seal(plaintext, context) {
      const nonce = random(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(Buffer.from(context, 'utf8'))
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return Buffer.concat([Uint8Array.of(VERSION), nonce, body, cipher.getAuthTag()])
    },
    open(sealed, context) {
      if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES)
        throw new Error('unreadable sealed value')
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES))
      decipher.setAAD(Buffer.from(context, 'utf8'))
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
      const body = decipher.update(sealed.subarray(1 + NONCE_BYTES, sealed.length - TAG_BYTES))
      return Buffer.concat([body, decipher.final()])
    },
  }
}
