// A merchant's sensitive fields, as their column stores them: one sealed JSON text.

import type { Sealing } from '../../../platform/postgres/db.ts'
import {
  type Owner,
  PARTICULARS_SEALED,
  type Particulars,
  particularsSealContext,
  type StoredParticulars,
} from '../domain/sealed-particulars.ts'

/** null if there is nothing to seal. */
export function sealParticulars({ sealer }: Sealing, owner: Owner, particulars: Particulars): Buffer | null {
  const { redirectUrl, webhookUrl, metadata, origin, universal } = particulars
  const members = { redirectUrl, webhookUrl, metadata, origin, universal }
  if (Object.values(members).every((member) => member === null)) return null
  const text = JSON.stringify(members)
  return sealer.seal(Buffer.from(text, 'utf8'), particularsSealContext(owner))
}

const NOTHING: Particulars = { redirectUrl: null, webhookUrl: null, metadata: null, origin: null, universal: null }

export function openParticulars({ sealer }: Sealing, stored: Owner & StoredParticulars): Particulars {
  const { sealedParticulars, plainRedirectUrl, plainWebhookUrl, plainMetadata } = stored
  if (sealedParticulars === null) {
    if (sealer.keeps(PARTICULARS_SEALED)) return NOTHING
    return { ...NOTHING, redirectUrl: plainRedirectUrl, webhookUrl: plainWebhookUrl, metadata: plainMetadata }
  }
  // A value that an earlier release sealed lacks some of them.
  return {
    ...NOTHING,
    ...JSON.parse(sealer.open(sealedParticulars, particularsSealContext(stored)).toString('utf8')),
  }
}
