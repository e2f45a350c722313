// Webhook secrets and signatures (spec 6.3, 6.5).

import { createHmac } from 'node:crypto'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Instant, Random } from '../../../platform/world.ts'

const SECRET_BYTES = 32
export const ROTATION_OVERLAP_MS = 24 * 3_600_000

/** Returns the seal context of a secret, the same for current and replaced ones. */
export const webhookSecretSealContext = (realm: Realm) => `webhook_secrets.secret|${realmName(realm)}`

/** `whsec_` and 43 characters. The HMAC key is the UTF-8 of the whole text, including the prefix. */
export function mintWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`
}

/** `t=<unix seconds>,v1=<hex>`, with one `v1` per secret, newest first. */
export function signatureHeader(body: Uint8Array, secrets: readonly string[], nowMs: number): string {
  if (secrets.length === 0) throw new Error('bug: a webhook without a secret to sign it')
  const t = Math.floor(nowMs / 1000)
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${t}.`).update(body).digest('hex')
  return [`t=${t}`, ...secrets.map((secret) => `v1=${sign(secret)}`)].join(',')
}

export interface WebhookSecret {
  readonly secret: string
  readonly createdAt: Instant
  /** When the last replaced secret stops signing; null if only the newest signs. */
  readonly previousUntil: Instant | null
}

export function renderWebhookSecret({ secret, createdAt, previousUntil }: WebhookSecret) {
  return { secret, created_at: createdAt, previous_until: previousUntil }
}
