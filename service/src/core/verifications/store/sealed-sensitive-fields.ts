// Seals and opens a merchant's sensitive fields, one JSON text.

import type { Sealing } from '../../../platform/postgres/db.ts'
import type { RealmRow } from '../../tenants/domain/realm.ts'
import {
  SENSITIVE_FIELDS_SEALED,
  type SensitiveFields,
  type StoredSensitiveFields,
  sensitiveFieldsSealContext,
} from '../domain/sensitive-fields.ts'

/** null if there is nothing to seal. */
export function sealSensitiveFields({ sealer }: Sealing, row: RealmRow, fields: SensitiveFields): Buffer | null {
  const { redirectUrl, webhookUrl, metadata, origin, universal } = fields
  const members = { redirectUrl, webhookUrl, metadata, origin, universal }
  if (Object.values(members).every((member) => member === null)) return null
  return sealer.seal(Buffer.from(JSON.stringify(members), 'utf8'), sensitiveFieldsSealContext(row))
}

const NOTHING: SensitiveFields = { redirectUrl: null, webhookUrl: null, metadata: null, origin: null, universal: null }

export function openSensitiveFields({ sealer }: Sealing, stored: RealmRow & StoredSensitiveFields): SensitiveFields {
  const { sealedSensitiveFields, plainRedirectUrl, plainWebhookUrl, plainMetadata } = stored
  if (sealedSensitiveFields === null) {
    if (sealer.keeps(SENSITIVE_FIELDS_SEALED)) return NOTHING
    return { ...NOTHING, redirectUrl: plainRedirectUrl, webhookUrl: plainWebhookUrl, metadata: plainMetadata }
  }
  // A value that an earlier release sealed lacks some members.
  return {
    ...NOTHING,
    ...JSON.parse(sealer.open(sealedSensitiveFields, sensitiveFieldsSealContext(stored)).toString('utf8')),
  }
}
