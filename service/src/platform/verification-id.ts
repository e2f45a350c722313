// Verification ids: random to everyone else; with a key of the installation they name the tenant and the day.

import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto'
import { BASE62, isTenantId, isVerificationId, randomBase62, randomVerificationId } from './ids.ts'
import type { SecretKeys } from './seal/seal.ts'
import type { Random } from './world.ts'

export type RouteKeys = Pick<SecretKeys, 'derive'>

/** A kept key: ids outlive a change of the master key. */
export const ROUTE_LABEL = 'verification-route-v1'
const KEY_BYTES = 32

export interface Route {
  readonly tenantId: string
  /** When the id was made, in days since 1970 (UTC). The row is of this day, or of the next one if midnight passed in between. */
  readonly day: number
}

/** A block of AES in base 62, and what remains of the id. */
const BLOCK_CHARACTERS = 22
const RANDOM_CHARACTERS = 10
const BLOCK_BYTES = 16
const TENANT_BYTES = 12
const TENANT_CHARACTERS = 16
const DAY_MS = 86_400_000

export function newVerificationId(
  keys: RouteKeys,
  random: Random,
  made: { readonly tenantId: string; readonly nowMs: number },
): string {
  if (!isTenantId(made.tenantId)) return randomVerificationId(random)
  const { cipher } = ciphersOf(keys)
  const tail = randomBase62(random, RANDOM_CHARACTERS)
  const plain = Buffer.alloc(BLOCK_BYTES)
  plain.write(
    fromBase62(made.tenantId.slice('ten_'.length))
      .toString(16)
      .padStart(2 * TENANT_BYTES, '0'),
    'hex',
  )
  plain.writeUInt16BE(Math.floor(made.nowMs / DAY_MS), TENANT_BYTES)
  // CBC with one block. Its IV is the encrypted random part, so that ids of one tenant and day have nothing in common.
  const block = cipher.update(xor(plain, ivOf(cipher, tail)))
  return `ver_${inBase62(BigInt(`0x${block.toString('hex')}`), BLOCK_CHARACTERS)}${tail}`
}

/**
 * null: an id of an earlier release or of another installation, or no id at all. One in a million of those names a tenant and a day
 * by chance: what is not found there must be looked up by its id.
 */
export function routeOf(keys: RouteKeys, id: string): Route | null {
  if (!isVerificationId(id)) return null
  const head = fromBase62(id.slice('ver_'.length, -RANDOM_CHARACTERS))
  if (head >= 1n << 128n) return null
  const { cipher, decipher } = ciphersOf(keys)
  const block = Buffer.from(head.toString(16).padStart(2 * BLOCK_BYTES, '0'), 'hex')
  const plain = xor(decipher.update(block), ivOf(cipher, id.slice(-RANDOM_CHARACTERS)))
  const tenant = BigInt(`0x${plain.toString('hex', 0, TENANT_BYTES)}`)
  const isIntact = plain.readUInt16BE(TENANT_BYTES + 2) === 0 && tenant < 62n ** BigInt(TENANT_CHARACTERS)
  if (!isIntact) return null
  return { tenantId: `ten_${inBase62(tenant, TENANT_CHARACTERS)}`, day: plain.readUInt16BE(TENANT_BYTES) }
}

interface Ciphers {
  readonly cipher: Cipheriv
  readonly decipher: Decipheriv
}

/** Of each key: opening one costs more than using it. */
const opened = new WeakMap<Buffer, Ciphers>()

/** Single blocks, each by itself: such a cipher has no state. */
function ciphersOf(keys: RouteKeys): Ciphers {
  const key = keys.derive(ROUTE_LABEL, KEY_BYTES)
  const known = opened.get(key) ?? {
    cipher: createCipheriv('aes-256-ecb', key, null).setAutoPadding(false),
    decipher: createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false),
  }
  opened.set(key, known)
  return known
}

const ivOf = (cipher: Cipheriv, tail: string) => {
  const nonce = Buffer.alloc(BLOCK_BYTES)
  nonce.write(tail, 'latin1')
  return cipher.update(nonce)
}

const xor = (a: Buffer, b: Buffer) => Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)))

function fromBase62(text: string): bigint {
  let value = 0n
  for (const character of text) value = value * 62n + BigInt(BASE62.indexOf(character))
  return value
}

function inBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = `${BASE62[Number(rest % 62n)]}${text}`
  return text
}
