// Defines API keys: their format, their scopes and expiry, and how to recognise one without the store.

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { SCOPES } from '../../../../../wire/values/keys.ts'
import { randomBase62, toBase62 } from '../../../platform/ids.ts'
import { type Environment, type Instant, millisecondsOf, type Random } from '../../../platform/world.ts'

export type Scope = (typeof SCOPES)[number]

/** The default scopes of a key: everything but deletion (spec 5.7). */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'verifications:delete')

/** Maximum of active keys per tenant and environment. */
export const ACTIVE_KEYS_MAX = 100
/** A list shows active keys, and keys that ended in these last days; at most `KEYS_SHOWN_MAX` in total. */
export const ENDED_KEYS_SHOWN_DAYS = 30
export const KEYS_SHOWN_MAX = 200

/** Uses by day: how many days are shown, and how many are kept. */
export const USES_SHOWN_DAYS = 14
export const USES_KEPT_DAYS = 90

/** Spec 5.2: this much of a key may be kept and shown. */
const PREFIX_LENGTH = 12
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
const KEY_SHAPE = /^vk_(test|live)_[0-9A-Za-z]{38}$/

export interface ApiKey {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly name: string
  readonly prefix: string
  readonly scopes: readonly Scope[]
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  readonly lastUsedAt: Instant | null
}

/** The rendering contains nothing that the key could be derived from. */
export function renderKey(key: ApiKey) {
  return {
    id: key.id,
    tenant_id: key.tenantId,
    environment: key.environment,
    name: key.name,
    prefix: key.prefix,
    scopes: [...key.scopes],
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  }
}

export function mintApiKey(random: Random, environment: Environment): string {
  const body = `vk_${environment}_${randomBase62(random, RANDOM_LENGTH)}`
  return body + checksumOf(body)
}

/** True for text that could be one of our keys: a cheap filter that keeps garbage from the store, not a proof. */
export function looksLikeApiKey(text: string): boolean {
  return KEY_SHAPE.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

export const displayPrefix = (key: string) => key.slice(0, PREFIX_LENGTH)

/**
 * SHA-256 is enough: the key has 190 random bits, and a slow hash would only add latency. Hashing to a text takes a
 * third of the time of hashing to bytes.
 */
export const hashSecret = (secret: string): Buffer => Buffer.from(hash('sha256', secret, 'latin1'), 'latin1')

/** Spec 5.4: inclusive, a key that expires exactly now is expired. */
export function isPast(deadline: Instant | null, nowMs: number): boolean {
  return deadline !== null && millisecondsOf(deadline) <= nowMs
}

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text)

/** The last characters of each of our tokens, so that a leaked one is recognised offline. */
export function checksumOf(text: string): string {
  return toBase62(crc32(text), CHECKSUM_LENGTH)
}
