// Defines the rotation schedule of a realm's signing keys.

import type { Realm } from '../../../core/tenants/domain/realm.ts'

const DAY_MS = 86_400_000

/** A new key is created when the newest is this old. */
export const KEY_AGE_MS = 90 * DAY_MS
/** A key is published this long before it signs, because clients cache a realm's keys for hours. */
export const SHOWN_AHEAD_MS = DAY_MS
/** The previous key stays published this long, which is longer than its tokens are valid. */
export const SHOWN_AFTER_MS = DAY_MS

/** The context that the private key is sealed with. */
export const signingKeySealContext = (key: Realm & { readonly id: string }) =>
  `oidc_keys.private_key|${key.tenantId}|${key.environment}|${key.id}`
