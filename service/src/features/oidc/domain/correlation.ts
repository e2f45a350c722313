// Provides the key of the digests under which the correlation ids of merchants are stored.

import type { SecretKeys } from '../../../platform/seal/seal.ts'

export const CORRELATION_LABEL = 'oid4vp-correlation-v1'

/** The key moves with its tenant to another installation. Otherwise its correlation ids would not be found there. */
export const correlationKeyOf = (keys: Pick<SecretKeys, 'derive' | 'ofTenant'>, tenantId: string): Buffer =>
  keys.ofTenant(CORRELATION_LABEL, tenantId) ?? keys.derive(CORRELATION_LABEL, 32)
