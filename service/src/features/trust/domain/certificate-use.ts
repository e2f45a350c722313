// Whose certificate or anchor it is, and what a certificate is for: of each use one is current at a time.

import type { Environment } from '../../../platform/world.ts'
import type { CertificatePurpose } from './certificate.ts'

/** Whose: a tenant's, or the service's own where it is null. */
export interface Owner {
  readonly tenantId: string | null
  readonly environment: Environment
}

/** What a certificate is for, and whose it is. */
export interface CertificateUse {
  readonly owner: Owner
  readonly purpose: CertificatePurpose
  /** Which of the tenant's services it is for; absent or null: all of them. */
  readonly serviceId?: string | null
}
