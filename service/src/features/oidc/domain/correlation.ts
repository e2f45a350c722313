// The key under which a merchant's own names of its requests are stored as digests.

import type { SecretKeys } from '../../../platform/seal/seal.ts'

export const CORRELATION_LABEL = 'oid4vp-correlation-v1'

/** It goes with its tenant to another installation, or its names would not be found there. */
export const correlationKeyOf = (keys: Pick<SecretKeys, 'derive' | 'ofTenant'>, tenantId: string): Buffer =>
  keys.ofTenant(CORRELATION_LABEL, tenantId) ?? keys.derive(CORRELATION_LABEL, 32)
