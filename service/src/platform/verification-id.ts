// Creates verification ids, which look random. With a key of the installation they decrypt to the tenant and the day.

import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto'
import { BASE62, isTenantId, isVerificationId, randomBase62, randomVerificationId, toBase62 } from './ids.ts'
import type { SecretKeys } from './seal/seal.ts'
import type { Random } from './world.ts'

export type RouteKeys = Pick<SecretKeys, 'derive'>

/** The label of the key. The key is stored, because ids outlive a change of the master key. */
export const ROUTE_LABEL = 'verification-route-v1'
const KEY_BYTES = 32

export interface Route {
  readonly tenantId: string
  /** When the id was created, in days since 1970 (UTC). A row inserted after midnight has the next day. */
  readonly day: number
}

/** An id is an AES block in base 62, then random characters. */
const BLOCK_CHARACTERS = 22
const RANDOM_CHARACTERS = 10
const BLOCK_BYTES = 16
const TENANT_CHARACTERS = 16
const TENANTS = 62n ** BigInt(TENANT_CHARACTERS)
/** The block as a number: 96 bits of the tenant, 16 bits of the day, and 16 bits that are zero. */
const TENANT_SHIFT = 32n
const DAY_SHIFT = 16n
const DAY_MS = 86_400_000

export function newVerificationId(
  keys: RouteKeys,
  random: Random,
  input: { readonly tenantId: string; readonly nowMs: number },
): string {
  if (!isTenantId(input.tenantId)) return randomVerificationId(random)
  const { cipher } = ciphersOf(keys)
  const tail = randomBase62(random, RANDOM_CHARACTERS)
  const day = BigInt(Math.floor(input.nowMs / DAY_MS))
  const plain = (fromBase62(input.tenantId.slice('ten_'.length)) << TENANT_SHIFT) | (day << DAY_SHIFT)
  // CBC with one block. Its IV is the encrypted random part, so that two ids of one tenant and day share nothing.
  const block = cipher.update(bytesOf(plain ^ ivOf(cipher, tail)))
  return `ver_${inBase62(numberOf(block), BLOCK_CHARACTERS)}${tail}`
}

/**
 * null: malformed, from an earlier release or from another installation. One in a million of these ids decrypts by
 * chance. So an id that is not found in its tenant must be looked up in all tenants.
 */
export function routeOf(keys: RouteKeys, id: string): Route | null {
  if (!isVerificationId(id)) return null
  const head = fromBase62(id.slice('ver_'.length, -RANDOM_CHARACTERS))
  if (head >= 1n << 128n) return null
  const { cipher, decipher } = ciphersOf(keys)
  const plain = numberOf(decipher.update(bytesOf(head))) ^ ivOf(cipher, id.slice(-RANDOM_CHARACTERS))
  const tenant = plain >> TENANT_SHIFT
  const isIntact = (plain & 0xffffn) === 0n && tenant < TENANTS
  if (!isIntact) return null
  return { tenantId: `ten_${inBase62(tenant, TENANT_CHARACTERS)}`, day: Number((plain >> DAY_SHIFT) & 0xffffn) }
}

interface Ciphers {
  readonly cipher: Cipheriv
  readonly decipher: Decipheriv
}

/** Cached by key, because to create a cipher costs more than to use it. */
const ciphersByKey = new WeakMap<Buffer, Ciphers>()

/** Encrypts single blocks. A cipher in ECB mode has no state, so it can be reused. */
function ciphersOf(keys: RouteKeys): Ciphers {
  const key = keys.derive(ROUTE_LABEL, KEY_BYTES)
  const known = ciphersByKey.get(key) ?? {
    cipher: createCipheriv('aes-256-ecb', key, null).setAutoPadding(false),
    decipher: createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false),
  }
  ciphersByKey.set(key, known)
  return known
}

function ivOf(cipher: Cipheriv, tail: string): bigint {
  const nonce = Buffer.alloc(BLOCK_BYTES)
  nonce.write(tail, 'latin1')
  return numberOf(cipher.update(nonce))
}

const numberOf = (block: Buffer) => (block.readBigUInt64BE(0) << 64n) | block.readBigUInt64BE(8)

function bytesOf(value: bigint): Buffer {
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  block.writeBigUInt64BE(value >> 64n, 0)
  block.writeBigUInt64BE(value & 0xffff_ffff_ffff_ffffn, 8)
  return block
}

/** As many as a number holds exactly. A bigint per character took most of the time of an id. */
const CHARACTERS_AT_ONCE = 8
const PART = 62n ** BigInt(CHARACTERS_AT_ONCE)

function fromBase62(text: string): bigint {
  let value = 0n
  // The first part may be shorter.
  for (let end = text.length % CHARACTERS_AT_ONCE; end <= text.length; end += CHARACTERS_AT_ONCE) {
    let part = 0
    for (let at = Math.max(0, end - CHARACTERS_AT_ONCE); at < end; at += 1)
      part = part * 62 + BASE62.indexOf(text.charAt(at))
    value = value * PART + BigInt(part)
  }
  return value
}

function inBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= PART)
    text = toBase62(Number(rest % PART), Math.min(CHARACTERS_AT_ONCE, length - text.length)) + text
  return text
}
