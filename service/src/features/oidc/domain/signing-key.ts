// When a realm's signing keys come and go.

import type { Realm } from '../../../core/tenants/domain/realm.ts'

const DAY_MS = 86_400_000

/** A new one is made when the youngest is this old. */
export const KEY_AGE_MS = 90 * DAY_MS
/** It is shown so long before it signs: clients keep a realm's keys for hours. */
export const SHOWN_AHEAD_MS = DAY_MS
/** The one before is shown so long after: longer than any token it signed lives. */
export const SHOWN_AFTER_MS = DAY_MS

/** Where the private half belongs when it is sealed. */
export const signingKeySealContext = (key: Realm & { readonly id: string }) =>
  `oidc_keys.private_key|${key.tenantId}|${key.environment}|${key.id}`
